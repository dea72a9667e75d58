"""Positions and sizes that a class needs, in pixels: one table for all pages."""

from __future__ import annotations

from collections.abc import Callable
from operator import eq, ge, le, lt
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Page, expect

from tests.support.browsing import settle

HEIGHTS = {390: 844, 1024: 768, 1280: 720, 1920: 1080}
WHOLE = {
    "": ".alignment .cells",
    "heads": ".overview .stage canvas",
    "steps": ".walk svg",
    "surgery": ".comparison .stage canvas",
    "why": ".drawings svg",
    "training": ".alignment .cells",
    "scenes": ".scene svg",
    "lessons": ".st-key-lessons-lesson",
}
"""What each page shows when it is whole."""

ELEMENTS = """
const all = (css, root = document) => [...root.querySelectorAll("*")].flatMap((each) =>
    [...(each.matches(css) ? [each] : []), ...(each.shadowRoot ? all(css, each.shadowRoot) : [])]);
const seen = (css) => all(css).filter((each) => each.checkVisibility({ visibilityProperty: true })
    && getComputedStyle(each).clipPath === "none" && each.getBoundingClientRect().width > 3);
const cut = (css) => seen(css).filter((each) => each.scrollWidth > each.clientWidth + 1
    && getComputedStyle(each).overflowX !== "visible").map((each) => each.textContent || each.value);
"""
"""Elements of the page and of its shadow roots; those that are seen; the texts of those that are cut."""

EMPTY = """seen(".alignment .bands, .overview .stage, .comparison .stage, .walk .boards").map((picture) => {
    const box = (each) => each.getBoundingClientRect(), { left, right, top: start } = box(picture);
    const drawn = [...picture.querySelectorAll(".cells, svg *")].map((each) => box(each).bottom);
    let at = Math.max(...drawn, ...(picture.boxes ?? []).map(({ top, height }) => start + top + height)), most = 0;
    const saves = seen("[class*=st-key-keep-]").map((each) => box(each).bottom).find((bottom) => bottom > at);
    const says = (each) => each.matches("button")
        || [...each.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim());
    const below = seen("*").filter(says).map(box).sort((one, other) => one.top - other.top)
        .filter((each) => each.bottom > at && each.top < saves && each.left < right && each.right > left);
    for (const { top, bottom } of below) [at, most] = [Math.max(at, bottom), Math.max(most, top - at)];
    return below.length ? most : Infinity;
})"""
"""Pixels of the largest empty band between the lowest map, bar or line of each picture and what saves it."""

BEGIN_LINES = """seen(".walk .sentence, .alignment .folded, .alignment .translation").flatMap((line) => {
    const words = [...line.querySelectorAll("button[data-row], .word")];
    const place = words.findLastIndex(({ textContent: text }) => text !== "</s>" && /[\\p{L}\\p{N}]/u.test(text));
    const tops = () => words.slice(place).map((each) => each.getBoundingClientRect().top);
    const widths = Array.from({ length: 80 }, (_, step) => line.clientWidth - 2 * step).filter((width) => {
        line.style.width = `${width}px`;
        return Math.max(...tops()) > tops()[0] + 5;
    });
    line.style.width = "";
    return widths;
})"""
"""Widths of lines of words at which the marks that end one are on a line of their own."""

CUT_CHARTS = """[...document.querySelectorAll('.js-plotly-plot')].filter(each => {
  const { right } = each.querySelector('.main-svg').getBoundingClientRect();
  for (let place = each; place; place = place.parentElement)
    if (getComputedStyle(place).overflowX !== 'visible' && place.getBoundingClientRect().right < right - 1) return true;
  return right < 0.9 * innerWidth;
}).map(each => each.closest('[class*="st-key-figure"]').className)"""
FETCHED = "performance.getEntriesByType('resource')"
MEASURES = {
    "top of the first map": "seen(whole)[0].getBoundingClientRect().top",
    "cut": "cut('button, label, p, h1, h2, h3, span, .st-key-timeline')",
    "cut choices": """seen("[data-testid=stSelectbox] input").filter((each) => each.scrollWidth > each.clientWidth)
        .map((each) => [each.ariaLabel, each.value, each.scrollWidth, each.clientWidth])""",
    "cut labels of heads": "cut('.names .label')",
    "years out of order": """seen(".st-key-timeline button p small").map((each) => parseInt(each.textContent))
        .filter((year, place, years) => place && year < years[place - 1])""",
    "axis words": """[...seen(".corner .axis, .legend .note").map((each) => each.textContent),
        ...seen(".stage").flatMap((each) => each.texts ?? [])].join(" ").match(/query|key/g) ?? []""",
    "words in Chinese to scroll for": """seen(".model-output")
        .filter((each) => each.scrollHeight > each.clientHeight).map((each) => each.textContent)""",
    "lessons below rooms": """seen(".st-key-lessons-lesson").filter((each) => seen(".st-key-room-opening")
        .some((room) => room.getBoundingClientRect().top < each.getBoundingClientRect().bottom))""",
    "steps in colour": """seen(".walk .steps [aria-current]").filter((each) => each.textContent.includes("Score")
        && getComputedStyle(each).color !== getComputedStyle(each.parentElement).color)""",
    "pixels between a point and its tick": """all(".st-key-training-point input[type=range]").map((input) => {
        const [now, least, most] = [input.value, input.min, input.max].map(Number);
        const thumb = input.closest("[style*=left]");
        const line = thumb.closest("[data-testid=stSlider] > :not(label)").getBoundingClientRect();
        const { left, width } = thumb.getBoundingClientRect();
        return Math.abs(left + width / 2 - (line.left + 6 + (line.width - 12) * (now - least) / (most - least)));
    })[0]""",
    "marks that begin a line": BEGIN_LINES,
    "Chinese fonts fetched": f"{FETCHED}.filter(each => each.name.endsWith('NotoSansSC.woff2'))",
    "texts sent as they are": f"{FETCHED}.filter(each => /static.*(js|css)$/.test(each.name)"
    " && each.decodedBodySize > 500 && each.encodedBodySize >= each.decodedBodySize).map(each => each.name)",
    "charts cut off": CUT_CHARTS,
    "pixels to scroll sideways": "((each) => each.scrollWidth - each.clientWidth)(document.querySelector('.stMain'))",
    "empty below a picture": f"Math.max(...{EMPTY})",
}
"""What is measured: a number, or a list whose length is."""

BOUNDS: dict[str, Callable[[float, float], bool]] = {"<": lt, "<=": le, ">=": ge, "==": eq}
Row = tuple[str, int, str, str, str, float]
TABLE: list[Row] = [
    *(("", width, "", "top of the first map", "<=", most) for width, most in ((390, 480), (1024, 372), (1280, 300))),
    *((path, width, "", "cut", "==", 0) for width in (1024, 1280) for path in WHOLE),
    *((path, 390, "", "pixels to scroll sideways", "<=", 0) for path in WHOLE),
    *((path, 390, link, "cut choices", "==", 0) for path in WHOLE for link in ("", "lang=zh")),
    ("heads", 390, "model=hf:gpt-en&below=memory", "pixels to scroll sideways", "<=", 0),
    *((path, 1280, "", "Chinese fonts fetched", "==", 0) for path in WHOLE if path != "lessons"),
    *((path, 1280, "", "texts sent as they are", "==", 0) for path in WHOLE),
    ("heads", 390, "", "cut labels of heads", "==", 0),
    ("", 1280, "", "years out of order", "==", 0),
    *(("lessons", width, "", "lessons below rooms", "==", 0) for width in (390, 1280)),
    ("steps", 1280, "", "steps in colour", "==", 1),
    *(("training", width, "", "pixels between a point and its tick", "<", 2.5) for width in (390, 1280)),
    *(("heads", width, "lang=zh", "words in Chinese to scroll for", "==", 0) for width in (390, 1280)),
    *((path, 390, "", "marks that begin a line", "==", 0) for path in ("", "steps")),
    *(
        (path, width, "sentence=Hello.", "empty below a picture", "<", 200)
        for path in ("", "heads", "surgery", "steps")
        for width in (390, 1280)
    ),
    *(
        (path, width, f"present=on&{link}", "charts cut off", "==", 0)
        for path, link in (("", "also=difference"), ("steps", "show=lab"), ("training", "measured=wrong"))
        for width in (1024, 1920)
    ),
    *(
        (path, width, "present=on", "axis words", ">=", 2)
        for path in ("", "heads", "surgery", "training")
        for width in (1024, 1920)
    ),
]
"""Page, width, what its link says, what is measured, and its bound."""
SHOWN = sorted({(path, link) for path, _width, link, *_ in TABLE})


@pytest.mark.parametrize(("path", "link"), SHOWN)
def test_positions_and_sizes(open_page: Callable[..., Page], address: str, path: str, link: str) -> None:
    rows = sorted(row for row in TABLE if (row[0], row[2]) == (path, link))
    page = open_page(f"{address}/{path}", width=rows[0][1], height=HEIGHTS[rows[0][1]], **dict(parse_qsl(link)))
    expect(page.locator(f"{WHOLE[path]}, .js-plotly-plot").first).to_be_visible()
    for _path, width, _link, what, sign, bound in rows:
        page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
        settle(page)
        found = page.evaluate(f"(whole) => {{ {ELEMENTS} return {MEASURES[what]}; }}", WHOLE[path])
        value = len(found) if isinstance(found, list) else found
        assert BOUNDS[sign](value, bound), (width, what, found)
