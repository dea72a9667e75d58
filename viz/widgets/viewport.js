// Tell the server how wide the page is, now and whenever it changes, in steps.
/** @param {Mount<{ known: number, step: number }>} mount */
export default function ({ parentElement, data, setStateValue }) {
  const element = "host" in parentElement ? parentElement.host : parentElement;
  let known = data.known;
  const report = () => {
    const width = Math.floor(element.getBoundingClientRect().width / (element.currentCSSZoom ?? 1) / data.step) * data.step;
    if (width > 0 && width !== known) {
      known = width;
      setStateValue("width", width);
    }
  };
  const observer = new ResizeObserver(report);
  observer.observe(element);
  report();
  return () => observer.disconnect();
}
