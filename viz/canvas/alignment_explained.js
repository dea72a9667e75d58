// What the letters of a formula, the end mark, the tint and a mean of heads mean, where they are.

import { END, note } from "./canvas.js";

/** @import { Panels } from "./alignment_panels.js" */

/** @param {Panels} view */
export function explain({ figure, header, panels }) {
  const { words } = header;
  /** @param {string} css @returns {HTMLElement[]} */
  const all = (css) => [.../** @type {NodeListOf<HTMLElement>} */ (figure.querySelectorAll(css))];
  for (const each of all(".formula")) note(each, words.letters).tabIndex = 0;
  for (const each of all(".tokens .word, .columns span, .rows span")) if (each.textContent === END) note(each, words.end);
  for (const each of all(".tint, .brief b, .brief em")) note(each, words.unsure);
  panels.forEach(({ notes }, number) => header.panels[number].mean && (note(notes, words.mean).tabIndex = 0));
}
