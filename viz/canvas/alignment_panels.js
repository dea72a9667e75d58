// The picture of the Bench, standing still: the sentence, and panels under it. All data is shown as text; formulas are ours.

import { boundsIn, labelIn } from "./alignment_bounds.js";
import { corner, fitBrief, vectorOf } from "./alignment_corners.js";
import { explain } from "./alignment_explained.js";
import { fitFormulas } from "./alignment_formulas.js";
import { SVG_NAME, directionOf, fittingSize, made, widthOf, within } from "./alignment_marks.js";
import { NOT_YET, partOf, roomIn, withEnd, zoomOf } from "./canvas.js";
import { fill, unpack } from "./payload.js";

/** @import { Unpacked } from "./payload.js" */
/** @import { AlignmentHeader, MapPanel, VectorPanel } from "./payloads" */
/** @typedef {(MapPanel | VectorPanel) & { weights: Float32Array }} Panel */
/** @typedef {Omit<AlignmentHeader, "panels"> & { panels: Panel[] }} Header */
/** @typedef {{ formula: HTMLElement, words: HTMLElement[], says: HTMLElement, notes: HTMLElement }} Texts The elements of a panel. */
/**
 * @typedef {object} Map The elements of its map, and how large that is.
 * @property {HTMLElement} plot
 * @property {HTMLElement[]} columns
 * @property {HTMLElement[]} rows
 * @property {HTMLCanvasElement} cells
 * @property {HTMLCanvasElement} fade
 * @property {number} width
 * @property {number} height
 */
/** @typedef {Texts & { map: Map | null }} Parts */
/** @typedef {{ element: HTMLElement, tokens: HTMLElement[], links: SVGSVGElement, numbers: number[] }} Band */
/**
 * @typedef {object} Laid How wide and high things are, in pixels.
 * @property {number} room @property {number} across @property {number} panel @property {number} label @property {number} wide
 * @property {number[]} rows @property {number} region @property {number} turn @property {number} font @property {number} token
 * @property {boolean} folded @property {number} least The smallest type. @property {number} above @property {string} at What for.
 */

const GAP = 24; // pixels between panels
const PANEL = 300; // pixels that a panel takes at least, where there are several in a row
const MOST_ACROSS = 4;
const NARROW = 600; // with less room the sentence takes two lines
const BESIDES = 136; // pixels of a panel's heading, its translation, and two lines said under its map
const NAME = 10; // pixels of a column's name at least: a longer one is written smaller, then cut
const MAP = { least: 220, most: 540 }; // pixels of a map's height
const GROWN = 96; // pixels that a cell of a short sentence grows to
const EMPTY = 100; // pixels that maps leave of their place at most
const SLANTED = 0.72; // of a cell: slanted names are that far apart
const STEP = 120; // pixels by which higher maps grow, so that they seldom do
const DEEPEST_TINT = 0.5;

/** @param {HTMLElement} line */
const labelsIn = (line) => /** @type {HTMLElement[]} */ ([...line.children]);

export class Panels {
  loads = 0;
  /** @type {globalThis.Map<string, { width: number, height: number }>} */ formulas = new Map();
  /** @type {Header} */ header = NOT_YET;
  /** @type {Laid} */ place = NOT_YET;
  /** @type {Parts[]} */ panels = NOT_YET;
  /** @type {Band[]} */ parts = NOT_YET;
  /** @type {string | null} */ drawnFor = null;
  family = "";

  /** @param {HTMLElement} figure */
  constructor(figure) {
    this.figure = figure;
    /** @type {HTMLElement & { texts?: string[], exact?: boolean[] }} */ this.stage = figure;
    figure.classList.add("stage");
    this.bands = partOf(figure, ".bands");
    this.live = partOf(figure, ".live");
    this.keys = partOf(figure, ".keys");
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(figure);
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    window.addEventListener("resize", () => this.draw(), { signal });
    figure.addEventListener("transitionend", (event) => event.target === figure && this.panels && this.paint(), { signal }); // the theme
  }

  dispose() {
    this.listeners.abort();
    this.sizes.disconnect();
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  async load(bytes) {
    const turn = ++this.loads;
    /** @type {Unpacked<Header>} */
    const [header, cells] = await unpack(bytes);
    if (turn !== this.loads) return; // a later payload has come meanwhile
    const weights = new Float32Array(cells.slice().buffer), columns = header.tokens.length;
    let start = 0;
    for (const panel of header.panels) {
      const size = panel.rows.length * columns;
      panel.weights = weights.subarray(start, (start += size));
    }
    [this.header, this.drawnFor] = [header, null];
    this.draw();
  }

  draw() {
    const room = roomIn(this.figure), drawnFor = `${room} ${window.innerHeight} ${window.devicePixelRatio} ${zoomOf(this.figure)}`;
    if (!this.header || !room || drawnFor === this.drawnFor) return;
    this.drawnFor = drawnFor;
    this.family = getComputedStyle(this.figure).fontFamily;
    this.place = this.arrange(room);
    this.build();
    this.paint();
    // What is drawn, for those who ask this element.
    Object.assign(this.stage, { texts: this.header.tokens, exact: this.header.panels.map((panel) => panel.rows.length > 0).filter(Boolean) });
    this.stage.dataset.drawn = String(Number(this.stage.dataset.drawn ?? 0) + 1);
  }

  // Widths and heights follow the page and the number of panels: while somebody types, cells shrink, and no place does.
  /** @param {number} room @returns {Laid} */
  arrange(room) {
    const { header, family, figure } = this, count = header.panels.length, columns = header.tokens.length, { least, free, above, cell, row } = boundsIn(figure);
    /** @param {number[]} sizes */
    const readable = (sizes) => sizes.filter((size) => size >= least);
    const most = within(Math.floor((room + GAP) / (PANEL + GAP)), { least: 1, most: MOST_ACROSS });
    const across = Math.ceil(count / Math.ceil(count / most));
    const panel = Math.floor((room - GAP * (across - 1)) / across), label = labelIn(panel, header.panels, family, least);
    const height = within(Math.min(free, panel * 1.08), MAP);
    const tallest = Math.max(...header.panels.map((each) => each.rows.length), 1);
    const wide = within((panel - label - 14) / columns, { least: cell.least, most: Math.max(cell.most, Math.min(height / tallest, GROWN)) });
    const rows = header.panels.map((each) => within(height / Math.max(each.rows.length, 1),
      { least: row, most: within(wide * 1.35, { least: 20, most: GROWN }) }));
    const taken = Math.max(...header.panels.map((each, number) => each.rows.length * rows[number]));
    const at = `${room} ${height} ${count}`, held = this.place?.at === at ? Math.min(height, this.place.region) : 0;
    const region = taken > height + 1 ? Math.ceil(taken / STEP) * STEP : Math.max(Math.min(height, taken + EMPTY), held);
    const widest = Math.max(...header.tokens.map((text) => widthOf(text, 13, family)), 1);
    const turn = widest + 4 <= wide ? 0 : wide >= 16 ? -45 : -90;
    const font = turn === -90 ? Math.max(within(wide * 0.95, { least: 8, most: 12 }), least) : turn ? Math.min(Math.max(wide * SLANTED, least), 13) : 13;
    const folded = room < NARROW;
    /** @param {number} size */
    const widthsAt = (size) => header.tokens.map((text) => widthOf(text, size, family) + 0.5 * size);
    const token = fittingSize(widthsAt, room - 8, folded ? 2 : 1, readable(folded ? [17, 16, 15, 14, 13, 12] : [20, 19, 18, 17, 16, 15, 14, 13]));
    return { at, room, across, panel, label, wide, rows, region, turn, font, token, folded, least, above };
  }

  paint() {}

  build() {
    const { header, place } = this;
    Object.assign(this, { panels: [], parts: [] });
    for (let first = 0; first < header.panels.length; first += place.across) this.parts.push(this.band(first));
    this.bands.replaceChildren(...this.parts.map(({ element }) => element));
    fitFormulas(this);
    this.describe();
    fitBrief(this);
    explain(this);
  }

  /** @param {number} first @returns {Band} */
  band(first) {
    const { header, place } = this, element = made("div", "band"), tokens = made("div", "tokens");
    tokens.classList.toggle("folded", place.folded);
    tokens.style.fontSize = `${place.token}px`;
    tokens.dir = header.leftward ? "rtl" : "ltr";
    if (header.code) tokens.lang = header.code;
    const words = header.tokens.map((text, key) => this.word(text, { key }, `t${first}-${key}`));
    this.listen(tokens, words, header.words.sentence, first === 0);
    const grid = made("div", "panels");
    Object.assign(grid.style, { gridTemplateColumns: `repeat(${place.across}, ${place.panel}px)`, gap: `8px ${GAP}px` });
    const numbers = header.panels.slice(first, first + place.across).map((_, each) => first + each);
    grid.append(...numbers.map((number) => this.panel(number)));
    const links = document.createElementNS(SVG_NAME, "svg");
    links.setAttribute("class", "links");
    links.setAttribute("aria-hidden", "true");
    element.append(tokens, grid, links);
    return { element, tokens: words, links, numbers };
  }

  /** @param {string} text @param {Record<string, number>} data @param {string} id */
  word(text, data, id) {
    const word = made("span", "word", text);
    word.id = id;
    word.dir = directionOf(text);
    word.setAttribute("role", "option");
    Object.assign(word.dataset, data);
    return word;
  }

  // A line of words is one stop of the Tab key: arrow keys go from word to word.
  /** @param {HTMLElement} line @param {(string | HTMLElement)[]} words @param {string} label @param {boolean} stop */
  listen(line, words, label, stop = true) {
    line.append(...withEnd(words));
    if (!stop) {
      line.setAttribute("aria-hidden", "true");
      return;
    }
    line.tabIndex = 0;
    line.setAttribute("role", "listbox");
    line.setAttribute("aria-orientation", "horizontal");
    line.setAttribute("aria-label", label);
    line.setAttribute("aria-describedby", this.keys.id);
  }

  /** @param {number} number */
  panel(number) {
    const { header, place } = this, panel = header.panels[number], element = made("section", "panel");
    element.dataset.panel = String(number);
    const head = made("div", "head"), name = made("h2", "name", `${panel.title} `), formula = made("span", "formula");
    name.append(made("span", "year", panel.year));
    if (panel.formula) formula.append(document.importNode(new DOMParser().parseFromString(panel.formula, "application/xml").documentElement, true));
    head.append(name, formula);
    const translation = made("p", "translation"), size = this.sizeOf(panel);
    if (panel.code) translation.lang = panel.code;
    translation.dir = panel.leftward ? "rtl" : "ltr";
    translation.style.fontSize = `${size}px`;
    const words = panel.words.map(({ text, spaced, says }, word) => {
      const shown = this.word(text, { word }, `w${number}-${word}`);
      shown.title = says;
      shown.style.backgroundColor = this.tint(panel.sure[word]);
      return /** @type {const} */ ([spaced ? " " : "", shown]);
    });
    if (words.length) this.listen(translation, words.flat(), fill(header.words.translation, { title: panel.title }));
    else translation.append(made("em", "", panel.nothing));
    const [says, notes] = [made("p", "says", panel.says ?? header.words.one_vector), made("p", "notes", panel.notes.join(" · "))];
    const map = panel.vector ? null : this.plot(number, panel);
    const body = map ? map.plot : vectorOf(panel.vector ?? [], header.tokens.length, panel.words.length);
    if (panel.rows.length) body.style.height = `${panel.rows.length * place.rows[number] + place.above + 2}px`;
    // Below each other, maps keep the room of their own rows: nothing is level with anything.
    const kept = place.across > 1 ? place.region : Math.min(place.region, Math.ceil((panel.rows.length * place.rows[number]) / STEP) * STEP);
    if (kept) element.style.minHeight = `${kept + place.above + BESIDES}px`;
    element.append(head, translation, body, says, notes);
    this.panels[number] = { formula, words: words.map(([, word]) => word), says, notes, map };
    return element;
  }

  /** @param {Panel} panel */
  sizeOf(panel) {
    /** @param {number} size */
    const widthsAt = (size) =>
      panel.words.map(({ text, spaced }) => widthOf((spaced ? " " : "") + text, size, this.family) + 0.12 * size);
    return fittingSize(widthsAt, this.place.panel - 4, 2, [17, 16, 15, 14, 13, 12].filter((size) => size >= this.place.least));
  }

  /** @param {number} sure */
  tint(sure) {
    return `rgba(var(--tint), ${(DEEPEST_TINT * (1 - sure)).toFixed(3)})`;
  }

  /** @param {number} number @param {MapPanel} panel @returns {Map} */
  plot(number, panel) {
    const { header, place } = this, { label, wide, above } = place, high = place.rows[number];
    const plot = made("div", "plot"), inner = made("div", "inner"), [columns, rows] = [made("div", "columns"), made("div", "rows")];
    plot.tabIndex = 0;
    plot.setAttribute("role", "application");
    plot.setAttribute("aria-label", panel.alt);
    plot.setAttribute("aria-describedby", this.keys.id);
    const [width, height] = [wide * header.tokens.length, high * panel.rows.length];
    for (const each of [columns, rows]) each.setAttribute("aria-hidden", "true");
    columns.append(...header.tokens.map((text, key) => {
      const span = made("span", "", text);
      span.dataset.key = String(key);
      span.dir = directionOf(text); // a name that is cut loses its end
      // A Chinese character, or a mark, reads best as it stands.
      const turn = [...text].length === 1 && widthOf(text, place.font, this.family) <= wide ? 0 : place.turn;
      const longest = turn ? (turn === -90 ? above - 6 : (above - 10) / Math.SQRT1_2) : wide;
      const left = label + (key + 0.5) * wide + (turn === -90 ? place.font * 0.55 : turn ? 3 : -wide / 2);
      const smaller = turn ? (place.font * longest) / (widthOf(text, place.font, this.family) + 1) : place.font;
      const size = Math.min(place.font, Math.max(smaller, place.least, Math.min(NAME, place.font * 0.85)));
      Object.assign(span.style, { left: `${left}px`, bottom: `${height + 4}px`, fontSize: `${size}px`, maxWidth: `${longest}px` });
      if (turn) span.style.transform = `rotate(${turn}deg)`;
      else Object.assign(span.style, { width: `${wide}px`, textAlign: "center" });
      return span;
    }));
    rows.append(...panel.rows.map((text, row) => {
      const span = made("span"), word = panel.row_words[row], shown = made("i", "", text);
      span.append(shown);
      span.dataset.row = String(row);
      span.dir = directionOf(text);
      const usual = within(high - 3, { least: 9, most: 15 }), whole = (usual * (label - 18)) / widthOf(text, usual, this.family);
      const size = Math.max(Math.min(usual, Math.max(whole, NAME)), place.least);
      Object.assign(span.style, { width: `${label - 4}px`, top: `${above + row * high}px`, height: `${high - 1}px`, lineHeight: `${high - 1}px`, fontSize: `${size}px` });
      if (word >= 0) shown.style.backgroundColor = this.tint(panel.sure[word]);
      return span;
    }));
    const [cells, fade] = ["cells", "fade"].map((layer) => {
      const canvas = made("canvas", layer);
      Object.assign(canvas.style, { left: `${label}px`, top: `${above}px`, width: `${width}px`, height: `${height}px` });
      return canvas;
    });
    inner.style.cssText = `width: ${label + width + 2}px; height: ${above + height}px`;
    inner.append(columns, rows, cells, fade, ...corner(this, number));
    plot.append(inner);
    return { plot, columns: labelsIn(columns), rows: labelsIn(rows), cells, fade, width, height };
  }

  describe() {
    const { header, figure } = this;
    /** @param {string} part @param {string} text */
    const put = (part, text) => (partOf(figure, "." + part).textContent = text);
    figure.setAttribute("aria-label", header.title);
    put("brief span", header.words.brief);
    put("brief em", header.words.doubt);
    partOf(figure, ".brief b").hidden = !header.words.doubt; // where it is not known how sure a model was
    put("keys", header.words.keys);
  }
}
