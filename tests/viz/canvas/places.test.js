// Hit testing on a stage of maps, and where the arrow keys go.

import assert from "node:assert/strict";
import { test } from "node:test";

import { beside, byPlace, cellAt, cellsOf, inside, isPlace, stepOf, tipAt } from "../../../viz/canvas/places.js";

const BOXES = [
  { left: 10, top: 20, width: 40, height: 30 },
  { left: 60, top: 20, width: 40, height: 30 },
  { left: 60, top: 70, width: 40, height: 30 },
];
const SHAPE = [3, 4];

test("a point inside a map is in one of its cells, edges included", () => {
  assert.deepEqual(cellAt(BOXES, SHAPE, 10, 20), { head: 0, row: 0, column: 0 });
  assert.deepEqual(cellAt(BOXES, SHAPE, 49.999, 49.999), { head: 0, row: 2, column: 3 });
  assert.deepEqual(cellAt(BOXES, SHAPE, 75, 85), { head: 2, row: 1, column: 1 });
});

test("a point between the maps is in none", () => {
  for (const [x, y] of [[55, 30], [9.99, 20], [50, 30], [75, 50], [75, 69.9], [10, 80], [-1, -1]]) assert.equal(cellAt(BOXES, SHAPE, x, y), null);
});

test("every cell is found from its middle", () => {
  BOXES.forEach(({ left, top, width, height }, head) => {
    for (let row = 0; row < 3; row++)
      for (let column = 0; column < 4; column++)
        assert.deepEqual(cellAt(BOXES, SHAPE, left + ((column + 0.5) * width) / 4, top + ((row + 0.5) * height) / 3), { head, row, column });
  });
});

test("a map without cells is pointed at as a whole", () => {
  for (const shape of [[0, 4], [3, 0]]) assert.deepEqual(cellAt(BOXES, shape, 20, 30), { head: 0, row: null });
});

test("arrow keys go along a line and to the nearest map of the next line", () => {
  const at = { head: 0, row: null };
  assert.deepEqual(beside(at, stepOf("ArrowRight"), BOXES), { head: 1, row: null });
  assert.deepEqual(beside(at, stepOf("ArrowLeft"), BOXES), at);
  assert.deepEqual(beside(at, stepOf("ArrowDown"), BOXES), { head: 2, row: null });
  assert.deepEqual(beside({ head: 2, row: 1, column: 3 }, stepOf("ArrowUp"), BOXES), { head: 1, row: 1, column: 3 });
  assert.deepEqual(beside({ head: 2, row: null }, stepOf("ArrowDown"), BOXES), { head: 2, row: null });
});

test("with Shift they enter a map and stay in it", () => {
  assert.deepEqual(inside({ head: 1, row: null }, [0, 1], SHAPE), { head: 1, row: 0, column: 0 });
  assert.deepEqual(inside({ head: 1, row: 0, column: 3 }, [0, 1], SHAPE), { head: 1, row: 0, column: 3 });
  assert.deepEqual(inside({ head: 1, row: 1, column: 1 }, [1, 0], SHAPE), { head: 1, row: 2, column: 1 });
  assert.deepEqual(inside({ head: 1, row: null }, [1, 0], [0, 0]), { head: 1, row: null });
});

test("a key that is no arrow leads nowhere", () => assert.equal(stepOf("Tab"), undefined));

test("cells of another size that hold the same tokens are found", () => {
  const starts = [0, 2, 4, 5];
  assert.deepEqual(cellsOf(starts, 1, 2), [0, 0]);
  assert.deepEqual(cellsOf(starts, 1, 5), [0, 2]);
  assert.deepEqual(cellsOf(starts, 4, 5), [2, 2]);
});

test("heads are ordered by layer and head, and told apart by both", () => {
  assert.deepEqual([[1, 0], [0, 10], [0, 2]].sort(byPlace), [[0, 2], [0, 10], [1, 0]]);
  assert.deepEqual([[0, 1], [1, 1], [1, 0]].map(isPlace([1, 1])), [false, true, false]);
});

test("a note stands beside its map, or below it where there is no room", () => {
  const box = { left: 100, top: 20, width: 40, height: 30 };
  assert.deepEqual(tipAt(box, 50, 300), { left: 148, top: 20 });
  assert.deepEqual(tipAt(box, 50, 190), { left: 42, top: 20 });
  assert.deepEqual(tipAt(box, 150, 190), { left: 40, top: 58 });
});
