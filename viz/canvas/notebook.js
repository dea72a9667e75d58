// Stands behind the script of a canvas, in a page of its own: shows the payload that the page holds, and lets the frame
// that a notebook gives it be as high as what is shown.

const held = document.getElementById("payload").textContent;
const data = Uint8Array.from(atob(held), (letter) => letter.charCodeAt(0));
show({ parentElement: document.body, data, setTriggerValue: () => {} });

const { frameElement } = window; // null in a page that is no frame, or a frame of another site
if (frameElement)
  new ResizeObserver(() => {
    frameElement.style.height = `${document.documentElement.offsetHeight}px`;
  }).observe(document.documentElement);
