// Payloads taken apart as Python packs them, and put together again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";

import { fill, unpack } from "../../../viz/canvas/payload.js";
import { pack } from "../../../viz/export_lesson/packing.js";

// As `pack` of payload.py does it.
const packed = (header, cells) => {
  const text = Buffer.from(JSON.stringify(header)), length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return new Uint8Array(deflateSync(Buffer.concat([length, text, Buffer.from(cells)]), { level: 1 }));
};

for (const [name, header, cells] of [
  ["nothing", {}, []],
  ["a header alone", { title: "我 🔥 أحب", heads: [[0, 1]] }, []],
  ["cells", { rows: [0, 1] }, [0, 1, 127, 128, 255]],
  ["many cells", { rows: [0] }, Array.from({ length: 100_000 }, (_, each) => each % 251)],
]) {
  test(`${name}: taken apart`, async () => {
    const [read, bytes] = await unpack(packed(header, cells));
    assert.deepEqual(read, header);
    assert.deepEqual([...bytes], cells);
  });
  test(`${name}: put together and taken apart again`, async () => {
    const [read, bytes] = await unpack(await pack(header, Uint8Array.from(cells)));
    assert.deepEqual(read, header);
    assert.deepEqual([...bytes], cells);
  });
}

test("exact weights are those that were packed, wherever the header ends", async () => {
  const weights = Float32Array.from([0, 0.25, 1, 1e-7]);
  for (const title of ["", "a", "ab", "abc"]) {
    const [, bytes] = await unpack(packed({ title }, new Uint8Array(weights.buffer)));
    assert.deepEqual(new Float32Array(bytes.slice().buffer), weights);
  }
});

test("bytes that are no payload are refused", async () => {
  await assert.rejects(unpack(Uint8Array.from([1, 2, 3])));
  await assert.rejects(unpack(new Uint8Array(deflateSync(Buffer.from("nothing of the kind")))));
});

test("places of a message are filled; what is not known stays", () => {
  assert.equal(fill("{a} of {b}, {a}", { a: 1, b: "{a}" }), "1 of {a}, 1");
  assert.equal(fill("{a} {c}", { a: "$&" }), "$& {c}");
  assert.equal(fill("{a}|{b}", { a: 0, b: "" }), "0|");
});
