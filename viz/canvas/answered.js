// On a phone the answer to what is asked on a map is some screens below it: it comes into sight as soon as it is there.

const ANSWER = ".st-key-ask-line"; // `viz/widgets/asked_heads.py`
const PHONE = 640; // pixels: on a wider page what was asked stays in sight
const HEADING = "7rem"; // above the answer: the page's head and the answer's title
const MOST = 30_000; // ms that an answer is waited for

export function bringAnswer() {
  if (innerWidth > PHONE) return;
  const look = () => {
    const answer = /** @type {HTMLElement | null} */ (document.querySelector(ANSWER));
    if (!answer) return;
    observer.disconnect();
    answer.style.scrollMarginTop = HEADING;
    answer.scrollIntoView({ block: "start" });
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), MOST);
  look();
}
