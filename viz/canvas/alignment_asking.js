// The picture of the Bench on a page that can ask: a cell that is kept offers to rank the heads of all models by its words.

import { Alignment } from "./alignment.js";
import { made } from "./alignment_marks.js";
import { NOT_YET, disposed, viewIn } from "./canvas.js";
import { fill } from "./payload.js";

/** @typedef {{ of: string, query: string, key: string }} Pair The model in whose panel the cell is, and the codes of its words. */

/** @param {Mount<Uint8Array<ArrayBuffer>>} mount */
export default function show({ parentElement, data, setTriggerValue }) {
  const view = viewIn(parentElement, Asking, ".alignment");
  view.onAsked = (pair) => setTriggerValue("asked", pair);
  view.load(data);
  return disposed(view);
}

const NEAR = 4; // pixels between a cell and what it offers

class Asking extends Alignment {
  /** @type {(pair: Pair) => void} */ onAsked = NOT_YET;

  /** @override @param {number} number */
  markPanel(number) {
    super.markPanel(number);
    const { at, header } = this, { asked, rows } = header.panels[number], inner = this.panels[number].map?.cells.parentElement;
    inner?.querySelector(".ask")?.remove();
    if (!inner || !header.ask || !asked || !this.kept || at?.panel !== number || at.row === undefined || at.key === undefined) return;
    const query = asked.rows[at.row], key = asked.columns[at.key];
    if (!query || !key) return;
    const button = made("button", "ask", fill(header.ask, { row: `“${query[0]}”`, word: `“${key[0]}”` }));
    button.addEventListener("click", (event) => {
      event.stopPropagation(); // the cell stays kept
      this.onAsked({ of: asked.of, query: query[1], key: key[1] });
    });
    button.addEventListener("keydown", (event) => (event.key === "Enter" || event.key === " ") && event.stopPropagation());
    inner.append(button);
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = this.panels[number].map?.cells ?? button;
    const [wide, high] = [offsetWidth / this.columns, offsetHeight / rows.length];
    const below = offsetTop + (at.row + 1) * high + NEAR, above = offsetTop + at.row * high - NEAR - button.offsetHeight;
    const left = Math.min(offsetLeft + at.key * wide, offsetLeft + offsetWidth - button.offsetWidth);
    const fits = below + button.offsetHeight < offsetTop + offsetHeight;
    Object.assign(button.style, { left: `${Math.max(0, left)}px`, top: `${fits ? below : above}px` });
  }
}
