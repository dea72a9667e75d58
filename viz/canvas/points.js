// Beside a figure of points, one a head: the small map of the head that is pointed at, tapped, or reached by arrow keys.

import { NOT_YET, disposed, load, lookup, paletteOn, partOf, penOf, viewIn } from "./canvas.js";
import { unpack } from "./payload.js";

/** @import { Unpacked } from "./payload.js" */
/** @import { Place, PointsHeader } from "./payloads" */
/** @typedef {{ points: [{ pointNumber: number }] }} Hover */
/** @typedef {HTMLElement & { on?: (name: string, act: (event: Hover) => void) => void }} Plot What Plotly puts on the element of a figure. */

const GAP = 30; // pixels between a point and its card: what Plotly says of the point stands between
const EDGE = 6;
/** @type {Record<string, number | undefined>} */
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** @param {Mount<Uint8Array<ArrayBuffer>>} mount */
export default function show({ parentElement, data, setTriggerValue }) {
  const view = viewIn(parentElement, Points, ".points");
  view.onPicked = (places) => setTriggerValue("picked", places);
  load(view, data);
  return disposed(view);
}

class Points {
  loads = 0;
  at = -1; // the head that is shown
  /** @type {PointsHeader} */ header = NOT_YET;
  /** @type {Uint8Array} */ cells = NOT_YET;
  /** @type {(places: Place[]) => void} */ onPicked = NOT_YET;
  /** @type {WeakSet<Element>} */ known = new WeakSet();

  /** @param {HTMLElement} figure */
  constructor(figure) {
    this.stage = figure;
    this.line = partOf(figure, ".line");
    this.live = partOf(figure, ".live");
    this.card = document.createElement("div");
    this.card.className = "card";
    this.card.hidden = true;
    figure.append(this.card);
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    document.addEventListener("pointerover", ({ target }) => this.watch(target), { signal, capture: true });
    window.addEventListener("scroll", () => this.card.hidden || this.settle(), { signal, capture: true, passive: true });
    window.addEventListener("pointerdown", () => this.hide(), { signal, capture: true });
    this.line.addEventListener("focus", () => this.line.matches(":focus-visible") && this.move(Math.max(this.at, 0)), { signal });
    this.line.addEventListener("blur", () => this.hide(), { signal });
    this.line.addEventListener("keydown", (event) => this.press(event), { signal });
  }

  dispose() {
    this.listeners.abort();
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  async load(bytes) {
    const turn = ++this.loads;
    /** @type {Unpacked<PointsHeader>} */
    const [header, cells] = await unpack(bytes);
    if (turn !== this.loads) return; // a later payload has come meanwhile
    [this.header, this.cells] = [header, cells];
    if (this.at >= header.heads.length) this.hide();
    this.line.setAttribute("aria-label", header.hint);
    if (this.at < 0) this.line.textContent = header.hint;
    this.stage.dataset.drawn = String(Number(this.stage.dataset.drawn ?? 0) + 1);
  }

  /** @param {EventTarget | null} target */
  watch(target) {
    /** @type {Plot | null} */
    const plot = target instanceof Element ? target.closest(`.${this.header?.container} .js-plotly-plot`) : null;
    if (!plot || this.known.has(plot) || !plot.on) return;
    this.known.add(plot);
    for (const name of ["plotly_hover", "plotly_click"]) // a tap is a click alone
      plot.on(name, ({ points: [{ pointNumber }] }) => this.move(pointNumber, false));
    plot.on("plotly_unhover", () => this.hide());
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const { key } = event, step = STEPS[key], last = this.header.heads.length - 1;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === "Escape") this.hide();
    else if (key === "Enter" && this.at >= 0) this.pick();
    else if (step || key === "Home" || key === "End")
      this.move(key === "Home" ? 0 : key === "End" ? last : Math.min(Math.max(this.at + (step ?? 0), 0), last));
    else return;
    event.preventDefault();
  }

  pick() {
    const { heads, picked, most_picked } = this.header, [layer, head] = heads[this.at];
    const others = picked.filter((each) => each[0] !== layer || each[1] !== head);
    this.onPicked(others.length < picked.length ? others : [...others.slice(Math.max(0, others.length - most_picked + 1)), heads[this.at]]);
  }

  hide() {
    this.card.hidden = true;
  }

  // Show the small map of a head beside its point, and say the head.
  /** @param {number} at */
  move(at, byKeys = true) {
    const { header } = this, said = header?.says[at];
    if (said === undefined || !this.stage.isConnected) return;
    this.at = at;
    this.line.textContent = said;
    if (byKeys) this.live.textContent = said;
    const text = document.createElement("div"), canvas = document.createElement("canvas");
    text.textContent = byKeys ? said : header.titles[at]; // Plotly says the rest of what is pointed at
    this.paint(canvas, at);
    this.card.replaceChildren(text, canvas);
    this.card.hidden = false;
    this.settle();
  }

  // Put the card beside its point, wherever that is on the screen.
  settle() {
    const { header, at } = this;
    const plot = document.querySelector(`.${header.container} .js-plotly-plot`), points = plot?.querySelectorAll(".scatterlayer .points path");
    const near = (points?.length === header.heads.length ? points[at] : plot ?? this.line).getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.card, below = near.bottom + GAP;
    const top = below + offsetHeight < window.innerHeight ? below : near.top - GAP - offsetHeight;
    const left = Math.min(near.left, window.innerWidth - offsetWidth - EDGE);
    Object.assign(this.card.style, { left: `${Math.max(EDGE, left)}px`, top: `${Math.max(EDGE, top)}px` });
  }

  /** @param {HTMLCanvasElement} canvas @param {number} at */
  paint(canvas, at) {
    const { header, cells } = this, [columns, rows] = [header.columns.length - 1, header.rows.length - 1];
    const image = new ImageData(columns, rows), pixels = new Uint32Array(image.data.buffer), size = rows * columns;
    const colours = lookup({ palette: paletteOn(this.stage, header), threshold: 0, colour: header.colour });
    cells.subarray(at * size, (at + 1) * size).forEach((value, place) => (pixels[place] = colours[value]));
    [canvas.width, canvas.height] = [columns, rows];
    penOf(canvas).putImageData(image, 0, 0);
  }
}
