// Streamlit's own words, said in the language of the interface. A word changes in its place; no element does. Texts are
// looked for where they stand alone, what is read aloud or shown under the pointer on the whole page.
/** @type {Record<string, string>} */
const SAID = {
  upload: "Upload",
  limit: "{size} per file",
  drop: "Drag and drop a file here",
  several: "Drag and drop files here",
  kind: "{kind} files are not allowed.",
  large: "File must be {size} or smaller.",
  another: "Add files",
  remove: "Remove {file}",
  pages: "App pages",
  menu: "Main menu",
  theme: "Theme",
  system: "System",
  light: "Light",
  dark: "Dark",
  rerun: "Rerun",
  print: "Print",
  record: "Record screen",
  sidebar: "Sidebar",
  expand: "Expand sidebar",
  collapse: "Collapse sidebar",
  open: "Open",
  close: "Close",
  choose: "Choose an option",
  search: "Search",
  full: "Fullscreen",
  leave: "Close fullscreen",
  row: "Add row",
  columns: "Show/hide columns",
  csv: "Download as CSV",
  files: "file upload",
  stop: "Stop",
  running: "Running...",
  skip: "Skip to main content",
  dismiss: "Dismiss",
  one: "{count} option available.",
  available: "{count} options available.",
  nothing: "No results",
  copy: "Copy to clipboard",
  version: "Copy version to clipboard",
  made: "Made with Streamlit v",
  reveal: "Show password",
  conceal: "Hide password",
  png: "Download plot as a PNG",
  rising: "Sort ascending",
  falling: "Sort descending",
  format: "Format",
  fit: "Autosize",
  pin: "Pin column",
  unpin: "Unpin column",
  hide: "Hide column",
  enter: "Press Enter to apply",
  submit: "Press Enter to submit form",
  control: "Press Ctrl+Enter to apply",
  command: "Press ⌘+Enter to apply",
  connecting: "Connecting",
  lost: "Connection error",
  silent: "Streamlit server is not responding. {question}",
  stopped: "Is Streamlit still running? {advice}",
  error: "This app has encountered an error. {more}",
};
const PLACE = /\\\{(\w+)\\\}/g;
/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const TESTED = "stStatusWidget stMainMenu stSkipToContent stException InputInstructions stDialog stDataFrameColumn stSelectboxVirtual";
const BOXES = [
  ".stFileUploader", "[role='menu']", "[data-live-announcer]", ...TESTED.split(" ").map((id) => `[data-testid^='${id}']`),
].join();
const ATTRIBUTES = ["aria-label", "title", "placeholder", "data-title"];

/** @param {Mount<{ language: string } & Record<string, string>>} mount */
export default function ({ data: { language, ...data } }) {
  const spoken = document.documentElement.lang;
  document.documentElement.lang = language;
  /** @type {[pattern: RegExp, here: string][]} */
  const words = Object.entries(data).map(([name, here]) => [new RegExp(`^${escaped(SAID[name]).replace(PLACE, "(?<$1>.+)")}$`), here]);
  /** @param {string} text */
  const translated = (text) => {
    for (const [pattern, here] of words) {
      const found = text.trim().match(pattern);
      if (found) return here.replace(/\{(\w+)\}/g, (whole, name) => found.groups?.[name] ?? whole);
    }
    return null;
  };
  /** @param {string | null} text @param {(here: string) => void} put */
  const change = (text, put) => {
    const here = text && translated(text);
    if (here && here !== text) put(here);
  };
  let asked = 0;
  const say = () => {
    asked = 0;
    for (const box of document.querySelectorAll(BOXES)) {
      const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text; text = texts.nextNode()) change(text.nodeValue, (here) => (text.nodeValue = here));
    }
    for (const name of ATTRIBUTES)
      for (const element of document.querySelectorAll(`[${name}]`)) change(element.getAttribute(name), (here) => element.setAttribute(name, here));
  };
  const watch = new MutationObserver(() => (asked ||= requestAnimationFrame(say)));
  watch.observe(document.body, { childList: true, subtree: true });
  say();
  return () => {
    watch.disconnect();
    cancelAnimationFrame(asked);
    document.documentElement.lang = spoken;
  };
}
