// A row of links or buttons is one stop of Tab, as in a toolbar: arrow keys, Home and End move inside it. The stop is where
// the reader last was in the row, else the page that is shown, else the first. It is settled as Tab is pressed: Streamlit
// draws the rows anew with every run.
(() => {
  if (window.attentionBenchRoving) return;
  window.attentionBenchRoving = true;
  const ROWS = ['[data-testid="stTopNav"]', ".st-key-timeline"], TO_END = ["Home", "End"];
  /** @type {WeakSet<Element>} */
  const visited = new WeakSet();
  /** @param {Element} row @returns {HTMLElement[]} */
  const items = (row) => [.../** @type {NodeListOf<HTMLElement>} */ (row.querySelectorAll("a[href], button:not([disabled])"))]
    .filter((each) => each.getClientRects().length);
  /** @param {HTMLElement[]} all */
  const stop = (all) => all.find((each) => visited.has(each)) ?? all.find((each) => each.matches("[aria-current]")) ?? all[0];
  const settle = () => {
    for (const row of document.querySelectorAll(ROWS.join())) {
      const all = items(row), one = stop(all);
      for (const each of all) each.tabIndex = each === one ? 0 : -1;
    }
  };
  window.addEventListener("focusin", ({ target }) => {
    const row = target instanceof Element && target.closest(ROWS.join());
    if (!row) return;
    for (const each of items(row)) visited.delete(each);
    visited.add(target);
  }, { capture: true });
  window.addEventListener("keydown", (event) => {
    const { key, ctrlKey, altKey, metaKey, shiftKey, target } = event;
    if (key === "Tab") settle();
    const row = target instanceof HTMLElement && target.closest(ROWS.join());
    if (!row || ctrlKey || altKey || metaKey || shiftKey) return;
    const all = items(row), at = all.indexOf(/** @type {HTMLElement} */ (target)), by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (at < 0 || !(by || TO_END.includes(key))) return;
    const next = by ? (at + by + all.length) % all.length : key === "Home" ? 0 : all.length - 1;
    all[next].focus();
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });
})();
