// One line that says what the app is, until the first touch; the browser remembers that there was one.
import { partOf } from "../canvas/canvas.js";

const YEAR = 365 * 24 * 3600;
const TOUCHES = ["pointerdown", "keydown", "input", "wheel", "touchmove"];

/** @param {Mount<{ cookie: string, text: string }>} mount */
export default function ({ data, parentElement }) {
  const line = partOf(parentElement, "p"), listeners = new AbortController();
  line.textContent = data.text;
  const end = () => {
    line.style.visibility = "hidden"; // its place stays until the page is opened again: nothing jumps
    document.cookie = `${data.cookie}=1; path=/; max-age=${YEAR}; SameSite=Lax`;
    listeners.abort();
  };
  for (const touch of TOUCHES) window.addEventListener(touch, end, { signal: listeners.signal, capture: true, passive: true });
  return () => listeners.abort();
}
