// A row that the reader expects: a click marks a word, a drag draws its share, and once the model's row is there it stands
// beside. What is drawn goes to the server when the pointer is let go.

const STEP = 0.1;

export default function show({ parentElement, data, setStateValue }) {
  const figure = parentElement.querySelector(".prediction");
  if (figure.isDrawn) return; // the reply to what is being drawn comes when the pointer is let go
  const { words, model, gap, says } = data;
  const heights = newest(figure, words.join("\n"), words.map((_, place) => data.heights[place] ?? 0), Boolean(model));
  figure.classList.toggle("revealed", Boolean(model));
  figure.querySelector(".keys").textContent = model ? says.beside : says.keys;
  const scheme = getComputedStyle(figure).color.match(/\d+/g)?.map(Number) ?? [0, 0, 0];
  figure.classList.toggle("night", scheme[0] + scheme[1] + scheme[2] > 384);
  const columns = words.map((word, place) => column(word, place, { code: data.code, isFixed: Boolean(model) }));
  const row = figure.querySelector(".columns");
  row.setAttribute("aria-label", says.group);
  row.replaceChildren(...columns);
  const show = () => {
    const total = heights.reduce((sum, each) => sum + each, 0);
    columns.forEach((each, place) => {
      const share = total ? heights[place] / total : 0, [bar, number] = [each.querySelector(".bar"), each.querySelector(".number")];
      bar.style.height = `${100 * share}%`;
      each.classList.toggle("marked", share > 0);
      each.setAttribute("aria-valuenow", share.toFixed(2));
      number.replaceChildren(...(share ? [told("i", share)] : []), ...(model ? [" ", told("b", model[place])] : []));
      if (!model) return;
      each.querySelector(".model").style.height = `${100 * model[place]}%`;
      each.classList.toggle("gap", place === gap);
      each.setAttribute("aria-valuetext", `${share.toFixed(2)}; ${says.model} ${model[place].toFixed(2)}`);
    });
  };
  const set = (place, height) => { heights[place] = Math.min(Math.max(height, 0), 1); show(); };
  const send = () => setStateValue("heights", (figure.sent = [...heights]));
  if (!model) columns.forEach((each, place) => listen(each, place, { heights, set, send }));
  show();
}

// What was sent last holds until it comes back: the reply to what was drawn before it is older than it.
function newest(figure, about, told, isRevealed) {
  const isBack = figure.sent?.every((each, place) => Math.abs(each - told[place]) < 0.01);
  if (isRevealed || figure.about !== about || isBack) figure.sent = null;
  figure.about = about;
  return [...(figure.sent ?? told)];
}

function listen(element, place, { heights, set, send }) {
  let from = null;
  const at = (event) => {
    const box = element.querySelector(".room").getBoundingClientRect();
    return (box.bottom - event.clientY) / box.height;
  };
  const figure = element.closest(".prediction") ?? {};
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
    const by = { ArrowUp: STEP, ArrowDown: -STEP }[event.key], toggles = event.key === " " || event.key === "Enter";
    if (!by && !toggles) return;
    event.preventDefault();
    set(place, toggles ? (heights[place] ? 0 : 1) : heights[place] + by);
    send();
  };
}

function column(word, place, { code, isFixed }) {
  const element = document.createElement("div"), part = (name, text = "") => {
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
  element.querySelector(".word").dir = "auto";
  return element;
}

function told(name, share) {
  const element = document.createElement(name);
  element.textContent = share.toFixed(2);
  return element;
}
