// The picture of the Bench in colours: cells, windows of local attention, links, the scale.

import { within } from "./alignment_marks.js";
import { Panels } from "./alignment_panels.js";
import { isDark, lookup, paletteOn, penOf, sharpest, zoomOf } from "./canvas.js";
import { layLegend } from "./legend.js";

/** @import { Header, Map, Panel } from "./alignment_panels.js" */
/** @import { Area, Stop } from "./payloads" */

export class Painted extends Panels {
  /** @type {string[]} */ shades = [];

  get isNight() {
    return isDark(this.figure);
  }

  palette() {
    return paletteOn(this.figure, this.header);
  }

  // The colour of a weight from 0 to 1, as text.
  /** @param {number} weight */
  shade(weight) {
    return this.shades[Math.round(Math.sqrt(within(weight, { least: 0, most: 1 })) * 255)];
  }

  /** @override */
  paint() {
    const { header } = this, night = this.isNight;
    this.figure.classList.toggle("night", night);
    this.shades = shadesOf(header, this.palette());
    const more = [header.links, header.words.unsure, header.words.lines].filter(Boolean).join(" · ");
    const background = layLegend(this.figure, header, this.palette(), more);
    for (const each of /** @type {NodeListOf<HTMLElement>} */ (this.figure.querySelectorAll(".brief i, .strip i"))) each.style.background = background;
    this.panels.forEach(({ map }, number) => {
      if (!map) return;
      for (const canvas of [map.cells, map.fade]) {
        const ratio = sharpest((window.devicePixelRatio || 1) * zoomOf(this.figure), map);
        [canvas.width, canvas.height] = [Math.round(map.width * ratio), Math.round(map.height * ratio)];
      }
      const pen = penOf(map.cells);
      for (const { x, y, width, height, fill } of this.cellsOf(number, map.cells.width, map.cells.height)) {
        pen.fillStyle = fill;
        pen.fillRect(x, y, width, height);
      }
      paintWindows(pen, header.panels[number], header.tokens.length, header.window_colour);
      this.paintLinks(pen, number);
    });
    this.mark();
  }

  mark() {}

  // A ring in each cell that is a link: dark on what is light, light on what is dark.
  /** @param {CanvasRenderingContext2D} pen @param {number} number */
  paintLinks(pen, number) {
    const { rows, links, weights } = this.header.panels[number], columns = this.header.tokens.length;
    const [wide, high] = [pen.canvas.width / columns, pen.canvas.height / rows.length], size = Math.min(wide, high);
    pen.setLineDash([]);
    pen.lineWidth = Math.max(size * 0.09, 1.5);
    for (const [row, key] of links) {
      pen.strokeStyle = contrastTo(this.shade(weights[row * columns + key]));
      pen.beginPath();
      pen.arc((key + 0.5) * wide, (row + 0.5) * high, Math.max(size * 0.3, 2), 0, 2 * Math.PI);
      pen.stroke();
    }
  }

  // The cells of a map that is so wide and high: places rounded to whole pixels, with lines between cells that are large.
  /** @param {number} number @param {number} width @param {number} height */
  cellsOf(number, width, height, shades = this.shades) {
    const { rows, weights } = this.header.panels[number], columns = this.header.tokens.length;
    /** @type {(Area & { fill: string })[]} */
    const cells = [];
    const [xs, ys] = [[columns, width], [rows.length, height]].map(([count, length]) =>
      Array.from({ length: count + 1 }, (_, place) => Math.round((place * length) / count)));
    const gap = xs[1] - xs[0] >= 12 && ys[1] - ys[0] >= 10 ? 1 : 0;
    for (let row = 0; row < rows.length; row++)
      for (let key = 0; key < columns; key++) {
        const level = Math.round(Math.sqrt(within(weights[row * columns + key], { least: 0, most: 1 })) * 255);
        cells.push({ x: xs[key], y: ys[row], width: xs[key + 1] - xs[key] - gap, height: ys[row + 1] - ys[row] - gap, fill: shades[level] });
      }
    return cells;
  }
}

// A colour as text for each of 256 levels, each the square root of a weight.
/** @param {Header} header @param {Stop[]} palette */
function shadesOf(header, palette) {
  return [...lookup({ ...header, palette, threshold: 0 })].map((each) =>
    `rgb(${each & 255}, ${(each >> 8) & 255}, ${(each >> 16) & 255})`);
}

// The windows of local attention over a map: edges, centres, and one sigma of the Gaussian, dotted.
/** @param {CanvasRenderingContext2D} pen @param {Panel} panel @param {number} columns @param {string} colour */
function paintWindows(pen, panel, columns, colour) {
  const { width, height } = pen.canvas, across = width / columns, down = height / panel.rows.length;
  Object.assign(pen, { strokeStyle: colour, fillStyle: colour, lineWidth: Math.max(width / 220, 1.5) });
  for (const { style, places } of panel.windows ?? []) {
    pen.setLineDash(style === "dotted" ? [3, 3] : []);
    pen.beginPath();
    places.forEach((place, row) => {
      const x = (place + 0.5) * across;
      if (style === "point") {
        pen.moveTo(x, (row + 0.5) * down);
        pen.arc(x, (row + 0.5) * down, pen.lineWidth * 1.6, 0, 7);
        return;
      }
      pen.lineTo(x, row * down);
      pen.lineTo(x, (row + 1) * down);
    });
    if (style === "point") pen.fill();
    else pen.stroke();
  }
}

// Black or white, whichever can be read on a colour.
/** @param {string} colour */
export function contrastTo(colour) {
  const [red, green, blue] = (colour.match(/\d+/g) ?? []).map(Number);
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? "#10151f" : "#ffffff";
}
