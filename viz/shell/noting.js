// What is said of a mark or a word (class "noted", in its title), beside what is pointed at, tapped or reached by keys:
// above it if it can be, and inside the screen. A title alone is shown to a mouse only.
(() => {
  if (window.attentionBenchNoting) return;
  window.attentionBenchNoting = true;
  const MOVES = /^(Tab|Home|End|Arrow.*)$/, APART = 6, note = document.createElement("p"); // pixels to what is noted, and to the edge of the screen
  Object.assign(note, { className: "note-shown", popover: "manual" });
  /** @type {HTMLElement | SVGElement | null} */
  let held = null;
  // A picture's element has its title inside.
  /** @param {HTMLElement | SVGElement} element @param {string} [now] */
  const title = (element, now) => {
    const own = element.querySelector(":scope > title");
    if (now === undefined) return own?.textContent ?? element.getAttribute("title") ?? "";
    if (own) own.textContent = now;
    else element.setAttribute("title", now);
    return now;
  };
  const place = () => {
    if (!held) return;
    const { left, width, top, bottom } = held.getBoundingClientRect(), own = note.getBoundingClientRect(), zoom = note.currentCSSZoom ?? 1;
    if (!held.isConnected || bottom < 0 || top > innerHeight) return hold(null);
    const x = Math.min(left + width / 2 - own.width / 2, document.documentElement.clientWidth - own.width - APART);
    const above = top - own.height - APART, y = above > APART ? above : Math.min(bottom + APART, innerHeight - own.height - APART);
    Object.assign(note.style, { left: `${Math.max(x, APART) / zoom}px`, top: `${y / zoom}px` });
  };
  // A title is kept from the browser while a mouse is on it: it would say it too.
  /** @param {HTMLElement | SVGElement | null} element @param {boolean} byMouse */
  const hold = (element, byMouse = false) => {
    if (element === held) return;
    if (held && !title(held)) title(held, note.textContent);
    held = element;
    if (note.isConnected) note.hidePopover();
    note.textContent = element && title(element);
    if (!element || !note.textContent) return;
    if (byMouse) title(element, "");
    if (!note.isConnected) document.body.append(note);
    note.showPopover();
    place();
  };
  /** @param {EventTarget[]} path */
  const notedIn = (path) => /** @type {HTMLElement | SVGElement | null} */ (path.find((each) => each instanceof Element && each.matches(".noted")) ?? null);
  // A word that arrow keys are on has no focus of its own: the line that holds it says which it is.
  const ofKeys = () => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    const word = /** @type {Document | ShadowRoot | undefined} */ (at?.getRootNode())?.getElementById(at?.getAttribute("aria-activedescendant") ?? "");
    hold(notedIn([word ?? at ?? document]));
  };
  const watch = { capture: true, passive: true };
  // Events that tell what was left before, as pointerover and focusin, do not leave a picture's own tree.
  for (const kind of /** @type {const} */ (["pointermove", "pointerdown"]))
    window.addEventListener(kind, (event) => hold(notedIn(event.composedPath()), event.pointerType === "mouse"), watch);
  window.addEventListener("keyup", ({ key }) => (key === "Escape" ? hold(null) : MOVES.test(key) && ofKeys()), watch);
  for (const moved of ["scroll", "resize"]) window.addEventListener(moved, place, watch);
})();
