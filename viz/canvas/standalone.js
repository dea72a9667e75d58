// Stands behind the script of a canvas, in a page of its own: shows every picture of this kind that the page holds, each in
// a tree of its own, so that neither names nor styles of two meet. A frame that a notebook gives the page becomes as
// high as what is shown. A picture that holds what it shows of other words (`data-at`) answers a choice by itself. A page
// with a script of its own hears what the reader chooses (`told`), and feeds a picture with other bytes (`fed`); one that
// waits is fed by it alone.

for (const place of document.querySelectorAll(`[data-canvas="${CANVAS}"]`)) {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  root.append(place.querySelector("template").content.cloneNode(true));
  const tell = (name, value) => place.dispatchEvent(new CustomEvent("told", { detail: { name, value } }));
  const draw = (data) => show({ parentElement: root, data, setTriggerValue: tell, setStateValue: tell });
  place.addEventListener("fed", ({ detail }) => draw(detail));
  const bytesOf = (held) => Uint8Array.from(atob(held.textContent), (letter) => letter.charCodeAt(0));
  place.addEventListener("told", ({ detail: { value } }) => {
    const held = place.querySelector(`script[data-at="${value.row} ${value.column ?? ""}"]`);
    if (held) draw(bytesOf(held));
  });
  if (!("waits" in place.dataset)) draw(bytesOf(place.querySelector('script[type="application/octet-stream"]')));
}

const { frameElement } = window; // null in a page that is no frame, or a frame of another site
if (frameElement)
  new ResizeObserver(() => {
    frameElement.style.height = `${document.documentElement.offsetHeight}px`;
  }).observe(document.documentElement);
