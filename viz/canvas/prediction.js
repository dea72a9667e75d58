// A row that the reader expects: a click marks a word, a drag draws its share, and once the model's row is there it stands
// beside. What is drawn goes to the server when the pointer is let go.

/** @import { Prediction } from "./payloads" */
/** @typedef {HTMLElement & { isDrawn?: boolean, sent?: number[] | null, about?: string }} Figure What it knows from one call to the next. */

const STEP = 0.1;
/** @type {Record<string, number | undefined>} */
const CHANGES = { ArrowUp: STEP, ArrowDown: -STEP };

/** @param {Mount<Prediction>} mount */
export default function show({ parentElement, data, setStateValue }) {
  const figure = /** @type {Figure} */ (parentElement.querySelector(".prediction"));
  if (figure.isDrawn) return; // the reply to what is being drawn comes when the pointer is let go
  const { words, model, gap, says } = data;
  const heights = newest(figure, words.join("\n"), words.map((_, place) => data.heights[place] ?? 0), Boolean(model));
  figure.classList.toggle("revealed", Boolean(model));
  within(figure, ".keys").textContent = model ? says.beside : says.keys;
  const scheme = getComputedStyle(figure).color.match(/\d+/g)?.map(Number) ?? [0, 0, 0];
  figure.classList.toggle("night", scheme[0] + scheme[1] + scheme[2] > 384);
  const columns = words.map((word, place) => column(word, place, { code: data.code, isFixed: Boolean(model) }));
  const row = within(figure, ".columns");
  row.setAttribute("aria-label", says.group);
  row.replaceChildren(...columns);
  const draw = () => {
    const total = heights.reduce((sum, each) => sum + each, 0);
    columns.forEach((each, place) => {
      const share = total ? heights[place] / total : 0, [bar, number] = [within(each, ".bar"), within(each, ".number")];
      bar.style.height = `${100 * share}%`;
      each.classList.toggle("marked", share > 0);
      each.setAttribute("aria-valuenow", share.toFixed(2));
      number.replaceChildren(...(share ? [told("i", share)] : []), ...(model ? [" ", told("b", model[place])] : []));
      if (!model) return;
      within(each, ".model").style.height = `${100 * model[place]}%`;
      each.classList.toggle("gap", place === gap);
      each.setAttribute("aria-valuetext", `${share.toFixed(2)}; ${says.model} ${model[place].toFixed(2)}`);
    });
  };
  /** @type {Hand["set"]} */
  const set = (place, height) => { heights[place] = Math.min(Math.max(height, 0), 1); draw(); };
  const send = () => setStateValue("heights", (figure.sent = [...heights]));
  if (!model) columns.forEach((each, place) => listen(each, place, { heights, set, send }));
  draw();
}

/** @param {ParentNode} root @param {string} selector */
const within = (root, selector) => /** @type {HTMLElement} */ (root.querySelector(selector));

// What was sent last holds until it comes back: the reply to what was drawn before it is older than it.
/** @param {Figure} figure @param {string} about @param {number[]} known @param {boolean} isRevealed */
function newest(figure, about, known, isRevealed) {
  const isBack = figure.sent?.every((each, place) => Math.abs(each - known[place]) < 0.01);
  if (isRevealed || figure.about !== about || isBack) figure.sent = null;
  figure.about = about;
  return [...(figure.sent ?? known)];
}

/**
 * @typedef {{ heights: number[], set(place: number, height: number): void, send(): void }} Hand What a column does to the row.
 * @param {HTMLElement} element @param {number} place @param {Hand} hand
 */
function listen(element, place, { heights, set, send }) {
  /** @type {{ y: number, dragged: boolean } | null} */
  let from = null;
  /** @param {PointerEvent} event */
  const at = (event) => {
    const box = within(element, ".room").getBoundingClientRect();
    return (box.bottom - event.clientY) / box.height;
  };
  const figure = /** @type {Figure} */ (element.closest(".prediction") ?? {});
  element.onpointerdown = (event) => { figure.isDrawn = true; from = { y: event.clientY, dragged: false }; element.setPointerCapture(event.pointerId); };
  element.onpointermove = (event) => {
    if (!from || (!from.dragged && Math.abs(event.clientY - from.y) < 5)) return;
    from.dragged = true;
    set(place, at(event));
  };
  element.onpointerup = () => {
    figure.isDrawn = false;
    if (from && !from.dragged) set(place, heights[place] ? 0 : 1);
    if (from) send();
    from = null;
  };
  element.onpointercancel = () => { figure.isDrawn = false; from = null; };
  element.onkeydown = (event) => {
    const by = CHANGES[event.key], toggles = event.key === " " || event.key === "Enter";
    if (!by && !toggles) return;
    event.preventDefault();
    set(place, toggles ? (heights[place] ? 0 : 1) : heights[place] + (by ?? 0));
    send();
  };
}

/** @param {string} word @param {number} place @param {{ code: string, isFixed: boolean }} row */
function column(word, place, { code, isFixed }) {
  const element = document.createElement("div");
  /** @param {string} name */
  const part = (name, text = "") => {
    const made = document.createElement("div");
    made.className = name;
    made.textContent = text;
    return made;
  };
  element.className = "column";
  for (const [name, value] of Object.entries({ role: "slider", tabindex: "0", "aria-label": word, "aria-orientation": "vertical",
    "aria-valuemin": "0", "aria-valuemax": "1", "aria-disabled": String(isFixed), lang: code })) element.setAttribute(name, value);
  const room = part("room");
  room.append(part("bar"), ...(isFixed ? [part("model")] : []));
  element.append(part("number"), room, part("word", word));
  within(element, ".word").dir = "auto";
  return element;
}

/** @param {string} name @param {number} share */
function told(name, share) {
  const element = document.createElement(name);
  element.textContent = share.toFixed(2);
  return element;
}
