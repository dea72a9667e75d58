// What stands around the cells of the Bench: in the corner above a map, and in the place of a map where there is none.

import { SVG_NAME, fittingSize, made, widthOf } from "./alignment_marks.js";
import { partOf } from "./canvas.js";

/** @import { Panels } from "./alignment_panels.js" */

const CORNER = 11.5; // pixels of the letters that say what rows and columns are, and more of them where type is large

// Without attention: as many lines as words go in, through one vector, and out again.
/** @param {string[]} says @param {number} words @param {number} written */
export function vectorOf([into, one, why], words, written) {
  const element = made("div", "vector"), svg = document.createElementNS(SVG_NAME, "svg");
  svg.setAttribute("viewBox", "0 0 300 130");
  svg.setAttribute("aria-hidden", "true");
  /** @param {Record<string, number | string>} attributes */
  const line = (attributes) => {
    const each = document.createElementNS(SVG_NAME, "line");
    for (const [name, value] of Object.entries(attributes)) each.setAttribute(name, String(value));
    svg.append(each);
  };
  /** @param {number} count @param {number} place */
  const spread = (count, place) => 150 + (count > 1 ? (place / (count - 1) - 0.5) * 260 : 0);
  for (let word = 0; word < words; word++) line({ x1: spread(words, word), y1: 2, x2: 150, y2: 60, "stroke-opacity": 0.5 });
  for (let word = 0; word < written; word++) line({ x1: 150, y1: 70, x2: spread(written, word), y2: 128, "stroke-opacity": 0.5 });
  line({ x1: 110, y1: 65, x2: 190, y2: 65, "stroke-width": 10, stroke: "var(--st-primary-color)" });
  element.append(made("span", "", `${into} → ${one}`), svg, made("span", "", why));
  return element;
}

// What rows and columns are, where both begin: once where all panels share it, else in each; in a word each where there is
// no room for more.
/** @param {Panels} view @param {number} number */
export function corner(view, number) {
  const { header, place, family } = view, row = header.row_title || header.panels[number].row_title, room = place.label - 8, size = Math.max(CORNER, place.least);
  /** @param {string} text */
  const fits = (text) =>
    fittingSize((letters) => text.split(" ").map((word) => widthOf(`${word} `, letters, family)), room, place.least ? 3 : 2, [size, 0]) === size;
  const titles = [`↓ ${row}`, `→ ${header.key_title}`], isWhole = titles.every(fits);
  const isSaid = header.row_title && number !== header.panels.findIndex(({ rows }) => rows.length);
  if (!row || isSaid || (!isWhole && place.across === 1 && !place.least)) return []; // a colour's meaning needs the room more
  return [cornerOf(view, titles.map((text) => made("span", "axis", isWhole ? text : text.split(/[:：]/)[0])))];
}

/** @param {Panels} view @param {HTMLElement[]} parts */
function cornerOf(view, parts) {
  const element = made("div", "corner");
  element.setAttribute("aria-hidden", "true");
  Object.assign(element.style, { width: `${view.place.label}px`, height: `${view.place.above - 2}px`, fontSize: `${Math.max(CORNER, view.place.least)}px` });
  element.append(...parts);
  return element;
}

// What a colour means, in the first corner that says nothing else.
/** @param {Panels} view */
function scaleInCorner(view) {
  const scale = made("span", "strip");
  if (!view.header.key_title) return;
  scale.append("0", made("i"), "1");
  intoFreeCorner(view, [made("span", "", view.header.words.brief), scale]);
}

// What the tint of a written word means, in the next free corner; below the scale where the maps stand below each other.
/** @param {Panels} view */
function tintInCorner(view) {
  const { doubt } = view.header.words, tint = made("span", "tint");
  if (!doubt) return;
  tint.append(made("b"), doubt);
  const below = view.place.across === 1 && view.figure.querySelector(".corner:has(.strip)");
  if (below) below.append(tint);
  else intoFreeCorner(view, [tint]);
}

/** @param {Panels} view @param {HTMLElement[]} parts */
function intoFreeCorner(view, parts) {
  const free = view.panels.find(({ map }) => map && !map.plot.querySelector(".corner"));
  free?.map?.plot.firstElementChild?.append(cornerOf(view, parts));
}

// What a colour means, and a tint, beside the first sentence, as far as there is room, else in a free corner above a map:
// whole in the legend below, which may lie under the edge of a screen.
/** @param {Panels} view */
export function fitBrief(view) {
  const brief = partOf(view.figure, ".brief"), words = view.parts[0].tokens;
  const end = Math.max(...words.map((word) => word.getBoundingClientRect().right)); // the last, or the first if it runs leftward
  const hasRoom = () => view.header.key_title && !view.place.folded && brief.getBoundingClientRect().left > end + 12;
  brief.className = "brief";
  if (hasRoom()) return;
  brief.classList.add("short");
  if (!hasRoom()) {
    brief.classList.add("without-room");
    scaleInCorner(view);
  }
  tintInCorner(view);
}
