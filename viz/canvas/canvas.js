// What every canvas stands on: its colours, and one view for each place on the page.

/** @import { Colour, Place, Stop } from "./payloads" */
/** @typedef {{ stage: HTMLElement, dispose(): void, load(bytes: Uint8Array<ArrayBuffer>): unknown }} View */
/** @typedef {{ width: number, height: number }} Size */
/** @typedef {{ panel?: number, head?: Place, row?: number | null, key?: number | null, word?: number }} PointedAt */

const MOST_SIDE = 16384;
const MOST_PIXELS = 2 ** 26; // what a canvas can be in every common browser
/** @type {WeakMap<ParentNode, View>} */
const views = new WeakMap();

/** Of a field: what is there from the first payload on. @type {any} */
export const NOT_YET = undefined;

/** @template {Element} [Kind=HTMLElement] @param {ParentNode} root @param {string} selector @returns {Kind} */
export const partOf = (root, selector) => /** @type {Kind} */ (root.querySelector(selector));

/** @param {HTMLCanvasElement} canvas */
export const penOf = (canvas) => /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));

export const END = "</s>";

const IS_WORD = /^(?!<.*>$).*[\p{L}\p{N}]/su;

// Where the end of a line of words begins: the last word and the marks after it, which no line begins with.
/** @param {string[]} texts */
export const endOf = (texts) => texts.reduce((at, text, place) => (IS_WORD.test(text) ? place : at), 0);

// What a line of words contains, its end in an element of its own: one that wraps where the line is too narrow for it.
/** @param {(string | HTMLElement)[]} parts @returns {(string | HTMLElement)[]} */
export function withEnd(parts) {
  const at = endOf(parts.map((part) => (typeof part === "string" ? part : part.textContent))), end = document.createElement("div");
  Object.assign(end.style, { display: "inline-block", maxWidth: "100%" });
  end.append(...parts.slice(at));
  return [...parts.slice(0, at), end];
}

// What is said of an element where it is pointed at, tapped or reached by keys (noting.js of the page).
/** @template {HTMLElement} Kind @param {Kind} element @param {string} says */
export function note(element, says) {
  element.classList.add("noted");
  element.title = says;
  return element;
}

// Give the view that `parentElement` holds, `Kind` of the element `name` in it, made when there is none yet. Streamlit may
// end an earlier call after a later one has begun: `disposed` lets a view go only when its element has gone.
/** @template {View} V @param {ParentNode} parentElement @param {new (element: HTMLElement) => V} Kind @param {string} name */
export function viewIn(parentElement, Kind, name) {
  let view = /** @type {V | undefined} */ (views.get(parentElement));
  if (!view || !view.stage.isConnected) {
    view?.dispose();
    view = new Kind(partOf(parentElement, name));
    views.set(parentElement, view);
    placed.set(classOf(parentElement), view);
  }
  return view;
}

// Views by the class that Streamlit gives the place of a component, which says its key.
/** @type {Map<string | undefined, View>} */
const placed = new Map();
/** @type {WeakSet<View>} */
const ahead = new WeakSet(); // views of which a picture came before the page had run
const PREFIX = "st-key-";

/** @param {ParentNode} root */
function classOf(root) {
  const place = root instanceof ShadowRoot ? root.host : root instanceof Element ? root : null;
  return [...(place?.closest(`[class*="${PREFIX}"]`)?.classList ?? [])].find((name) => name.startsWith(PREFIX));
}

// A picture that comes before the page has run, as where a teacher leads (room.js): drawn where a view of its key stands.
globalThis.window?.addEventListener("attention-bench-picture", (event) => {
  const { detail } = /** @type {CustomEvent<{ key: string, bytes: Uint8Array<ArrayBuffer>, taken: boolean }>} */ (event);
  const view = placed.get(PREFIX + detail.key.trim().replace(/[^\w-]/g, "-"));
  if (!view?.stage.isConnected) return;
  ahead.add(view);
  view.load(detail.bytes);
  detail.taken = true;
});

// What a run of the page shows, unless a picture of a later step of the teacher has come meanwhile.
/** @param {View} view @param {Uint8Array<ArrayBuffer>} bytes */
export function load(view, bytes) {
  const { pictured = -1, watch = {} } = window.attentionBenchRoom ?? {};
  if (ahead.has(view) && pictured > (watch.lead ?? pictured)) return;
  ahead.delete(view);
  view.load(bytes);
}

// An event by which a canvas tells whoever holds its page what the reader points at: places, as numbers.
export const POINTS = "attention-bench-points";

/** @param {HTMLElement} figure @param {PointedAt} at */
export const tellPointed = (figure, at) => figure.dispatchEvent(new CustomEvent(POINTS, { bubbles: true, composed: true, detail: at }));

// Whole pixels of the page that an element is wide; `clientWidth` may be half a pixel more, and what is drawn then is cut.
/** @param {Element} element */
export const roomIn = (element) => Math.floor(element.getBoundingClientRect().width / zoomOf(element));

// How many pixels of the page one of an element's takes: a presentation enlarges what it shows.
/** @param {Element} element */
export const zoomOf = (element) => element.currentCSSZoom ?? 1;

// The smallest type that may be set in an element, in its pixels; 0 but in a presentation.
/** @param {Element} element */
export const leastTypeIn = (element) => parseFloat(getComputedStyle(element).getPropertyValue("--least-type")) || 0;

// Where an event is in an element, in its pixels.
/** @param {Element} element @param {MouseEvent} event @returns {[x: number, y: number]} */
export function placeIn(element, { clientX, clientY }) {
  const { left, top } = element.getBoundingClientRect(), zoom = zoomOf(element);
  return [(clientX - left) / zoom, (clientY - top) / zoom];
}

// The event by which a clicker turns what has steps and is presented: by how many, as a number.
export const TURN = "attention-bench-turn";

/** @param {View} view */
export const disposed = (view) => () => view.stage.isConnected || view.dispose();

// Whether an element stands on a dark page; one that has no ground of its own, as in a notebook, is on paper.
/** @param {Element} element */
export function isDark(element) {
  const [red, green, blue, alpha = 1] = (getComputedStyle(element).backgroundColor.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  return alpha > 0 && red + green + blue < 384;
}

// On a dark page no reading is the page's own dark, a little lighter.
/** @param {Element} element @param {{ palette: Stop[], night: Stop[] }} header @returns {Stop[]} */
export function paletteOn(element, header) {
  if (!isDark(element)) return header.palette;
  const page = (getComputedStyle(element).backgroundColor.match(/\d+/g) ?? []).slice(0, 3);
  const none = page.map((value) => Math.min(Number(value) + 8, 255).toString(16).padStart(2, "0")).join("");
  return [[0, `#${none}`], ...header.night.slice(1)];
}

// Colours are looked up and not computed, since there are millions of cells: for each of the 256 values that a cell can
// have one number for ImageData; 0 is empty.
/** @param {{ palette: Stop[], threshold: number, colour: Colour }} header */
export function lookup(header) {
  const stops = header.palette.map(([place, hex]) =>
    /** @type {const} */ ([place, [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16))]));
  return Uint32Array.from({ length: 256 }, (_, level) => {
    const root = level / 255;
    if (root * root < header.threshold) return 0;
    const place = header.colour === "root" ? root : root * root;
    const after = Math.max(1, stops.findIndex(([end]) => end >= place));
    const [[from, low], [to, high]] = [stops[after - 1], stops[after]];
    const share = (place - from) / (to - from);
    const [red, green, blue] = low.map((value, channel) => Math.round(value + (high[channel] - value) * share));
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  });
}

// How many pixels a canvas has for each of the page's: those of the screen, or fewer where it would be too large.
/** @param {number} wanted @param {Size} size */
export const sharpest = (wanted, { width, height }) =>
  Math.min(wanted, MOST_SIDE / Math.max(width, height), Math.sqrt(MOST_PIXELS / (width * height)));
