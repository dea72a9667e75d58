// A line from a word that is read to one that reads it.

import { SVG_NAME, within } from "./alignment_marks.js";

/** @typedef {[x: number, y: number]} Point */

const LINE = { least: 0.75, most: 7 }; // pixels of a line's width

// From the middle of one word to that of another, the thicker the more is read.
/** @param {[from: Point, to: Point, weight: number]} line */
export function curve([[x, y], [toX, toY], weight]) {
  const path = document.createElementNS(SVG_NAME, "path"), half = (y + toY) / 2;
  path.setAttribute("d", `M${x},${y} C${x},${half} ${toX},${half} ${toX},${toY}`);
  path.setAttribute("stroke-width", String(within(weight * LINE.most, LINE)));
  path.setAttribute("stroke-opacity", String(0.35 + 0.5 * weight));
  return path;
}
