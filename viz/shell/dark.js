// Says on the root whether the page is dark, as style sheets cannot ask: Streamlit's menu may choose another theme than
// the machine's.
(() => {
  const app = document.querySelector(".stApp");
  if (!app || window.attentionBenchDark) return;
  window.attentionBenchDark = true;
  const look = () => {
    const ground = getComputedStyle(app).backgroundColor.match(/[\d.]+/g)?.slice(0, 3).map(Number) ?? [0];
    document.documentElement.toggleAttribute("data-dark", ground.reduce((sum, each) => sum + each) < 384);
  };
  new MutationObserver(look).observe(app, { attributes: true, attributeFilter: ["class"] });
  look();
})();
