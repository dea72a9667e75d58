// The sentence is sent as soon as a key is pressed, if nothing is being answered; keys of the meantime are sent together when
// the answer is there, or after Streamlit's own pause. Enter makes Streamlit send at once.
(() => {
  if (window.attentionBenchSending) return;
  window.attentionBenchSending = true;
  const BOX = ".st-key-sentence input", LATELY = 300; // ms: a run begins by then, or none does
  const RUNS = ["running", "rerunRequested"].map((state) => `[data-test-script-state="${state}"]`).join();
  /** @type {HTMLInputElement | null} */
  let typed = null;
  let sent = -LATELY;
  const look = () => {
    const isAnswering = document.querySelector(RUNS) !== null;
    if (isAnswering) sent = -LATELY; // what was sent has arrived
    if (!typed || isAnswering) return;
    const early = sent + LATELY - performance.now();
    if (early > 0) return void setTimeout(look, early); // it may be on its way
    const box = typed;
    [typed, sent] = [null, performance.now()];
    if (box.isConnected) box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  };
  new MutationObserver(look).observe(document, { subtree: true, attributeFilter: ["data-test-script-state"] });
  for (const kind of /** @type {const} */ (["input", "compositionend"])) {
    window.addEventListener(kind, (event) => {
      if (!(event.target instanceof HTMLInputElement) || !event.target.matches(BOX)) return;
      if (/** @type {InputEvent} */ (event).isComposing) return; // a word of Chinese is not chosen yet
      typed = event.target;
      setTimeout(look); // once Streamlit has heard of it
    }, { capture: true, passive: true });
  }
})();
