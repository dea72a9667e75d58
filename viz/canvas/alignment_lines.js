// A line from a word that is read to one that reads it.

import { SVG_NAME, within } from "./alignment_marks.js";

const LINE = { least: 0.75, most: 7 }; // pixels of a line's width

// From the middle of one word to that of another, the thicker the more is read.
export function curve([[x, y], [toX, toY], weight]) {
  const path = document.createElementNS(SVG_NAME, "path"), half = (y + toY) / 2;
  path.setAttribute("d", `M${x},${y} C${x},${half} ${toX},${half} ${toX},${toY}`);
  path.setAttribute("stroke-width", within(weight * LINE.most, LINE));
  path.setAttribute("stroke-opacity", 0.35 + 0.5 * weight);
  return path;
}
