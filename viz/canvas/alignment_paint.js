// The picture of the Bench in colours: cells, windows of local attention, links, the scale; and what stands instead of cells,
// and in the corner above them.

import { SVG_NAME, fittingSize, made, widthOf, within } from "./alignment_marks.js";
import { CORNER, LABELS, Panels } from "./alignment_panels.js";
import { isDark, lookup, paletteOn, sharpest } from "./canvas.js";

export class Painted extends Panels {
  // Without attention: as many lines as words go in, through one vector, and out again.
  vector(panel) {
    const [into, one, why] = panel.vector, element = made("div", "vector"), svg = document.createElementNS(SVG_NAME, "svg");
    svg.setAttribute("viewBox", "0 0 300 130");
    svg.setAttribute("aria-hidden", "true");
    const line = (attributes) => {
      const each = document.createElementNS(SVG_NAME, "line");
      for (const [name, value] of Object.entries(attributes)) each.setAttribute(name, value);
      svg.append(each);
    };
    const spread = (count, place) => 150 + (count > 1 ? (place / (count - 1) - 0.5) * 260 : 0);
    const [words, written] = [this.header.tokens.length, panel.words.length];
    for (let word = 0; word < words; word++) line({ x1: spread(words, word), y1: 2, x2: 150, y2: 60, "stroke-opacity": 0.5 });
    for (let word = 0; word < written; word++) line({ x1: 150, y1: 70, x2: spread(written, word), y2: 128, "stroke-opacity": 0.5 });
    line({ x1: 110, y1: 65, x2: 190, y2: 65, "stroke-width": 10, stroke: "var(--st-primary-color)" });
    element.append(made("span", "", `${into} → ${one}`), svg, made("span", "", why));
    return element;
  }

  // What rows and columns are, where both begin; once, since all panels share it, and where there is room.
  corner(number) {
    const { header, place, family } = this, titles = [`↓ ${header.row_title}`, `→ ${header.key_title}`], room = place.label - 8;
    const widthsAt = (text) => (size) => text.split(" ").map((word) => widthOf(`${word} `, size, family));
    const fits = (text) => fittingSize(widthsAt(text), room, 2, [CORNER, 0]) === CORNER;
    if (number !== header.panels.findIndex(({ rows }) => rows.length) || !header.row_title || !titles.every(fits)) return [];
    return [this.cornerOf(titles.map((text) => made("span", "", text)))];
  }

  cornerOf(parts) {
    const corner = made("div", "corner");
    corner.setAttribute("aria-hidden", "true");
    Object.assign(corner.style, { width: `${this.place.label}px`, height: `${LABELS - 2}px`, fontSize: `${CORNER}px` });
    corner.append(...parts);
    return corner;
  }

  // What a colour means, in the first corner that says nothing else.
  scaleInCorner() {
    const scale = made("span", "strip");
    if (!this.header.key_title) return;
    scale.append("0", made("i"), "1");
    this.intoFreeCorner([made("span", "", this.header.words.brief), scale]);
  }

  // What the tint of a written word means, in the next free corner; below the scale where the maps stand below each other.
  tintInCorner() {
    const { doubt } = this.header.words, tint = made("span", "tint");
    if (!doubt) return;
    tint.append(made("b"), doubt);
    const below = this.place.across === 1 && this.figure.querySelector(".corner:has(.strip)");
    if (below) below.append(tint);
    else this.intoFreeCorner([tint]);
  }

  intoFreeCorner(parts) {
    const free = this.panels.find(({ plot }) => plot && !plot.querySelector(".corner"));
    free?.plot.firstChild.append(this.cornerOf(parts));
  }

  get isNight() {
    return isDark(this.figure);
  }

  palette() {
    return paletteOn(this.figure, this.header);
  }

  // The colour of a weight from 0 to 1, as text.
  shade(weight) {
    return this.shades[Math.round(Math.sqrt(within(weight, { least: 0, most: 1 })) * 255)];
  }

  paint() {
    const { header, place } = this, night = this.isNight;
    this.figure.classList.toggle("night", night);
    this.shades = shadesOf(header, this.palette());
    const bar = this.figure.querySelector(".bar"), stops = this.palette().map(([at, hex]) => `${hex} ${at * 100}%`);
    const strip = made("i");
    strip.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    for (const each of this.figure.querySelectorAll(".brief i, .strip i")) each.style.background = strip.style.background;
    bar.replaceChildren(strip, ...header.ticks.filter(([at]) => at === 0 || at >= 0.2).map(([at, text]) => {
      const tick = made("b", "", text);
      tick.style.left = `${at * 100}%`;
      return tick;
    }));
    bar.hidden = !header.key_title;
    this.panels.forEach((parts, number) => {
      if (!parts.cells) return;
      for (const canvas of [parts.cells, parts.fade]) {
        const ratio = sharpest(window.devicePixelRatio || 1, parts);
        [canvas.width, canvas.height] = [Math.round(parts.width * ratio), Math.round(parts.height * ratio)];
      }
      const pen = parts.cells.getContext("2d");
      for (const { x, y, width, height, fill } of this.cellsOf(number, parts.cells.width, parts.cells.height)) {
        pen.fillStyle = fill;
        pen.fillRect(x, y, width, height);
      }
      paintWindows(pen, header.panels[number], header.tokens.length, header.window_colour);
      this.paintLinks(pen, number);
    });
    this.mark?.();
  }

  // A ring in each cell that is a link: dark on what is light, light on what is dark.
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
  cellsOf(number, width, height, shades = this.shades) {
    const { rows, weights } = this.header.panels[number], columns = this.header.tokens.length, cells = [];
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
function shadesOf(header, palette) {
  return [...lookup({ ...header, palette, threshold: 0 })].map((each) =>
    `rgb(${each & 255}, ${(each >> 8) & 255}, ${(each >> 16) & 255})`);
}

// The windows of local attention over a map: edges, centres, and one sigma of the Gaussian, dotted.
function paintWindows(pen, panel, columns, colour) {
  const { width, height } = pen.canvas, across = width / columns, down = height / panel.rows.length;
  Object.assign(pen, { strokeStyle: colour, fillStyle: colour, lineWidth: Math.max(width / 220, 1.5) });
  for (const { style, places } of panel.windows ?? []) {
    pen.setLineDash(style === "dotted" ? [3, 3] : []);
    pen.beginPath();
    places.forEach((place, row) => {
      const x = (place + 0.5) * across;
      if (style === "point") return pen.moveTo(x, (row + 0.5) * down), pen.arc(x, (row + 0.5) * down, pen.lineWidth * 1.6, 0, 7);
      pen.lineTo(x, row * down);
      pen.lineTo(x, (row + 1) * down);
    });
    style === "point" ? pen.fill() : pen.stroke();
  }
}

// Black or white, whichever can be read on a colour.
export function contrastTo(colour) {
  const [red, green, blue] = colour.match(/\d+/g).map(Number);
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? "#10151f" : "#ffffff";
}
