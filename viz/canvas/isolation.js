// In a figure of lines: while the pointer is on a token, its lines alone are drawn.
// A trace of lines holds three values a line: the query's position, the key's (each within half a row), and a gap;
// it is drawn as one path a line, in the same order. A figure that is not drawn like this is left as it is.

const known = new WeakSet();

export default function ({ data }) {
  const watch = new AbortController();
  const look = (event) => {
    const plot = event.target.closest?.(`.${data.container} .js-plotly-plot`);
    if (!plot || known.has(plot) || typeof plot.on !== "function") return;
    known.add(plot);
    plot.on("plotly_hover", ({ points: [point] }) => isolate(plot, point.data.meta, point.pointNumber));
    plot.on("plotly_unhover", () => isolate(plot, null));
  };
  document.addEventListener("pointerover", look, { signal: watch.signal });
  return () => watch.abort();
}

function isolate(plot, side, position) {
  const end = { query: 0, key: 1 }[side];
  for (const trace of (plot._fullData ?? []).filter((each) => each.meta === "lines")) {
    const paths = plot.querySelectorAll(`.scatterlayer .trace${trace.uid} path.js-line`);
    if (paths.length * 3 !== trace.y.length) continue;
    paths.forEach((path, line) => {
      const shown = end === undefined || Math.round(trace.y[line * 3 + end]) === position;
      path.style.visibility = shown ? "" : "hidden";
    });
  }
}
