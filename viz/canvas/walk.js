// The walk through one word: which step is shown is a matter of the browser, which word is one of the server.

import { END, NOT_YET, TURN, disposed, load, note, partOf, viewIn, withEnd } from "./canvas.js";
import { unpack } from "./payload.js";
import { Board } from "./walk_board.js";
import { html } from "./walk_marks.js";

/** @import { Unpacked } from "./payload.js" */
/** @import { WalkHeader } from "./payloads" */
/** @typedef {{ row?: number, column?: number | null, puts?: true }} Change */

const SETTLE = 500; // milliseconds after which the link learns of a step
const PACE = 2600; // milliseconds of a step that plays

/** @param {Mount<Uint8Array<ArrayBuffer>>} mount */
export default function show({ parentElement, data, setTriggerValue }) {
  const walk = viewIn(parentElement, Walk, ".walk");
  walk.send = (chosen) => setTriggerValue("chosen", chosen);
  load(walk, data);
  return disposed(walk);
}

/** @type {Record<string, number | undefined>} */
const TURNS = { ArrowLeft: -1, ArrowRight: 1 };

class Walk {
  /** @type {Board[]} */ shown = [];
  loads = 0;
  /** @type {WalkHeader} */ data = NOT_YET;
  /** @type {string} */ step = NOT_YET;
  /** @type {string | undefined} */ sent;
  /** @type {(chosen: Change & { step: string }) => void} */ send = NOT_YET;
  /** @type {number | undefined} */ timer;
  /** @type {number | undefined} */ playing;
  followed = false; // whether the reader has clicked a word

  /** @param {HTMLElement} root */
  constructor(root) {
    this.stage = root;
    /** @type {HTMLButtonElement} */ this.previous = partOf(root, ".previous");
    /** @type {HTMLButtonElement} */ this.play = partOf(root, ".play");
    /** @type {HTMLButtonElement} */ this.next = partOf(root, ".next");
    this.sentence = partOf(root, ".sentence");
    this.steps = partOf(root, ".steps");
    this.boards = partOf(root, ".boards");
    this.hint = partOf(root, ".hint");
    this.live = partOf(root, ".live");
    this.previous.addEventListener("click", () => this.turn(-1));
    this.next.addEventListener("click", () => this.turn(1));
    this.play.addEventListener("click", () => (this.playing ? this.stop() : this.start()));
    this.boards.addEventListener("keydown", (event) => this.press(event));
    this.steps.addEventListener("keydown", (event) => this.press(event));
    this.sentence.addEventListener("keydown", (event) => this.walkWords(event));
    root.addEventListener("transitionend", (event) => event.target === root && this.shade()); // light has become dark
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(this.boards);
    /** @param {Event} event */
    this.turned = (event) => this.turn(/** @type {CustomEvent<number>} */ (event).detail);
    window.addEventListener(TURN, this.turned);
  }

  dispose() {
    this.stop();
    clearTimeout(this.timer);
    this.sizes.disconnect();
    window.removeEventListener(TURN, this.turned);
  }

  /** @param {Uint8Array<ArrayBuffer>} bytes */
  async load(bytes) {
    const turn = ++this.loads;
    /** @type {Unpacked<WalkHeader>} */
    const [data] = await unpack(bytes);
    if (turn !== this.loads) return; // a later one has come meanwhile
    const told = this.data?.step;
    this.data = data;
    // The step of the browser holds, unless the link says another one than it said before and than it was told.
    if (this.step === undefined || !data.steps.some(({ key }) => key === this.step) || (data.step !== told && data.step !== this.sent)) this.step = data.step;
    this.shade();
    this.describe();
    this.showSentence();
    while (this.shown.length > data.pictures.length) this.shown.pop()?.root.remove();
    data.pictures.forEach((picture, number) => {
      const board = (this.shown[number] ??= new Board((column, own) => this.tell({ column: this.pieceAt(column, own) })));
      if (!board.root.isConnected) this.boards.append(board.root);
      board.load(picture, data.pictures.length > 1, data.words);
    });
    this.light();
  }

  shade() {
    this.stage.classList.toggle("dark", hasLightInk(this.stage));
  }

  describe() {
    const { data } = this, { words } = data;
    for (const [name, sign] of /** @type {const} */ ([["previous", "◀"], ["next", "▶"]])) {
      this[name].textContent = sign;
      this[name].title = words[name];
      this[name].setAttribute("aria-label", words[name]);
    }
    this.boards.setAttribute("aria-label", words.board);
    this.sentence.setAttribute("aria-label", words.sentence);
    this.hint.textContent = words.hint;
    this.steps.replaceChildren(...data.steps.map(({ key, title }, number) => {
      const button = html("button", "", `${number + 1} ${title}`);
      button.type = "button";
      button.dataset.key = key;
      button.addEventListener("click", () => this.go(key));
      return html("li", "", button);
    }));
    this.showPlay();
  }

  showPlay() {
    const { words } = this.data, says = this.playing ? words.pause : words.play;
    this.play.textContent = this.playing ? "❚❚" : "▶▶";
    this.play.title = says;
    this.play.setAttribute("aria-label", says);
  }

  showSentence() {
    const { text, lead, row, put, words } = this.data, root = /** @type {Document | ShadowRoot} */ (this.stage.getRootNode());
    const held = /** @type {HTMLElement | null} */ (root.activeElement)?.dataset?.row;
    const buttons = text.flatMap(({ text: word, row: own, space }) => {
      const button = html("button", "", word);
      const pressed = own === row;
      button.type = "button";
      button.dataset.row = String(own);
      button.tabIndex = pressed ? 0 : -1;
      button.setAttribute("aria-pressed", String(pressed));
      button.addEventListener("click", () => {
        this.followed = true;
        this.tell({ row: own });
      });
      if (word === END) note(button, words.end);
      return space ? [" ", button] : [button];
    });
    this.sentence.replaceChildren(html("span", "small", lead), ...withEnd(buttons), ...(this.followed && put ? [" ", this.offer(put, row)] : []));
    this.sentence.lang = this.data.language;
    if (held !== undefined) partOf(this.sentence, "[aria-pressed='true']")?.focus();
  }

  // What a word that was clicked offers: another one in its place.
  /** @param {string} put @param {number} row */
  offer(put, row) {
    const button = html("button", "put", put);
    button.type = "button";
    button.addEventListener("click", () => this.tell({ row, puts: true }));
    return button;
  }

  /** @param {KeyboardEvent} event */
  walkWords(event) {
    const by = TURNS[event.key];
    if (!by) return;
    event.preventDefault();
    const all = [...this.sentence.querySelectorAll("button")].filter(({ dataset }) => dataset.row), at = all.findIndex((each) => each === event.target);
    const next = all[at + by];
    if (!next) return;
    next.focus();
    next.click();
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.key === "Escape") {
      this.stop();
      this.tell({ column: null });
    }
    const by = TURNS[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (event.shiftKey) this.shown[0]?.move(by);
    else this.turn(by);
    if (event.target instanceof Node && this.steps.contains(event.target)) partOf(this.steps, "[aria-current]").focus();
  }

  get place() {
    return this.data.steps.findIndex(({ key }) => key === this.step);
  }

  /** @param {number} by */
  turn(by) {
    const next = this.data.steps[this.place + by];
    if (next) this.go(next.key);
    return Boolean(next);
  }

  /** @param {string} key */
  go(key) {
    this.step = key;
    this.light(true);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tell({}), SETTLE);
  }

  start() {
    if (this.place === this.data.steps.length - 1) this.go(this.data.steps[0].key);
    this.playing = setInterval(() => this.turn(1) || this.stop(), PACE);
    this.showPlay();
  }

  stop() {
    clearInterval(this.playing);
    this.playing = undefined;
    if (this.data) this.showPlay();
  }

  light(moving = false) {
    for (const board of this.shown) board.light(this.step, moving);
    const { place } = this;
    for (const button of this.steps.querySelectorAll("button")) {
      button.tabIndex = button.dataset.key === this.step ? 0 : -1; // one stop for Tab, arrow keys inside
      if (button.dataset.key === this.step) {
        button.setAttribute("aria-current", "step");
        const { offsetLeft, offsetWidth } = button, { scrollLeft, clientWidth } = this.steps;
        if (offsetLeft < scrollLeft || offsetLeft + offsetWidth > scrollLeft + clientWidth) this.steps.scrollLeft = offsetLeft - clientWidth / 2;
      } else button.removeAttribute("aria-current");
    }
    this.previous.disabled = place <= 0;
    this.next.disabled = place === this.data.steps.length - 1;
    if (moving) this.live.textContent = this.shown.map(({ says }) => says.textContent).join(" ");
  }

  // Tell the server what is looked at, all of it: a later message replaces an earlier one.
  /** @param {Change} change */
  tell(change) {
    clearTimeout(this.timer);
    const { row, column } = this.data;
    this.sent = this.step;
    this.send({ row, column: "row" in change ? null : column, step: this.step, ...change });
  }

  // The server knows pieces as the first mechanism cuts them; another one may cut the same words otherwise.
  /** @param {number} column @param {number} own */
  pieceAt(column, own) {
    return this.data.pictures[0].picks?.[column] ?? own;
  }

  resize() {
    for (const board of this.shown) if (board.place?.room !== board.stage.clientWidth) board.draw();
  }
}

// Whether the words are light: the picture has no ground of its own.
/** @param {Element} element */
function hasLightInk(element) {
  const [red, green, blue] = (getComputedStyle(element).color.match(/[\d.]+/g) ?? [0, 0, 0]).map(Number);
  return red + green + blue > 382;
}
