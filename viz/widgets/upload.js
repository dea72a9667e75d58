// Streamlit's words of a box that takes files, said in the language of the interface. A word changes in its place; no
// element does.

const SAID = {
  upload: "Upload",
  limit: "{size} per file",
  drop: "Drag and drop a file here",
  several: "Drag and drop files here",
  kind: "{kind} files are not allowed.",
  large: "File must be {size} or smaller.",
  another: "Add files",
  remove: "Remove {file}",
};

const PLACE = /\\\{(\w+)\\\}/g;
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const ATTRIBUTES = ["aria-label", "title"];

export default function ({ data }) {
  const words = Object.entries(data.words).map(([name, here]) => [new RegExp(`^${escaped(SAID[name]).replace(PLACE, "(?<$1>.+)")}$`), here]);
  const translated = (text) => {
    for (const [pattern, here] of words) {
      const found = text.trim().match(pattern);
      if (found) return here.replace(/\{(\w+)\}/g, (whole, name) => found.groups?.[name] ?? whole);
    }
    return null;
  };
  const change = (text, put) => {
    const here = text && translated(text);
    if (here && here !== text) put(here);
  };
  const say = () => {
    const box = document.querySelector(data.box);
    if (!box) return;
    const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) change(text.nodeValue, (here) => (text.nodeValue = here));
    for (const name of ATTRIBUTES)
      for (const element of box.querySelectorAll(`[${name}]`)) change(element.getAttribute(name), (here) => element.setAttribute(name, here));
  };
  const watch = new MutationObserver(say);
  watch.observe(document.body, { childList: true, subtree: true });
  say();
  return () => watch.disconnect();
}
