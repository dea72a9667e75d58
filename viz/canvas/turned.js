// The switch of what maps show: what was seen of the same maps in another quantity is drawn at the click, before the
// server has answered.

/** @import { Turn } from "./payloads" */
/** @typedef {{ header: { turned?: Turn | null }, bytes: Uint8Array, cells: Uint8Array<ArrayBuffer> }} Payload */

const SWITCH = ".st-key-quantity button";

// The quantity whose button was pressed, of those that the switch has in this order; undefined if another was.
/** @param {Event} event @param {string[]} among */
export function pressed(event, among) {
  const button = event.composedPath().find((each) => each instanceof Element && each.matches(SWITCH));
  return button instanceof Element ? among[[...(button.parentElement?.children ?? [])].indexOf(button)] : undefined;
}

/** @param {Uint8Array} one @param {Uint8Array | undefined} other */
export const isSame = (one, other) => one.length === other?.length && one.every((byte, place) => byte === other[place]);

// The last payload of each quantity, as long as all are of the same maps.
/** @template {Payload} P */
export class Turned {
  of = "";
  /** @type {Map<string, P>} */ payloads = new Map();

  /** @param {P} payload */
  keep(payload) {
    const { turned } = payload.header;
    if (!turned || turned.of !== this.of) this.payloads.clear();
    this.of = turned?.of ?? "";
    if (turned) this.payloads.set(turned.quantity, payload);
  }
}
