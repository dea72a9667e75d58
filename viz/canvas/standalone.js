// Stands behind the script of a canvas, in a page of its own: shows every picture of this kind that the page holds, each in
// a tree of its own, so that neither names nor styles of two meet. A frame that a notebook gives the page becomes as
// high as what is shown. A picture that holds what it shows of other words (`data-at`) answers a choice by itself. A page
// with a script of its own hears what the reader chooses (`told`), and feeds a picture with other bytes (`fed`); one that
// waits is fed by it alone.

// The colour behind an element, as red, green and blue from 0 to 255; white where nothing behind it has one.
/** @param {Element} element */
function groundOf(element) {
  const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d", { willReadFrequently: true }));
  /** @type {Element | null} */
  let behind = element;
  while (behind) {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = getComputedStyle(behind).backgroundColor; // in any notation that CSS has
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
    if (alpha === 255) return [red, green, blue];
    behind = behind.parentElement ?? /** @type {{ host?: Element }} */ (behind.getRootNode()).host ?? null;
  }
  return [255, 255, 255];
}

// Take the colours of a dark ground; on a light one the page is white. A picture is painted anew when its transition ends;
// none runs in a frame that a notebook hides while it changes its theme, so that it is told once it can be seen.
/** @param {HTMLElement} page @param {number[]} ground */
function standOn(page, ground) {
  const dark = ground.reduce((sum, each) => sum + each) < 384, colour = dark ? `rgb(${ground.join(", ")})` : "";
  if (page.style.getPropertyValue("--st-background-color") === colour) return;
  page.toggleAttribute("data-dark", dark);
  page.style.setProperty("--st-background-color", colour);
  for (const { shadowRoot } of page.querySelectorAll(".picture")) {
    const figure = shadowRoot?.querySelector("figure");
    if (!figure) continue;
    figure.style.transition = "none";
    requestAnimationFrame(() => figure.dispatchEvent(new Event("transitionend")));
  }
}

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
if (frameElement && "follows" in document.documentElement.dataset) {
  const follow = () => standOn(document.documentElement, groundOf(frameElement));
  for (const element of [window.parent.document.documentElement, window.parent.document.body])
    new MutationObserver(follow).observe(element, { attributes: true });
  follow();
}
if (frameElement)
  new ResizeObserver(() => {
    frameElement.style.height = `${document.documentElement.offsetHeight}px`;
  }).observe(document.documentElement);
