// What a word or a cell of maps in full offers, where the payload brings `offers`: a menu beside it.

import { bringAnswer } from "./answered.js";
import { END, NOT_YET, disposed, load, partOf, penOf, placeIn, viewIn } from "./canvas.js";
import { Comparison } from "./comparison.js";
import { fill } from "./payload.js";
import { fontOf } from "./picture.js";

/** @import { At } from "./places.js" */
/** @import { Place } from "./payloads" */
/** @typedef {{ head: number } & ({ row: number, column?: undefined } | { row?: undefined, column: number } | { row: number, column: number })} Chosen The words of a row, of a column, or of both, and the map. */

/** @param {Mount<Uint8Array<ArrayBuffer>>} mount */
export default function show({ parentElement, data, setTriggerValue }) {
  const view = viewIn(parentElement, Offering, ".comparison");
  view.onChosen = (choice) => setTriggerValue("chosen", choice);
  load(view, data);
  return disposed(view);
}

/** @type {Record<string, number | undefined>} */
const MOVES = { ArrowDown: 1, ArrowUp: -1 };

class Offering extends Comparison {
  /** @type {Chosen | null} */ word = null;
  /** @type {(choice: { operation: string, row: number | null, column: number | null, place?: Place }) => void} */ onChosen = NOT_YET;

  /** @param {HTMLElement} figure */
  constructor(figure) {
    super(figure);
    this.menu = partOf(figure, ".menu");
    const { signal } = this.listeners;
    /** @type {<Name extends keyof HTMLElementEventMap>(name: Name, act: (event: HTMLElementEventMap[Name]) => unknown) => void} */
    const on = (name, act) => this.menu.addEventListener(name, act, { signal });
    on("click", (event) => event.stopPropagation());
    on("pointermove", (event) => event.stopPropagation());
    on("keydown", (event) => this.pressMenu(event));
    on("focusout", ({ relatedTarget }) => relatedTarget instanceof Node && !this.menu.contains(relatedTarget) && this.close());
    window.addEventListener("pointerdown", (event) => event.composedPath().includes(this.menu) || this.close(), { signal });
    this.stage.addEventListener("pointermove", (event) => this.showHand(event), { signal });
  }

  /** @override @param {() => void} act */
  change(act) {
    this.close();
    super.change(act);
    this.stage.classList.toggle("offering", Boolean(this.header.offers));
    this.menu.setAttribute("aria-label", this.header.words.menu ?? "");
  }

  // What is pointed at stays while its menu is open.
  /** @override @param {At | null} at @param {boolean} byKeys */
  move(at, byKeys) {
    if (this.menu?.hidden ?? true) super.move(at, byKeys);
  }

  /** @param {MouseEvent} event */
  showHand(event) {
    const { offers } = this.header ?? {};
    this.stage.style.cursor = offers && (this.find(event) || this.wordAt(event)) ? "pointer" : "";
  }

  // The word of a row or of a column whose label an event is on: {row} or {column}, and its map; null on none.
  /** @param {MouseEvent} event @returns {Chosen | null} */
  wordAt(event) {
    const { row_labels, column_labels, row_font, tick } = this.header, { boxes, angle, column_font } = this.place;
    const pen = penOf(this.maps), [x, y] = placeIn(this.maps, event);
    /** @param {string[]} texts @param {number} size */
    const longest = (texts, size) => {
      pen.font = fontOf({ size, weight: 400 }, this.header.font);
      return Math.max(...texts.map((text) => pen.measureText(text).width), 0);
    };
    for (const [head, { left, top, width, height }] of boxes.entries()) {
      const row = Math.floor(((y - top) / height) * row_labels.length);
      if (x < left && x > left - tick - longest(row_labels, row_font) - 2 && row >= 0 && row < row_labels.length) return { head, row };
      const above = top - y, reach = longest(column_labels, column_font), high = angle ? reach * Math.sin(-angle * Math.PI / 180) : 0;
      const lean = angle === -45 ? above - tick : 0, column = Math.floor(((x - lean - left) / width) * column_labels.length);
      if (above > 0 && above < tick + high + 1.4 * column_font && column >= 0 && column < column_labels.length) return { head, column };
    }
    return null;
  }

  /** @override @param {MouseEvent} event */
  find(event) {
    const at = super.find(event);
    if (!at && event.type === "click" && this.header?.offers) this.word = this.wordAt(event);
    return at;
  }

  /** @override @param {At | null} at */
  pick(at) {
    const word = at ? null : this.word;
    this.word = null;
    const place = at && at.row !== null ? { head: at.head, row: at.row, column: at.column } : word;
    if (this.header?.offers && place) this.open(place, this.byKeys);
  }

  // Show what can be done with a row, with a word that is read, or with both.
  /** @param {Chosen} place @param {boolean} byKeys */
  open(place, byKeys) {
    const { offers, row_labels, column_labels, heads } = this.header, known = { row: place.row !== undefined, word: place.column !== undefined };
    const words = { row: `“${row_labels[place.row ?? -1]}”`, word: `“${column_labels[place.column ?? -1]}”` };
    const { left, top } = this.tip.style;
    this.menu.replaceChildren(...(offers ?? []).filter(({ needs }) => needs.every((each) => known[each])).map(({ operation, text }) => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("role", "menuitem");
      button.textContent = fill(text, words);
      button.addEventListener("click", () => {
        this.close();
        this.onChosen({ operation, row: place.row ?? null, column: place.column ?? null, place: heads[place.head] });
        if (operation === "ask") bringAnswer();
      });
      return button;
    }));
    if ([row_labels[place.row ?? -1], column_labels[place.column ?? -1]].includes(END)) {
      const says = document.createElement("p");
      says.textContent = this.header.words.end;
      says.setAttribute("role", "presentation");
      this.menu.append(says);
    }
    this.tip.hidden = true;
    this.menu.hidden = false;
    const beside = this.at?.row != null ? { left, top } : this.besideWord(place);
    Object.assign(this.menu.style, beside);
    const { scrollLeft, clientWidth } = /** @type {HTMLElement} */ (this.stage.parentElement), { offsetLeft, offsetTop, offsetWidth, offsetHeight } = this.menu;
    const [right, bottom] = [scrollLeft + clientWidth - offsetWidth, this.stage.clientHeight - offsetHeight];
    Object.assign(this.menu.style, { left: `${Math.max(0, Math.min(offsetLeft, right))}px`, top: `${Math.max(0, Math.min(offsetTop, bottom))}px` });
    /** @type {HTMLElement | null} */ (this.menu.firstElementChild)?.focus({ preventScroll: !byKeys });
  }

  /** @param {Chosen} place */
  besideWord({ head, row, column }) {
    const box = this.place.boxes[head], { row_labels, column_labels } = this.header;
    const place = row !== undefined
      ? [box.left + 4, box.top + (row / row_labels.length) * box.height]
      : [box.left + ((column + 0.5) / column_labels.length) * box.width, box.top + 4];
    return { left: `${place[0]}px`, top: `${place[1]}px` };
  }

  close() {
    if (!this.menu || this.menu.hidden) return;
    this.menu.hidden = true;
    this.move(null, false);
  }

  // Back to the cell whose menu it was.
  goBack() {
    this.menu.hidden = true;
    this.stage.focus();
    this.byKeys = true;
    if (this.at) this.say(true);
  }

  /** @param {KeyboardEvent} event */
  pressMenu(event) {
    const items = /** @type {HTMLElement[]} */ ([...this.menu.querySelectorAll("button")]), root = /** @type {Document | ShadowRoot} */ (this.menu.getRootNode());
    const place = items.findIndex((item) => item === root.activeElement), step = MOVES[event.key];
    if (step) items[(place + step + items.length) % items.length].focus();
    else if (event.key === "Escape") this.goBack();
    else if (event.key === "Tab") this.close();
    event.stopPropagation();
    if (step || event.key === "Escape") event.preventDefault();
  }
}
