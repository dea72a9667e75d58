// Where things lie on a stage of maps: which cell a point is in, and where the keys go from it. No page is needed for it.

/** @import { Place } from "./payloads" */
/** @import { Box } from "./picture.js" */
/** @typedef {{ head: number, row: number, column: number }} CellAt */
/** @typedef {CellAt | { head: number, row: null, column?: undefined }} At A cell; or a whole head, whose row is null. */
/** @typedef {[first: number, last: number]} Span */
/** @typedef {{ rows: Span, columns: Span }} Cells */
/** @typedef {[down: number, across: number]} Step */
/** @typedef {[rows: number, columns: number]} Shape */

/** @type {Record<string, Step | undefined>} */
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// Where an arrow key leads.
/** @param {string} key */
export const stepOf = (key) => STEPS[key];

/** @type {(one: Place, other: Place) => number} */
export const byPlace = ([a, b], [c, d]) => a - c || b - d;
/** @type {(place: Place) => (other: Place) => boolean} */
export const isPlace = ([layer, head]) => (other) => other[0] === layer && other[1] === head;

// Two canvases may cut one text into cells of different sizes, so that a cell of one meets several of the other: the
// first and the last of those that begin at `starts` and hold a token from `first` to before `end`.
/** @param {number[]} starts @param {number} first @param {number} end @returns {Span} */
export function cellsOf(starts, first, end) {
  const holds = starts.slice(0, -1).map((start, cell) => start < end && first < starts[cell + 1]);
  return [holds.indexOf(true), holds.lastIndexOf(true)];
}

// The head that is pointed at, and the first query and key of the cell there.
/** @param {{ heads: Place[], rows: number[], columns: number[] }} maps @param {At} at */
export const tokensAt = ({ heads, rows, columns }, at) =>
  at.row === null ? { head: heads[at.head] } : { head: heads[at.head], row: rows[at.row], key: columns[at.column] };

// Which cell of which head is at a point; null between the maps.
/** @param {Box[]} boxes @param {Shape} shape @param {number} x @param {number} y @returns {At | null} */
export function cellAt(boxes, [rows, columns], x, y) {
  const head = boxes.findIndex(({ left, top, width, height }) => x >= left && x < left + width && y >= top && y < top + height);
  if (head < 0) return null;
  if (!rows || !columns) return { head, row: null };
  const { left, top, width, height } = boxes[head], row = Math.min(Math.floor(((y - top) / height) * rows), rows - 1);
  return { head, row, column: Math.min(Math.floor(((x - left) / width) * columns), columns - 1) };
}

// Arrow keys follow what is seen, whatever the order of heads: along the line, or to the nearest of the next line.
/** @param {At} at @param {Step} step @param {Box[]} boxes @returns {At} */
export function beside(at, [down, across], boxes) {
  const here = boxes[at.head];
  if (across) return { ...at, head: Math.min(Math.max(at.head + across, 0), boxes.length - 1) };
  const tops = [...new Set(boxes.map((box) => box.top))].sort((one, other) => one - other);
  const top = tops[tops.indexOf(here.top) + down];
  if (top === undefined) return at;
  const line = boxes.map((box, head) => [Math.abs(box.left - here.left), head]).filter(([, head]) => boxes[head].top === top);
  return { ...at, head: line.sort((one, other) => one[0] - other[0])[0][1] };
}

// With Shift they move inside a map.
/** @param {At} at @param {Step} step @param {Shape} shape @returns {At} */
export function inside(at, [down, across], [rows, columns]) {
  if (!rows || !columns) return at;
  if (at.row === null) return { head: at.head, row: 0, column: 0 };
  const row = Math.min(Math.max(at.row + down, 0), rows - 1);
  return { head: at.head, row, column: Math.min(Math.max(at.column + across, 0), columns - 1) };
}

// Where a note `wide` pixels wide stands: right of a map, else left of it, else below, within a stage of `room` pixels.
/** @param {Box} box @param {number} wide @param {number} room */
export function tipAt(box, wide, room) {
  const right = box.left + box.width + 8, near = right + wide <= room ? right : box.left - wide - 8;
  if (near >= 0) return { left: near, top: box.top };
  return { left: Math.max(0, Math.min(box.left, room - wide)), top: box.top + box.height + 8 };
}
