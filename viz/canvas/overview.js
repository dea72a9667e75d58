// The overview of all heads: a canvas of small maps, fed with one compressed block of bytes.

import { NOT_YET, disposed, leastTypeIn, load, lookup, partOf, penOf, viewIn } from "./canvas.js";
import { Maps, PICKED } from "./maps.js";
import { fill } from "./payload.js";
import { broken, framed } from "./picture.js";
import { byPlace, isPlace } from "./places.js";

/** @import { OverviewHeader, Place, SheetText, Stop } from "./payloads" */
/** @import { Arranged } from "./drawn.js" */
/** @import { Box, Frame, Sheet, TextStyle } from "./picture.js" */
/** @import { At, CellAt } from "./places.js" */
/** @typedef {{ text: string, left: number, top: number, wide: number, style: string }} Name */
/** @typedef {Pick<OverviewHeader, "heads" | "in_layers" | "labels" | "words">} Heads What the places of small maps depend on. */

const GAP = 7; // pixels between small maps
const EDGE = 4; // pixels around all of them, which the frame of a picked one takes
const SMALLEST = 32; // pixels of a small map's side: with less room a layer takes several lines
const MANY = 4; // layers: more of them are drawn a little lower, so that all are seen at once
const LOW = 0.8; // of its width: the height of a small map among many layers
const TIGHT = 56; // pixels: labels of narrower maps are set smaller
const LARGEST = 190;
const ORDERED = 104; // pixels that a small map takes at least where each has its own name
const NARROW = 560; // with less room the name of a layer stands above its maps, not beside them
const BESIDE = 66; // pixels for the name of a layer beside its maps
const LINE = 17; // pixels of a line of names
const TITLE = { size: 18, weight: 600 }; // texts of a saved picture
const SMALL = { size: 13, weight: 400 };
const NAME = { size: 12.5, weight: 400 };
const FAINT = { size: 11.5, weight: 400, opacity: 0.8 };
const LINE_HEIGHT = 1.4;
const SLACK = 0.9; // of the width that text may take: another machine's font may be wider
const LEGEND = 416;
const BAR = 12;

/** @param {Mount<Uint8Array<ArrayBuffer>>} mount */
export default function show({ parentElement, data, setTriggerValue }) {
  const view = viewIn(parentElement, Overview, ".overview");
  view.onPicked = (places) => setTriggerValue("picked", places);
  load(view, data);
  return disposed(view);
}

// Where every small map lies, and what is written beside and above them: boxes and names in CSS pixels.
/** @param {Heads} header @param {number} width */
export function arrange(header, width) {
  const layers = header.in_layers ? [...new Set(header.heads.map(([layer]) => layer))] : [null];
  const members = layers.map((layer) =>
    header.heads.flatMap((place, number) => (layer === null || place[0] === layer ? [number] : [])));
  const most = Math.max(1, ...members.map((each) => each.length));
  const smallest = header.in_layers ? SMALLEST : ORDERED;
  const beside = header.in_layers && width >= NARROW ? BESIDE : EDGE;
  const room = width - beside - EDGE + GAP;
  const fitting = Math.max(1, Math.floor(room / (smallest + GAP)));
  const lines = Math.ceil(most / fitting);
  const columns = header.in_layers ? Math.ceil(most / lines) : Math.min(fitting, most);
  const across = Math.min(room / columns - GAP, LARGEST);
  const down = across * (header.in_layers && layers.length > MANY ? LOW : 1); // whatever is typed, nothing below moves
  const own = !header.in_layers || lines > 1; // each small map has its own name
  const labelled = header.labels.length > 0;
  const above = LINE * (Number(own) + Number(labelled));
  /** @type {Box[]} */
  const boxes = [];
  /** @type {Name[]} */
  const names = [];
  /** @param {string} text @param {number} left @param {number} top @param {number} wide */
  const name = (text, left, top, wide, style = "") => names.push({ text, left, top, wide, style });
  let top = 0;
  if (!own) {
    for (let column = 0; column < columns; column++) {
      const title = header.words.column;
      name(fill(title, { head: column }), beside + column * (across + GAP), 0, across, across < TIGHT ? "middle tight" : "middle");
    }
    top = LINE + EDGE;
  }
  layers.forEach((layer, group) => {
    if (layer !== null) {
      const first = (layers[group - 1] ?? -1) + 1;
      if (first < layer) {
        name(fill(first < layer - 1 ? header.words.gap : header.words.one_gap, { first, last: layer - 1 }), 0, top, width, "faint");
        top += LINE + GAP;
      }
      const said = fill(header.words.layer, { layer });
      if (beside === BESIDE) name(said, 0, top + above + down / 2 - LINE / 2, beside - EDGE);
      else name(said, 0, top, width);
      if (beside === EDGE) top += LINE;
    }
    members[group].forEach((number, place) => {
      const [column, line] = [place % columns, Math.floor(place / columns)];
      const left = beside + column * (across + GAP);
      const upper = top + line * (above + down + GAP);
      boxes[number] = { left, top: upper + above, width: across, height: down };
      const [inLayer, head] = header.heads[number];
      if (labelled) name(header.labels[number], left, upper + above - LINE - 2, Math.min(across + GAP - 2, width - left), across < TIGHT ? "label tight" : "label");
      if (!own) return;
      if (header.in_layers) name(fill(header.words.column, { head }), left, upper, across, "faint");
      else name(fill(header.words.head, { layer: inLayer, head }), left, upper, across);
    });
    top += Math.ceil(members[group].length / columns) * (above + down + GAP);
  });
  return { boxes, names, columns, width, height: Math.max(top - GAP + EDGE, 1) };
}

// Labels wider than their maps are written smaller, so that they are whole; all are measured before any changes.
/** @param {HTMLElement[]} labels */
function fitLabels(labels) {
  const wide = labels.filter((each) => each.scrollWidth > each.clientWidth);
  const sizes = wide.map((each) => (parseFloat(getComputedStyle(each).fontSize) * (each.clientWidth - 1)) / each.scrollWidth);
  const least = wide.length ? leastTypeIn(wide[0]) : 0;
  for (const [place, label] of wide.entries()) label.style.fontSize = `${Math.max(sizes[place], least)}px`;
}

/** @extends {Maps<OverviewHeader>} */
class Overview extends Maps {
  /** @override @type {Arranged & { names: Name[] }} */ place = NOT_YET;
  /** @type {Uint8Array} */ cells = NOT_YET;
  /** @type {Place[]} */ picked = [];
  named = ""; // what stands beside and above the maps
  /** @type {(places: Place[]) => void} */ onPicked = NOT_YET;

  /** @param {HTMLElement} figure */
  constructor(figure) {
    super(figure);
    this.names = partOf(figure, ".names");
  }

  /** @override @param {Uint8Array} cells */
  take(cells) {
    this.cells = cells;
    this.picked = this.header.picked;
  }

  /** @override @param {OverviewHeader} header */
  turnedHeader(header) {
    return { ...header, picked: this.picked };
  }

  /** @override */
  describe() {
    super.describe();
    partOf(this.figure, ".title").textContent = this.header.title;
  }

  /** @override @param {number} room */
  arrange(room) {
    return arrange(this.header, room);
  }

  /** @override @param {Stop[]} palette @returns {(cell: number) => number} */
  colours(palette) {
    const { cells } = this, colours = lookup({ ...this.header, palette });
    return (cell) => colours[cells[cell]];
  }

  /** @override @param {CanvasRenderingContext2D} pen */
  paint(pen) {
    const named = JSON.stringify(this.place.names);
    if (named !== this.named) this.names.replaceChildren(...this.place.names.map(({ text, left, top, wide, style }) => {
      const name = document.createElement("span");
      name.textContent = text;
      name.className = style;
      Object.assign(name.style, { left: `${left}px`, top: `${top}px`, width: `${wide}px` });
      return name;
    }));
    if (named !== this.named) fitLabels(/** @type {HTMLElement[]} */ ([...this.names.querySelectorAll(".label")]));
    this.named = named;
    super.paint(pen);
  }

  // The colour of a pick is that of its place among all picks, by layer and head: the same on every canvas and figure.
  /** @override */
  frames() {
    const { header, place } = this;
    return [...this.picked].sort(byPlace).flatMap((head, rank) => {
      const box = place.boxes[header.heads.findIndex(isPlace(head))];
      return box ? [framed(box, header.pick_colours[rank % header.pick_colours.length])] : [];
    });
  }

  // A saved picture has no page around it: every word that the page says of the maps stands in it.
  /** @override @returns {Sheet} */
  compose() {
    const { header, place } = this, { width } = place, pen = penOf(document.createElement("canvas"));
    /** @type {SheetText[]} */
    const texts = [];
    let top = 0;
    /** @param {string} text @param {TextStyle} style */
    const put = (text, style) => {
      for (const line of broken(pen, text, style, header.font, width * SLACK)) {
        texts.push({ text: line, x: 0, y: top + style.size, ...style });
        top += style.size * LINE_HEIGHT;
      }
    };
    put(header.title, TITLE);
    for (const text of [header.note, ...header.texts]) put(text, SMALL);
    top += GAP;
    const maps = { x: 0, y: top, width, height: place.height };
    for (const name of place.names) {
      const style = name.style.match(/faint|label/) ? FAINT : NAME, middle = name.style === "middle";
      const [text] = broken(pen, name.text, style, header.font, name.wide, "…");
      const x = name.left + (middle ? name.wide / 2 : 0);
      if (text) texts.push({ text, x, y: top + name.top + 12, middle, ...style });
    }
    const frames = this.frames().map((box) => ({ ...box, y: top + box.y }));
    top += place.height + GAP;
    const wide = Math.min(LEGEND, width);
    put(header.legend, SMALL);
    const bar = { x: 0, y: top, width: wide, height: BAR };
    top += BAR + SMALL.size + 2;
    for (const [at, text] of header.ticks) {
      texts.push({ text, x: at * wide, y: top, middle: at > 0 && at < 1, end: at === 1, ...SMALL });
    }
    return { width, height: top, texts, maps, frames, bar };
  }

  /** @override @param {number} head */
  about(head) {
    return [this.header.remarks[head], this.isPicked(head) ? this.header.words.picked : ""];
  }

  /** @param {number} head */
  isPicked(head) {
    return this.picked.some(isPlace(this.header.heads[head]));
  }

  /** @override @param {CellAt} at */
  numberAt(at) {
    const { header } = this, weight = (this.cells[this.placeInBytes(at)] / 255) ** 2;
    /** @param {number[]} starts @param {number} cell */
    const taken = (starts, cell) => starts[cell + 1] - starts[cell];
    const count = taken(header.rows, at.row) * taken(header.columns, at.column);
    const said = fill(count > 1 ? header.words.largest : header.words.weight, { weight: weight.toFixed(3), count });
    return { weight, number: said };
  }

  /** @override @param {At} at */
  closing(at) {
    if (at.row !== null) return [];
    return [this.isPicked(at.head) ? this.header.words.picked : this.header.words.not_picked];
  }

  /** @override @param {At | null} at */
  pick(at) {
    if (!at) return;
    const place = this.header.heads[at.head];
    const others = this.picked.filter((other) => !isPlace(place)(other));
    if (others.length === this.picked.length) others.push(place);
    this.picked = others.slice(-this.header.most_picked);
    this.mark();
    this.say(this.byKeys);
    window.dispatchEvent(new CustomEvent(PICKED, { detail: this }));
    this.onPicked(this.picked);
  }

  // The weight from query to key of the head in `place`, as its small map has it: a function of both; null without it.
  /** @param {Place} place @returns {((query: number, key: number) => number) | null} */
  weightsOf(place) {
    const { header, cells } = this, head = header.heads.findIndex(isPlace(place));
    if (head < 0) return null;
    /** @param {number[]} starts @returns {number[]} */
    const ofTokens = (starts) => starts.slice(1).flatMap((end, cell) => Array(end - starts[cell]).fill(cell));
    const [rows, columns] = [ofTokens(header.rows), ofTokens(header.columns)];
    return (query, key) => (cells[this.placeInBytes({ head, row: rows[query], column: columns[key] })] / 255) ** 2;
  }
}
