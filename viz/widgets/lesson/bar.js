// Keys that clickers send turn the steps, the place in each lesson is kept for the next visit, and what a step points at
// is handed to the picture of the Bench (alignment_told.js), which may be drawn later.
const BUTTONS = { PageUp: "lesson-previous", PageDown: "lesson-next" };
const YEAR = 365 * 24 * 3600;

export default function ({ data }) {
  document.cookie = `${data.cookie}; path=/; max-age=${YEAR}; SameSite=Lax`;
  const press = (event) => {
    const name = BUTTONS[event.key], { ctrlKey, altKey, metaKey, shiftKey } = event;
    if (!name || ctrlKey || altKey || metaKey || shiftKey) return;
    event.preventDefault();
    document.querySelector(`.st-key-${name} button`)?.click();
  };
  window.addEventListener("keydown", press, { capture: true });
  const { point } = data, before = window.attentionBenchPoint;
  if (point?.of !== before?.of || point?.word !== before?.word) {
    window.attentionBenchPoint = point && { ...point, done: false };
    window.dispatchEvent(new CustomEvent("attention-bench-point"));
  }
  return () => window.removeEventListener("keydown", press, { capture: true });
}
