// What every panel of the Bench answers to the word that is pointed at: its row or its column, what is read, and what is
// said of it. No page is needed for it.

import { fill } from "./payload.js";

/** @import { Header, Panel } from "./alignment_panels.js" */
/** @typedef {{ panel?: undefined, row?: undefined, word?: undefined, key: number }} SentenceAt A word of the sentence. */
/** @typedef {{ panel: number, row: number, word?: undefined, key?: number }} RowAt A row of a panel, or a cell of it. */
/** @typedef {{ panel: number, row?: undefined, word: number, key?: undefined }} WordAt A written word that has no row. */
/** @typedef {SentenceAt | RowAt | WordAt} At */
/** @typedef {{ row: number, key: number, weight: number }} Pair */
/** @typedef {{ row: number | null, key: number | null, isRow: boolean, pairs: Pair[] }} Answer */

const READ = 0.06; // a weight from which a word counts as read
const MOST_SAID = 3; // words that a line names
const ALIKE = 0.1; // of two rows that read the same: the share of their reading that they have in common, at least
const SAME_WORD = 1.25; // how much likelier a row of the same word is the one that is meant
const IS_MARK = /^<.*>$/; // of a beginning or an end

/** @param {Panel} panel */
const textOf = ({ words }) => words.map(({ text }) => text).join(" ");

/** @param {number} count */
const all = (count) => Array.from({ length: count }, (_, place) => place);

/** @param {Header} header @param {number} number @param {number} row @param {number} key */
const weightAt = ({ panels, tokens }, number, row, key) => panels[number].weights[row * tokens.length + key];

// The row of a panel that answers to what is pointed at: of one translation the same row; else the one that reads the
// same words, of the same word if it can be. All can read the end of the sentence: that joins nothing.
/** @param {Header} header @param {RowAt | WordAt} at @param {number} number @returns {number | null} */
export function rowIn(header, at, number) {
  const panel = header.panels[number], { rows } = panel;
  if (at.panel === number) return at.row ?? null;
  const from = header.panels[at.panel], isRow = at.row !== undefined, place = at.row ?? at.word;
  const own = isRow ? from.rows : from.words.map((word) => word.text), text = own[place];
  const places = rows.flatMap((other, row) => (other === text ? [row] : []));
  const same = places[own.slice(0, place).filter((other) => other === text).length];
  if (same !== undefined && textOf(from) === textOf(panel)) return same;
  let best = 0;
  /** @type {number | null} */
  let found = null;
  rows.forEach((other, row) => {
    const isSame = other.toLowerCase() === text.toLowerCase();
    let shared = isSame && !isRow ? 1 : 0;
    if (isRow) header.tokens.forEach((token, key) => {
      if (!IS_MARK.test(token)) shared += Math.min(weightAt(header, at.panel, place, key), weightAt(header, number, row, key));
    });
    const apart = Math.abs(row / rows.length - place / own.length);
    const score = (shared >= ALIKE ? shared : 0) * (isSame ? SAME_WORD : 1) * (1 - 0.01 * apart);
    if (score > best) [best, found] = [score, row];
  });
  return found;
}

// What a panel shows of it: its row or its column, and the pairs of row and key that are read.
/** @param {Header} header @param {At} at @param {number} number @returns {Answer} */
export function answerOf(header, at, number) {
  const { rows } = header.panels[number], isRow = at.panel !== undefined, key = at.key ?? null;
  if (!rows.length) return { row: null, key: null, isRow: false, pairs: [] };
  const row = isRow ? rowIn(header, at, number) : null;
  /** @type {[row: number, key: number][]} */
  let cells = [];
  if (at.panel === undefined) cells = all(rows.length).map((each) => [each, at.key]);
  else if (row !== null) cells = all(header.tokens.length).map((each) => [row, each]);
  const pairs = cells.map(([one, other]) => ({ row: one, key: other, weight: weightAt(header, number, one, other) }))
    .filter(({ weight }) => weight >= READ).sort((one, other) => other.weight - one.weight);
  return { row, key, pairs, isRow };
}

// What is said of it below the map of a panel.
/** @param {Header} header @param {Answer} answer @param {number} number */
export function lineOf(header, { row, key, pairs, isRow }, number) {
  const { tokens } = header, panel = header.panels[number], words = { ...header.words, ...panel.told };
  if (!panel.rows.length) return words.one_vector;
  /** @param {(pair: Pair) => string} each */
  const list = (each) => pairs.filter((pair) => !isRow || pair.key !== key)
    .slice(0, MOST_SAID).map((pair) => fill(words.item, { word: each(pair), weight: pair.weight.toFixed(2) }));
  if (!isRow) {
    const word = tokens[key ?? -1];
    if (!pairs.length) return fill(words.unread, { word });
    return fill(words.read_by, { word, list: list((pair) => panel.rows[pair.row]).join(words.comma) });
  }
  if (row === null) return words.unlike;
  const said = list((pair) => tokens[pair.key]);
  if (key !== null) said.unshift(fill(words.item, { word: tokens[key], weight: weightAt(header, number, row, key).toFixed(4) }));
  return fill(panel.reading === "input" ? words.after : words.reads, { word: panel.rows[row], list: said.join(words.comma) });
}
