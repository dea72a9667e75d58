// Where the small maps of an overview lie.

import assert from "node:assert/strict";
import { test } from "node:test";

import { arrange } from "../../../viz/canvas/overview.js";

const WORDS = { layer: "layer {layer}", gap: "layers {first} to {last}: no weights", one_gap: "layer {first}: no weights", column: "head {head}", head: "layer {layer}, head {head}" };
const grid = (layers, heads) => Array.from({ length: layers * heads }, (_, each) => [Math.floor(each / heads), each % heads]);
const headerOf = (layers, heads, more = {}) => ({ heads: grid(layers, heads), in_layers: true, labels: [], words: WORDS, ...more });
const overlap = (one, other) =>
  one.left < other.left + other.width && other.left < one.left + one.width && one.top < other.top + other.height && other.top < one.top + one.height;

for (const [layers, heads] of [[1, 1], [2, 8], [6, 12], [12, 16]])
  for (const width of [320, 559, 560, 1320])
    for (const more of [{}, { in_layers: false }, { labels: Array(layers * heads).fill("some label") }])
      test(`${layers} layers of ${heads} heads in ${width} pixels, ${JSON.stringify(Object.keys(more))}`, () => {
        const { boxes, names, height } = arrange(headerOf(layers, heads, more), width);
        assert.equal(boxes.length, layers * heads);
        boxes.forEach((box, number) => {
          assert.ok(box.left >= 0 && box.top >= 0 && box.width > 0 && box.height > 0);
          assert.ok(box.left + box.width <= width + 1e-9, "a map reaches out of the page");
          assert.ok(box.top + box.height <= height + 1e-9, "a map reaches out of the stage");
          assert.ok(!boxes.some((other, place) => place > number && overlap(box, other)), "two maps overlap");
        });
        assert.ok(names.every(({ text }) => !/[{}]/.test(text)), "a place of a message is not filled");
      });

test("a layer is a line, and a head a column, where there is room", () => {
  const { boxes, names } = arrange(headerOf(2, 3), 1000);
  assert.equal(boxes[0].top, boxes[2].top);
  assert.equal(boxes[0].left, boxes[3].left);
  assert.deepEqual(names.map(({ text }) => text), ["head 0", "head 1", "head 2", "layer 0", "layer 1"]);
});

test("layers that do not attend leave a line in their place", () => {
  const heads = [[2, 0], [2, 1], [3, 0], [3, 1], [5, 0], [5, 1]];
  const { boxes, names } = arrange({ ...headerOf(0, 0), heads }, 1000);
  const said = names.map(({ text }) => text).slice(2);
  assert.deepEqual(said, ["layers 0 to 1: no weights", "layer 2", "layer 3", "layer 4: no weights", "layer 5"]);
  names.filter(({ text }) => text.endsWith("no weights")).forEach(({ top }) =>
    assert.ok(boxes.every((box) => top >= box.top + box.height || top + 16 <= box.top), "a line lies over a map"));
  assert.ok(arrange({ ...headerOf(0, 0), heads, in_layers: false }, 1000).names.every(({ text }) => !text.includes("no weights")));
});

test("in an order of its own each map bears its name", () => {
  const { names } = arrange({ ...headerOf(2, 2), heads: [[1, 1], [0, 0]], in_layers: false }, 1000);
  assert.deepEqual(names.map(({ text }) => text), ["layer 1, head 1", "layer 0, head 0"]);
});
