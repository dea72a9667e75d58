// The overview as a picture to keep: dark on white, with its words, as PNG or SVG. Put together with overview.js.
// Lengths are in CSS pixels; whatever comes from the data becomes text, drawn or in a text node, never markup.

const MARGIN = 16;
const TITLE = { size: 18, weight: 600 };
const SMALL = { size: 13, weight: 400 };
const NAME = { size: 12.5, weight: 400 };
const FAINT = { size: 11.5, weight: 400, opacity: 0.8 };
const LINE_HEIGHT = 1.4;
const SLACK = 0.9; // of the width that text may take: another machine's font may be wider
const LEGEND = 416;
const BAR = 12;
const SHARP = 2; // pixels of the picture for each of the page's
const MOST_SIDE = 16384, MOST_PIXELS = 2 ** 26; // what a canvas can be in every common browser
const SVG = "http://www.w3.org/2000/svg", XLINK = "http://www.w3.org/1999/xlink";

// Give the picture of an overview as a file.
async function pictureOf(view) {
  const sheet = compose(view);
  return view.header.file.endsWith(".svg") ? asSvg(view, sheet) : asPng(view, sheet);
}

function saveAs(file, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// Where every word, the maps and the legend stand: {width, height, texts, maps, frames, bar}.
function compose(view) {
  const { header, place, drawnWidth } = view, texts = [];
  const pen = document.createElement("canvas").getContext("2d");
  let top = MARGIN;
  const write = (text, style) => {
    for (const line of broken(pen, text, style, header.font, drawnWidth * SLACK)) {
      texts.push({ text: line, x: MARGIN, y: top + style.size, ...style });
      top += style.size * LINE_HEIGHT;
    }
  };
  write(header.title, TITLE);
  for (const text of [header.note, ...header.texts]) write(text, SMALL);
  top += GAP;
  const maps = { x: MARGIN, y: top, width: drawnWidth, height: place.height };
  for (const name of place.names) {
    const style = name.style === "faint" ? FAINT : NAME, middle = name.style === "middle";
    const [text] = broken(pen, name.text, style, header.font, name.wide, "…");
    const x = MARGIN + name.left + (middle ? name.wide / 2 : 0);
    if (text) texts.push({ text, x, y: top + name.top + 12, middle, ...style });
  }
  const frames = view.frames().map((box) => ({ ...box, x: MARGIN + box.x, y: top + box.y }));
  top += place.height + GAP;
  const wide = Math.min(LEGEND, drawnWidth);
  write(header.legend, SMALL);
  const bar = { x: MARGIN, y: top, width: wide, height: BAR };
  top += BAR + SMALL.size + 2;
  for (const [at, text] of header.ticks) {
    const end = { 0: "start", 1: "end" }[at];
    texts.push({ text, x: MARGIN + at * wide, y: top, middle: !end, end: end === "end", ...SMALL });
  }
  return { width: drawnWidth + 2 * MARGIN, height: Math.ceil(top + MARGIN), texts, maps, frames, bar };
}

const fontOf = ({ size, weight }, family) => `${weight} ${size}px ${family}`;

// Break a text into lines of at most `wide` pixels, between words where there are any. With `cut` there is one line,
// and what is left out ends in it.
function broken(pen, text, style, family, wide, cut = null) {
  pen.font = fontOf(style, family);
  const fits = (part) => pen.measureText(part).width <= wide;
  if (cut !== null) {
    if (fits(text)) return [text];
    const letters = [...text];
    while (letters.length && !fits(letters.join("") + cut)) letters.pop();
    return [letters.length ? letters.join("") + cut : ""];
  }
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

// The small maps alone, `sharp` pixels for each of the page's.
function paintedMaps(view, { width, height }, sharp) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(Math.round(width * sharp), 1);
  canvas.height = Math.max(Math.round(height * sharp), 1);
  view.paintMaps(canvas.getContext("2d"), sharp);
  return canvas;
}

const sharpness = ({ width, height }) =>
  Math.min(SHARP, MOST_SIDE / Math.max(width, height), Math.sqrt(MOST_PIXELS / (width * height)));

function asPng(view, { width, height, texts, maps, frames, bar }) {
  const { font, ink, paper, palette, pick_colour } = view.header;
  const sharp = sharpness({ width, height });
  const canvas = document.createElement("canvas");
  canvas.width = Math.floor(width * sharp);
  canvas.height = Math.floor(height * sharp);
  const pen = canvas.getContext("2d");
  pen.fillStyle = paper;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(paintedMaps(view, maps, sharp), Math.round(maps.x * sharp), Math.round(maps.y * sharp));
  pen.scale(sharp, sharp);
  pen.strokeStyle = pick_colour;
  pen.lineWidth = 3;
  for (const box of frames) pen.strokeRect(box.x, box.y, box.width, box.height);
  const fade = pen.createLinearGradient(bar.x, 0, bar.x + bar.width, 0);
  for (const [place, colour] of palette) fade.addColorStop(place, colour);
  pen.fillStyle = fade;
  pen.fillRect(bar.x, bar.y, bar.width, bar.height);
  pen.fillStyle = ink;
  for (const { text, x, y, middle, end, opacity = 1, ...style } of texts) {
    pen.font = fontOf(style, font);
    pen.textAlign = middle ? "center" : end ? "right" : "left";
    pen.globalAlpha = opacity;
    pen.fillText(text, x, y);
  }
  return new Promise((done, failed) =>
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("the browser made no picture"))), "image/png"));
}

function asSvg(view, { width, height, texts, maps, frames, bar }) {
  const { title, alt, font, ink, paper, palette, pick_colour } = view.header;
  const make = (name, attributes, ...within) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...within);
    return element;
  };
  const image = make("image", { ...maps });
  image.setAttributeNS(XLINK, "xlink:href", paintedMaps(view, maps, sharpness(maps)).toDataURL("image/png"));
  const stops = palette.map(([offset, colour]) => make("stop", { offset, "stop-color": colour }));
  const frame = { fill: "none", stroke: pick_colour, "stroke-width": 3 };
  const root = make(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "font-family": font, fill: ink },
    make("title", {}, title),
    make("desc", {}, alt),
    make("defs", {}, make("linearGradient", { id: "weights" }, ...stops)),
    make("rect", { width, height, fill: paper }),
    image,
    ...frames.map((box) => make("rect", { ...box, ...frame })),
    make("rect", { ...bar, fill: "url(#weights)" }),
    ...texts.map(({ text, x, y, middle, end, opacity = 1, size, weight }) => {
      const anchor = middle ? "middle" : end ? "end" : "start";
      return make("text", { x, y, "font-size": size, "font-weight": weight, "text-anchor": anchor, opacity }, text);
    }),
  );
  const markup = new XMLSerializer().serializeToString(root);
  return new Blob(['<?xml version="1.0" encoding="UTF-8"?>\n', markup], { type: "image/svg+xml" });
}
