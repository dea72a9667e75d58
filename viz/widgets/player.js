// Previous, Play and Next beside a control whose choices have an order. The server shows the next one; Play waits for it.
import { TURN } from "../canvas/canvas.js";

const PACE = 2600; // milliseconds that a choice is shown

/** @typedef {{ at: number, count: number, words: { previous: string, play: string, pause: string, next: string } }} Told */
/** @typedef {{ playing: boolean, timer?: number, told: Told, turn(by: number): void }} Player */
/** @type {WeakMap<ParentNode, Player>} */
const players = new WeakMap();

/** @param {Mount<Told>} mount */
export default function ({ parentElement, data, setTriggerValue }) {
  const [previous, play, next] = /** @type {NodeListOf<HTMLButtonElement>} */ (parentElement.querySelectorAll("button"));
  const known = players.get(parentElement), player = known ?? { playing: false, told: data, turn: () => {} };
  players.set(parentElement, player);
  player.told = data;
  player.turn = (by) => {
    const to = player.told.at + by;
    if (to >= 1 && to <= player.told.count) setTriggerValue("turned", to);
  };
  const show = () => {
    const { told: { at, count, words }, playing } = player;
    for (const [button, sign, says] of /** @type {const} */ ([[previous, "◀", words.previous], [play, playing ? "❚❚" : "▶▶", playing ? words.pause : words.play], [next, "▶", words.next]])) {
      button.textContent = sign;
      button.title = says;
      button.setAttribute("aria-label", says);
    }
    [previous.disabled, next.disabled] = [at <= 1, at >= count];
  };
  const wait = () => {
    clearTimeout(player.timer);
    if (player.playing && player.told.at >= player.told.count) player.playing = false;
    if (player.playing) player.timer = setTimeout(() => player.turn(1), PACE);
    show();
  };
  previous.onclick = () => player.turn(-1);
  next.onclick = () => player.turn(1);
  play.onclick = () => {
    player.playing = !player.playing;
    clearTimeout(player.timer);
    if (player.playing) player.turn(player.told.at < player.told.count ? 1 : 1 - player.told.count);
    show();
  };
  wait();
  if (known) return undefined;
  /** @param {Event} event */
  const turned = (event) => player.turn(/** @type {CustomEvent<number>} */ (event).detail);
  window.addEventListener(TURN, turned);
  return () => {
    if (play.isConnected) return;
    clearTimeout(player.timer);
    players.delete(parentElement);
    window.removeEventListener(TURN, turned);
  };
}
