// What a lesson points at (bar.js of the lessons), as if the reader had clicked it: the row of a word that a mechanism
// writes, or a word of the sentence. It is taken once, whenever the picture has it.

/** @import { Alignment } from "./alignment.js" */

export const TOLD = "attention-bench-point";

/** @param {Alignment} view */
export function pointAsTold(view) {
  const told = window.attentionBenchPoint;
  if (!told || told.done || !view.header) return;
  const { panels, tokens } = view.header, word = bare(told.word);
  /** @param {string} text */
  const same = (text) => bare(text) === word;
  const panel = told.title ? panels.findIndex(({ title }) => title === told.title) : -1;
  const row = panel < 0 ? -1 : panels[panel].rows.findIndex(same), key = told.title ? -1 : tokens.findIndex(same);
  if (row < 0 && key < 0) return;
  told.done = true;
  view.letGo();
  view.keep(row >= 0 ? { panel, row } : { key });
}

/** @param {string} text */
const bare = (text) => text.replace(/[\u2066-\u2069]/g, "").toLowerCase();
