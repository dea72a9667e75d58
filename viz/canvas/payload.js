// Payloads as Python packs them (payload.py): taken apart, and the places of their messages filled.

/** @template Header @typedef {[header: Header, cells: Uint8Array<ArrayBuffer>]} Unpacked */

/** @param {Uint8Array<ArrayBuffer>} bytes @param {CompressionStream | DecompressionStream} stream */
export const through = async (bytes, stream) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

/** @template Header @param {Uint8Array<ArrayBuffer>} bytes @returns {Promise<Unpacked<Header>>} */
export async function unpack(bytes) {
  const plain = await through(bytes, new DecompressionStream("deflate"));
  const end = 4 + new DataView(plain.buffer).getUint32(0, true);
  return [JSON.parse(new TextDecoder().decode(plain.subarray(4, end))), plain.subarray(end)];
}

/** @param {string} text @param {Record<string, unknown>} values */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
