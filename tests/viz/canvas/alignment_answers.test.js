// What the panels of the Bench answer to what is pointed at.

import assert from "node:assert/strict";
import { test } from "node:test";

import { answerOf, lineOf, rowIn } from "../../../viz/canvas/alignment_answers.js";

const WORDS = {
  reads: "“{word}” attends to {list}", after: "after “{word}”: {list}", read_by: "“{word}” gets attention from {list}", item: "{word} {weight}",
  comma: ", ", unlike: "unlike", unread: "“{word}” unread", one_vector: "one vector",
};
const panel = (rows, weights, more = {}) => ({
  rows, weights: Float32Array.from(weights.flat()), words: rows.map((text) => ({ text })), row_words: rows.map((_, row) => row), reading: "output", ...more,
});
const headerOf = (...panels) => ({ tokens: ["the", "cat", "</s>"], words: WORDS, panels });
const FIRST = panel(["le", "chat"], [[0.9, 0.05, 0.05], [0.1, 0.8, 0.1]]);
const SAME = panel(["le", "chat"], [[0.2, 0.7, 0.1], [0.6, 0.3, 0.1]]);
const OTHER = panel(["un", "petit", "chat"], [[0.7, 0.2, 0.1], [0.02, 0.02, 0.96], [0.1, 0.85, 0.05]]);
const NONE = panel([], [], { vector: ["", "", ""], words: [{ text: "chat" }], row_words: undefined });

test("a row is itself in its own panel, and the same row in the same translation", () => {
  const header = headerOf(FIRST, SAME);
  for (const row of [0, 1]) {
    assert.equal(rowIn(header, { panel: 0, row }, 0), row);
    assert.equal(rowIn(header, { panel: 0, row }, 1), row);
  }
});

test("in another translation the row that reads the same answers", () => {
  const header = headerOf(FIRST, OTHER);
  assert.equal(rowIn(header, { panel: 0, row: 0 }, 1), 0);
  assert.equal(rowIn(header, { panel: 0, row: 1 }, 1), 2);
  assert.equal(rowIn(header, { panel: 1, row: 1 }, 0), null, "it reads the end alone, which joins nothing");
});

test("of a word that comes twice, the row of the same occurrence answers", () => {
  const twice = () => panel(["a", "a"], [[1, 0, 0], [0, 1, 0]]);
  assert.equal(rowIn(headerOf(twice(), twice()), { panel: 0, row: 1 }, 1), 1);
});

test("a word without a row is found by its text", () => {
  const header = headerOf(NONE, OTHER);
  assert.equal(rowIn(header, { panel: 0, word: 0 }, 1), 2);
  assert.equal(rowIn(header, { panel: 0, word: 0 }, 0), null);
});

test("a word of the sentence is answered by its column: who reads it, most first", () => {
  const answer = answerOf(headerOf(FIRST), { key: 1 }, 0);
  assert.deepEqual([answer.row, answer.key, answer.isRow], [null, 1, false]);
  assert.deepEqual(answer.pairs.map(({ row, key }) => [row, key]), [[1, 1]], "0.05 is too little");
  assert.equal(lineOf(headerOf(FIRST), answer, 0), "“cat” gets attention from chat 0.80");
});

test("a word that nobody reads is said to be unread", () => {
  const header = headerOf(panel(["x"], [[1, 0, 0]]));
  assert.equal(lineOf(header, answerOf(header, { key: 1 }, 0), 0), "“cat” unread");
});

test("a row is answered by what it reads; a cell with its exact weight in front", () => {
  const header = headerOf(FIRST, { ...SAME, reading: "input" });
  assert.equal(lineOf(header, answerOf(header, { panel: 0, row: 1 }, 0), 0), "“chat” attends to cat 0.80, the 0.10, </s> 0.10");
  assert.equal(lineOf(header, answerOf(header, { panel: 0, row: 1, key: 0 }, 0), 0), "“chat” attends to the 0.1000, cat 0.80, </s> 0.10");
  assert.equal(lineOf(header, answerOf(header, { panel: 0, row: 0 }, 1), 1), "after “le”: cat 0.70, the 0.20, </s> 0.10");
});

test("a panel without attention answers nothing, and says why", () => {
  const header = headerOf(FIRST, NONE), answer = answerOf(header, { panel: 0, row: 0 }, 1);
  assert.deepEqual(answer.pairs, []);
  assert.equal(lineOf(header, answer, 1), "one vector");
});

test("a row that is like none is said to be unlike", () => {
  const header = headerOf(FIRST, OTHER);
  assert.equal(lineOf(header, answerOf(header, { panel: 1, row: 1 }, 0), 0), "unlike");
});
