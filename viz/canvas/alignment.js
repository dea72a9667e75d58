// Every word of the picture answers: what is pointed at stays in every panel at once, the rest fades, and lines join it to
// what it reads. All of it happens in the browser.

import { answerOf, lineOf } from "./alignment_answers.js";
import { curve } from "./alignment_lines.js";
import { Painted, contrastTo } from "./alignment_paint.js";
import { TOLD, pointAsTold } from "./alignment_told.js";
import { penOf, tellPointed, zoomOf } from "./canvas.js";
import { fill } from "./payload.js";

/** @import { Point } from "./alignment_lines.js" */
/** @import { Answer, At, RowAt, WordAt } from "./alignment_answers.js" */
/** @import { Band, Map as MapParts, Panel } from "./alignment_panels.js" */
/** @typedef {[down: number, across: number]} Step */

const FADED = 0.82;
/** @type {Record<string, Step | undefined>} */
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// The number of the panel that an element is in.
/** @param {Element} element */
const panelOf = (element) => Number(/** @type {HTMLElement | null} */ (element.closest(".panel"))?.dataset.panel);

export class Alignment extends Painted {
  /** @type {At | null} */ at = null; // what is pointed at
  kept = false;
  byKeys = false;
  /** @type {Element | null} */ under = null;
  /** @type {Answer[] | null} */ answers = null;

  /** @param {HTMLElement} figure */
  constructor(figure) {
    super(figure);
    const { signal } = this.listeners;
    /** @type {<Name extends keyof HTMLElementEventMap>(name: Name, act: (event: HTMLElementEventMap[Name]) => unknown) => void} */
    const on = (name, act) => figure.addEventListener(name, act, { signal });
    on("pointermove", (event) => this.kept || this.move(this.find(event), false));
    on("pointerleave", () => this.kept || this.byKeys || this.move(null, false));
    on("click", (event) => this.keep(this.find(event)));
    on("keydown", (event) => this.press(event));
    on("focusin", ({ target }) => target instanceof HTMLElement && this.begin(target));
    on("focusout", () => this.byKeys && !this.kept && this.move(null, false));
    window.addEventListener("keydown", (event) => event.key === "Escape" && this.letGo(), { signal });
    window.addEventListener(TOLD, () => pointAsTold(this), { signal });
    // The line of the sentence stays in sight as the page scrolls: lines follow it.
    window.addEventListener("scroll", () => this.at && this.parts?.forEach((band) => this.join(band)), { signal, capture: true, passive: true });
  }

  get columns() {
    return this.header.tokens.length;
  }

  // A payload that comes while somebody points keeps the place if there still is one.
  /** @override */
  draw() {
    const { at } = this;
    if (at && this.header && !this.isThere(at)) [this.at, this.kept] = [null, false];
    super.draw();
    pointAsTold(this);
  }

  /** @param {At} at */
  isThere({ key = 0, panel, row = -1, word = -1 }) {
    const shown = this.header.panels[panel ?? 0];
    return key < this.columns && (panel === undefined || (shown && row < shown.rows.length && word < shown.words.length));
  }

  // What an event is on: a word by its element, a cell by its place; null between them.
  /** @param {MouseEvent} event @returns {At | null} */
  find(event) {
    const { target } = event;
    if (!(target instanceof Element)) return null;
    /** @type {HTMLElement | null} */
    const element = target.closest("[data-key], [data-word], [data-row], canvas");
    this.under = target.closest(".tokens, .translation"); // it must not move away from the pointer
    if (!element) return null;
    const number = panelOf(element), { key, word, row } = element.dataset;
    if (key !== undefined) return { key: Number(key) };
    if (word !== undefined) return this.ofWord(number, Number(word));
    if (row !== undefined) return { panel: number, row: Number(row) };
    const box = element.getBoundingClientRect(), { rows } = this.header.panels[number];
    const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    if (x < 0 || y < 0 || x >= 1 || y >= 1) return null;
    return { panel: number, row: Math.floor(y * rows.length), key: Math.floor(x * this.columns) };
  }

  /** @param {number} panel @param {number} word @returns {RowAt | WordAt} */
  ofWord(panel, word) {
    const row = this.header.panels[panel].row_words?.indexOf(word) ?? -1;
    return row >= 0 ? { panel, row } : { panel, word };
  }

  /** @param {At | null} at @param {boolean} byKeys */
  move(at, byKeys) {
    const same = JSON.stringify(at) === JSON.stringify(this.at);
    this.byKeys = byKeys && at !== null;
    if (same) return;
    this.at = at;
    this.mark();
    if (at) tellPointed(this.figure, at);
    const { words, panels } = this.header;
    if (byKeys) this.live.textContent = (this.answers ?? []).map((answer, number) =>
      fill(words.said, { title: panels[number].title, line: lineOf(this.header, answer, number) })).join("; ");
  }

  /** @param {At | null} at */
  keep(at) {
    if (!at) {
      if (this.kept) this.letGo();
      return;
    }
    const again = this.kept && JSON.stringify(at) === JSON.stringify(this.at);
    this.kept = !again;
    tellPointed(this.figure, (this.at = at));
    this.mark();
  }

  letGo() {
    this.kept = false;
    this.move(null, false);
    this.mark();
  }

  /** @param {HTMLElement} line */
  begin(line) {
    if (this.kept || !line.matches(":focus-visible")) return;
    this.move(this.first(line), true);
  }

  /** @param {HTMLElement} line @returns {At} */
  first(line) {
    const panel = panelOf(line);
    if (line.matches(".tokens")) return { key: 0 };
    return line.matches(".translation") ? this.ofWord(panel, 0) : { panel, row: 0, key: 0 };
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const { key, target } = event;
    /** @type {HTMLElement | null} */
    const line = target instanceof Element ? target.closest(".tokens, .translation, .plot") : null;
    if (!line || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[key];
    if (key === "Enter" || key === " ") this.keep(this.at);
    else if (step || key === "Home" || key === "End") {
      this.kept = false;
      this.move(this.next(line, step, key), true);
    } else return;
    event.preventDefault();
    this.under = null;
    this.reveal(line);
  }

  /** @param {HTMLElement} line @param {Step | undefined} step @param {string} key @returns {At} */
  next(line, step, key) {
    const panel = panelOf(line), { at } = this;
    const [down, across] = step ?? [0, 0], onward = down + across * (getComputedStyle(line).direction === "rtl" ? -1 : 1);
    /** @param {number} value @param {number} change @param {number} count */
    const along = (value, change, count) => (key === "Home" ? 0 : key === "End" ? count - 1 : Math.min(Math.max(value + change, 0), count - 1));
    if (line.matches(".tokens")) return { key: along(at?.key ?? 0, onward, this.columns) };
    const { rows, words, row_words } = this.header.panels[panel];
    if (line.matches(".translation")) {
      const word = at?.panel !== panel ? 0 : at.word ?? row_words?.[at.row] ?? -1;
      return this.ofWord(panel, along(word, onward, words.length));
    }
    const here = at?.panel === panel && at.row !== undefined ? at : { row: 0, key: 0 };
    const row = step ? along(here.row, step[0], rows.length) : here.row;
    return { panel, row, key: step && !step[1] ? here.key ?? 0 : along(here.key ?? 0, step?.[1] ?? 0, this.columns) };
  }

  /** @param {HTMLElement} line */
  reveal(line) {
    const shown = line.querySelector(".here") ?? line;
    line.setAttribute("aria-activedescendant", shown.id);
    shown.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** @override */
  mark() {
    const { at, header } = this;
    if (!this.panels) return; // nothing is drawn yet: what is pointed at is marked then
    this.answers = at && header.panels.map((_, number) => answerOf(header, at, number));
    this.bands.classList.toggle("pointed", at !== null);
    const shades = header.tokens.map(() => 0);
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
  /** @param {HTMLElement | undefined} word */
  bring(word) {
    /** @type {HTMLElement | null | undefined} */
    const line = word?.closest(".tokens, .translation");
    if (!word || !line || line === this.under || (line.scrollWidth <= line.clientWidth && line.scrollHeight <= line.clientHeight)) return;
    line.scrollLeft = word.offsetLeft - (line.clientWidth - word.offsetWidth) / 2;
    line.scrollTop = word.offsetTop - (line.clientHeight - word.offsetHeight) / 2;
  }

  // Show a word or a label that is lit, shaded by what it is given, or ringed because the pointer is on it.
  /** @param {HTMLElement} element @param {boolean | null | undefined} isLit @param {number} weight @param {boolean} isHere */
  light(element, isLit, weight, isHere) {
    element.classList.toggle("lit", Boolean(isLit));
    element.classList.toggle("here", Boolean(isHere));
    const shade = weight > 0 ? this.shade(weight) : "";
    element.style.background = shade;
    element.style.color = shade && contrastTo(shade);
  }

  /** @param {number} number */
  markPanel(number) {
    const { at, header } = this, panel = header.panels[number], parts = this.panels[number], answer = this.answers?.[number];
    const own = at?.panel === number, read = new Map(answer?.pairs.map((pair) => [answer.isRow ? pair.key : pair.row, pair.weight]));
    parts.words.forEach((word, place) => {
      const ofWord = panel.row_words?.flatMap((each, row) => (each === place ? [row] : [])) ?? [];
      const lit = own && at.word === place || (answer?.isRow ? ofWord.includes(answer.row ?? -1) : ofWord.some((row) => read.has(row)));
      const weight = answer && !answer.isRow ? Math.max(0, ...ofWord.map((row) => read.get(row) ?? 0)) : 0;
      this.light(word, at && lit, weight, own && lit && at.row !== undefined || own && at.word === place);
      if (!weight) word.style.backgroundColor = this.tint(panel.sure[place]);
    });
    if (at) this.bring(parts.words.find((word) => word.classList.contains("lit")));
    if (parts.map) {
      parts.map.columns.forEach((label, key) => this.light(label, answer && (answer.key === key || (answer.isRow && read.has(key))), answer?.isRow ? read.get(key) ?? 0 : 0, false));
      parts.map.rows.forEach((label, row) => {
        const weight = answer && !answer.isRow ? read.get(row) ?? 0 : 0;
        label.classList.toggle("lit", Boolean(answer && (answer.row === row || weight)));
        label.classList.toggle("here", Boolean(own && answer?.row === row && at.key === undefined));
      });
      this.fade(parts.map, panel, answer, own);
    }
    const kept = this.kept && (own || (at?.panel === undefined && number === 0)) ? ` · ${header.words.kept}` : "";
    parts.says.textContent = answer ? lineOf(header, answer, number) + kept : panel.says ?? "";
    const row = answer?.row ?? null, word = row !== null ? panel.row_words?.[row] ?? -1 : own ? at.word ?? -1 : -1;
    parts.notes.textContent = word >= 0 ? panel.words[word].says : panel.notes.join(" · ");
  }

  // Over the cells: all but the row, the column or the cell that is pointed at fades.
  /** @param {MapParts} map @param {Panel} panel @param {Answer | undefined} answer @param {boolean} own */
  fade({ fade }, { rows }, answer, own) {
    const pen = penOf(fade), { width, height } = fade, [wide, high] = [width / this.columns, height / rows.length];
    pen.clearRect(0, 0, width, height);
    if (!answer) return;
    pen.globalAlpha = FADED;
    pen.fillStyle = getComputedStyle(this.figure).backgroundColor;
    pen.fillRect(0, 0, width, height);
    pen.globalAlpha = 1;
    // Edges as those of the cells beneath: rounded, not lengths.
    const { row, key, isRow } = answer;
    /** @param {number} place @param {number} length */
    const between = (place, length) => [Math.round(place * length), Math.round((place + 1) * length)];
    const [top, bottom] = row === null ? [] : between(row, high), [left, right] = key === null ? [] : between(key, wide);
    if (isRow && row !== null) pen.clearRect(0, top, width, bottom - top);
    if (key !== null) pen.clearRect(left, 0, right - left, height);
    if (!isRow || row === null || key === null) return;
    pen.lineWidth = own ? 3 : 2;
    pen.strokeStyle = getComputedStyle(this.figure).getPropertyValue("--pointed");
    pen.strokeRect(left + 1, top + 1, right - left - 2, bottom - top - 2);
  }

  // Lines from what is read, in the line of the sentence, to the word of each translation that reads it.
  /** @param {Band} band */
  join({ element, tokens, links, numbers }) {
    /** @type {[from: Point, to: Point, weight: number][]} */
    const lines = [];
    if (this.answers) {
      const frame = element.getBoundingClientRect(), zoom = zoomOf(element);
      /** @typedef {Map<Element, Point>} Places @type {[Places, Places]} */
      const [ends, starts] = [new Map(), new Map()];
      /** @param {Element} word @param {"top" | "bottom"} edge @returns {Point} */
      const middle = (word, edge) => {
        const box = word.getClientRects()[0] ?? word.getBoundingClientRect();
        return [(box.left + box.width / 2 - frame.left) / zoom, (box[edge] - frame.top) / zoom];
      };
      /** @param {Places} places @param {Element} word @param {"top" | "bottom"} edge */
      const kept = (places, word, edge) => {
        const point = places.get(word) ?? middle(word, edge);
        places.set(word, point);
        return point;
      };
      for (const number of numbers)
        for (const { row, key, weight } of this.answers[number].pairs) {
          const { words, map } = this.panels[number], word = words[this.header.panels[number].row_words?.[row] ?? -1] ?? map?.rows[row];
          lines.push([kept(starts, tokens[key], "bottom"), kept(ends, word, "top"), weight]);
        }
    }
    links.replaceChildren(...lines.map(curve));
  }
}
