// What the picture of the Bench is made of: elements, and how wide words are.

export const SVG_NAME = "http://www.w3.org/2000/svg";

export const made = (name, className = "", text = null) => {
  const element = document.createElement(name);
  element.className = className;
  if (text !== null) element.textContent = text;
  return element;
};
export const within = (value, { least, most }) => Math.min(Math.max(value, least), most);
const LEFTWARD = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/; // Hebrew, Arabic and their kin
export const directionOf = (text) => (LEFTWARD.test(text) ? "rtl" : "ltr");
let pen = null; // made when it is first needed
export const widthOf = (text, size, family, weight = 400) => {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = `${weight} ${size}px ${family}`;
  return pen.measureText(text).width;
};

// The largest of `sizes` in which words fit into so many lines of `room` pixels. `widthsAt` says how wide they are at a size:
// where a browser rounds each letter to whole pixels, a width is no multiple of the size.
export function fittingSize(widthsAt, room, lines, sizes) {
  return sizes.find((size) => {
    let [used, line] = [0, 1];
    for (const width of widthsAt(size)) {
      if (used && used + width > room) [used, line] = [0, line + 1];
      used += width;
    }
    return line <= lines;
  }) ?? sizes.at(-1);
}
