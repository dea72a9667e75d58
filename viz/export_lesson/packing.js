// A payload put together again, as Python packs it.

import { through } from "../canvas/payload.js";

/** @param {unknown} header @param {Uint8Array} cells */
export async function pack(header, cells) {
  const text = new TextEncoder().encode(JSON.stringify(header)), plain = new Uint8Array(4 + text.length + cells.length);
  new DataView(plain.buffer).setUint32(0, text.length, true);
  plain.set(text, 4);
  plain.set(cells, 4 + text.length);
  return through(plain, new CompressionStream("deflate"));
}
