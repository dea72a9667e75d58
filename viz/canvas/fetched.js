// The script of a canvas, fetched from `ADDRESS` on this server, and asked for again while the server is away.
const TRIES = 90;
const address = location.origin + ADDRESS;
/** @type {{ default: unknown } | null} */
let found = null;
for (let tried = 0; !found; tried += 1) {
  try {
    found = await import(tried ? `${address}?${tried}` : address);
  } catch (error) {
    if (tried === TRIES) throw error;
    await new Promise((wait) => setTimeout(wait, Math.min(250 * (tried + 1), 2000)));
  }
}
export default found.default;
