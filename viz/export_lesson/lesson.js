// A lesson in one file: turns its steps, feeds their pictures when they are seen and when something is chosen in them, and
// answers its questions. Texts come from the page and become text again, never markup.

const words = JSON.parse(document.getElementById("words").textContent);
const steps = [...document.querySelectorAll("section.step")];
const KEYS = { PageDown: 1, PageUp: -1 };
const SETTLED = 600; // milliseconds in which pictures that have just been fed are drawn
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
const bytesOf = (element) => Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
const heldBy = (place) => bytesOf(place.querySelector(':scope > script[type="application/octet-stream"]'));
const textOf = (bytes) => new TextDecoder().decode(bytes);
const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
const feed = (place, detail) => place.dispatchEvent(new CustomEvent("fed", { detail }));

async function unpack(bytes) {
  const plain = await through(bytes, new DecompressionStream("deflate"));
  const end = 4 + new DataView(plain.buffer).getUint32(0, true);
  return [JSON.parse(textOf(plain.subarray(4, end))), plain.slice(end)];
}

async function pack(header, cells) {
  const text = new TextEncoder().encode(JSON.stringify(header)), plain = new Uint8Array(4 + text.length + cells.length);
  new DataView(plain.buffer).setUint32(0, text.length, true);
  plain.set(text, 4);
  plain.set(cells, 4 + text.length);
  return through(plain, new CompressionStream("deflate"));
}

// Steps.

let number = 0;
const asked = () => Math.min(Math.max(parseInt(location.hash.slice(1), 10) || 1, 1), steps.length);
const turn = (to) => to >= 1 && to <= steps.length && (location.hash = `#${to}`);

function show() {
  number = asked();
  steps.forEach((step, place) => (step.hidden = place + 1 !== number));
  document.querySelector(".bar progress").value = number;
  document.querySelectorAll(".bar a").forEach((link, place) =>
    place + 1 === number ? link.setAttribute("aria-current", "step") : link.removeAttribute("aria-current"));
  document.getElementById("previous").disabled = number === 1;
  document.getElementById("next").disabled = number === steps.length;
  const step = steps[number - 1], { point } = step.dataset;
  window.attentionBenchPoint = point ? { ...JSON.parse(point), done: false } : null;
  window.scrollTo(0, 0);
  feedAll(step);
}

// A step is shown as it was written, whatever was chosen in it before.
function feedAll(step) {
  step.classList.remove("chosen");
  for (const place of step.querySelectorAll("[data-canvas]"))
    if (place.dataset.canvas === "prediction") expect(place); else feed(place, heldBy(place));
  for (const chart of step.querySelectorAll(".chart")) draw(chart);
}

document.getElementById("previous").addEventListener("click", () => turn(number - 1));
document.getElementById("next").addEventListener("click", () => turn(number + 1));
window.addEventListener("hashchange", show);
window.addEventListener("keydown", (event) => {
  const { key, ctrlKey, altKey, metaKey, shiftKey } = event;
  if ((ctrlKey || metaKey) && key === "p") printAll();
  else if (KEYS[key] && !ctrlKey && !altKey && !metaKey && !shiftKey) turn(number + KEYS[key]);
  else return;
  event.preventDefault();
}, { capture: true });

// What is chosen in a picture.

for (const place of document.querySelectorAll('[data-canvas="walk"]'))
  place.addEventListener("told", ({ detail }) => detail.name === "chosen" && walk(place, detail.value));
for (const place of document.querySelectorAll('[data-canvas="overview"]'))
  place.addEventListener("told", ({ detail }) => detail.name === "picked" && compare(place, detail.value));

async function walk(place, { row, column, step }) {
  const { of } = place.parentElement.dataset, at = `${row} ${column ?? ""}`;
  const found = document.querySelector(`script[data-of="${of}"][data-at="${at}"]`);
  say(place, found ? "" : words.missing);
  if (!found) return;
  const [header, cells] = await unpack(bytesOf(found));
  feed(place, await pack({ ...header, step }, cells));
}

function say(place, text) {
  let line = place.parentElement.querySelector(".missing");
  if (!line) place.parentElement.append(line = Object.assign(document.createElement("p"), { className: "missing", role: "status" }));
  line.textContent = text;
}

// Picked heads with their weights exact, side by side.
async function compare(place, picked) {
  const step = place.closest(".step"), maps = step.querySelector('[data-canvas="comparison"]');
  const store = document.querySelector(`script[data-of="${place.parentElement.dataset.of}"]`);
  if (!maps || !store || !picked.length) return;
  const [[header], [overview], [{ heads }, cells]] = await Promise.all([heldBy(maps), heldBy(place), bytesOf(store)].map(unpack));
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

for (const box of document.querySelectorAll(".choices"))
  box.addEventListener("change", ({ target }) => {
    const right = target.value === box.dataset.right, verdict = box.querySelector(".verdict");
    verdict.textContent = right ? words.right : words.wrong;
    verdict.classList.toggle("right", right);
  });

// A row that the reader draws before it is shown.
function expect(place) {
  const box = place.closest(".expected"), step = place.closest(".step"), data = JSON.parse(textOf(heldBy(place)));
  const [reveal, again, said] = [".reveal", ".again", ".agreement"].map((each) => box.querySelector(each));
  let heights = data.heights;
  place.ontold ??= place.addEventListener("told", ({ detail }) => {
    if (detail.name !== "heights") return;
    place.heights = detail.value;
    reveal.disabled = !detail.value.some((each) => each > 0);
  }) ?? true;
  heights = place.heights ?? heights;
  reveal.disabled = !heights.some((each) => each > 0);
  feed(place, { ...data, heights, model: place.revealed ? data.row : null, gap: place.revealed?.gap ?? null });
  reveal.onclick = () => {
    const drawn = place.heights, total = drawn.reduce((sum, each) => sum + each, 0);
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

let library = null;
const charts = () => (library ??= (async () => {
  const script = document.createElement("script");
  script.textContent = textOf(await through(bytesOf(document.querySelector("script[data-charts]")), new DecompressionStream("deflate")));
  document.head.append(script);
})());

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

document.getElementById("print").addEventListener("click", printAll);
show();
