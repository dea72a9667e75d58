// Maps of heads that answer: what the pointer and the keys are on, and what is said of it.
// Whatever comes from the data is shown as text (textContent, fillText), never as markup.

import { fill } from "./canvas.js";
import { Drawn } from "./drawn.js";
import { fileOf, paintFrames, pictureOf, saveAs } from "./picture.js";

const HOVER_COLOUR = "#e8590c";
const SCROLL_MARGIN = "64px 16px 24px"; // about what the keys are on: the page's head covers its upper edge
const HOVER_LINE = "rgba(232, 89, 12, 0.55)";
// Events by which one canvas of a page tells the others which heads have just been picked, and which cell is pointed at.
export const PICKED = "attention-bench-picked";
const POINTED = "attention-bench-pointed";
// Two canvases may cut one text into cells of different sizes, so that a cell of one meets several of the other: the
// first and the last of those that begin at `starts` and hold a token from `first` to before `end`.
export function cellsOf(starts, first, end) {
  const holds = starts.slice(0, -1).map((start, cell) => start < end && first < starts[cell + 1]);
  return [holds.indexOf(true), holds.lastIndexOf(true)];
}

export const byPlace = ([a, b], [c, d]) => a - c || b - d;
export const isPlace = ([layer, head]) => (place) => place[0] === layer && place[1] === head;

// A stage with a canvas of maps and one of marks over it. A kind of it says what is said of a place (`lines`).
export class Maps extends Drawn {
  constructor(figure) {
    super();
    this.figure = figure;
    for (const part of ["stage", "maps", "marks", "tip", "live", "save"]) this[part] = figure.querySelector("." + part);
    this.loads = 0;
    this.at = null; // what the pointer or the keys are on: {head, row, column}; row is null for a whole head
    this.byKeys = false;
    this.echo = null; // the cells here of what is pointed at on another canvas: {rows: [first, last], columns}
    this.pointed = null; // that canvas
    this.listeners = new AbortController();
    const on = (name, act) => this.stage.addEventListener(name, act, { signal: this.listeners.signal });
    on("pointermove", (event) => this.move(this.find(event), false));
    on("pointerdown", (event) => this.move(this.find(event), false));
    on("pointerleave", () => this.move(null, false));
    on("click", (event) => this.pick(this.find(event)));
    on("keydown", (event) => this.press(event));
    on("focus", () => this.stage.matches(":focus-visible") && this.at === null && this.move({ head: 0, row: null }, true));
    on("blur", () => this.byKeys && this.move(null, false));
    this.save.addEventListener("click", () => this.keepPicture(), { signal: this.listeners.signal });
    figure.addEventListener("transitionend", (event) => event.target === figure && this.header && this.change(() => {}),
      { signal: this.listeners.signal }); // light has become dark, or dark light
    window.addEventListener(POINTED, ({ detail }) => this.follow(detail), { signal: this.listeners.signal });
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(figure);
  }

  dispose() {
    this.move(null, false);
    this.listeners.abort();
    this.sizes.disconnect();
  }

  // Let `act` change what is shown, and draw it: who points at a head stays on it if it is still there.
  change(act) {
    const { at } = this, kept = at && this.header.heads[at.head];
    Object.assign(this, { at: null, echo: null });
    act();
    this.describe();
    this.sheet = null;
    this.drawnFor = null;
    this.draw();
    if (this.pointed) this.follow(this.pointed);
    if (kept) this.keep(at, kept);
    else this.say(false);
  }

  // Marks cross over only between canvases whose axes mean the same: of one map, on one text.
  isLike(other) {
    const parts = ["site", "queries", "keys", "query_title", "key_title"];
    return parts.every((part) => JSON.stringify(this.header?.[part]) === JSON.stringify(other.header?.[part]));
  }

  // A word that is pointed at on another canvas is found here at once.
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
  keep(at, place) {
    const head = this.header.heads.findIndex(isPlace(place));
    const inside = at.row === null || (at.row < this.header.rows.length - 1 && at.column < this.header.columns.length - 1);
    this.at = head >= 0 && inside ? { ...at, head } : null;
    this.mark();
    this.say(false);
  }

  // None, but on a canvas of picked heads.
  frames() {
    return [];
  }

  async keepPicture() {
    if (this.place) saveAs(await pictureOf(this), fileOf(this.header));
  }

  // On a canvas of their own, so that no map is painted again as the pointer moves: frames, the same cell in every head,
  // and a ring about the map that is pointed at.
  mark() {
    if (!this.place) return;
    const pen = this.marks.getContext("2d");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.place.width, this.place.height);
    paintFrames(pen, this.frames());
    const { at } = this;
    const cells = at && at.row !== null ? { rows: [at.row, at.row], columns: [at.column, at.column] } : this.echo;
    if (cells) for (const box of this.place.boxes) this.markCells(pen, box, cells);
    if (!this.at) return;
    const own = this.place.boxes[this.at.head];
    const ring = getComputedStyle(this.stage).getPropertyValue("--st-primary-color").trim() || "#21689a";
    pen.strokeStyle = ring;
    pen.lineWidth = 2;
    pen.strokeRect(own.left - 1, own.top - 1, own.width + 2, own.height + 2);
  }

  placeOf(box, { rows, columns }) {
    const [wide, high] = [box.width / (this.header.columns.length - 1), box.height / (this.header.rows.length - 1)];
    const [across, down] = [columns[1] + 1 - columns[0], rows[1] + 1 - rows[0]];
    return { left: box.left + columns[0] * wide, top: box.top + rows[0] * high, width: across * wide, height: down * high };
  }

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
  find(event) {
    if (!this.place) return null;
    const frame = this.maps.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    const head = this.place.boxes.findIndex(
      (box) => x >= box.left && x < box.left + box.width && y >= box.top && y < box.top + box.height);
    if (head < 0) return null;
    const box = this.place.boxes[head];
    const [rows, columns] = [this.header.rows.length - 1, this.header.columns.length - 1];
    if (!rows || !columns) return { head, row: null };
    const row = Math.min(Math.floor(((y - box.top) / box.height) * rows), rows - 1);
    return { head, row, column: Math.min(Math.floor(((x - box.left) / box.width) * columns), columns - 1) };
  }

  move(at, byKeys) {
    const same = at && this.at && at.head === this.at.head && at.row === this.at.row && at.column === this.at.column;
    this.byKeys = byKeys;
    if (same || (!at && !this.at)) return;
    this.at = at;
    this.mark();
    this.say(byKeys);
    window.dispatchEvent(new CustomEvent(POINTED, { detail: this }));
  }

  // A cell may hold many tokens, of which there is room to name two.
  span(texts, starts, cell) {
    const [first, last] = [starts[cell], starts[cell + 1] - 1];
    return first === last ? texts[first] : fill(this.header.words.span, { first: texts[first], last: texts[last] });
  }

  // What is said of the place that is pointed at: its head, `about` it, its number, and the tokens of its cell.
  lines() {
    const { header, at } = this;
    const about = [this.nameOf(at.head), ...this.about(at.head)].filter(Boolean).join(" · ");
    if (at.row === null) return [about];
    const { number, weight } = this.numberAt(at);
    const empty = weight < header.threshold ? ` (${fill(header.words.empty, { least: header.threshold })})` : "";
    return [
      about,
      number + empty,
      fill(header.words.token, { axis: header.query_title, token: this.span(header.queries, header.rows, at.row) }),
      fill(header.words.token, { axis: header.key_title, token: this.span(header.keys, header.columns, at.column) }),
    ];
  }

  nameOf(place) {
    const { titles, heads, words } = this.header, [layer, head] = heads[place];
    return titles?.[place] ?? fill(words.head, { layer, head });
  }

  about() {
    return [];
  }

  // Cells come as one run of bytes: head by head, row by row.
  cellAt({ head, row, column }) {
    const [rows, columns] = [this.header.rows.length - 1, this.header.columns.length - 1];
    return (head * rows + row) * columns + column;
  }

  say(aloud) {
    this.tip.hidden = !this.at;
    if (!this.at) return;
    const said = this.lines();
    if (aloud) this.live.textContent = [...said, ...this.closing()].join("; ");
    this.tip.replaceChildren(...said.map((text, line) => {
      const element = document.createElement("div");
      element.className = line > 1 ? "text" : "";
      element.appendChild(document.createElement(line === 1 ? "b" : "span")).textContent = text;
      return element;
    }));
    this.placeTip();
  }

  // Those who move by keys do not see frames: they hear what else there is to say.
  closing() {
    return [];
  }

  // Beside the map that is pointed at, within the stage: never over the cell itself.
  placeTip() {
    const box = this.place.boxes[this.at.head];
    const wide = this.tip.offsetWidth;
    const right = box.left + box.width + 8;
    const beside = right + wide <= this.place.width ? right : box.left - wide - 8;
    const fits = beside >= 0;
    const left = fits ? beside : Math.max(0, Math.min(box.left, this.place.width - wide));
    const below = box.top + box.height + 8;
    const top = fits ? box.top : below;
    Object.assign(this.tip.style, { left: `${left}px`, top: `${top}px` });
  }

  pick() {}

  press(event) {
    if (!this.header?.heads.length || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const at = this.at ?? { head: 0, row: null };
    const last = this.header.heads.length - 1;
    if (event.key in steps) this.move(event.shiftKey ? this.inside(at, steps[event.key]) : this.beside(at, steps[event.key]), true);
    else if (event.key === "Home" || event.key === "End") this.move({ ...at, head: event.key === "Home" ? 0 : last }, true);
    else if (event.key === "Enter" || event.key === " ") this.byKeys = true, this.pick(at);
    else if (event.key === "Escape") this.move(at.row === null ? null : { head: at.head, row: null }, true);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.reveal();
  }

  // Arrow keys follow what is seen, whatever the order of heads: along the line, or to the nearest of the next line.
  beside(at, [down, across]) {
    const here = this.place.boxes[at.head], order = this.place.boxes;
    if (across) return { ...at, head: Math.min(Math.max(at.head + across, 0), order.length - 1) };
    const tops = [...new Set(order.map((box) => box.top))].sort((one, other) => one - other);
    const top = tops[tops.indexOf(here.top) + down];
    if (top === undefined) return at;
    const line = order.map((box, head) => [Math.abs(box.left - here.left), head]).filter(([, head]) => order[head].top === top);
    return { ...at, head: line.sort((one, other) => one[0] - other[0])[0][1] };
  }

  inside(at, [down, across]) {
    const [rows, columns] = [this.header.rows.length - 1, this.header.columns.length - 1];
    if (!rows || !columns) return at;
    if (at.row === null) return { head: at.head, row: 0, column: 0 };
    const within = (value, count) => Math.min(Math.max(value, 0), count - 1);
    return { head: at.head, row: within(at.row + down, rows), column: within(at.column + across, columns) };
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
