// One entry of the browser's history for each thing that the reader does. Streamlit makes one for each change of the
// link: turning to a page, which takes the sentence out of the link of the page that is left and puts it into that of
// the next, makes three, and Back would stop at links that the reader has never seen. So only the first change after
// something was done makes an entry; what the page itself changes from there on goes into it.
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
  history.pushState = (...entry) => {
    (acted ? push : replace)(...entry);
    acted = false;
  };
})();
