// The place in each lesson is kept for the next visit, and what a step points at is handed to the picture of the Bench
// (alignment_told.js), which may be drawn later.
const YEAR = 365 * 24 * 3600;

/** @param {Mount<{ cookie: string, point: Omit<LessonPoint, "done"> | null }>} mount */
export default function ({ data }) {
  document.cookie = `${data.cookie}; path=/; max-age=${YEAR}; SameSite=Lax`;
  const { point } = data, before = window.attentionBenchPoint;
  if (point?.of !== before?.of || point?.word !== before?.word) {
    window.attentionBenchPoint = point && { ...point, done: false };
    window.dispatchEvent(new CustomEvent("attention-bench-point"));
  }
}
