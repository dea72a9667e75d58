// On a phone the sentence is shown whole. Its box, which cannot wrap a line, is covered by a textarea that passes on each
// input. No other box has one: those send on Enter or blur, which a textarea would not pass on.
(() => {
  if (window.attentionBenchWrapping) return;
  window.attentionBenchWrapping = true;
  const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
  /** @param {HTMLTextAreaElement} twin */
  const fit = (twin) => {
    twin.style.height = "0";
    twin.style.height = `${twin.scrollHeight}px`;
  };
  /** @param {HTMLInputElement} box */
  const wrap = (box) => {
    const twin = document.createElement("textarea");
    Object.assign(twin, { className: "wrapping", rows: 1, value: box.value, placeholder: box.placeholder, autocomplete: "off" });
    twin.setAttribute("aria-label", box.getAttribute("aria-label") ?? "");
    twin.addEventListener("input", () => {
      const at = twin.selectionEnd, line = twin.value.replace(/\s*\n\s*/g, " ");
      if (line !== twin.value) {
        twin.value = line;
        twin.setSelectionRange(at, at);
      }
      write?.call(box, line);
      box.dispatchEvent(new Event("input", { bubbles: true }));
      fit(twin);
    });
    twin.addEventListener("keydown", (event) => event.key === "Enter" && !event.isComposing && event.preventDefault());
    // React says of a box that it writes to in its attribute, too.
    new MutationObserver(() => {
      if (box.value !== twin.value) twin.value = box.value;
      twin.placeholder = box.placeholder;
      fit(twin);
    }).observe(box, { attributes: true, attributeFilter: ["value", "placeholder"] });
    new ResizeObserver(() => fit(twin)).observe(/** @type {HTMLElement} */ (box.parentElement));
    box.after(twin);
    fit(twin);
  };
  const narrow = matchMedia("(max-width: 700px)");  // as in style.css
  const look = () => {
    if (!narrow.matches) return;
    for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll(".st-key-sentence input:not(:has(+ .wrapping))"))) wrap(box);
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  narrow.addEventListener("change", look);
  look();
})();
