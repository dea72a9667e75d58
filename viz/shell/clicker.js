// Keys of clickers and of who presents. PageDown and PageUp turn the steps of a lesson, from the moment its bar is there,
// or what a presented page has steps of; F5 presents a lesson or a room's page, Escape ends that; "." or "b" makes the
// screen black, and "q" shows how to join the room, until the next key.
(() => {
  if (window.attentionBenchClicker) return;
  window.attentionBenchClicker = true;
  const MOST = 4000, STEP = 30; // ms: of waiting for a button, between looks
  /** @type {Record<string, [by: number, button: string] | undefined>} */
  const TURNS = { PageUp: [-1, ".st-key-lesson-previous"], PageDown: [1, ".st-key-lesson-next"] };
  /** @param {string} css */
  const is = (css) => document.querySelector(css) !== null;
  // Streamlit draws a button a moment after its place.
  /** @param {string} place */
  const press = (place) => {
    const began = performance.now();
    const look = () => {
      const button = /** @type {HTMLElement | null} */ (document.querySelector(`${place} button`));
      if (button) button.click();
      else if (performance.now() - began < MOST) setTimeout(look, STEP);
    };
    look();
  };
  const { dataset } = document.documentElement;
  /** @param {"black" | "code"} what */
  const cover = (what) => { dataset.covered = what; };
  // Whether the key has been taken.
  /** @param {string} key */
  const take = (key) => {
    const presented = is(".st-key-present-off"), turn = TURNS[key];
    if (dataset.covered) delete dataset.covered;
    else if (turn && is(turn[1])) press(turn[1]);
    else if (turn && presented) window.dispatchEvent(new CustomEvent("attention-bench-turn", { detail: turn[0] }));
    else if (key === "F5" && (presented || is(".st-key-lesson, .st-key-room"))) press(presented ? ".st-key-present-off" : ".st-key-present-on");
    else if (key === "Escape" && presented && !is('[data-testid="stPopoverBody"]')) press(".st-key-present-off");
    else if ((key === "." || key === "b") && presented) cover("black");
    else if (key === "q" && is(".room-join")) cover("code");
    else return false;
    return true;
  };
  window.addEventListener("keydown", (event) => {
    const { key, ctrlKey, altKey, metaKey, shiftKey } = event, at = event.composedPath()[0];
    const types = at instanceof HTMLElement && at.matches("input, textarea, [contenteditable='true']");
    if (ctrlKey || altKey || metaKey || shiftKey || (types && key.length === 1) || !take(key)) return;
    event.preventDefault();
    if (key !== "Escape") event.stopPropagation();
  }, { capture: true });
})();
