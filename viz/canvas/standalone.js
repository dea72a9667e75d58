// Stands behind the script of a canvas, in a page of its own: shows every picture of this kind that the page holds, each in
// a tree of its own, so that neither names nor styles of two meet. A frame that a notebook gives the page becomes as
// high as what is shown. A picture that holds what it shows of other words (`data-at`) answers a choice by itself. A page
// with a script of its own hears what the reader chooses (`told`), and feeds a picture with other bytes (`fed`); one that
// waits is fed by it alone.

for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(`[data-canvas="${CANVAS}"]`))) {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  root.append(/** @type {HTMLTemplateElement} */ (place.querySelector("template")).content.cloneNode(true));
  /** @param {string} name @param {unknown} value */
  const tell = (name, value) => place.dispatchEvent(new CustomEvent("told", { detail: { name, value } }));
  /** @param {Uint8Array} data */
  const draw = (data) => show({ parentElement: root, data, setTriggerValue: tell, setStateValue: tell });
  place.addEventListener("fed", (event) => draw(/** @type {CustomEvent<Uint8Array>} */ (event).detail));
  /** @param {Element} held */
  const bytesOf = (held) => Uint8Array.from(atob(held.textContent ?? ""), (letter) => letter.charCodeAt(0));
  place.addEventListener("told", (event) => {
    const { value } = /** @type {CustomEvent<{ value: { row?: number, column?: number | null } }>} */ (event).detail;
    const held = place.querySelector(`script[data-at="${value.row} ${value.column ?? ""}"]`);
    if (held) draw(bytesOf(held));
  });
  if (!("waits" in place.dataset)) draw(bytesOf(/** @type {Element} */ (place.querySelector('script[type="application/octet-stream"]'))));
}

const frameElement = /** @type {HTMLElement | null} */ (window.frameElement); // null in a page that is no frame, or a frame of another site
if (frameElement)
  new ResizeObserver(() => {
    frameElement.style.height = `${document.documentElement.offsetHeight}px`;
  }).observe(document.documentElement);
