// One mechanism of a walk: its formula, and the picture that stands still while the steps light its parts.
// Whatever comes from the data is shown as text; the formulas alone are markup, and those are of the code.

import { END, NOT_YET, leastTypeIn, note, penOf, zoomOf } from "./canvas.js";
import { crossOver, cut, fitFormula, html, second, short, still, svg, toldOf, waterfall, windowOf } from "./walk_marks.js";

/** @import { WalkHeader, WalkPicture, WalkRow, WalkStep } from "./payloads" */
/** @typedef {{ bar: SVGRectElement, y: number, high: number } | null} Bar */
/** @typedef {{ cell: number, slanted: boolean, width: number, room: number, height: number, labels: number, left: number }} Laid */

const CELL = { least: 24, most: 96 }; // pixels of a column
const NUMBER = 36; // pixels of a column at least whose numbers are all written
// Of a picture: lines of text, gaps, numbers, dots and nodes in pixels, and the share of it that lines to the context take.
const LINES = 13, GAP = 4, DIGITS = 12, FAN = 0.17, DEEP = 0.15, LOWEST = 8, NODE = 28, DOT = 18;
const HEIGHT = { least: 280, most: 470, several: 330 }; // pixels of a picture: alone on a low screen, with words and formula on a high one, of several
const AROUND = 225, ALONE = 150; // pixels of a screen that the page's head and the choice of steps take, and the latter alone
const SLANT = 38; // degrees
const MOVE = 300; // milliseconds

export class Board {
  /** @type {WalkPicture} */ picture = NOT_YET;
  /** @type {WalkHeader["words"]} */ words = NOT_YET;
  titled = false;
  /** @type {Laid} */ place = NOT_YET;
  /** @type {Bar[][]} */ tops = [];
  /** @type {HTMLElement} */ fall = NOT_YET;
  /** @type {string} */ step = NOT_YET;

  /** @param {(column: number, piece: number) => void} tell What to do when a column is chosen. */
  constructor(tell) {
    this.tell = tell;
    this.heading = html("p", "heading");
    this.says = html("p", "says");
    this.formula = html("div", "formula");
    this.left = html("div", "side left");
    this.stage = html("div", "stage");
    this.stage.addEventListener("scroll", () => this.follow());
    this.right = html("div", "side");
    this.note = html("p", "note");
    const top = html("div", "top", html("div", "told", this.heading, this.says), this.formula);
    this.root = html("div", "board", top, html("div", "parts", this.left, this.stage, this.right), this.note);
  }

  /** @param {WalkPicture} picture @param {boolean} titled @param {WalkHeader["words"]} words */
  load(picture, titled, words) {
    Object.assign(this, { picture, titled, words });
    this.formula.replaceChildren(...picture.codes.map((parts) => Object.assign(html("div", "line"), { innerHTML: parts.join("") })));
    note(this.formula, words.letters).tabIndex = 0;
    this.formula.classList.toggle("many", picture.codes.length > 3);
    this.note.textContent = picture.note;
    this.fillLeft();
    this.fillRight();
    this.draw();
  }

  fillLeft() {
    const { state } = this.picture;
    const box = html("div", "box", html("b", "", state.name), state.says);
    box.dataset.part = "state";
    if (state.text) box.append(html("span", "text", `“${state.text}”`));
    if (state.piece) box.append(html("span", "text", state.piece));
    this.fall = html("div", "fall");
    this.left.replaceChildren(box, this.fall);
  }

  fillRight() {
    const { boxes, words } = this.picture;
    /** @type {HTMLElement[]} */
    const parts = [];
    if (words.length) {
      const list = html("div", "likely", html("span", "name", this.picture.ending));
      list.dataset.part = "predict";
      for (const { text, share, written } of words) {
        const bar = html("i");
        bar.style.width = `${100 * share}%`;
        list.append(html("span", written ? "word written" : "word", text), html("span", "bar", bar),
          html("span", "number", share.toFixed(3)));
      }
      parts.push(list);
    }
    boxes.forEach(({ part, text }, place) => {
      const box = html("div", place === 0 ? "box push" : "box", html("b", "", text));
      box.dataset.part = part;
      parts.push(box);
    });
    this.right.replaceChildren(...parts);
  }

  // The words of every step have room from the start, so that what stands below them stands still.
  holdSays() {
    this.says.style.minHeight = "";
    this.says.style.minHeight = `${Math.max(...this.picture.steps.map((step) => {
      this.tellStep(step);
      return this.says.offsetHeight;
    }))}px`;
  }

  // The name of the step is lit above; of several mechanisms each has its own.
  /** @param {WalkStep} step */
  tellStep(step) {
    this.heading.textContent = this.titled ? `${this.picture.title} \u00b7 ${step.title}` : "";
    this.says.textContent = step.says;
  }

  // Draw the columns as wide as there is room for; a longer text scrolls inside the stage.
  draw() {
    const { columns } = this.picture, room = this.stage.clientWidth;
    if (!room) return;
    fitFormula(this.formula);
    this.holdSays();
    const pen = penOf(document.createElement("canvas"));
    pen.font = `14px ${getComputedStyle(this.stage).fontFamily}`;
    const widest = Math.max(...columns.map(({ text }) => pen.measureText(cut(text)).width));
    let cell = Math.min(Math.max(room / columns.length, CELL.least), CELL.most);
    const slanted = widest + 8 > cell, angle = (SLANT * Math.PI) / 180;
    const over = columns.map(({ text }, place) => pen.measureText(cut(text)).width * Math.cos(angle) - cell * (columns.length - place - 0.5));
    const beyond = slanted ? Math.max(0, ...over) : 0;
    if (slanted) cell = Math.min(Math.max((room - beyond) / columns.length, CELL.least), CELL.most);
    const width = Math.max(room, cell * columns.length + beyond);
    const above = Math.max(this.says.offsetHeight, this.formula.offsetHeight), around = leastTypeIn(this.stage) ? ALONE : AROUND;
    this.place = {
      cell, slanted, width, room,
      height: this.titled ? HEIGHT.several : Math.max(Math.min(window.innerHeight / zoomOf(this.stage) - around, HEIGHT.most) - above, HEIGHT.least),
      labels: slanted ? Math.ceil(widest * Math.sin(angle)) + 14 : 22,
      left: (width - beyond - cell * columns.length) / 2,
    };
    const root = svg("svg", { width, height: this.place.height, role: "group", "aria-label": this.picture.title });
    this.paint(root);
    this.stage.replaceChildren(root);
    this.stage.tabIndex = width > room ? 0 : -1; // what scrolls must be reached by keys
    this.light(this.step);
    const { chosen } = this.picture;
    if (chosen !== undefined && width > room) this.stage.scrollLeft = this.middle(chosen) - room / 2;
  }

  // Names of rows stay in sight while a long text is scrolled.
  follow() {
    for (const title of this.stage.querySelectorAll(".title")) title.setAttribute("x", String(this.stage.scrollLeft));
  }

  /** @param {number} column */
  middle(column) {
    return this.place.left + (column + 0.5) * this.place.cell;
  }

  /** @param {SVGElement} root */
  paint(root) {
    const { picture, place } = this, top = place.labels;
    const below = place.height - NODE - 2;
    root.append(this.headings(top));
    if (!picture.rows.length) {
      root.append(...this.funnel(top + DOT, below));
      return;
    }
    const tall = (below - FAN * place.height - top - DOT) / picture.rows.length;
    const tops = picture.rows.map((_, row) => top + DOT + row * tall), last = tops[tops.length - 1];
    const x = (/** @type {number} */ column) => place.left + column * place.cell;
    if (picture.window) root.append(windowOf(picture.window, x, top + DOT, last + tall - GAP, tall - LINES - GAP - DIGITS));
    this.tops = picture.rows.map((row, number) => this.bars(root, row, tops[number], tall - LINES - GAP));
    root.append(...this.fan(last + tall, below));
    this.columns(root, last + tall);
  }

  /** @param {number} top */
  headings(top) {
    const { place, picture } = this, group = svg("g", { "data-part": "words" });
    picture.columns.forEach(({ text }, column) => {
      const x = this.middle(column), y = top - 6;
      const turned = place.slanted && [...text].length > 1 ? { transform: `rotate(${-SLANT} ${x} ${y})` } : { "text-anchor": "middle" };
      const chosen = column === picture.chosen ? "word chosen" : "word";
      group.append(svg("text", { x, y, class: chosen, ...turned }, cut(text)), svg("circle", { cx: x, cy: top + 6, r: 3.5, class: "state" }));
    });
    return group;
  }

  // The bars of one row; gives where each stands, so that those of the next row can grow out of them.
  /** @param {SVGElement} root @param {WalkRow} row @param {number} top @param {number} tall @returns {Bar[]} */
  bars(root, row, top, tall) {
    const { place, picture } = this, numbers = row.values.filter((each) => each !== null);
    const highest = row.part === "score" ? Math.max(0, ...numbers) : Math.max(1, ...numbers);
    const lowest = Math.min(0, ...numbers), span = highest - lowest || 1, first = top + LINES;
    const under = -lowest > span * DEEP; // numbers stand above their bars, or below negative ones that reach down
    tall = Math.max(tall - (under ? 2 : 1) * DIGITS, LOWEST);
    const zero = first + DIGITS + (tall * highest) / span;
    const group = svg("g", { class: "row", "data-part": row.part }, svg("text", { x: 0, y: top + 11, class: "title" }, row.title, ...second(row)));
    group.append(svg("line", { x1: place.left, x2: place.left + place.cell * picture.columns.length, y1: zero, y2: zero, class: "axis" }));
    const largest = row.values.indexOf(Math.max(...numbers)), wide = Math.min(place.cell * 0.62, 40) / (row.beside ? 2 : 1);
    const made = row.values.map((value, column) => {
      if (value === null) {
        group.append(svg("text", { x: this.middle(column), y: zero - 3, "text-anchor": "middle" }, "×"));
        return null;
      }
      const high = Math.max((Math.abs(value) / span) * tall, 0.5), y = value < 0 ? zero : zero - high;
      const kind = row.part === "score" ? (value < 0 ? "below" : "score") : "share";
      const other = ((row.beside?.values[column] ?? 0) / span) * tall, least = Math.min(y, zero - other);
      const bar = svg("rect", { x: this.middle(column) - wide / (row.beside ? 1 : 2), y, width: wide, height: high, class: `bar ${kind}${row.crossed?.[column] ? " crossed" : ""}` });
      group.append(bar);
      if (row.crossed?.[column]) group.append(crossOver(this.middle(column), value < 0 ? y + high / 2 : zero + 7));
      if (row.beside) group.append(svg("rect", { x: this.middle(column) + 1, y: zero - other, width: wide - 1, height: other, class: "bar moved", "data-part": "context" }));
      if (place.cell >= NUMBER || column === picture.chosen || column === largest) {
        group.append(svg("text", { x: this.middle(column), y: value >= 0 ? least - 3 : under ? zero + high + DIGITS - 2 : zero - 3, "text-anchor": "middle" }, short(value)));
      }
      return { bar, y, high };
    });
    root.append(group);
    return made;
  }

  /** @param {number} top @param {number} below @returns {SVGElement[]} */
  fan(top, below) {
    const { picture, place } = this, shares = picture.rows[picture.rows.length - 1].values;
    const lines = svg("g", { "data-part": "context" }), middle = place.left + (place.cell * picture.columns.length) / 2;
    shares.forEach((share, column) => {
      if (share === null || share < 0.005) return;
      const x = this.middle(column), half = (top + below) / 2;
      lines.append(svg("path", { d: `M${x} ${top}C${x} ${half} ${middle} ${half} ${middle} ${below}`, class: "flow",
        "stroke-width": 1 + 13 * share, "stroke-opacity": 0.35 + 0.6 * share }));
    });
    return [lines, ...this.node(middle, below, picture.context ?? "", "context")];
  }

  // Without attention: every word runs into one vector.
  /** @param {number} top @param {number} below @returns {SVGElement[]} */
  funnel(top, below) {
    const { picture, place } = this, middle = place.left + (place.cell * picture.columns.length) / 2;
    const lines = svg("g", { "data-part": "vector" });
    picture.columns.forEach((_, column) => {
      const x = this.middle(column), half = (top + below) / 2;
      lines.append(svg("path", { d: `M${x} ${top}C${x} ${half} ${middle} ${half} ${middle} ${below}`, class: "flow", "stroke-width": 2 }));
    });
    return [lines, ...this.node(middle, below, picture.vector, "vector")];
  }

  /** @param {number} middle @param {number} top @param {string} text @param {string} part */
  node(middle, top, text, part) {
    const wide = Math.min(Math.max(text.length * 7.4 + 24, 90), this.place.width - 4), { width } = this.place;
    const arrow = svg("g", { "data-part": part }, svg("path", { d: `M${middle + wide / 2} ${top + NODE / 2}H${width - 8}m-7 -5l7 5l-7 5`, class: "flow", "stroke-width": 2 }));
    const box = svg("g", { class: "node", "data-part": part },
      svg("rect", { x: middle - wide / 2, y: top, width: wide, height: NODE, rx: 8 }),
      svg("text", { x: middle, y: top + NODE / 2 + 5, "text-anchor": "middle" }, text));
    return [arrow, box];
  }

  // What is pressed to choose the word whose score is explained; each tells its numbers.
  /** @param {SVGElement} root @param {number} bottom */
  columns(root, bottom) {
    const { picture, place, words } = this, { picks } = picture;
    picture.columns.forEach(({ text }, column) => {
      const chosen = column === picture.chosen;
      const told = picture.rows.flatMap((row) => [row, row.beside ?? [], row.lengths ?? []].flat());
      const numbers = told.map((row) => `${row.title}: ${toldOf(row, column, words.hidden)}`);
      const hit = svg("rect", { x: place.left + column * place.cell, y: 0, width: place.cell, height: bottom, class: "hit" });
      const pick = picks ? { role: "button", tabindex: -1, "aria-pressed": chosen } : { role: "img" };
      const says = [text, ...numbers, ...(text === END ? [words.end] : [])].join("\n");
      const group = svg("g", { class: `column${text === END ? " noted" : ""}${chosen ? " chosen" : ""}`, ...pick, "aria-label": `${text}: ${numbers.join(", ")}` }, svg("title", {}, says), hit);
      if (picks) group.addEventListener("click", () => this.tell(column, picks[column]));
      root.append(group);
    });
  }

  // Choose the column `by` further on.
  /** @param {number} by */
  move(by) {
    const { picks, chosen } = this.picture;
    const next = (chosen ?? NaN) + by;
    if (picks?.[next] !== undefined) this.tell(next, picks[next]);
  }

  /** @param {string} key */
  light(key, moving = false) {
    this.step = key;
    const { picture } = this, step = picture.steps[picture.at[key]];
    if (!step) return;
    this.tellStep(step);
    for (const part of /** @type {NodeListOf<HTMLElement | SVGElement>} */ (this.root.querySelectorAll("[data-part]"))) {
      part.classList.toggle("lit", step.lit.includes(part.dataset.part ?? ""));
    }
    for (const term of this.formula.querySelectorAll("[class^='term-']")) {
      const [name] = (term.getAttribute("class") ?? "").split(" ");
      term.setAttribute("class", name === `term-${step.key}` ? `${name} lit` : name);
    }
    this.fall.replaceChildren(...(step.fall ? waterfall(step.fall) : []));
    if (moving && step.lit.includes("softmax")) this.grow();
  }

  // Scores become exponentials and those weights: each bar grows out of the one above it.
  grow() {
    if (still()) return;
    this.tops.forEach((row, number) => row.forEach((own, column) => {
      const above = this.tops[number - 1]?.[column];
      if (!own || !above) return;
      const start = `translateY(${above.y - own.y}px) scaleY(${above.high / own.high})`;
      own.bar.animate([{ transform: start, transformOrigin: "top" }, { transform: "none", transformOrigin: "top" }], { duration: MOVE, easing: "ease-out" });
    }));
  }
}
