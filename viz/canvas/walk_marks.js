// What the picture of a walk is made of: elements, and how words and numbers are written.

const NS = "http://www.w3.org/2000/svg";
const LONGEST = 15; // letters of a word above its column

export const svg = (name, attributes = {}, ...within) => {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...within);
  return element;
};

export const html = (name, className = "", ...within) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...within);
  return element;
};

export const cut = (text) => ([...text].length > LONGEST ? [...text].slice(0, LONGEST - 1).join("") + "…" : text);

export const short = (value) => {
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size === 0) return "0";
  if (size >= 0.005) return value.toFixed(2);
  return "≈0";
};

export const precise = (value) => (Math.abs(value) >= 0.001 || value === 0 ? value.toFixed(3) : value.toExponential(1));

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// The largest parts of a sum, each bar beginning where the one before has ended.
export function waterfall(fall) {
  const made = [html("span", "name", fall.says)];
  let at = 0, low = 0, high = 0;
  for (const [, value] of fall.parts) {
    at += value;
    [low, high] = [Math.min(low, at), Math.max(high, at)];
  }
  const span = high - low || 1, line = (label, from, to, value, extra) => {
    const bar = html("i", value < 0 ? "below" : "");
    bar.style.left = `${(100 * (Math.min(from, to) - low)) / span}%`;
    bar.style.width = `${(100 * Math.abs(to - from)) / span}%`;
    made.push(html("span", `label ${extra}`, label), html("span", `bar ${extra}`, bar), html("span", `number ${extra}`, precise(value)));
  };
  at = 0;
  for (const [label, value] of fall.parts) line(label, at, (at += value), value, "");
  line(fall.sum, 0, fall.total, fall.total, "total");
  return made;
}
