// How small and how large parts of the Bench's picture may be: on a page, and where the picture is presented alone.

import { widthOf, within } from "./alignment_marks.js";
import { leastTypeIn, zoomOf } from "./canvas.js";

/** @import { Bounds } from "./alignment_marks.js" */

const LABEL = { least: 80, most: 130, font: 15, share: 0.4 }; // pixels of the names of a map's rows; of a panel at most
const CELL = { least: 9, most: 46 }; // pixels of a cell's width
const ROW = 12; // of its height at least
const LABELS = { usual: 62, large: 80 }; // pixels above a map for the names of its columns; where type is large
const ABOVE = 316; // pixels of a screen that the page takes above a map, and what is said just below it
const ALONE = 298; // and those of the picture alone

// The smallest type, the free height of the screen, the room above a map, bounds of a cell's width and its least height: all
// in pixels of the figure.
/** @param {HTMLElement} figure @returns {{ least: number, free: number, above: number, cell: Bounds, row: number }} */
export function boundsIn(figure) {
  const least = leastTypeIn(figure), free = window.innerHeight / zoomOf(figure) - (least ? ALONE : ABOVE);
  if (!least) return { least, free, above: LABELS.usual, cell: CELL, row: ROW };
  return { least, free, above: LABELS.large, cell: { least: least + 1, most: CELL.most * 2 }, row: least + 3 };
}

// How wide the names of rows are beside a map; where type is large they are whole, as far as they leave room for it.
/** @param {number} panel @param {{ rows: string[] }[]} panels @param {string} family @param {number} least */
export function labelIn(panel, panels, family, least) {
  if (!least) return Math.round(within(panel * 0.25, LABEL));
  const widest = Math.max(...panels.flatMap(({ rows }) => rows.map((text) => widthOf(text, LABEL.font, family))), 0);
  return Math.round(within(widest + 18, { least: LABEL.least, most: panel * LABEL.share }));
}
