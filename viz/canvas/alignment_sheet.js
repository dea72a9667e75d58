// The picture of the Bench as a sheet to keep: dark on white, with all its words. Stands behind alignment_panels.js.

const SHEET = { title: 18, small: 13, line: 1.35, gap: 24, bar: 12, barWidth: 320 };

// Each panel's heading, labels and notes with their places, and where its map is: what `compose` and `paintMaps` need.
function sheetOf(view) {
  const { header, place } = view, texts = [], boxes = [], small = { size: SHEET.small, weight: 400 };
  const put = (text, x, y, style) => texts.push({ text, x, y, ...small, ...style });
  let top = 0;
  const lines = (text, x, wide) => {
    for (const line of broken(pen, text, small, header.font, wide * 0.95)) put(line, x, (top += SHEET.small * SHEET.line), {});
  };
  for (const text of [header.row_title, header.key_title, ...header.notes].filter(Boolean)) lines(text, 0, place.room);
  for (let first = 0; first < header.panels.length; first += place.across) {
    const start = top + SHEET.gap;
    let lowest = start;
    header.panels.slice(first, first + place.across).forEach((panel, across) => {
      const number = first + across, left = across * (place.panel + GAP), high = place.rows[number], wide = place.wide;
      top = start + SHEET.title;
      put(`${panel.title}, ${panel.year}`, left, top, { size: SHEET.title, weight: 600 });
      if (panel.notes.length) lines(panel.notes.join(" · "), left, place.panel);
      for (const text of panel.vector ?? []) lines(text, left, place.panel);
      if (panel.vector) lines(panel.words.map(({ text, spaced }) => (spaced ? " " : "") + text).join(""), left, place.panel);
      const box = { x: left + place.label, y: top + LABELS + 6, width: wide * header.tokens.length, height: high * panel.rows.length };
      boxes[number] = box;
      if (!panel.rows.length) return (lowest = Math.max(lowest, top));
      panel.rows.forEach((text, row) => put(cut(text, place.label - 8, header.font), box.x - 5, box.y + (row + 0.5) * high + 5, { end: true, size: within(high - 3, { least: 9, most: 14 }) }));
      header.tokens.forEach((text, key) => {
        const x = box.x + (key + 0.5) * wide, style = { size: place.font, turn: place.turn, middle: !place.turn };
        put(cut(text, place.turn ? LABELS : wide, header.font), x + (place.turn === -90 ? place.font * 0.35 : 0), box.y - 4, style);
      });
      lowest = Math.max(lowest, box.y + box.height);
    });
    top = lowest;
  }
  return { texts, boxes, top };
}

const cut = (text, wide, family) => broken(pen, text, { size: 13, weight: 400 }, family, wide, "…")[0];

function composeSheet(view) {
  const { header, place } = view, { texts, boxes, top } = sheetOf(view), wide = Math.min(SHEET.barWidth, place.room);
  const small = { size: SHEET.small, weight: 400 }, bar = { x: 0, y: top + 2 * SHEET.gap, width: wide, height: SHEET.bar };
  texts.push({ text: header.scale, x: 0, y: bar.y - 6, ...small });
  for (const [at, text] of header.ticks) {
    const end = { 0: "start", 1: "end" }[at];
    texts.push({ text, x: at * wide, y: bar.y + SHEET.bar + SHEET.small + 2, middle: !end, end: end === "end", ...small });
  }
  const height = bar.y + SHEET.bar + 2 * SHEET.small;
  return { width: place.room, height, texts, maps: { x: 0, y: 0, width: place.room, height }, frames: [], bar, boxes };
}
