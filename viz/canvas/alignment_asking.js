// The picture of the Bench on a page that can ask: a cell that is kept offers to rank the heads of all models by its words,
// and to put another word in the place of that of its row.

import { Alignment } from "./alignment.js";
import { made } from "./alignment_marks.js";
import { bringAnswer } from "./answered.js";
import { NOT_YET, disposed, load, viewIn } from "./canvas.js";
import { fill } from "./payload.js";

/** @typedef {{ of: string, query: string, key: string } | { of: string, word: number }} Asked The model in whose panel the cell is, and the codes of its words, or the word to replace. */

/** @param {Mount<Uint8Array<ArrayBuffer>>} mount */
export default function show({ parentElement, data, setTriggerValue }) {
  const view = viewIn(parentElement, Asking, ".alignment");
  view.onAsked = (asked) => setTriggerValue("asked", asked);
  load(view, data);
  return disposed(view);
}

const NEAR = 4; // pixels between a cell and what it offers

class Asking extends Alignment {
  /** @type {(asked: Asked) => void} */ onAsked = NOT_YET;

  /** @override @param {number} number */
  markPanel(number) {
    super.markPanel(number);
    const { at, header } = this, { asked, rows, row_words } = header.panels[number], inner = this.panels[number].map?.cells.parentElement;
    inner?.querySelector(".offered")?.remove();
    if (!inner || !header.ask || !asked || !this.kept || at?.panel !== number || at.row === undefined || at.key === undefined) return;
    const query = asked.rows[at.row], key = asked.columns[at.key], of = asked.of, word = asked.written[row_words?.[at.row] ?? -1];
    const offered = made("div", "offered");
    if (query && key) {
      const said = fill(header.ask, { row: `“${query[0]}”`, word: `“${key[0]}”` });
      offered.append(this.offer(said, "ask", { of, query: query[1], key: key[1] }));
    }
    if (query && word !== undefined) offered.append(this.offer(fill(header.put, { row: `“${query[0]}”` }), "put", { of, word }));
    if (!offered.childElementCount) return;
    inner.append(offered);
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = this.panels[number].map?.cells ?? offered;
    const [wide, high] = [offsetWidth / this.columns, offsetHeight / rows.length];
    const below = offsetTop + (at.row + 1) * high + NEAR, above = offsetTop + at.row * high - NEAR - offered.offsetHeight;
    const left = Math.min(offsetLeft + at.key * wide, offsetLeft + offsetWidth - offered.offsetWidth);
    const fits = below + offered.offsetHeight < offsetTop + offsetHeight;
    Object.assign(offered.style, { left: `${Math.max(0, left)}px`, top: `${fits ? below : above}px` });
  }

  /** @param {string} text @param {string} kind @param {Asked} asked @returns {HTMLElement} */
  offer(text, kind, asked) {
    const button = made("button", kind, text);
    button.addEventListener("click", (event) => {
      event.stopPropagation(); // the cell stays kept
      this.onAsked(asked);
      if (kind === "ask") bringAnswer();
    });
    button.addEventListener("keydown", (event) => (event.key === "Enter" || event.key === " ") && event.stopPropagation());
    return button;
  }
}
