// How large the formulas of the panels are written.

import { widthOf } from "./alignment_marks.js";
import { zoomOf } from "./canvas.js";

/** @import { Panels } from "./alignment_panels.js" */

const FORMULA = { usual: 16, beside: 11.5, least: 8.5 }; // pixels of a formula's letters
const HEIGHT = { least: 30, most: 36 }; // pixels of the line that a formula is in: a fraction is higher in some browsers
const FINER = 0.5; // pixels by which letters are made smaller until the formula fits: its height does not grow evenly with them

// A formula stands beside its name where it can be read there, else all stand below the names.
/** @param {Panels} view */
export function fitFormulas(view) {
  const { place, header, family } = view, names = header.panels.map(({ title, year }) => widthOf(`${title} ${year}`, 16, family, 600));
  /** @param {number} number @param {number} pixels of its letters @returns {{ width: number, height: number }} */
  const measure = (number, pixels) => {
    const { formula } = view.panels[number], key = `${header.panels[number].formula} ${pixels}`;
    const known = view.formulas.get(key);
    if (known) return known;
    formula.style.fontSize = `${pixels}px`;
    const { width, height } = formula.getBoundingClientRect(), zoom = zoomOf(formula);
    if (!width) return { width: 1, height: 1 };
    const measured = { width: width / zoom + 2, height: height / zoom };
    view.formulas.set(key, measured);
    return measured;
  };
  const natural = view.panels.map((_panel, number) => measure(number, FORMULA.usual));
  /** @param {number} room @param {number} number */
  const size = (room, number) => Math.min(1, room / natural[number].width, HEIGHT.most / natural[number].height) * FORMULA.usual;
  const beside = names.map((name, number) => size(place.panel - name - 16, number));
  const below = Math.min(...beside) < Math.max(FORMULA.beside, place.least);
  view.bands.classList.toggle("tall", below);
  const heights = view.panels.map(({ formula }, number) => {
    const least = Math.max(FORMULA.least, place.least);
    let pixels = below ? Math.max(size(place.panel, number), least) : beside[number];
    while (measure(number, pixels).height > HEIGHT.most && pixels > least) pixels = Math.max(least, pixels - FINER);
    const { height } = measure(number, pixels);
    formula.style.fontSize = `${pixels}px`;
    return height;
  });
  view.bands.style.setProperty("--line", `${Math.ceil(Math.max(HEIGHT.least, ...heights))}px`);
}
