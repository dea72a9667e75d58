// Maps of heads that answer: what the pointer and the keys are on, and what is said of it.
// Whatever comes from the data is shown as text (textContent, fillText), never as markup.

import { END, partOf, penOf, placeIn, tellPointed } from "./canvas.js";
import { Drawn } from "./drawn.js";
import { fill } from "./payload.js";
import { fileOf, paintFrames, pictureOf, saveAs } from "./picture.js";
import { beside, cellAt, cellsOf, inside, isPlace, stepOf, tipAt, tokensAt } from "./places.js";

/** @import { MapsHeader, Place, Stop } from "./payloads" */
/** @import { Box, Frame, Sheet } from "./picture.js" */
/** @import { At, CellAt, Cells } from "./places.js" */

const HOVER_COLOUR = "#e8590c";
const SCROLL_MARGIN = "64px 16px 24px"; // about what the keys are on: the page's head covers its upper edge
const HOVER_LINE = "rgba(232, 89, 12, 0.55)";
// Events by which one canvas of a page tells the others which heads have just been picked, and which cell is pointed at.
export const PICKED = "attention-bench-picked";
const POINTED = "attention-bench-pointed";

// A stage with a canvas of maps and one of marks over it. A kind of it says what is said of a place (`lines`).
/** @template {MapsHeader} [Header=MapsHeader] @extends {Drawn<Header>} */
export class Maps extends Drawn {
  /** @param {HTMLElement} figure */
  constructor(figure) {
    super(figure);
    this.tip = partOf(figure, ".tip");
    this.live = partOf(figure, ".live");
    /** @type {At | null} */ this.at = null; // what the pointer or the keys are on
    this.byKeys = false;
    /** @type {Cells | null} */ this.echo = null; // the cells here of what is pointed at on another canvas
    /** @type {Maps | null} */ this.pointed = null; // that canvas
    const { signal } = (this.listeners = new AbortController());
    /** @type {<Name extends keyof HTMLElementEventMap>(name: Name, act: (event: HTMLElementEventMap[Name]) => unknown) => void} */
    const on = (name, act) => this.stage.addEventListener(name, act, { signal });
    on("pointermove", (event) => this.move(this.find(event), false));
    on("pointerdown", (event) => this.move(this.find(event), false));
    on("pointerleave", ({ pointerType }) => pointerType !== "touch" && this.move(null, false)); // a tap stays until the next
    on("pointercancel", () => this.move(null, false)); // a finger that scrolls
    window.addEventListener("pointerdown", (event) => event.composedPath().includes(this.stage) || this.move(null, false), { signal });
    on("click", (event) => this.pick(this.find(event)));
    on("keydown", (event) => this.press(event));
    on("focus", () => this.stage.matches(":focus-visible") && this.at === null && this.move({ head: 0, row: null }, true));
    on("blur", () => this.byKeys && this.move(null, false));
    this.save.addEventListener("click", () => this.keepPicture(), { signal });
    figure.addEventListener("transitionend", (event) => event.target === figure && this.header && this.change(() => {}), { signal }); // light is dark
    window.addEventListener(POINTED, (event) => this.follow(/** @type {CustomEvent<Maps>} */ (event).detail), { signal });
    window.addEventListener("click", (event) => this.turn(event), { capture: true, signal });
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(figure);
  }

  dispose() {
    this.move(null, false);
    this.listeners.abort();
    this.sizes.disconnect();
  }

  // Let `act` change what is shown, and draw it: who points at a head stays on it if it is still there.
  /** @override @param {() => void} act */
  change(act) {
    const { at } = this, kept = at && this.header.heads[at.head];
    this.at = this.echo = this.sheet = this.drawnFor = null;
    act();
    this.describe();
    this.draw();
    if (this.pointed) this.follow(this.pointed);
    if (at && kept) this.keep(at, kept);
    else this.say(false);
  }

  // Marks cross over only between canvases whose axes mean the same: of one map, on one text.
  /** @param {Maps} other */
  isLike(other) {
    const parts = /** @type {const} */ (["site", "queries", "keys", "query_title", "key_title"]);
    return parts.every((part) => JSON.stringify(this.header?.[part]) === JSON.stringify(other.header?.[part]));
  }

  // A word that is pointed at on another canvas is found here at once.
  /** @param {Maps} other */
  follow(other) {
    if (other === this || !this.place) return;
    const at = other.at && other.at.row !== null && this.isLike(other) ? other.at : null;
    const before = this.echo;
    this.pointed = at && other;
    this.echo = at && {
      rows: cellsOf(this.header.rows, other.header.rows[at.row], other.header.rows[at.row + 1]),
      columns: cellsOf(this.header.columns, other.header.columns[at.column], other.header.columns[at.column + 1]),
    };
    if (before || this.echo) this.mark();
  }

  // A payload that comes while somebody points must not take their place away: it is kept if its head is still there.
  /** @param {At} at @param {Place} place */
  keep(at, place) {
    const head = this.header.heads.findIndex(isPlace(place));
    const fits = at.row === null || (at.row < this.header.rows.length - 1 && at.column < this.header.columns.length - 1);
    this.at = head >= 0 && fits ? { ...at, head } : null;
    this.mark();
    this.say(false);
  }

  // None, but on a canvas of picked heads.
  /** @returns {Frame[]} */
  frames() {
    return [];
  }

  async keepPicture() {
    if (this.place) saveAs(await pictureOf(this), fileOf(this.header));
  }

  // On a canvas of their own, so that no map is painted again as the pointer moves: frames, the same cell in every head,
  // and a ring about the map that is pointed at.
  /** @override */
  mark() {
    if (!this.place) return;
    const pen = penOf(this.marks);
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.place.width, this.place.height);
    paintFrames(pen, this.frames());
    const { at } = this;
    /** @type {Cells | null} */
    const cells = at && at.row !== null ? { rows: [at.row, at.row], columns: [at.column, at.column] } : this.echo;
    if (cells) for (const box of this.place.boxes) this.markCells(pen, box, cells);
    if (!this.at) return;
    const own = this.place.boxes[this.at.head];
    const ring = getComputedStyle(this.stage).getPropertyValue("--st-primary-color").trim() || "#21689a";
    pen.strokeStyle = ring;
    pen.lineWidth = 2;
    pen.strokeRect(own.left - 1, own.top - 1, own.width + 2, own.height + 2);
  }

  /** @param {Box} box @param {Cells} cells */
  placeOf(box, { rows, columns }) {
    const [wide, high] = [box.width / (this.header.columns.length - 1), box.height / (this.header.rows.length - 1)];
    const [across, down] = [columns[1] + 1 - columns[0], rows[1] + 1 - rows[0]];
    return { left: box.left + columns[0] * wide, top: box.top + rows[0] * high, width: across * wide, height: down * high };
  }

  /** @param {CanvasRenderingContext2D} pen @param {Box} box @param {Cells} cells */
  markCells(pen, box, cells) {
    const { left, top, width: wide, height: high } = this.placeOf(box, cells);
    pen.lineWidth = 1;
    pen.strokeStyle = HOVER_LINE;
    pen.strokeRect(box.left, top, box.width, high);
    pen.strokeRect(left, box.top, wide, box.height);
    const [across, down] = [Math.max(wide, 4), Math.max(high, 4)];
    const [x, y] = [left + wide / 2 - across / 2, top + high / 2 - down / 2];
    pen.lineWidth = 3;
    pen.strokeStyle = "#ffffff";
    pen.strokeRect(x, y, across, down);
    pen.lineWidth = 1.5;
    pen.strokeStyle = HOVER_COLOUR;
    pen.strokeRect(x, y, across, down);
  }

  // Which cell of which head an event points at; null between the maps.
  /** @param {MouseEvent} event @returns {At | null} */
  find(event) {
    if (!this.place) return null;
    return cellAt(this.place.boxes, this.size, ...placeIn(this.maps, event));
  }

  /** @param {At | null} at @param {boolean} byKeys */
  move(at, byKeys) {
    const same = at && this.at && at.head === this.at.head && at.row === this.at.row && at.column === this.at.column;
    this.byKeys = byKeys;
    if (same || (!at && !this.at)) return;
    this.at = at;
    this.mark();
    this.say(byKeys);
    window.dispatchEvent(new CustomEvent(POINTED, { detail: this }));
    if (at) tellPointed(this.figure, tokensAt(this.header, at));
  }

  // A cell may hold many tokens, of which there is room to name two.
  /** @param {string[]} texts @param {number[]} starts @param {number} cell */
  span(texts, starts, cell) {
    const [first, last] = [starts[cell], starts[cell + 1] - 1];
    return first === last ? texts[first] : fill(this.header.words.span, { first: texts[first], last: texts[last] });
  }

  // What is said of the place that is pointed at: its head, `about` it, its number, and the tokens of its cell.
  /** @param {At} at */
  lines(at) {
    const { header } = this;
    const about = [this.nameOf(at.head), ...this.about(at.head)].filter(Boolean).join(" · ");
    if (at.row === null) return [about];
    const { number, weight } = this.numberAt(at);
    const empty = weight < header.threshold ? ` (${fill(header.words.empty, { least: header.threshold })})` : "";
    const query = this.span(header.queries, header.rows, at.row), key = this.span(header.keys, header.columns, at.column);
    return [
      about,
      number + empty,
      fill(header.words.token, { axis: header.query_title, token: query }),
      fill(header.words.token, { axis: header.key_title, token: key }),
      ...([query, key].includes(END) ? [header.words.end] : []),
    ];
  }

  /** @param {number} place */
  nameOf(place) {
    const { titles, heads, words } = this.header, [layer, head] = heads[place];
    return titles?.[place] ?? fill(words.head, { layer, head });
  }

  /** @param {number} _head @returns {string[]} */
  about(_head) {
    return [];
  }

  // Rows and columns of every map.
  /** @returns {[rows: number, columns: number]} */
  get size() {
    return [this.header.rows.length - 1, this.header.columns.length - 1];
  }

  // Cells come as one run of bytes: head by head, row by row.
  /** @param {CellAt} at */
  placeInBytes({ head, row, column }) {
    const [rows, columns] = this.size;
    return (head * rows + row) * columns + column;
  }

  /** @param {boolean} aloud */
  say(aloud) {
    this.tip.hidden = !this.at;
    if (!this.at) return;
    const { at } = this, said = this.lines(at);
    if (aloud) this.live.textContent = [...said, ...this.closing(at)].join("; ");
    this.tip.replaceChildren(...said.map((text, line) => {
      const element = document.createElement("div");
      element.className = line > 1 ? "text" : "";
      element.appendChild(document.createElement(line === 1 ? "b" : "span")).textContent = text;
      return element;
    }));
    this.placeTip(at);
  }

  // Those who move by keys do not see frames: they hear what else there is to say.
  /** @param {At} _at @returns {string[]} */
  closing(_at) {
    return [];
  }

  // Beside the map that is pointed at, within the stage: never over the cell itself.
  /** @param {At} at */
  placeTip(at) {
    const { left, top } = tipAt(this.place.boxes[at.head], this.tip.offsetWidth, this.place.width);
    Object.assign(this.tip.style, { left: `${left}px`, top: `${top}px` });
  }

  /** @param {At | null} _at */
  pick(_at) {}

  // What is said of a cell, and its weight.
  /** @param {CellAt} _at @returns {{ weight: number, number: string }} */
  numberAt(_at) {
    return { weight: 0, number: "" };
  }

  // A picture to keep.
  /** @returns {Sheet} */
  compose() {
    throw new Error("a kind of maps says what is in its picture");
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (!this.header?.heads.length || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = stepOf(event.key), last = this.header.heads.length - 1;
    /** @type {At} */
    const at = this.at ?? { head: 0, row: null };
    if (step) this.move(event.shiftKey ? inside(at, step, this.size) : beside(at, step, this.place.boxes), true);
    else if (event.key === "Home" || event.key === "End") this.move({ ...at, head: event.key === "Home" ? 0 : last }, true);
    else if (event.key === "Enter" || event.key === " ") {
      this.byKeys = true;
      this.pick(at);
    } else if (event.key === "Escape") this.move(at.row === null ? null : { head: at.head, row: null }, true);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.reveal();
  }

  // The keys may leave the window: what they are on is brought back into sight.
  reveal() {
    const { at } = this, whole = at && this.place.boxes[at.head];
    if (!whole) return;
    const box = at.row === null ? whole : this.placeOf(whole, { rows: [at.row, at.row], columns: [at.column, at.column] });
    const probe = document.createElement("span");
    const lengths = Object.fromEntries(Object.entries(box).map(([side, pixels]) => [side, `${pixels}px`]));
    Object.assign(probe.style, { position: "absolute", pointerEvents: "none", scrollMargin: SCROLL_MARGIN, ...lengths });
    this.stage.append(probe);
    probe.scrollIntoView({ block: "nearest", inline: "nearest" });
    probe.remove();
  }
}
