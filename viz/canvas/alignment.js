// Every word of the picture answers: what is pointed at stays in every panel at once, the rest fades, and lines join it to
// what it reads. All of it happens in the browser.

import { curve } from "./alignment_lines.js";
import { contrastTo, Painted } from "./alignment_paint.js";
import { TOLD, pointAsTold } from "./alignment_told.js";
import { disposed, fill, viewIn } from "./canvas.js";

const READ = 0.06; // a weight from which a word counts as read
const MOST_SAID = 3; // words that a line names
const ALIKE = 0.1; // of two rows that read the same: the share of their reading that they have in common, at least
const SAME_WORD = 1.25; // how much likelier a row of the same word is the one that is meant
const IS_MARK = /^<.*>$/; // of a beginning or an end
const FADED = 0.82;

export default function show({ parentElement, data }) {
  const view = viewIn(parentElement, Alignment, ".alignment");
  view.load(data);
  return disposed(view);
}

class Alignment extends Painted {
  constructor(figure) {
    super(figure);
    // What is pointed at: {key} of the sentence, {panel, row} or {panel, word}, or {panel, row, key} for a cell.
    Object.assign(this, { at: null, kept: false, byKeys: false });
    const { signal } = this.listeners, on = (name, act, to = figure) => to.addEventListener(name, act, { signal });
    on("pointermove", (event) => this.kept || this.move(this.find(event), false));
    on("pointerleave", () => this.kept || this.byKeys || this.move(null, false));
    on("click", (event) => this.keep(this.find(event)));
    on("keydown", (event) => this.press(event));
    on("focusin", (event) => this.begin(event.target));
    on("focusout", () => this.byKeys && !this.kept && this.move(null, false));
    on("keydown", (event) => event.key === "Escape" && this.letGo(), window);
    on(TOLD, () => pointAsTold(this), window);
    // The line of the sentence stays in sight as the page scrolls: lines follow it.
    window.addEventListener("scroll", () => this.at && this.parts?.forEach((band) => this.join(band)), { signal, capture: true, passive: true });
  }

  get columns() {
    return this.header.tokens.length;
  }

  // A payload that comes while somebody points keeps the place if there still is one.
  draw() {
    const { at } = this;
    if (at && this.header && !this.isThere(at)) Object.assign(this, { at: null, kept: false });
    super.draw();
    pointAsTold(this);
  }

  isThere({ key, panel, row, word }) {
    const shown = panel === undefined ? null : this.header.panels[panel];
    return (key === undefined || key < this.columns) && (panel === undefined || (shown &&
      (row === undefined || row < shown.rows.length) && (word === undefined || word < shown.words.length)));
  }

  // What an event is on: a word by its element, a cell by its place; null between them.
  find(event) {
    const element = event.target.closest?.("[data-key], [data-word], [data-row], canvas"), panel = event.target.closest?.(".panel");
    this.under = event.target.closest?.(".tokens, .translation"); // it must not move away from the pointer
    if (!element) return null;
    const number = panel && Number(panel.dataset.panel), { key, word, row } = element.dataset;
    if (key !== undefined) return { key: Number(key) };
    if (word !== undefined) return this.ofWord(number, Number(word));
    if (row !== undefined) return { panel: number, row: Number(row) };
    const box = element.getBoundingClientRect(), { rows } = this.header.panels[number];
    const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    if (x < 0 || y < 0 || x >= 1 || y >= 1) return null;
    return { panel: number, row: Math.floor(y * rows.length), key: Math.floor(x * this.columns) };
  }

  ofWord(panel, word) {
    const row = this.header.panels[panel].row_words?.indexOf(word) ?? -1;
    return row >= 0 ? { panel, row } : { panel, word };
  }

  move(at, byKeys) {
    const same = JSON.stringify(at) === JSON.stringify(this.at);
    this.byKeys = byKeys && at !== null;
    if (same) return;
    this.at = at;
    this.mark();
    if (byKeys) this.live.textContent = at ? this.header.panels.map(({ title }, number) =>
      fill(this.header.words.said, { title, line: this.line(number) })).join("; ") : "";
  }

  keep(at) {
    if (!at) return this.kept && this.letGo();
    const again = this.kept && JSON.stringify(at) === JSON.stringify(this.at);
    this.kept = !again;
    this.at = at;
    this.mark();
  }

  letGo() {
    this.kept = false;
    this.move(null, false);
    this.mark();
  }

  begin(line) {
    if (this.kept || !line.matches?.(":focus-visible")) return;
    this.move(this.first(line), true);
  }

  first(line) {
    const panel = Number(line.closest(".panel")?.dataset.panel);
    if (line.matches(".tokens")) return { key: 0 };
    return line.matches(".translation") ? this.ofWord(panel, 0) : { panel, row: 0, key: 0 };
  }

  press(event) {
    const line = event.target.closest?.(".tokens, .translation, .plot"), { key } = event;
    if (!line || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[key];
    if (key === "Enter" || key === " ") this.at && this.keep(this.at);
    else if (step || key === "Home" || key === "End") this.kept = false, this.move(this.next(line, step, key), true);
    else return;
    event.preventDefault();
    (this.under = null), this.reveal(line);
  }

  next(line, step, key) {
    const panel = Number(line.closest(".panel")?.dataset.panel), { at } = this;
    const [down, across] = step ?? [0, 0], onward = down + across * (getComputedStyle(line).direction === "rtl" ? -1 : 1);
    const along = (value, change, count) => (key === "Home" ? 0 : key === "End" ? count - 1 : Math.min(Math.max(value + change, 0), count - 1));
    if (line.matches(".tokens")) return { key: along(at?.key ?? 0, onward, this.columns) };
    const { rows, words, row_words } = this.header.panels[panel];
    if (line.matches(".translation")) {
      const word = at?.panel !== panel ? 0 : at.word ?? row_words[at.row];
      return this.ofWord(panel, along(word, onward, words.length));
    }
    const here = at?.panel === panel && at.row !== undefined ? at : { row: 0, key: 0 };
    const row = step ? along(here.row, step[0], rows.length) : here.row;
    return { panel, row, key: step && !step[1] ? here.key ?? 0 : along(here.key ?? 0, step?.[1] ?? 0, this.columns) };
  }

  reveal(line) {
    const shown = line.querySelector(".here") ?? line;
    line.setAttribute("aria-activedescendant", shown.id);
    shown.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  weight(number, row, key) {
    return this.header.panels[number].weights[row * this.columns + key];
  }

  // The row of a panel that answers to what is pointed at: of one translation the same row; else the one that reads the
  // same words, of the same word if it can be. All can read the end of the sentence: that joins nothing.
  rowIn(number) {
    const { at, header } = this, panel = header.panels[number], { rows } = panel;
    if (at.panel === number) return at.row ?? null;
    const from = header.panels[at.panel], isRow = at.row !== undefined, text = isRow ? from.rows[at.row] : from.words[at.word].text;
    const [own, others] = [isRow ? from.rows : from.words.map((word) => word.text), isRow ? at.row : at.word];
    const places = rows.flatMap((other, row) => (other === text ? [row] : []));
    const same = places[own.slice(0, others).filter((other) => other === text).length];
    if (same !== undefined && textOf(from) === textOf(panel)) return same;
    let [best, found] = [0, null];
    rows.forEach((other, row) => {
      const isSame = other.toLowerCase() === text.toLowerCase();
      let shared = isSame && !isRow ? 1 : 0;
      if (isRow) header.tokens.forEach((token, key) => {
        if (!IS_MARK.test(token)) shared += Math.min(this.weight(at.panel, at.row, key), this.weight(number, row, key));
      });
      const apart = Math.abs(row / rows.length - others / own.length);
      const score = (shared >= ALIKE ? shared : 0) * (isSame ? SAME_WORD : 1) * (1 - 0.01 * apart);
      if (score > best) [best, found] = [score, row];
    });
    return found;
  }

  // What a panel shows of it: its row or its column, and the pairs of row and key that are read.
  answer(number) {
    const { at, header } = this, { rows } = header.panels[number];
    if (!rows.length) return { row: null, key: null, pairs: [] };
    const all = (count) => Array.from({ length: count }, (_, place) => place);
    const isRow = at.panel !== undefined, row = isRow ? this.rowIn(number) : null;
    const key = at.key ?? null;
    const cells = !isRow ? all(rows.length).map((each) => [each, key]) : row === null ? [] : all(this.columns).map((each) => [row, each]);
    const pairs = cells.map(([one, other]) => ({ row: one, key: other, weight: this.weight(number, one, other) }))
      .filter(({ weight }) => weight >= READ).sort((one, other) => other.weight - one.weight);
    return { row, key, pairs, isRow };
  }

  line(number) {
    const { header, at } = this, { words, tokens } = header, panel = header.panels[number];
    if (!panel.rows.length) return words.one_vector;
    const { row, key, pairs, isRow } = this.answers[number], list = (each) => pairs.filter((pair) => !isRow || pair.key !== key)
      .slice(0, MOST_SAID).map((pair) => fill(words.item, { word: each(pair), weight: pair.weight.toFixed(2) }));
    if (!isRow) return pairs.length ? fill(words.read_by, { word: tokens[key], list: list((pair) => panel.rows[pair.row]).join(words.comma) })
      : fill(words.unread, { word: tokens[key] });
    if (row === null) return words.unlike;
    const said = list((pair) => tokens[pair.key]), cell = () => this.weight(number, row, key).toFixed(4);
    if (key !== null) said.unshift(fill(words.item, { word: tokens[key], weight: cell() }));
    return fill(panel.reading === "input" ? words.after : words.reads, { word: panel.rows[row], list: said.join(words.comma) });
  }

  mark() {
    const { at, header } = this;
    if (!this.panels) return; // nothing is drawn yet: what is pointed at is marked then
    this.answers = at && header.panels.map((_, number) => this.answer(number));
    this.bands.classList.toggle("pointed", at !== null);
    const shades = new Array(this.columns).fill(0);
    for (const { isRow, pairs } of this.answers ?? []) if (isRow) for (const { key, weight } of pairs) shades[key] = Math.max(shades[key], weight);
    this.panels.forEach((_, number) => this.markPanel(number));
    const strongest = shades.indexOf(Math.max(...shades));
    for (const band of this.parts) {
      band.tokens.forEach((word, key) => this.light(word, at && (at.key === key || shades[key] > 0), at ? shades[key] : 0, at?.panel === undefined && at?.key === key));
      if (at) this.bring(band.tokens[at.panel === undefined ? at.key : strongest]);
      this.join(band);
    }
  }

  // Bring a word of a line that is too long into the middle of it.
  bring(word) {
    const line = word?.parentElement;
    if (!line || line === this.under || (line.scrollWidth <= line.clientWidth && line.scrollHeight <= line.clientHeight)) return;
    line.scrollLeft = word.offsetLeft - (line.clientWidth - word.offsetWidth) / 2;
    line.scrollTop = word.offsetTop - (line.clientHeight - word.offsetHeight) / 2;
  }

  // Show a word or a label that is lit, shaded by what it is given, or ringed because the pointer is on it.
  light(element, isLit, weight, isHere) {
    element.classList.toggle("lit", Boolean(isLit));
    element.classList.toggle("here", Boolean(isHere));
    const shade = weight > 0 ? this.shade(weight) : "";
    element.style.background = shade;
    element.style.color = shade && contrastTo(shade);
  }

  markPanel(number) {
    const { at, header } = this, panel = header.panels[number], parts = this.panels[number], answer = this.answers?.[number];
    const own = at?.panel === number, read = new Map(answer?.pairs.map((pair) => [answer.isRow ? pair.key : pair.row, pair.weight]));
    parts.words.forEach((word, place) => {
      const ofWord = panel.row_words?.flatMap((each, row) => (each === place ? [row] : [])) ?? [];
      const lit = own && at.word === place || (answer?.isRow ? ofWord.includes(answer.row) : ofWord.some((row) => read.has(row)));
      const weight = answer && !answer.isRow ? Math.max(0, ...ofWord.map((row) => read.get(row) ?? 0)) : 0;
      this.light(word, at && lit, weight, own && lit && at.row !== undefined || own && at.word === place);
      if (!weight) word.style.backgroundColor = this.tint(panel.sure[place]);
    });
    if (at) this.bring(parts.words.find((word) => word.classList.contains("lit")));
    if (parts.plot) {
      parts.columns.forEach((label, key) => this.light(label, answer && (answer.key === key || (answer.isRow && read.has(key))), answer?.isRow ? read.get(key) ?? 0 : 0, false));
      parts.rows.forEach((label, row) => {
        const weight = answer && !answer.isRow ? read.get(row) ?? 0 : 0;
        label.classList.toggle("lit", Boolean(answer && (answer.row === row || weight)));
        label.classList.toggle("here", Boolean(own && answer.row === row && at.key === undefined));
      });
      this.fade(parts, panel, answer, own);
    }
    const kept = this.kept && (own || (at.panel === undefined && number === 0)) ? ` · ${header.words.kept}` : "";
    parts.says.textContent = at ? this.line(number) + kept : panel.says ?? "";
    const word = answer?.row !== null && answer?.row !== undefined ? panel.row_words[answer.row] : own ? at.word ?? -1 : -1;
    parts.notes.textContent = word >= 0 ? panel.words[word].says : panel.notes.join(" · ");
  }

  // Over the cells: all but the row, the column or the cell that is pointed at fades.
  fade({ fade }, { rows }, answer, own) {
    const pen = fade.getContext("2d"), { width, height } = fade, [wide, high] = [width / this.columns, height / rows.length];
    pen.clearRect(0, 0, width, height);
    if (!answer) return;
    pen.globalAlpha = FADED;
    pen.fillStyle = getComputedStyle(this.figure).backgroundColor;
    pen.fillRect(0, 0, width, height);
    pen.globalAlpha = 1;
    // Edges as those of the cells beneath: rounded, not lengths.
    const { row, key, isRow } = answer, between = (place, length) => [Math.round(place * length), Math.round((place + 1) * length)];
    const [top, bottom] = row === null ? [] : between(row, high), [left, right] = key === null ? [] : between(key, wide);
    if (isRow && row !== null) pen.clearRect(0, top, width, bottom - top);
    if (key !== null) pen.clearRect(left, 0, right - left, height);
    if (!isRow || row === null || key === null) return;
    pen.lineWidth = own ? 3 : 2;
    pen.strokeStyle = getComputedStyle(this.figure).getPropertyValue("--pointed");
    pen.strokeRect(left + 1, top + 1, right - left - 2, bottom - top - 2);
  }

  // Lines from what is read, in the line of the sentence, to the word of each translation that reads it.
  join({ element, tokens, links, numbers }) {
    const lines = [];
    if (this.at) {
      const frame = element.getBoundingClientRect();
      const [ends, starts] = [new Map(), new Map()];
      const middle = (word, edge) => {
        const box = word.getClientRects()[0] ?? word.getBoundingClientRect();
        return [box.left + box.width / 2 - frame.left, box[edge] - frame.top];
      };
      const kept = (places, word, edge) => places.get(word) ?? (places.set(word, middle(word, edge)), places.get(word));
      for (const number of numbers)
        for (const { row, key, weight } of this.answers[number].pairs) {
          const parts = this.panels[number], word = this.header.panels[number].row_words[row];
          lines.push([kept(starts, tokens[key], "bottom"), kept(ends, parts.words[word] ?? parts.rows[row], "top"), weight]);
        }
    }
    links.replaceChildren(...lines.map(curve));
  }
}

const textOf = ({ words }) => words.map(({ text }) => text).join(" ");
