// A page is turned when the one that is left has answered: what it still sends for a key just pressed has no place on the
// next one, and Streamlit's page would stay white. Waits four seconds at most, and twelve where something was just typed,
// which a slow server would lose, or where the browser goes back or forward: Streamlit would write the link of the page
// that is left into the entry of the next, and mix the settings of both. Runs before Streamlit's own script.
(() => {
  if (window.attentionBenchTurning) return;
  window.attentionBenchTurning = true;
  const PAUSE = 350, LATELY = 3000, MOST = 4000, MOST_SURE = 12000, STEP = 30; // ms: until a key is sent, of waiting, between looks
  // Streamlit's page goes white where a message does not fit what is shown, which a turn at the wrong moment can do: load
  // it again at its own link, which restores the view, and not again within ten seconds.
  const RELOADED = "attention-bench-reloaded", OFTEN = 10000;
  /** @param {string} message */
  const rescue = (message) => {
    if (!/Bad delta path|at a delta path|'setIn' cannot/.test(message)) return;
    if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < OFTEN) return;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    location.reload();
  };
  window.addEventListener("error", ({ message }) => rescue(message));
  window.addEventListener("unhandledrejection", ({ reason }) => rescue(String(reason?.message ?? reason)));
  let typed = -PAUSE, asked = -LATELY, turning = false, going = false;
  const RUNS = ["running", "rerunRequested"].map((state) => `[data-test-script-state="${state}"]`).join();
  const isBusy = () => {
    const now = performance.now();
    return first || now - typed < PAUSE || now - asked < LATELY || document.querySelector(RUNS);
  };
  let first = true; // until the first run has ended
  new MutationObserver(() => { if (document.querySelector(RUNS)) asked = -LATELY; else first = false; }) // asked: it has begun
    .observe(document, { subtree: true, attributeFilter: ["data-test-script-state"] });
  /** @param {number} most @param {() => void} turn @param {() => unknown} waits */
  const whenAnswered = (most, turn, waits = isBusy) => {
    const began = performance.now();
    const look = () => (waits() && performance.now() - began < most ? setTimeout(look, STEP) : turn());
    look();
  };
  // On a phone the drawer of pages lies over the one that was chosen.
  const close = () => setTimeout(() => /** @type {HTMLElement | null} */ (document.querySelector('[data-testid="stSidebarCollapseButton"] button'))?.click());
  window.addEventListener("input", () => { typed = performance.now(); }, { capture: true, passive: true });
  // The link to another language is that of the page as it is now, with what was just typed or chosen.
  let touched = -LATELY;
  // Who joins or opens a room is known by a cookie, which room.js sets.
  const isJoining = () => new URL(location.href).searchParams.has("room") && !window.attentionBenchRoom?.path;
  /** @param {EventTarget | null} target @returns {HTMLElement | null | undefined} */
  const languageOf = (target) => /** @type {HTMLElement} */ (target).closest?.("a[data-language]");
  for (const kind of ["pointerdown", "keydown"]) {
    /** @param {Event} event */
    const note = ({ target }) => { if (!languageOf(target)) touched = performance.now(); };
    window.addEventListener(kind, note, { capture: true, passive: true });
  }
  window.addEventListener("click", (event) => {
    const link = languageOf(event.target);
    if (!link) return;
    const turn = () => {
      const here = new URL(location.href);
      here.searchParams.set("lang", /** @type {string} */ (link.dataset.language));
      location.assign(here);
    };
    event.preventDefault();
    typed = Math.max(typed, touched); // no answer to a choice can have come sooner than to a key
    const isRecent = performance.now() - typed < LATELY;
    let busy = typed; // last; a step of a lesson takes two runs
    const isAnswering = () => {
      if (isBusy()) busy = performance.now();
      return performance.now() - busy < PAUSE;
    };
    whenAnswered(MOST_SURE, turn, () => (isRecent && isAnswering()) || isJoining());
  }, { capture: true });
  window.addEventListener("click", (event) => {
    /** @type {HTMLElement | null} */
    const link = /** @type {HTMLElement} */ (event.target).closest?.('[data-testid="stTopNavLink"], [data-testid="stSidebarNavLink"]');
    if (link?.dataset.testid === "stSidebarNavLink" && innerWidth <= 768) close();
    if (!link || turning || event.button || event.ctrlKey || event.metaKey || event.shiftKey || !isBusy()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    whenAnswered(first || performance.now() - typed < LATELY ? MOST_SURE : MOST, () => {
      turning = true;
      (link.isConnected ? link : /** @type {HTMLElement | null} */ (document.querySelector(`a[href="${link.getAttribute("href")}"]`)))?.click();
      turning = false;
    });
  }, { capture: true });
  // Back and Forward, heard of before Streamlit does. While a page answers, Streamlit hears of them later, once for several
  // steps: the address is that of the page which is gone to. And until that page has answered its link holds to the letter:
  // Streamlit writes it on the way without the boxes that are not filled yet, which one more step would leave so for good.
  let holding = 0;
  for (const name of /** @type {const} */ (["pushState", "replaceState"])) {
    const write = history[name].bind(history);
    history[name] = (...entry) => going || holding || write(...entry);
  }
  window.addEventListener("popstate", (event) => {
    const free = !going && (!event.isTrusted || !isBusy());
    if (free) {
      const turn = (holding = typed = asked = performance.now()); // Streamlit asks the server in a moment
      whenAnswered(MOST_SURE, () => { if (holding === turn) holding = 0; });
      return;
    }
    event.stopImmediatePropagation();
    holding = 0;
    if (going) return;
    going = true;
    whenAnswered(MOST_SURE, () => {
      going = false;
      window.dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
    });
  }, { capture: true });
  for (const kind of /** @type {const} */ (["pointerdown", "keydown"])) { // what the reader does next is written as ever
    window.addEventListener(kind, ({ altKey, metaKey }) => { if (!altKey && !metaKey) holding = 0; }, { capture: true, passive: true });
  }
})();
