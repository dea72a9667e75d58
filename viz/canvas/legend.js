// What is written below every picture of maps, in one order: what a colour means, what rows and columns are, what else it shows.

import { made } from "./alignment_marks.js";
import { partOf } from "./canvas.js";

/** @import { Legend, Stop } from "./payloads" */

const CLOSEST = 0.2; // of the bar: nearer to 0 no number has room

/** @param {HTMLElement} figure @param {Legend} header @param {Stop[]} palette @param {string} more */
export function layLegend(figure, { legend, ticks, note }, palette, more = "") {
  const scale = made("p", "scale"), bar = made("span", "bar"), strip = made("i");
  strip.style.background = `linear-gradient(to right, ${palette.map(([at, hex]) => `${hex} ${at * 100}%`).join(", ")})`;
  bar.append(strip, ...ticks.filter(([at]) => at === 0 || at >= CLOSEST).map(([at, text]) => {
    const tick = made("b", "", text);
    tick.style.left = `${at * 100}%`;
    return tick;
  }));
  scale.append(made("span", "meaning", legend), bar);
  partOf(figure, ".legend").replaceChildren(...(legend ? [scale] : []), made("p", "note", note), ...(more ? [made("p", "tints", more)] : []));
  return strip.style.background;
}
