// Words of a pair aligned by hand: a grid whose cells are clicked from empty to sure to possible and back. What is aligned is
// told to the server a moment after the last click.

import { NOT_YET, disposed, load, partOf, viewIn } from "./canvas.js";
import { fill, unpack } from "./payload.js";

/** @import { Unpacked } from "./payload.js" */
/** @import { AlignerHeader } from "./payloads" */
/** @typedef {"sure" | "possible"} State */
/** @typedef {Map<string, State>} Links By "source target". */

const SETTLE = 250; // milliseconds
/** @type {Record<State | "", State | "">} */
const NEXT = { "": "sure", sure: "possible", possible: "" };
const SIGN = { sure: "-", possible: "?" };

/** @param {Mount<Uint8Array<ArrayBuffer>>} mount */
export default function show({ parentElement, data, setTriggerValue }) {
  const view = viewIn(parentElement, Aligner, ".aligner");
  view.send = (links) => setTriggerValue("links", links);
  load(view, data);
  return disposed(view);
}

// The cell or the word that an event is on.
/** @param {Event} event @returns {HTMLTableCellElement | null} */
const cellOf = ({ target }) => (target instanceof Element ? target.closest("td, th") : null);

/** @type {Record<string, [down: number, across: number] | undefined>} */
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

class Aligner {
  loads = 0;
  /** @type {Links} */ links = new Map();
  /** @type {Links[]} */ before = [];
  /** @type {{ row: number, key: number } | null} */ held = null;
  /** @type {string[]} */ sent = [];
  /** @type {AlignerHeader} */ data = NOT_YET;
  /** @type {(links: { of: string, links: string | undefined }) => void} */ send = NOT_YET;
  /** @type {number | undefined} */ timer;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.stage = root;
    /** @type {HTMLButtonElement} */ this.undo = partOf(root, ".undo");
    /** @type {HTMLButtonElement} */ this.clear = partOf(root, ".clear");
    this.count = partOf(root, ".count");
    this.keys = partOf(root, ".keys");
    this.live = partOf(root, ".live");
    this.table = partOf(root, "table");
    this.table.addEventListener("click", (event) => this.press(cellOf(event)));
    this.table.addEventListener("keydown", (event) => this.key(event));
    this.undo.addEventListener("click", () => this.goBack());
    this.clear.addEventListener("click", () => this.change(new Map()));
  }

  dispose() {
    clearTimeout(this.timer);
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  async load(bytes) {
    const turn = ++this.loads;
    /** @type {Unpacked<AlignerHeader>} */
    const [data] = await unpack(bytes);
    if (turn !== this.loads) return; // a later one has come meanwhile
    const isSame = this.data?.of === data.of, told = this.data?.links;
    this.data = data;
    // What is in the browser holds for the same words, unless the link says other links than before and than it was told:
    // an answer to what was sent earlier undoes no later click.
    if (!isSame) [this.before, this.held, this.sent] = [[], null, []];
    const answered = this.sent.lastIndexOf(data.links);
    this.sent = this.sent.slice(answered + 1);
    if (!isSame || (data.links !== told && answered < 0)) this.links = read(data.links);
    if (!isSame) this.build();
    for (const name of /** @type {const} */ (["undo", "clear", "keys"])) this[name].textContent = data.words[name];
    this.table.setAttribute("aria-label", data.words.grid);
    this.paint();
  }

  build() {
    const { source, target, languages } = this.data;
    /** @param {"th" | "td"} name @param {number} row @param {number} key */
    const made = (name, row, key, text = "") => {
      const element = document.createElement(name);
      Object.assign(element.dataset, { row, key });
      Object.assign(element, { tabIndex: row === 0 && key === 0 ? 0 : -1, textContent: text, title: text });
      if (name === "th") [element.lang, element.scope] = row < 0 ? [languages[0], "col"] : [languages[1], "row"];
      else element.append(document.createElement("i"));
      return element;
    };
    /** @param {HTMLElement[]} cells */
    const line = (...cells) => {
      const element = document.createElement("tr");
      element.append(...cells);
      return element;
    };
    const [head, body] = [document.createElement("thead"), document.createElement("tbody")];
    head.append(line(document.createElement("td"), ...source.map((text, key) => made("th", -1, key, text))));
    partOf(head, "td").style.visibility = "hidden";
    body.append(...target.map((text, row) => line(made("th", row, -1, text), ...source.map((_, key) => made("td", row, key)))));
    this.table.replaceChildren(head, body);
  }

  /** @param {number} row @param {number} key @returns {HTMLTableCellElement | null} */
  at(row, key) {
    return this.table.querySelector(`[data-row="${row}"][data-key="${key}"]`);
  }

  // A cell goes on to its next state; a word is held until one of the other side is chosen, and the two are aligned.
  /** @param {HTMLTableCellElement | null} element */
  press(element) {
    if (!element?.dataset.row) return;
    const [row, key] = [Number(element.dataset.row), Number(element.dataset.key)], { held } = this;
    this.held = null;
    if (row >= 0 && key >= 0) this.turn(row, key);
    else if (held && (held.row < 0) !== (row < 0)) this.turn(Math.max(row, held.row), Math.max(key, held.key));
    else if (held?.row !== row || held?.key !== key) this.held = { row, key };
    this.focus(element);
    this.paint();
  }

  /** @param {number} row @param {number} key */
  turn(row, key) {
    const links = new Map(this.links), name = `${key} ${row}`, next = NEXT[links.get(name) ?? ""];
    if (next) links.set(name, next);
    else links.delete(name);
    this.change(links);
  }

  goBack() {
    const last = this.before.pop();
    if (last) this.become(last);
  }

  /** @param {Links} links */
  change(links) {
    this.before.push(this.links);
    this.become(links);
  }

  /** @param {Links} links */
  become(links) {
    this.links = links;
    this.paint();
    this.live.textContent = this.count.textContent;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.sent.push(written(this.links));
      this.send({ of: this.data.of, links: this.sent.at(-1) });
    }, SETTLE);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = STEPS[event.key], element = cellOf(event);
    if (event.ctrlKey || event.metaKey || event.altKey || !element) return;
    if (event.key === "Escape") {
      this.held = null;
      return this.paint();
    }
    if (event.key === "Enter" || event.key === " ") this.press(element);
    else if (step) this.focus(this.at(Number(element.dataset.row) + step[0], Number(element.dataset.key) + step[1]));
    else return;
    event.preventDefault();
  }

  // One stop of the Tab key: what has the focus last.
  /** @param {HTMLElement | null} element */
  focus(element) {
    if (!element) return;
    for (const each of /** @type {NodeListOf<HTMLElement>} */ (this.table.querySelectorAll("[tabindex='0']"))) each.tabIndex = -1;
    element.tabIndex = 0;
    element.focus();
  }

  paint() {
    const { words, source, target } = this.data, states = [...this.links.values()], { held } = this;
    for (const cell of /** @type {NodeListOf<HTMLElement>} */ (this.table.querySelectorAll("tbody td"))) {
      const { row, key } = cell.dataset, state = this.links.get(`${key} ${row}`) ?? "";
      cell.dataset.state = state;
      cell.title = fill(words.cell, { target: target[Number(row)], source: source[Number(key)], state: words[state || "none"] });
      cell.setAttribute("aria-label", cell.title);
    }
    for (const word of this.table.querySelectorAll("th"))
      word.classList.toggle("held", Boolean(held && held.row === Number(word.dataset.row) && held.key === Number(word.dataset.key)));
    const [sure, possible] = ["sure", "possible"].map((state) => states.filter((each) => each === state).length);
    this.count.textContent = fill(words.count, { sure, possible });
    this.undo.disabled = !this.before.length;
    this.clear.disabled = !states.length;
  }
}

// Links as they stand in the address bar: source word, sign, target word; in order, as the server writes them.
/** @param {string} text */
export function read(text) {
  /** @type {Links} */
  const links = new Map();
  for (const [, source, sign, target] of text.matchAll(/(\d+)([-?])(\d+)/g)) links.set(`${source} ${target}`, sign === "-" ? "sure" : "possible");
  return links;
}

/** @param {Links} links */
export const written = (links) => {
  const placed = [...links].map(([place, state]) => /** @type {const} */ ([place.split(" ").map(Number), SIGN[state]]));
  placed.sort(([[source, target]], [[another, other]]) => source - another || target - other);
  return placed.map(([[source, target], sign]) => `${source}${sign}${target}`).join(" ");
};
