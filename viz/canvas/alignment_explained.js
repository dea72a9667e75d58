// What the letters of a formula, the end mark and the tint mean, where they are pointed at; a tap on a formula says it below.

/** @import { Panels } from "./alignment_panels.js" */

const END = "</s>";

/** @param {Panels} view */
export function explain({ figure, header, panels }) {
  const { words } = header;
  for (const { formula, notes } of panels) {
    formula.title = words.letters;
    formula.addEventListener("click", () => (notes.textContent = words.letters));
  }
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (figure.querySelectorAll(".tokens .word, .columns span, .rows span"))) if (each.textContent === END) each.title = words.end;
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (figure.querySelectorAll(".tint, .brief b, .brief em"))) each.title = words.unsure;
}
