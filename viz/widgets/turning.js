// A page is turned when the one that is left has answered: what it still sends for a key just pressed has no place on the
// next one, and Streamlit's page would stay white. Waits four seconds at most, and twelve where something was just typed,
// which a slow server would lose.
(() => {
  if (window.attentionBenchTurning) return;
  window.attentionBenchTurning = true;
  const PAUSE = 350, LATELY = 3000, MOST = 4000, MOST_TYPED = 12000, STEP = 30; // ms: until a key is sent, of waiting, between looks
  let typed = -PAUSE, turning = false;
  // On a phone the drawer of pages lies over the one that was chosen.
  const close = () => setTimeout(() => document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click());
  window.addEventListener("input", () => { typed = performance.now(); }, { capture: true, passive: true });
  window.addEventListener("click", (event) => {
    const link = event.target.closest?.('[data-testid="stTopNavLink"], [data-testid="stSidebarNavLink"]');
    if (link?.dataset.testid === "stSidebarNavLink" && innerWidth <= 768) close();
    if (!link || turning || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const began = performance.now();
    const isBusy = () => performance.now() - typed < PAUSE || document.querySelector('[data-test-script-state="running"]');
    if (!isBusy()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const most = began - typed < LATELY ? MOST_TYPED : MOST;
    const turn = () => {
      if (isBusy() && performance.now() - began < most) return setTimeout(turn, STEP);
      turning = true;
      (link.isConnected ? link : document.querySelector(`a[href="${link.getAttribute("href")}"]`))?.click();
      turning = false;
    };
    turn();
  }, { capture: true });
})();
