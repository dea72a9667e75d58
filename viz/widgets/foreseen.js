// Keeps what a switch of this page would show until it is turned (`Drawn.foreseen`).
/** @param {Mount<Uint8Array<ArrayBuffer>>} mount */
export default function ({ data }) {
  window.attentionBenchForeseen = data;
  return () => { if (window.attentionBenchForeseen === data) delete window.attentionBenchForeseen; };
}
