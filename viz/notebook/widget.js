// A widget of a notebook (anywidget): the page of its canvases in a frame of its own, so that neither styles nor events of
// two widgets meet; with a line to type in where the widget has a sentence. What the reader does goes to Python.

import { POINTS } from "../canvas/canvas.js";

/**
 * @typedef {object} Traits What Python and the browser share (`viz/notebook/widget.py`); a widget has no others.
 * @property {string} _title
 * @property {string} _page
 * @property {string} _asks
 * @property {DataView[]} _payloads
 * @property {string | undefined} sentence
 * @property {string} message
 * @property {unknown} picked
 */
/**
 * @typedef {object} Model
 * @property {<Name extends keyof Traits>(name: Name) => Traits[Name]} get
 * @property {(name: string, value: unknown) => void} set
 * @property {() => void} save_changes
 * @property {(event: string, act: () => void) => void} on
 * @property {(event: string, act: () => void) => void} off
 */

const FIRST_HEIGHT = 480; // pixels, until the page has said how high it is

export default { render };

/** @param {{ model: Model, el: HTMLElement }} mount */
function render({ model, el }) {
  const listeners = new AbortController(), frame = document.createElement("iframe");
  /** @param {string} name @param {unknown} value */
  const send = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  /** @type {[event: string, act: () => void][]} */
  const heard = [["change:_payloads", () => feed(frame, model)]];
  frame.title = model.get("_title");
  Object.assign(frame.style, { display: "block", width: "100%", height: `${FIRST_HEIGHT}px`, border: "0" });
  frame.addEventListener("load", () => begin(frame, model, send)); // again each time that the notebook has moved it
  frame.srcdoc = model.get("_page");
  el.classList.add("attention-bench-live");
  el.replaceChildren(...(model.get("sentence") === undefined ? [] : lineFor(model, send, heard)), frame);
  for (const [event, act] of heard) model.on(event, act);
  listeners.signal.addEventListener("abort", () => heard.forEach(([event, act]) => model.off(event, act)));
  return () => listeners.abort();
}

/** @param {HTMLIFrameElement} frame @returns {HTMLElement[]} */
const placesIn = (frame) => [...(frame.contentDocument?.querySelectorAll(".picture") ?? [])].map((place) => /** @type {HTMLElement} */ (place));

/** @param {HTMLIFrameElement} frame @param {Model} model @param {(name: string, value: unknown) => void} send */
function begin(frame, model, send) {
  for (const place of placesIn(frame)) {
    place.addEventListener(POINTS, (event) => send("_at", /** @type {CustomEvent} */ (event).detail ?? {}));
    place.addEventListener("told", (event) => {
      const { name, value } = /** @type {CustomEvent<{ name: string, value: unknown }>} */ (event).detail;
      if (name !== "picked") return;
      place.dataset.told = JSON.stringify(value);
      send("picked", value);
    });
  }
  feed(frame, model);
  send("_room", placesIn(frame)[0].clientWidth);
}

// Give each picture its bytes, but not to one whose reader has just made the picks that they show.
/** @param {HTMLIFrameElement} frame @param {Model} model */
function feed(frame, model) {
  const payloads = model.get("_payloads");
  placesIn(frame).forEach((place, number) => {
    const { buffer, byteOffset, byteLength } = payloads[number], { told } = place.dataset;
    place.hidden = !byteLength;
    if (place.hidden || (told && told === JSON.stringify(model.get("picked")))) return;
    delete place.dataset.told;
    place.dispatchEvent(new CustomEvent("fed", { detail: new Uint8Array(buffer, byteOffset, byteLength) }));
  });
}

// The sentence goes to Python when it is whole: at Enter, or where the line is left.
/** @param {Model} model @param {(name: string, value: unknown) => void} send @param {[event: string, act: () => void][]} heard */
function lineFor(model, send, heard) {
  const line = document.createElement("input"), says = document.createElement("p");
  const style = { width: "100%", boxSizing: "border-box", padding: "6px 8px", font: "inherit", fontSize: "16px", color: "inherit", background: "transparent", border: "1px solid #8a8f98", borderRadius: "6px" };
  Object.assign(line.style, style);
  Object.assign(says.style, { margin: "4px 8px", color: "inherit" });
  says.setAttribute("role", "status");
  line.setAttribute("aria-label", model.get("_asks"));
  line.spellcheck = false;
  line.addEventListener("change", () => send("sentence", line.value));
  line.addEventListener("keydown", (event) => event.key === "Enter" && !event.isComposing && send("sentence", line.value)); // JupyterLab keeps its change back
  const show = () => {
    line.value = model.get("sentence") ?? "";
  };
  const tell = () => {
    says.textContent = model.get("message");
    says.hidden = !says.textContent;
  };
  show();
  tell();
  heard.push(["change:sentence", show], ["change:message", tell]);
  return [line, says];
}
