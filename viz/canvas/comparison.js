// A few heads in full, side by side: exact weights, fed with one compressed block of bytes.
// What has just been picked on an overview is drawn at once from its small maps, until the exact weights are there.

import { NOT_YET, leastTypeIn, lookup } from "./canvas.js";
import { Maps, PICKED } from "./maps.js";
import { fill } from "./payload.js";
import { fileOf, framed, paintBar, paintCrosses, pictureOf, saveAs, write } from "./picture.js";
import { byPlace, isPlace } from "./places.js";

/** @import { ComparisonHeader, Layout, Place, Stop } from "./payloads" */
/** @import { Arranged } from "./drawn.js" */
/** @import { Box, Sheet } from "./picture.js" */
/** @import { At, CellAt } from "./places.js" */
/** @typedef {Maps & { picked: Place[], weightsOf(place: Place): ((query: number, key: number) => number) | null }} Picked An overview. */

const TITLE_WEIGHT = 600;
const LIFT = 3; // pixels by which labels of columns stand free of a frame
const BESIDE_CELL = 12; // pixels from a cell to what is said of it

/** @extends {Maps<ComparisonHeader>} */
export class Comparison extends Maps {
  /** @override @type {Omit<Layout, "boxes"> & Arranged} */ place = NOT_YET;
  /** @type {Float32Array} */ weights = NOT_YET;
  /** @type {boolean[]} */ exact = [];

  /** @param {HTMLElement} figure */
  constructor(figure) {
    super(figure);
    /** @param {(overview: Picked) => void} act */
    const on = (act) => window.addEventListener(PICKED, (event) => act(/** @type {CustomEvent<Picked>} */ (event).detail), { signal: this.listeners.signal });
    on((overview) => this.predict(overview));
    on(() => this.comeIntoView());
  }

  /** @override @param {Uint8Array} bytes */
  take(bytes) {
    this.weights = new Float32Array(bytes.slice().buffer);
    this.exact = this.header.heads.map(() => true);
  }

  // On a narrow page the overview stands above: what has been picked there is shown without a search for it.
  comeIntoView() {
    const { top, bottom } = this.stage.getBoundingClientRect(), seen = Math.min(bottom, innerHeight) - Math.max(top, 0);
    if (seen >= Math.min(bottom - top, innerHeight) / 3) return;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.figure.scrollIntoView({ behavior: still ? "auto" : "smooth", block: "start" });
  }

  // Draw what has just been picked on `overview` of the same text: heads that are here as they are, others as it has them.
  /** @param {Picked} overview */
  predict(overview) {
    const { header } = this, picked = [...overview.picked].sort(byPlace);
    const layout = this.isLike(overview) && header?.layouts[picked.length - 1];
    if (!layout) return;
    const here = picked.map((place) => header.heads.findIndex((other, head) => this.exact[head] && isPlace(place)(other)));
    const there = picked.map((place, head) => (here[head] >= 0 ? null : overview.weightsOf(place)));
    if (here.some((each, head) => each < 0 && !there[head])) return;
    const [rows, columns] = [header.rows.length - 1, header.columns.length - 1], size = rows * columns;
    const weights = new Float32Array(picked.length * size);
    picked.forEach((_, head) => {
      const weightOf = there[head];
      if (!weightOf) return weights.set(this.weights.subarray(here[head] * size, (here[head] + 1) * size), head * size);
      for (let cell = 0; cell < size; cell++) weights[head * size + cell] = weightOf(Math.floor(cell / columns), cell % columns);
    });
    this.loads++; // exact weights of an earlier choice that are still on their way come too late
    this.change(() => {
      Object.assign(this, { header: { ...header, heads: picked, turned: null, crossed: undefined }, weights, exact: here.map((each) => each >= 0) });
    });
  }

  /** @override */
  arrange() {
    return this.placed(this.header.page);
  }

  /** @param {Layout[]} layouts */
  placed(layouts) {
    const layout = layouts[this.header.heads.length - 1];
    const boxes = layout.boxes.map(([left, top, width, height]) => ({ left, top, width, height }));
    return { ...layout, boxes };
  }

  /** @override @param {Stop[]} palette @returns {(cell: number) => number} */
  colours(palette) {
    const { weights, header } = this, colours = lookup({ ...header, palette, threshold: 0 });
    /** @param {number} weight */
    const level = (weight) => Math.round(Math.sqrt(Math.min(Math.max(weight, 0), 1)) * 255);
    return (cell) => (Math.abs(weights[cell]) < header.threshold ? 0 : colours[level(weights[cell])]);
  }

  /** @override */
  draw() {
    super.draw();
    if (this.place) this.stage.style.width = `${this.place.width}px`;
  }

  /** @override @param {CanvasRenderingContext2D} pen */
  paint(pen) {
    super.paint(pen);
    pen.save();
    pen.scale(this.ratio, this.ratio);
    const { bar, texts, crosses } = this.compose(), { font } = this.header;
    paintCrosses(pen, crosses);
    paintBar(pen, bar, this.palette());
    pen.fillStyle = getComputedStyle(this.figure).color;
    const least = leastTypeIn(this.figure), shown = texts.map((text) => ({ ...text, size: Math.max(text.size, least) }));
    for (const text of shown) write(pen, text, font);
    pen.restore();
    Object.assign(this.stage, { texts: texts.map(({ text }) => text), sizes: shown.map(({ size }) => size), exact: this.exact });
  }

  /** @override @param {CanvasRenderingContext2D} pen @param {number} ratio @param {Stop[]} palette */
  paintMaps(pen, ratio, palette) {
    super.paintMaps(pen, ratio, palette);
    const [rows, columns] = [this.header.rows.length - 1, this.header.columns.length - 1];
    if (!this.header.gaps) return;
    for (const { left, top, width, height } of this.place.boxes) {
      /** @param {number[]} place */
      const clear = (...place) => {
        const [x, y, wide, high] = place.map((each) => Math.round(each * ratio));
        pen.clearRect(x, y, wide, high);
      };
      for (let row = 1; row < rows; row++) clear(left, top + (row * height) / rows, width, 1);
      for (let column = 1; column < columns; column++) clear(left + (column * width) / columns, top, 1, height);
    }
  }

  /** @override */
  frames() {
    const colours = this.header.pick_colours;
    return this.place.boxes.map((box, head) => framed(box, colours[head % colours.length]));
  }

  /** @param {number} head */
  titleOf(head) {
    const name = this.nameOf(head);
    return this.exact[head] ? name : fill(this.header.words.weight, { weight: name });
  }

  // A picture to keep has no page around it: its legend and its axes are drawn.
  /** @override */
  async keepPicture() {
    if (!this.place) return;
    const kept = Object.create(this, { place: { value: this.placed(this.header.layouts) } });
    saveAs(await pictureOf(kept), fileOf(this.header));
  }

  // The page and a saved picture are drawn from one list, so that they cannot differ.
  /** @override @returns {Sheet} */
  compose() {
    const { header, place } = this, texts = [...place.texts];
    place.headings.forEach(({ x, y, size, notes, note_size, line }, head) => {
      texts.push({ text: this.titleOf(head), x, y, size, weight: TITLE_WEIGHT });
      const empty = this.countEmpty(head), count = this.exact[head] ? empty : fill(header.words.weight, { weight: empty });
      notes.forEach((note, number) => texts.push(
        { text: fill(note, { count }), x, y: y + (number + 1) * line, size: note_size, weight: 400 }));
    });
    for (const box of place.boxes) texts.push(...this.labels(box));
    const { width, height } = place;
    return { width, height, texts, maps: { x: 0, y: 0, width, height }, frames: this.frames(), bar: place.bar, crosses: this.crosses() };
  }

  // The cells that are crossed out; of a map that is not exact yet they are not known.
  crosses() {
    const { header } = this, columns = header.columns.length - 1;
    return this.place.boxes.flatMap((box, head) => (this.scoresOf(head) ?? []).flatMap((score, cell) => {
      const [row, column] = [Math.floor(cell / columns), cell % columns];
      const { left: x, top: y, width, height } = this.placeOf(box, { rows: [row, row], columns: [column, column] });
      return score === null ? [] : [{ x, y, width, height }];
    }));
  }

  /** @param {number} head */
  scoresOf(head) {
    return this.exact[head] ? this.header.crossed?.[head] : undefined;
  }

  /** @param {number} head */
  countEmpty(head) {
    const size = (this.header.rows.length - 1) * (this.header.columns.length - 1);
    return this.weights.subarray(head * size, (head + 1) * size).filter((weight) => Math.abs(weight) < this.header.threshold).length;
  }

  // Labels are drawn and are no elements: four heads of 160 tokens would need more than a thousand.
  /** @param {Box} box */
  labels({ left, top, width, height }) {
    const { row_labels, column_labels, row_font, tick, raised } = this.header, { angle, column_font: size } = this.place;
    const high = height / row_labels.length, wide = width / column_labels.length;
    const rows = row_labels.map((text, row) =>
      ({ text, x: left - tick, y: top + (row + 0.5) * high + row_font * raised, end: true, size: row_font, weight: 400 }));
    const upright = angle === -90 ? size * raised : 0;
    const columns = column_labels.map((text, column) => {
      const [middle, y] = [left + (column + 0.5) * wide, top - tick - LIFT];
      // A Chinese character, or a mark, reads best as it stands.
      if (!angle || (size <= wide && [...text.replace(/[\u2068\u2069]/g, "")].length === 1)) return { text, x: middle, y, middle: true, size, weight: 400 };
      return { text, x: middle + upright, y, turn: angle, size, weight: 400 };
    });
    return [...rows, ...columns];
  }

  /** @override @param {CellAt} at */
  numberAt(at) {
    const weight = this.weights[this.placeInBytes(at)], { words } = this.header;
    const score = this.scoresOf(at.head)?.[at.row * this.size[1] + at.column] ?? null;
    if (score === true) return { weight: Infinity, number: words.masked };
    if (score !== null) return { weight: Infinity, number: fill(words.later, { score: score.toFixed(3) }) };
    const said = this.exact[at.head] ? weight.toFixed(4) : fill(words.weight, { weight: weight.toFixed(3) });
    return { weight: Math.abs(weight), number: said };
  }

  // Beside the cell that is pointed at, where the page shows it: never over the cell itself.
  /** @override @param {At} at */
  placeTip(at) {
    const box = this.place.boxes[at.head], scroll = /** @type {HTMLElement} */ (this.stage.parentElement);
    const [rows, columns] = [this.header.rows.length - 1, this.header.columns.length - 1];
    const [wide, high] = [box.width / Math.max(columns, 1), box.height / Math.max(rows, 1)];
    const [column, row] = at.row === null ? [0, 0] : [at.column, at.row];
    const cell = { left: box.left + column * wide, top: box.top + row * high };
    const [least, most] = [scroll.scrollLeft, scroll.scrollLeft + scroll.clientWidth];
    const right = cell.left + wide + BESIDE_CELL, width = this.tip.offsetWidth;
    const left = right + width <= most ? right : Math.max(least, cell.left - width - BESIDE_CELL);
    const covers = left < cell.left + wide && left + width > cell.left;
    const [below, above] = [cell.top + high + BESIDE_CELL, cell.top - this.tip.offsetHeight - BESIDE_CELL];
    const room = this.place.height - this.tip.offsetHeight;
    const top = !covers ? Math.max(0, Math.min(cell.top, room)) : below <= room ? below : Math.max(0, above);
    Object.assign(this.tip.style, { left: `${left}px`, top: `${top}px` });
  }
}
