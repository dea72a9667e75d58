// Words of a pair aligned by hand: a grid whose cells are clicked from empty to sure to possible and back. What is aligned is
// told to the server a moment after the last click.

import { decode, disposed, fill, viewIn } from "./canvas.js";

const SETTLE = 250; // milliseconds
const NEXT = { "": "sure", sure: "possible", possible: "" };
const SIGN = { sure: "-", possible: "?" };

export default function show({ parentElement, data, setTriggerValue }) {
  const view = viewIn(parentElement, Aligner, ".aligner");
  view.send = (links) => setTriggerValue("links", links);
  view.load(data);
  return disposed(view);
}

class Aligner {
  constructor(root) {
    this.root = this.stage = root;
    for (const part of ["undo", "clear", "count", "keys", "live"]) this[part] = root.querySelector("." + part);
    this.table = root.querySelector("table");
    Object.assign(this, { loads: 0, links: new Map(), before: [], held: null, sent: [] });
    this.table.addEventListener("click", (event) => this.press(event.target.closest("td, th")));
    this.table.addEventListener("keydown", (event) => this.key(event));
    this.undo.addEventListener("click", () => this.before.length && this.become(this.before.pop()));
    this.clear.addEventListener("click", () => this.change(new Map()));
  }

  dispose() {
    clearTimeout(this.timer);
  }

  async load(bytes) {
    const turn = ++this.loads, [data] = await decode(bytes);
    if (turn !== this.loads) return; // a later one has come meanwhile
    const isSame = this.data?.of === data.of, told = this.data?.links;
    this.data = data;
    // What is in the browser holds for the same words, unless the link says other links than before and than it was told:
    // an answer to what was sent earlier undoes no later click.
    if (!isSame) Object.assign(this, { before: [], held: null, sent: [] });
    const answered = this.sent.lastIndexOf(data.links);
    this.sent = this.sent.slice(answered + 1);
    if (!isSame || (data.links !== told && answered < 0)) this.links = read(data.links);
    if (!isSame) this.build();
    for (const name of ["undo", "clear", "keys"]) this[name].textContent = data.words[name];
    this.table.setAttribute("aria-label", data.words.grid);
    this.paint();
  }

  build() {
    const { source, target, languages } = this.data, made = (name, row, key, text = "") => {
      const element = document.createElement(name);
      Object.assign(element.dataset, { row, key });
      Object.assign(element, { tabIndex: row === 0 && key === 0 ? 0 : -1, textContent: text, title: text });
      if (name === "th") [element.lang, element.scope] = row < 0 ? [languages[0], "col"] : [languages[1], "row"];
      else element.append(document.createElement("i"));
      return element;
    };
    const line = (row, ...cells) => {
      const element = document.createElement("tr");
      element.append(...cells);
      return element;
    };
    const [head, body] = [document.createElement("thead"), document.createElement("tbody")];
    head.append(line(-1, document.createElement("td"), ...source.map((text, key) => made("th", -1, key, text))));
    head.querySelector("td").style.visibility = "hidden";
    body.append(...target.map((text, row) => line(row, made("th", row, -1, text), ...source.map((_, key) => made("td", row, key)))));
    this.table.replaceChildren(head, body);
  }

  at(row, key) {
    return this.table.querySelector(`[data-row="${row}"][data-key="${key}"]`);
  }

  // A cell goes on to its next state; a word is held until one of the other side is chosen, and the two are aligned.
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

  turn(row, key) {
    const links = new Map(this.links), name = `${key} ${row}`, next = NEXT[links.get(name) ?? ""];
    next ? links.set(name, next) : links.delete(name);
    this.change(links);
  }

  change(links) {
    this.before.push(this.links);
    this.become(links);
  }

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

  key(event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const element = event.target.closest("td, th");
    if (event.ctrlKey || event.metaKey || event.altKey || !element) return;
    if (event.key === "Escape") return (this.held = null), this.paint();
    if (event.key === "Enter" || event.key === " ") this.press(element);
    else if (step) this.focus(this.at(Number(element.dataset.row) + step[0], Number(element.dataset.key) + step[1]));
    else return;
    event.preventDefault();
  }

  // One stop of the Tab key: what has the focus last.
  focus(element) {
    if (!element) return;
    for (const each of this.table.querySelectorAll("[tabindex='0']")) each.tabIndex = -1;
    element.tabIndex = 0;
    element.focus();
  }

  paint() {
    const { words, source, target } = this.data, states = [...this.links.values()], { held } = this;
    for (const cell of this.table.querySelectorAll("tbody td")) {
      const { row, key } = cell.dataset, state = this.links.get(`${key} ${row}`) ?? "";
      cell.dataset.state = state;
      cell.title = fill(words.cell, { target: target[row], source: source[key], state: words[state || "none"] });
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
function read(text) {
  const links = new Map();
  for (const [, source, sign, target] of text.matchAll(/(\d+)([-?])(\d+)/g)) links.set(`${source} ${target}`, sign === "-" ? "sure" : "possible");
  return links;
}

const written = (links) => {
  const placed = [...links].map(([place, state]) => [place.split(" ").map(Number), SIGN[state]]);
  placed.sort(([[source, target]], [[another, other]]) => source - another || target - other);
  return placed.map(([[source, target], sign]) => `${source}${sign}${target}`).join(" ");
};
