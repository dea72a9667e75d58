// Maps of heads on a canvas: how bytes are taken, where the maps lie, how they are painted.

import { NOT_YET, paletteOn, partOf, penOf, roomIn, sharpest, zoomOf } from "./canvas.js";
import { layLegend } from "./legend.js";
import { fill, unpack } from "./payload.js";
import { cellCount, fileOf } from "./picture.js";
import { Turned, isSame, pressed } from "./turned.js";

/** @import { Unpacked } from "./payload.js" */
/** @import { MapsHeader, Stop } from "./payloads" */
/** @import { Box } from "./picture.js" */
/** @typedef {{ boxes: Box[], width: number, height: number }} Arranged */
/** @typedef {{ name: string, picture: HTMLCanvasElement, across: number, rows: number, columns: number }} PaintedSheet */
/** @typedef {HTMLElement & { boxes?: Box[], texts?: string[], exact?: boolean[] }} Stage The last are for those who ask what is drawn. */

// A kind of maps says how bytes are taken (`take`), where the maps lie (`arrange`: {boxes, width, height}) and which
// colour a cell has (`colours`).
/** @template {MapsHeader} [Header=MapsHeader] */
export class Drawn {
  loads = 0;
  /** @type {Header} */ header = NOT_YET;
  /** @type {Arranged} */ place = NOT_YET;
  ratio = 1;
  /** @type {string | null} */ drawnFor = null;
  /** @type {PaintedSheet | null} */ sheet = null;
  /** @type {Turned<{ header: Header, bytes: Uint8Array, cells: Uint8Array<ArrayBuffer>, sheet?: PaintedSheet | null }>} */ seen = new Turned();

  /** @param {HTMLElement} figure */
  constructor(figure) {
    this.figure = figure;
    /** @type {Stage} */ this.stage = partOf(figure, ".stage");
    /** @type {HTMLCanvasElement} */ this.maps = partOf(figure, ".maps");
    /** @type {HTMLCanvasElement} */ this.marks = partOf(figure, ".marks");
    this.save = partOf(figure, ".save");
  }

  /** @param {Uint8Array<ArrayBuffer>} _cells */
  take(_cells) {}

  /** @param {number} _room @returns {Arranged} */
  arrange(_room) {
    return this.place;
  }

  /** @param {Stop[]} _palette @returns {(cell: number) => number} */
  colours(_palette) {
    return () => 0;
  }

  /** @param {() => void} act */
  change(act) {
    act();
  }

  mark() {}

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  async load(bytes) {
    const turn = ++this.loads, { header: shown, seen } = this;
    if (shown?.turned && isSame(bytes, seen.payloads.get(shown.turned.quantity)?.bytes)) return; // it is drawn
    /** @type {Unpacked<Header>} */
    const [header, cells] = await unpack(bytes);
    if (turn !== this.loads) return; // a later payload has come meanwhile
    this.keepSheet();
    seen.keep({ header, bytes, cells });
    this.change(() => {
      this.header = header;
      this.take(cells);
    });
  }

  // Draw what was seen, or foreseen, in the quantity that the switch has just been turned to, less what has changed since.
  /** @param {Event} event */
  async turn(event) {
    const { turned } = this.header ?? {}, { loads } = this, to = turned && pressed(event, turned.among);
    if (!to || to === turned.quantity || this.seen.of !== turned.of) return;
    const found = this.seen.payloads.get(to) ?? (await this.foreseen(turned.of, to));
    if (!found || loads !== this.loads) return;
    this.loads++; // what is still on its way is of before
    this.keepSheet();
    this.change(() => {
      this.sheet = found.sheet ?? null; // cells that were painted once are not painted again
      this.header = this.turnedHeader(found.header);
      this.take(found.cells);
    });
  }

  // What the server has handed over before it is asked for, if it is of these maps.
  /** @param {string} of @param {string} quantity */
  async foreseen(of, quantity) {
    const bytes = window.attentionBenchForeseen;
    if (!bytes) return undefined;
    /** @type {Unpacked<Header>} */
    const [header, cells] = await unpack(bytes);
    const { turned } = header, payload = { header, bytes, cells };
    if (turned?.of !== of || turned.quantity !== quantity) return undefined;
    this.seen.keep(payload);
    return this.seen.payloads.get(quantity);
  }

  // What was painted of the quantity that is left, for when the switch is turned back.
  keepSheet() {
    const { turned } = this.header ?? {}, left = turned && this.seen.payloads.get(turned.quantity);
    if (left) left.sheet = this.sheet;
  }

  /** @param {Header} header */
  turnedHeader(header) {
    return header;
  }

  describe() {
    const { header } = this;
    const file = fileOf(header), many = file === header.file ? "" : fill(header.words.many, { count: cellCount(header) });
    layLegend(this.figure, header, this.palette());
    partOf(this.figure, ".keys").textContent = [header.words.keys, many].join(" ").trim();
    this.stage.setAttribute("aria-label", header.alt);
    const saves = fill(header.words.save, { format: file.replace(/^.*\./, "").toUpperCase() });
    this.save.textContent = saves;
    this.save.setAttribute("aria-label", `${saves}: ${header.title}`);
  }

  // The colours of the page, light or dark; a picture to keep has those of paper.
  palette() {
    return paletteOn(this.figure, this.header);
  }

  // Painted once whatever the size of the page: all maps as one picture, a pixel a cell, which drawing then scales.
  /** @param {Stop[]} palette @returns {PaintedSheet} */
  sheetIn(palette) {
    const { header } = this, name = JSON.stringify(palette);
    if (this.sheet?.name === name) return this.sheet;
    const [rows, columns] = [header.rows.length - 1, header.columns.length - 1];
    const sheet = document.createElement("canvas");
    const across = Math.max(1, Math.min(header.heads.length, Math.floor(4096 / Math.max(columns, 1))));
    sheet.width = Math.max(across * columns, 1);
    sheet.height = Math.max(Math.ceil(header.heads.length / across) * rows, 1);
    const image = new ImageData(sheet.width, sheet.height);
    const pixels = new Uint32Array(image.data.buffer), colourOf = this.colours(palette);
    for (let head = 0, cell = 0; head < header.heads.length; head++) {
      const start = Math.floor(head / across) * rows * sheet.width + (head % across) * columns;
      for (let row = 0; row < rows; row++)
        for (let column = 0; column < columns; column++) pixels[start + row * sheet.width + column] = colourOf(cell++);
    }
    penOf(sheet).putImageData(image, 0, 0);
    return (this.sheet = { name, picture: sheet, across, rows, columns });
  }

  draw() {
    const room = roomIn(this.figure), wanted = (window.devicePixelRatio || 1) * zoomOf(this.figure);
    const drawnFor = `${room} ${wanted}`;
    if (!this.header || !room || drawnFor === this.drawnFor) return;
    this.place = this.arrange(room);
    const { width, height } = this.place, ratio = sharpest(wanted, this.place);
    [this.drawnFor, this.ratio] = [drawnFor, ratio];
    this.stage.style.height = `${height}px`;
    for (const canvas of [this.maps, this.marks]) {
      const [wide, high] = [width, height].map((each) => Math.round(each * ratio));
      if (canvas.width === wide && canvas.height === high) penOf(canvas).clearRect(0, 0, wide, high);
      else Object.assign(canvas, { width: wide, height: high });
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    this.paint(penOf(this.maps));
    this.mark();
    this.stage.boxes = this.place.boxes;
    this.stage.dataset.drawn = String(Number(this.stage.dataset.drawn ?? 0) + 1);
  }

  /** @param {CanvasRenderingContext2D} pen */
  paint(pen) {
    this.paintMaps(pen, this.ratio, this.palette());
  }

  // Places are rounded to whole pixels of the screen, `ratio` for each of the page's: else the edges of cells blur.
  /** @param {CanvasRenderingContext2D} pen @param {number} ratio @param {Stop[]} palette */
  paintMaps(pen, ratio, palette) {
    const { picture, across, rows, columns } = this.sheetIn(palette);
    if (!rows || !columns) return;
    this.place.boxes.forEach((box, head) => {
      const [left, top] = [box.left, box.top].map((each) => Math.round(each * ratio));
      const [wide, high] = [box.width, box.height].map((each) => Math.round(each * ratio));
      pen.imageSmoothingEnabled = wide < columns || high < rows;
      const [x, y] = [(head % across) * columns, Math.floor(head / across) * rows];
      pen.drawImage(picture, x, y, columns, rows, left, top, wide, high);
      pen.strokeStyle = "rgba(128, 128, 128, 0.45)";
      pen.strokeRect(left - 0.5, top - 0.5, wide + 1, high + 1);
    });
  }
}
