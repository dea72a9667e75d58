// The smallest text that a page shows, on the page, in shadow roots and on canvases: [pixels of the screen, text].
export default function smallest() {
  let found = [Infinity, ""];
  const note = (size, text) => { if (size < found[0]) found = [Math.round(size * 100) / 100, text.trim().slice(0, 60)]; };
  const isSeen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && getComputedStyle(element).clipPath === "none";
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) look(element.shadowRoot);
      if (element.matches(".stage") && element.sizes && isSeen(element))
        element.texts.forEach((text, place) => text.trim() && note(element.sizes[place] * element.currentCSSZoom, text));
      if (element.matches("style, script, title, desc, [data-testid=stIconMaterial], .stIconMaterial")) continue;
      const text = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join("");
      if (!/[\p{L}\p{N}]/u.test(text) || !isSeen(element)) continue; // accents and spaces of formulas are no text
      const box = element.getBoundingClientRect();
      if (box.width < 2 || box.height < 2) continue;
      const drawn = element.ownerSVGElement, scale = drawn?.viewBox.baseVal?.width ? drawn.getBoundingClientRect().width / drawn.viewBox.baseVal.width : element.currentCSSZoom;
      note(parseFloat(getComputedStyle(element).fontSize) * scale, text);
    }
  };
  look(document.body);
  return found;
}
