// Maps as a picture to keep: dark on white, with their words, as PNG or SVG.
// Lengths are in CSS pixels; whatever comes from the data becomes text, drawn or in a text node, never markup.

import { penOf, sharpest } from "./canvas.js";

/** @import { Size } from "./canvas.js" */
/** @import { Area, MapsHeader, SheetText, Stop } from "./payloads" */
/** @typedef {{ left: number, top: number, width: number, height: number }} Box */
/** @typedef {Area & { colour: string }} Frame */
/** @typedef {{ size: number, weight: number, opacity?: number }} TextStyle */
/** @typedef {Size & { texts: SheetText[], maps: Area, frames: Frame[], bar: Area, crosses?: Area[] }} Sheet */
/**
 * @typedef {object} PicturedMaps What a picture is made of: maps that are shown.
 * @property {MapsHeader} header
 * @property {{ boxes: Box[] }} place
 * @property {() => Sheet} compose
 * @property {(palette: Stop[]) => (cell: number) => number} colours
 * @property {(pen: CanvasRenderingContext2D, ratio: number, palette: Stop[]) => void} paintMaps
 */

const MARGIN = 16;
const SHARP = 2; // pixels of the picture for each of the page's
const SVG = "http://www.w3.org/2000/svg";
const MOST_SHAPES = 40_000; // cells of an SVG, each a shape: what holds more is slow to open in any program

// Both formats are made from one sheet, the view's `compose`, so that they cannot differ.
/** @param {PicturedMaps} view */
export async function pictureOf(view) {
  const sheet = withMargin(view.compose());
  return fileOf(view.header).endsWith(".svg") ? asSvg(view, sheet) : asPng(view, sheet);
}

/** @param {MapsHeader} header */
export const cellCount = ({ heads, rows, columns }) => heads.length * (rows.length - 1) * (columns.length - 1);

// The name of the file, of which an SVG of too many cells is a PNG.
/** @param {MapsHeader} header */
export const fileOf = (header) => (cellCount(header) > MOST_SHAPES ? header.file.replace(/\.svg$/, ".png") : header.file);

/** @param {Blob} file @param {string} name */
export function saveAs(file, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {Sheet} sheet @returns {Sheet} */
function withMargin({ width, height, texts, maps, frames, bar, crosses }) {
  /** @template {{ x: number, y: number }} Part @param {Part} part @returns {Part} */
  const moved = (part) => ({ ...part, x: part.x + MARGIN, y: part.y + MARGIN });
  return {
    width: width + 2 * MARGIN,
    height: Math.ceil(height + 2 * MARGIN),
    texts: texts.map(moved),
    maps: moved(maps),
    frames: frames.map(moved),
    bar: moved(bar),
    crosses: crosses?.map(moved),
  };
}

/** @param {TextStyle} style @param {string} family */
export const fontOf = ({ size, weight }, family) => `${weight} ${size}px ${family}`;

// Write one text of a sheet: its place is where its line begins, has its `middle` or its `end`; it may be turned about it.
/** @param {CanvasRenderingContext2D} pen @param {SheetText} text @param {string} family */
export function write(pen, { text, x, y, middle, end, turn = 0, opacity = 1, ...style }, family) {
  pen.save();
  pen.font = fontOf(style, family);
  pen.textAlign = middle ? "center" : end ? "right" : "left";
  pen.globalAlpha = opacity;
  pen.translate(x, y);
  pen.rotate((turn * Math.PI) / 180);
  pen.fillText(text, 0, 0);
  pen.restore();
}

/** @param {CanvasRenderingContext2D} pen @param {Area} bar @param {Stop[]} palette */
export function paintBar(pen, bar, palette) {
  const fade = pen.createLinearGradient(bar.x, 0, bar.x + bar.width, 0);
  for (const [place, colour] of palette) fade.addColorStop(place, colour);
  pen.fillStyle = fade;
  pen.fillRect(bar.x, bar.y, bar.width, bar.height);
}

// A cross lies within its cell; grey, so that no colour of a weight is meant.
const CROSS_OPACITY = 0.8;
const WITHIN = 0.3; // of a cell on each side of its cross

/** @param {Area} cell @returns {[x1: number, y1: number, x2: number, y2: number]} */
const strokeOf = ({ x, y, width, height }) =>
  [x + WITHIN * width, y + WITHIN * height, x + (1 - WITHIN) * width, y + (1 - WITHIN) * height];

// All crosses as one path; none where nothing is crossed out.
/** @param {Area[]} crosses */
const crossesIn = (crosses) => {
  const strokes = crosses.map(strokeOf).map(([x1, y1, x2, y2]) => `M${x1} ${y1}L${x2} ${y2}M${x1} ${y2}L${x2} ${y1}`);
  return strokes.length ? [strokes.join("")] : [];
};

/** @param {CanvasRenderingContext2D} pen @param {Area[] | undefined} crosses */
export function paintCrosses(pen, crosses = []) {
  pen.save();
  pen.lineWidth = 1;
  pen.strokeStyle = "#808080";
  pen.globalAlpha = CROSS_OPACITY;
  pen.beginPath();
  for (const [x1, y1, x2, y2] of crosses.map(strokeOf)) {
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.moveTo(x1, y2);
    pen.lineTo(x2, y1);
  }
  pen.stroke();
  pen.restore();
}

/** @param {Box} box @param {string} colour @returns {Frame} */
export const framed = ({ left, top, width, height }, colour) =>
  ({ x: left - 2.5, y: top - 2.5, width: width + 5, height: height + 5, colour });

/** @param {CanvasRenderingContext2D} pen @param {Frame[]} frames */
export function paintFrames(pen, frames) {
  pen.lineWidth = 3;
  for (const { x, y, width, height, colour } of frames) {
    pen.strokeStyle = colour;
    pen.strokeRect(x, y, width, height);
  }
}

// Break a text into lines of at most `wide` pixels, between words where there are any. With `cut` there is one line,
// and what is left out ends in it.
/** @param {CanvasRenderingContext2D} pen @param {string} text @param {TextStyle} style @param {string} family @param {number} wide @param {string | null} cut */
export function broken(pen, text, style, family, wide, cut = null) {
  pen.font = fontOf(style, family);
  /** @param {string} part */
  const fits = (part) => pen.measureText(part).width <= wide;
  if (cut !== null) {
    if (fits(text)) return [text];
    const letters = [...text];
    while (letters.length && !fits(letters.join("") + cut)) letters.pop();
    return [letters.length ? letters.join("") + cut : ""];
  }
  /** @type {string[]} */
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line && !fits(`${line} ${word}`)) {
      lines.push(line);
      line = "";
    }
    line = line ? `${line} ${word}` : word;
    while (!fits(line)) {
      const letters = [...line];
      let count = letters.length;
      while (count > 1 && !fits(letters.slice(0, count).join(""))) count--;
      if (count === letters.length) break;
      lines.push(letters.slice(0, count).join(""));
      line = letters.slice(count).join("");
    }
  }
  return [...lines, line].filter(Boolean);
}

// Painted anew and not copied from the page, whose screen may have fewer pixels: `sharp` for each of the page's.
/** @param {PicturedMaps} view @param {Size} size @param {number} sharp */
function paintedMaps(view, { width, height }, sharp) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(Math.round(width * sharp), 1);
  canvas.height = Math.max(Math.round(height * sharp), 1);
  view.paintMaps(penOf(canvas), sharp, view.header.palette);
  return canvas;
}

/** @param {Size} size */
const sharpness = (size) => sharpest(SHARP, size);

/** @param {PicturedMaps} view @param {Sheet} sheet @returns {Promise<Blob>} */
function asPng(view, { width, height, texts, maps, frames, bar, crosses }) {
  const { font, ink, paper, palette } = view.header;
  const sharp = sharpness({ width, height });
  const canvas = document.createElement("canvas");
  canvas.width = Math.floor(width * sharp);
  canvas.height = Math.floor(height * sharp);
  const pen = penOf(canvas);
  pen.fillStyle = paper;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(paintedMaps(view, maps, sharp), Math.round(maps.x * sharp), Math.round(maps.y * sharp));
  pen.scale(sharp, sharp);
  paintCrosses(pen, crosses);
  paintFrames(pen, frames);
  paintBar(pen, bar, palette);
  pen.fillStyle = ink;
  for (const text of texts) write(pen, text, font);
  return new Promise((done, failed) =>
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("the browser made no picture"))), "image/png"));
}

// Each cell as a rectangle, but those drawn empty; and a line around each map.
/** @param {PicturedMaps} view */
function cellsOfMaps(view) {
  const { header, place: { boxes } } = view, colourOf = view.colours(header.palette), gap = header.gaps ? 1 : 0;
  const [rows, columns] = [header.rows.length - 1, header.columns.length - 1];
  return boxes.flatMap(({ left, top, width, height }, head) => {
    const [wide, high] = [width / columns, height / rows];
    /** @type {Record<string, string | number>[]} */
    const made = [];
    for (let cell = 0; cell < rows * columns; cell++) {
      const colour = colourOf(head * rows * columns + cell), [row, column] = [Math.floor(cell / columns), cell % columns];
      const fill = "#" + [0, 8, 16].map((shift) => ((colour >>> shift) & 255).toString(16).padStart(2, "0")).join("");
      if (colour) made.push({ x: left + column * wide, y: top + row * high, width: wide - gap, height: high - gap, fill });
    }
    return [...made, { x: left, y: top, width, height, fill: "none", stroke: "#808080", "stroke-opacity": 0.45 }];
  });
}

/** @param {PicturedMaps} view @param {Sheet} sheet */
function asSvg(view, { width, height, texts, maps, frames, bar, crosses = [] }) {
  const { title, alt, font, ink, paper, palette } = view.header;
  /** @param {string} name @param {Record<string, unknown>} attributes @param {(string | Node)[]} within */
  const make = (name, attributes, ...within) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    element.append(...within);
    return element;
  };
  const stops = palette.map(([offset, colour]) => make("stop", { offset, "stop-color": colour }));
  const root = make(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "font-family": font, fill: ink },
    make("title", {}, title),
    make("desc", {}, alt),
    make("defs", {}, make("linearGradient", { id: "weights" }, ...stops)),
    make("rect", { width, height, fill: paper }),
    make("g", { "shape-rendering": "crispEdges", transform: `translate(${maps.x} ${maps.y})` }, ...cellsOfMaps(view).map((cell) => make("rect", cell))),
    ...crossesIn(crosses).map((d) => make("path", { d, fill: "none", stroke: "#808080", opacity: CROSS_OPACITY })),
    ...frames.map(({ colour, ...box }) => make("rect", { ...box, fill: "none", stroke: colour, "stroke-width": 3 })),
    make("rect", { ...bar, fill: "url(#weights)" }),
    ...texts.map(({ text, x, y, middle, end, turn = 0, opacity = 1, size, weight }) => {
      const anchor = middle ? "middle" : end ? "end" : "start", transform = turn ? { transform: `rotate(${turn} ${x} ${y})` } : {};
      const style = { "font-size": size, "font-weight": weight, "text-anchor": anchor, opacity };
      return make("text", { x, y, ...style, ...transform }, text);
    }),
  );
  const markup = new XMLSerializer().serializeToString(root);
  return new Blob(['<?xml version="1.0" encoding="UTF-8"?>\n', markup], { type: "image/svg+xml" });
}
