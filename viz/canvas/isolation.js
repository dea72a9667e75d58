// In a figure of lines: while the pointer is on a token, its lines alone are drawn.
// A trace of lines holds three values a line: the query's position, the key's (each within half a row), and a gap;
// it is drawn as one path a line, in the same order. A figure that is not drawn like this is left as it is.

/** @typedef {"query" | "key"} Side */
/** @typedef {{ meta?: unknown, uid: string, y: number[] }} Trace */
/** @typedef {{ points: [{ pointNumber: number, data: { meta: Side } }] }} Hover */
/**
 * @typedef {object} PlotMethods What Plotly puts on the element of a figure.
 * @property {(name: string, act: (event: Hover) => void) => void} on
 * @property {Trace[]} [_fullData]
 */
/** @typedef {HTMLElement & PlotMethods} Plot */

const ENDS = { query: 0, key: 1 };
const known = new WeakSet();

/** @param {Mount<{ container: string }>} mount */
export default function ({ data }) {
  const watch = new AbortController();
  /** @param {Event} event */
  const look = ({ target }) => {
    /** @type {Plot | null} */
    const plot = target instanceof Element ? target.closest(`.${data.container} .js-plotly-plot`) : null;
    if (!plot || known.has(plot) || typeof plot.on !== "function") return;
    known.add(plot);
    plot.on("plotly_hover", ({ points: [point] }) => isolate(plot, point.data.meta, point.pointNumber));
    plot.on("plotly_unhover", () => isolate(plot, null, -1));
  };
  document.addEventListener("pointerover", look, { signal: watch.signal });
  return () => watch.abort();
}

/** @param {Plot} plot @param {Side | null} side @param {number} position */
function isolate(plot, side, position) {
  const end = side === null ? undefined : ENDS[side];
  for (const trace of (plot._fullData ?? []).filter((each) => each.meta === "lines")) {
    const paths = /** @type {NodeListOf<SVGElement>} */ (plot.querySelectorAll(`.scatterlayer .trace${trace.uid} path.js-line`));
    if (paths.length * 3 !== trace.y.length) continue;
    paths.forEach((path, line) => {
      const shown = end === undefined || Math.round(trace.y[line * 3 + end]) === position;
      path.style.visibility = shown ? "" : "hidden";
    });
  }
}
