// One entry of the browser's history for each thing that the reader does. Streamlit makes one for each change of the
// link: turning to a page, which then puts its settings into the link, makes several, and Back would stop at links
// that the reader has never seen whole. What the page itself changes therefore replaces the entry that it changes.
(() => {
  if (window.attentionBenchHistory) return;
  window.attentionBenchHistory = true;
  let acted = false;
  for (const kind of ["pointerdown", "keydown"]) {
    window.addEventListener(kind, () => { acted = true; }, { capture: true, passive: true });
  }
  window.addEventListener("popstate", () => { acted = false; });
  const push = history.pushState.bind(history);
  const replace = history.replaceState.bind(history);
  history.pushState = (state, unused, url) => {
    const turns = url !== undefined && url !== null && new URL(url, location.href).pathname !== location.pathname;
    (acted || turns ? push : replace)(state, unused, url);
    acted = false;
  };
})();
