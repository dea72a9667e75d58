// Colours, sizes, numbers and lines of text as the canvases write them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { read, written } from "../../../viz/canvas/aligner.js";
import { fittingSize, within } from "../../../viz/canvas/alignment_marks.js";
import { endOf, lookup, sharpest } from "../../../viz/canvas/canvas.js";
import { broken, fileOf, framed } from "../../../viz/canvas/picture.js";
import { cut, precise, short } from "../../../viz/canvas/walk_marks.js";

const PALETTE = [[0, "#ffffff"], [0.5, "#808080"], [1, "#000000"]];
const pen = { measureText: (text) => ({ width: 10 * [...text].length }) };

test("a colour is looked up for each level, and nothing is drawn below the threshold", () => {
  const colours = lookup({ palette: PALETTE, threshold: 0.25, colour: "root" });
  assert.equal(colours.length, 256);
  assert.deepEqual([colours[0], colours[127]], [0, 0]);
  assert.equal(colours[128], 0xff7f7f7f);
  assert.equal(colours[255], 0xff000000);
});

test("a linear scale squares the level, which is a root", () => {
  const colours = lookup({ palette: PALETTE, threshold: 0, colour: "linear" });
  assert.equal(colours[0], 0xffffffff);
  assert.ok((colours[128] & 255) > 0xb0);
});

test("a canvas is as sharp as the screen, but no larger than browsers can", () => {
  assert.equal(sharpest(2, { width: 800, height: 600 }), 2);
  assert.equal(sharpest(2, { width: 16384, height: 10 }), 1);
  assert.ok(sharpest(3, { width: 8192, height: 8192 }) ** 2 * 8192 * 8192 <= 2 ** 26);
});

test("numbers are short in pictures and precise when they are told", () => {
  assert.deepEqual([0, 123.4, 1.005, -0.25, 0.004].map(short), ["0", "123", "1.00", "-0.25", "≈0"]);
  assert.deepEqual([0, 0.5, 0.0004].map(precise), ["0.000", "0.500", "4.0e-4"]);
});

test("a long word is cut by letters, not by halves of them", () => {
  assert.equal(cut("a".repeat(15)), "a".repeat(15));
  assert.equal(cut("🔥".repeat(16)), "🔥".repeat(14) + "…");
});

test("text is broken between words, and inside one that is too wide", () => {
  const style = { size: 10, weight: 400 };
  assert.deepEqual(broken(pen, "one two three", style, "serif", 70), ["one two", "three"]);
  assert.deepEqual(broken(pen, "abcdefgh", style, "serif", 30), ["abc", "def", "gh"]);
  assert.deepEqual(broken(pen, "abcdefgh", style, "serif", 40, "…"), ["abc…"]);
  assert.deepEqual(broken(pen, "abc", style, "serif", 5), ["a", "b", "c"], "one letter a line at least");
});

test("an SVG of too many cells is a PNG", () => {
  const header = (cells) => ({ file: "heads.svg", heads: [[0, 0]], rows: [0, 1], columns: Array.from({ length: cells + 1 }, (_, each) => each) });
  assert.equal(fileOf(header(40_000)), "heads.svg");
  assert.equal(fileOf(header(40_001)), "heads.png");
});

test("a frame stands around its map", () =>
  assert.deepEqual(framed({ left: 10, top: 20, width: 5, height: 6 }, "red"), { x: 7.5, y: 17.5, width: 10, height: 11, colour: "red" }));

test("the largest size in which words fit into the lines is taken, else the smallest", () => {
  const widthsAt = (size) => [size, size, size];
  assert.equal(fittingSize(widthsAt, 60, 1, [30, 20, 10]), 20);
  assert.equal(fittingSize(widthsAt, 60, 2, [30, 20, 10]), 30);
  assert.equal(fittingSize(widthsAt, 5, 1, [30, 20, 10]), 10);
  assert.deepEqual([-1, 1, 9].map((value) => within(value, { least: 0, most: 4 })), [0, 1, 4]);
});

test("a line ends with its last word and the marks after it", () => {
  assert.equal(endOf(["The", " ", "dog", ".", " ", "</s>"]), 2);
  assert.deepEqual(["三", "子", "。"].map((_, start, all) => endOf(all.slice(start))), [1, 0, 0]);
});

test("links of the address bar are read and written in order", () => {
  assert.equal(written(read("10-2 2?0 2-1 0-0")), "0-0 2?0 2-1 10-2");
  assert.deepEqual([...read("nothing -1 2?")], []);
});
