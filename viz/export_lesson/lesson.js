// A lesson in one file: turns its steps, feeds their pictures when they are seen and when something is chosen in them, and
// answers its questions. Texts come from the page and become text again, never markup.

import { fill, through, unpack } from "../canvas/payload.js";
import { pack } from "./packing.js";

/** @import { Unpacked } from "../canvas/payload.js" */
/** @import { ComparisonHeader, OverviewHeader, Place, Prediction } from "../canvas/payloads" */
/** @typedef {{ row: number, column?: number | null, step: string }} Chosen */
/** @typedef {HTMLElement & { heights?: number[] | null, revealed?: { gap: number } | null, ontold?: boolean }} Expected */

/** @template {Element} [Kind=HTMLElement] @param {ParentNode} root @param {string} selector @returns {Kind} */
const partOf = (root, selector) => /** @type {Kind} */ (root.querySelector(selector));
/** @param {ParentNode} root @param {string} selector */
const allOf = (root, selector) => /** @type {HTMLElement[]} */ ([...root.querySelectorAll(selector)]);
/** @type {HTMLButtonElement} */
const previous = partOf(document, "#previous");
/** @type {HTMLButtonElement} */
const next = partOf(document, "#next");

/** @type {Record<string, string>} */
const words = JSON.parse(partOf(document, "#words").textContent);
const steps = allOf(document, "section.step");
/** @type {Record<string, number | undefined>} */
const KEYS = { PageDown: 1, PageUp: -1 };
const SETTLED = 600; // milliseconds in which pictures that have just been fed are drawn
/** @param {Element} element */
const bytesOf = (element) => Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
/** @param {Element} place */
const heldBy = (place) => bytesOf(partOf(place, ':scope > script[type="application/octet-stream"]'));
/** @param {Uint8Array} bytes */
const textOf = (bytes) => new TextDecoder().decode(bytes);
/** @param {Element} place @param {unknown} detail */
const feed = (place, detail) => place.dispatchEvent(new CustomEvent("fed", { detail }));

// Steps.

let number = 0;
const asked = () => Math.min(Math.max(parseInt(location.hash.slice(1), 10) || 1, 1), steps.length);
/** @param {number} to */
const turn = (to) => {
  if (to >= 1 && to <= steps.length) location.hash = `#${to}`;
};

function show() {
  number = asked();
  steps.forEach((step, place) => (step.hidden = place + 1 !== number));
  /** @type {HTMLProgressElement} */
  const progress = partOf(document, ".bar progress");
  progress.value = number;
  document.querySelectorAll(".bar a").forEach((link, place) =>
    place + 1 === number ? link.setAttribute("aria-current", "step") : link.removeAttribute("aria-current"));
  previous.disabled = number === 1;
  next.disabled = number === steps.length;
  const step = steps[number - 1], { point } = step.dataset;
  window.attentionBenchPoint = point ? { ...JSON.parse(point), done: false } : null;
  window.scrollTo(0, 0);
  feedAll(step);
}

// A step is shown as it was written, whatever was chosen in it before.
/** @param {HTMLElement} step */
function feedAll(step) {
  step.classList.remove("chosen");
  for (const place of allOf(step, "[data-canvas]"))
    if (place.dataset.canvas === "prediction") expect(place); else feed(place, heldBy(place));
  for (const chart of allOf(step, ".chart")) draw(chart);
}

previous.addEventListener("click", () => turn(number - 1));
next.addEventListener("click", () => turn(number + 1));
window.addEventListener("hashchange", show);
window.addEventListener("keydown", (event) => {
  const { key, ctrlKey, altKey, metaKey, shiftKey } = event, by = KEYS[key];
  if ((ctrlKey || metaKey) && key === "p") printAll();
  else if (by && !ctrlKey && !altKey && !metaKey && !shiftKey) turn(number + by);
  else return;
  event.preventDefault();
}, { capture: true });

// What is chosen in a picture.

/** @template Value @param {Element} place @param {string} name @param {(value: Value) => void} act */
const whenTold = (place, name, act) => place.addEventListener("told", (event) => {
  const { detail } = /** @type {CustomEvent<{ name: string, value: Value }>} */ (event);
  if (detail.name === name) act(detail.value);
});
for (const place of allOf(document, '[data-canvas="walk"]'))
  whenTold(place, "chosen", (/** @type {Chosen} */ chosen) => walk(place, chosen));
for (const place of allOf(document, '[data-canvas="overview"]'))
  whenTold(place, "picked", (/** @type {Place[]} */ picked) => compare(place, picked));

/** @param {Element} place */
const around = (place) => /** @type {HTMLElement} */ (place.parentElement);
/** @param {Element} place */
const stepAround = (place) => /** @type {HTMLElement} */ (place.closest(".step"));

/** @param {HTMLElement} place @param {Chosen} chosen */
async function walk(place, { row, column, step }) {
  const { of } = around(place).dataset, at = `${row} ${column ?? ""}`;
  const found = document.querySelector(`script[data-of="${of}"][data-at="${at}"]`);
  say(place, found ? "" : words.missing);
  if (!found) return;
  /** @type {Unpacked<object>} */
  const [header, cells] = await unpack(bytesOf(found));
  feed(place, await pack({ ...header, step }, cells));
}

/** @param {HTMLElement} place @param {string} text */
function say(place, text) {
  let line = around(place).querySelector(".missing");
  if (!line) around(place).append(line = Object.assign(document.createElement("p"), { className: "missing", role: "status" }));
  line.textContent = text;
}

// Picked heads with their weights exact, side by side.
/** @param {HTMLElement} place @param {Place[]} picked */
async function compare(place, picked) {
  const step = stepAround(place), maps = step.querySelector('[data-canvas="comparison"]');
  const store = document.querySelector(`script[data-of="${around(place).dataset.of}"]`);
  if (!maps || !store || !picked.length) return;
  /** @type {[Unpacked<ComparisonHeader>, Unpacked<OverviewHeader>, Unpacked<{ heads: Place[] }>]} */
  const [[header], [overview], [{ heads }, cells]] = await Promise.all([unpack(heldBy(maps)), unpack(heldBy(place)), unpack(bytesOf(store))]);
  const size = 4 * (header.rows.length - 1) * (header.columns.length - 1);
  const sorted = [...picked].sort(([a, b], [c, d]) => a - c || b - d), here = sorted.map(([layer, head]) =>
    heads.findIndex(([other, own]) => other === layer && own === head));
  if (here.some((each) => each < 0)) return;
  const weights = new Uint8Array(size * here.length);
  here.forEach((each, at) => weights.set(cells.subarray(each * size, (each + 1) * size), at * size));
  const names = sorted.map(([layer, head]) => fill(header.words.head, { layer, head })).join("; ");
  const title = `${names}: ${overview.title}`;
  step.classList.add("chosen");
  feed(maps, await pack({ ...header, title, alt: title, heads: sorted }, weights));
}

// Questions.

for (const box of allOf(document, ".choices"))
  box.addEventListener("change", ({ target }) => {
    const right = target instanceof HTMLInputElement && target.value === box.dataset.right, verdict = partOf(box, ".verdict");
    verdict.textContent = right ? words.right : words.wrong;
    verdict.classList.toggle("right", right);
  });

// A row that the reader draws before it is shown.
/** @param {Expected} place */
function expect(place) {
  const box = /** @type {HTMLElement} */ (place.closest(".expected")), step = stepAround(place), said = partOf(box, ".agreement");
  /** @type {HTMLButtonElement} */
  const reveal = partOf(box, ".reveal");
  /** @type {HTMLButtonElement} */
  const again = partOf(box, ".again");
  /** @type {Prediction & { row: number[] }} */
  const data = JSON.parse(textOf(heldBy(place)));
  if (!place.ontold) {
    place.ontold = true;
    whenTold(place, "heights", (/** @type {number[]} */ drawn) => {
      place.heights = drawn;
      reveal.disabled = !drawn.some((each) => each > 0);
    });
  }
  const heights = place.heights ?? data.heights;
  reveal.disabled = !heights.some((each) => each > 0);
  feed(place, { ...data, heights, model: place.revealed ? data.row : null, gap: place.revealed?.gap ?? null });
  reveal.onclick = () => {
    const drawn = place.heights ?? heights, total = drawn.reduce((sum, each) => sum + each, 0);
    const apart = data.row.map((weight, at) => weight - drawn[at] / total);
    const gap = apart.reduce((widest, each, at) => (Math.abs(each) > Math.abs(apart[widest]) ? at : widest), 0);
    const share = data.row.reduce((sum, weight, at) => sum + Math.min(weight, drawn[at] / total), 0);
    place.revealed = { gap };
    const values = { word: data.words[gap], difference: Math.abs(apart[gap]).toFixed(2) };
    const lines = [fill(words.share, { share: share.toFixed(2) }),
      fill(words.gap, { gap: fill(apart[gap] > 0 ? words.more : words.less, values) }), words.means];
    said.replaceChildren(...lines.map((text) => Object.assign(document.createElement("p"), { textContent: text })));
    expect(place);
  };
  again.onclick = () => {
    Object.assign(place, { revealed: null, heights: null });
    said.replaceChildren();
    expect(place);
  };
  [reveal.hidden, again.hidden] = [Boolean(place.revealed), !place.revealed];
  step.classList.toggle("hides", !place.revealed);
}

// Charts: the library that draws them is put in once, when the first is seen.

/** @type {Promise<void> | null} */
let library = null;
const charts = () => (library ??= (async () => {
  const script = document.createElement("script");
  script.textContent = textOf(await through(bytesOf(partOf(document, "script[data-charts]")), new DecompressionStream("deflate")));
  document.head.append(script);
})());

/** @param {HTMLElement} chart */
async function draw(chart) {
  if (chart.classList.contains("drawn")) return;
  chart.classList.add("drawn");
  const spec = JSON.parse(textOf(await through(heldBy(chart), new DecompressionStream("deflate"))));
  await charts();
  const place = document.createElement("div");
  chart.append(place);
  window.Plotly.newPlot(place, spec.figure.data, spec.figure.layout, spec.config);
}

// On paper all steps stand one after the other.

async function printAll() {
  document.body.classList.add("printed");
  steps.forEach((step) => (step.hidden = false));
  steps.forEach(feedAll);
  await new Promise((done) => setTimeout(done, SETTLED));
  window.print();
  document.body.classList.remove("printed");
  show();
}

partOf(document, "#print").addEventListener("click", printAll);
show();
