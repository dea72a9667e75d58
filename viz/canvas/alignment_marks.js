// What the picture of the Bench is made of: elements, and how wide words are.

import { penOf } from "./canvas.js";

export const SVG_NAME = "http://www.w3.org/2000/svg";

/** @typedef {{ least: number, most: number }} Bounds */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name @param {string} className @param {string | null} text @returns {HTMLElementTagNameMap[Name]}
 */
export const made = (name, className = "", text = null) => {
  const element = document.createElement(name);
  element.className = className;
  if (text !== null) element.textContent = text;
  return element;
};
/** @param {number} value @param {Bounds} bounds */
export const within = (value, { least, most }) => Math.min(Math.max(value, least), most);
const LEFTWARD = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/; // Hebrew, Arabic and their kin
/** @param {string} text */
export const directionOf = (text) => (LEFTWARD.test(text) ? "rtl" : "ltr");
/** @type {CanvasRenderingContext2D | undefined} */
let pen; // made when it is first needed
/** @param {string} text @param {number} size @param {string} family */
export const widthOf = (text, size, family, weight = 400) => {
  pen ??= penOf(document.createElement("canvas"));
  pen.font = `${weight} ${size}px ${family}`;
  return pen.measureText(text).width;
};

// The largest of `sizes` in which words fit into so many lines of `room` pixels. `widthsAt` says how wide they are at a size:
// where a browser rounds each letter to whole pixels, a width is no multiple of the size.
/** @param {(size: number) => number[]} widthsAt @param {number} room @param {number} lines @param {number[]} sizes */
export function fittingSize(widthsAt, room, lines, sizes) {
  return sizes.find((size) => {
    let [used, line] = [0, 1];
    for (const width of widthsAt(size)) {
      if (used && used + width > room) [used, line] = [0, line + 1];
      used += width;
    }
    return line <= lines;
  }) ?? sizes[sizes.length - 1];
}
