// What the picture of a walk is made of: elements, and how words and numbers are written.

import { leastTypeIn, zoomOf } from "./canvas.js";

/** @import { WalkWindow, Waterfall } from "./payloads" */

const NS = "http://www.w3.org/2000/svg";
const LONGEST = 15; // letters of a word above its column

/** @template {keyof SVGElementTagNameMap} Name @param {Name} name @param {Record<string, unknown>} attributes @param {(Node | string)[]} within @returns {SVGElementTagNameMap[Name]} */
export const svg = (name, attributes = {}, ...within) => {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...within);
  return element;
};

/** @template {keyof HTMLElementTagNameMap} Name @param {Name} name @param {string} className @param {(Node | string)[]} within @returns {HTMLElementTagNameMap[Name]} */
export const html = (name, className = "", ...within) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...within);
  return element;
};

/** @param {string} text */
export const cut = (text) => ([...text].length > LONGEST ? [...text].slice(0, LONGEST - 1).join("") + "…" : text);

/** @param {number} value */
export const short = (value) => {
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size === 0) return "0";
  if (size >= 0.005) return value.toFixed(2);
  return "≈0";
};

/** @param {number} value */
export const precise = (value) => (Math.abs(value) >= 0.001 || value === 0 ? value.toFixed(3) : value.toExponential(1));

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// The largest parts of a sum, each bar beginning where the one before has ended.
/** @param {Waterfall} fall */
export function waterfall(fall) {
  const made = [html("span", "name", fall.says)];
  let at = 0, low = 0, high = 0;
  for (const [, value] of fall.parts) {
    at += value;
    [low, high] = [Math.min(low, at), Math.max(high, at)];
  }
  const span = high - low || 1;
  /** @param {string} label @param {number} from @param {number} to @param {number} value @param {string} extra */
  const line = (label, from, to, value, extra) => {
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

// Parts of a line stand one below the other where they must; one that is wider still becomes smaller.
/** @param {HTMLElement} formula */
export function fitFormula(formula) {
  const parts = [...formula.querySelectorAll("math")];
  for (const part of parts) part.style.fontSize = "";
  const room = formula.clientWidth - 12, sizes = parts.map((part) => [part.getBoundingClientRect().width / zoomOf(part), parseFloat(getComputedStyle(part).fontSize)]);
  parts.forEach((part, number) => {
    const [wide, size] = sizes[number];
    if (wide > room) part.style.fontSize = `${Math.max((size * room) / wide, leastTypeIn(formula))}px`;
  });
}

// The window of local attention, from `top` to `bottom`, and over its lowest `row` pixels what local-p multiplies by.
/** @param {WalkWindow} window @param {(column: number) => number} x @param {number} top @param {number} bottom @param {number} row */
export function windowOf({ centre, from, to, curve = [] }, x, top, bottom, row) {
  const tip = x(centre), group = svg("g", { class: "window", "data-part": "window" },
    svg("rect", { x: x(from), y: top, width: Math.max(x(to) - x(from), 2), height: bottom - top, rx: 5 }),
    svg("path", { d: `M${tip - 6} ${top - 9}h12l-6 9z`, class: "tip" }));
  const points = curve.map(([at, share]) => `${x(at)},${bottom - row * share}`).join(" ");
  if (points) group.append(svg("polyline", { points, class: "curve" }));
  return group;
}

// The name of the second bars of a row, in their colour; nothing where there are none.
/** @param {{ beside?: { title: string } }} row */
export const second = ({ beside }) => (beside ? [" \u00b7 ", svg("tspan", { class: "moved" }, beside.title)] : []);

const ARM = 5; // pixels

// A cross at the bar of a score that the mask takes away.
/** @param {number} x @param {number} y */
export const crossOver = (x, y) =>
  svg("path", { d: `M${x - ARM} ${y - ARM}L${x + ARM} ${y + ARM}M${x - ARM} ${y + ARM}L${x + ARM} ${y - ARM}`, class: "cross" });

/** @param {{ values: (number | null)[], crossed?: boolean[] }} row @param {number} column @param {string} hidden */
export const toldOf = ({ values, crossed }, column, hidden) => {
  const value = values[column];
  if (value === null) return hidden;
  return crossed?.[column] ? `${hidden} (${precise(value)})` : precise(value);
};
