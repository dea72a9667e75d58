"""Each page opened by link on a desk, on a touch phone in Chinese and presented; one opening for all that is seen."""

from __future__ import annotations

from collections.abc import Callable
from operator import eq, ge, le, lt
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.support import axe
from tests.support.bench_page import box_of
from tests.support.browsing import settle, until_link
from tests.support.lesson_pages import PAGES

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
SMALLEST = Path(__file__).parents[1].joinpath("support", "smallest_type.js").read_text(encoding="utf8")
FIGURES = {"": ".alignment", "heads": ".overview", "steps": ".walk", "surgery": ".comparison .stage"}
"""What is presented alone."""
FIGURE = f"all({FIGURES}[location.pathname.slice(1)])[0].getBoundingClientRect()"
STAGE = FIGURE.replace(".overview", ".overview .stage")
TURNED = {"steps": "step=", "training": "point=14"}
"""What a clicker turns on a presented page, and what its link then says."""
MOST = 20
FIRST_MAPS = {
    "why": ".st-key-chart-paths .modebar-btn",
    "": ".alignment .plot",
    "steps": ".boards",
    "heads": ".overview .stage",
    "surgery": ".comparison .stage",
    "training": ".alignment .plot",
    "scenes": ".scene input:checked",
    "lessons": None,  # a list
}
"""What takes the keys of the first picture of each page that has one, after so many presses at most."""
MEASURES = {
    "texts too small for the back row": f"""[({SMALLEST.partition("export default ")[2]})()]
        .filter(([size]) => size < {{ 1024: 18, 1920: 24 }}[innerWidth])""",
    "pixels beyond the screen": "document.documentElement.scrollWidth - innerWidth",
    "share of the screen that the picture fills": f"""(({{ width, bottom }}) =>
        Math.min(width / innerWidth / 0.9, bottom / innerHeight / 0.75))({FIGURE})""",
    "top of the picture": f"{STAGE}.top",
    "others beside the picture": """seen("[data-testid=stHeader], .bench-title, .stTextInput, .stSelectbox, .stPills")
        .map((each) => each.className)""",
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
ALL = tuple(name if name != "bench" else "" for name in PAGES)
PARTS = (*((path, "") for path in ALL), ("steps", "show=lab"), ("steps", "show=positions"))
CHARTS = (("", "present=on&also=difference"), ("training", "present=on&measured=wrong"))
"""Of which charts alone are measured."""
SHORT, SAYS_LITTLE = ("", "steps", "surgery"), "sentence=Hello."


def in_chinese(path: str, part: str = "") -> str:
    return f"lang=zh&{part or SAYS_LITTLE * (path in SHORT)}"


TABLE: list[Row] = [
    *(("", width, "", "top of the first map", "<=", most) for width, most in ((390, 480), (1024, 372), (1280, 300))),
    *((path, width, part, "cut", "==", 0) for width in (1024, 1280) for path, part in PARTS),
    *((path, 390, part, "pixels to scroll sideways", "<=", 0) for path, part in PARTS),
    *((path, 390, "", "cut choices", "==", 0) for path in ALL),
    *((path, 390, in_chinese(path, part), "cut choices", "==", 0) for path, part in PARTS),
    ("heads", 390, "model=hf:gpt-en&below=memory", "pixels to scroll sideways", "<=", 0),
    *((path, 1280, "", "Chinese fonts fetched", "==", 0) for path in ALL if path != "lessons"),
    *((path, 1280, "", "texts sent as they are", "==", 0) for path in ALL),
    ("heads", 390, "", "cut labels of heads", "==", 0),
    ("", 1280, "", "years out of order", "==", 0),
    *(("lessons", width, "", "lessons below rooms", "==", 0) for width in (390, 1280)),
    ("steps", 1280, "", "steps in colour", "==", 1),
    *(("training", width, "", "pixels between a point and its tick", "<", 2.5) for width in (390, 1280)),
    *(("heads", width, in_chinese("heads"), "words in Chinese to scroll for", "==", 0) for width in (390, 1280)),
    *((path, 390, "", "marks that begin a line", "==", 0) for path in ("", "steps")),
    *(
        (path, width, link, "empty below a picture", "<", 200)
        for path, link in (*((each, in_chinese(each)) for each in SHORT), ("heads", SAYS_LITTLE))
        for width in (390, 1280)
    ),
    *(
        (path, width, f"present=on&{part}", what, "==", 0)
        for path, part in PARTS
        for width in (1024, 1920)
        for what in ("texts too small for the back row", "pixels beyond the screen")
    ),
    *(
        (path, width, link, "charts cut off", "==", 0)
        for path, link in (*CHARTS, ("steps", "present=on&show=lab"))
        for width in (1024, 1920)
    ),
    *(
        (path, width, f"present=on&{part}", what, sign, bound)
        for path, part in PARTS
        if path in FIGURES and not part
        for width, what, sign, bound in (
            (1024, "share of the screen that the picture fills", ">=", 1.0),
            (1280, "top of the picture", "<", 180),
            (1280, "others beside the picture", "==", 0),
            (1920, "share of the screen that the picture fills", ">=", 1.0),
        )
    ),
    *(
        (path, width, f"present=on&{part}", "axis words", ">=", 2)
        for path, part in PARTS
        if path in ("", "heads", "surgery", "training")
        for width in (1024, 1920)
    ),
]
"""Page, width, what its link says, what is measured, and its bound."""
FOLDED = [(path, {}) for path in ("heads", "surgery", "steps")]
"""What test_accessibility.py shows to axe with all that is folded."""
SHOWN = sorted({(path, link) for path, _width, link, *_ in TABLE})


@pytest.mark.parametrize(("path", "link"), SHOWN)
def test_all_that_is_seen_of_a_page(open_page: Callable[..., Page], address: str, path: str, link: str) -> None:
    """Each page meets each kind of screen, of language and of theme, not all of their products.

    In English it is drawn first on a phone's width and then wider; in Chinese on a touch phone, by axe there;
    presented in English, first at the narrowest screen, by axe on the widest.
    """
    rows = sorted(row for row in TABLE if (row[0], row[2]) == (path, link))
    said, width = dict(parse_qsl(link)), rows[0][1]
    page = open_page(f"{address}/{path}", width=width, height=HEIGHTS[width], touch="lang" in said, **said)
    expect(page.locator(f"{WHOLE[path]}, .js-plotly-plot").first).to_be_visible()
    for _path, width, _link, what, sign, bound in rows:
        page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
        settle(page)
        found = page.evaluate(f"(whole) => {{ {ELEMENTS} return {MEASURES[what]}; }}", WHOLE[path])
        value = len(found) if isinstance(found, list) else found
        assert BOUNDS[sign](value, bound), (width, what, found)
    if (path, link) in CHARTS:
        return
    if "present" in said:
        look_from_the_back_row(page, path, "" if "show" in said else TURNED.get(path, ""))
    elif "lang" in said:
        page.set_viewport_size({"width": 390, "height": HEIGHTS[390]})
        settle(page)
        assert strong(axe.violations(page)) == []
        turn_by_the_drawer(page, path)
    elif said.keys() <= {"show"}:
        if (path, said) not in FOLDED:
            assert axe.violations(page) == []
        if not said and (first := FIRST_MAPS[path]):
            press_few_tabs(page, first)


def strong(found: list[str]) -> list[str]:
    return [each for each in found if "(serious)" in each or "(moderate)" in each]


def press_few_tabs(page: Page, first: str) -> None:
    """Reach the first map by the keyboard alone."""
    for _press in range(MOST):
        page.keyboard.press("Tab")
        if page.locator(first).first.evaluate("each => each.matches(':focus')"):
            return
    pytest.fail(f"{MOST} presses lead to {page.evaluate('document.activeElement.outerHTML')[:200]}")


def turn_by_the_drawer(page: Page, path: str) -> None:
    """Choose another page from the drawer of a phone, which closes; Back leads to the page that was opened."""
    other = "surgery" if path != "surgery" else "steps"
    page.get_by_test_id("stExpandSidebarButton").tap()
    link = page.locator(f"[data-testid=stSidebarNavLink][href$='/{other}']")
    expect(link).to_be_in_viewport()
    link.tap()
    until_link(page, lambda url: urlsplit(url).path == f"/{other}")
    expect(link).not_to_be_in_viewport()
    expect(page.locator(".st-key-sentence")).to_be_visible()
    settle(page)
    page.go_back()
    until_link(page, lambda url: urlsplit(url).path == f"/{path}")
    expect(page.locator(f"{WHOLE[path]}, .js-plotly-plot").first).to_be_visible()


def look_from_the_back_row(page: Page, path: str, turned: str) -> None:
    """Look by axe, point at large type, turn with a clicker what has steps, and leave the presentation."""
    assert strong(axe.violations(page)) == []
    if path == "":
        word = page.locator(".alignment .tokens .word").nth(1)
        word.hover()
        expect(word).to_have_class("word lit here")
    if path == "heads":
        stage = page.locator(".overview .stage")
        (*_, last), zoom = stage.evaluate("stage => [stage.boxes, stage.currentCSSZoom]")
        frame, ends = box_of(stage), (("x", "left", "width"), ("y", "top", "height"))
        page.mouse.move(*(frame[at] + zoom * (last[start] + last[size] / 2) for at, start, size in ends))
        expect(page.locator(".overview .tip")).to_contain_text("head 7")
    if turned:
        for key, holds in (("PageDown", True), ("PageUp", False)):
            page.keyboard.press(key)
            until_link(page, lambda url, holds=holds: (turned in url) == holds)  # type: ignore[misc]
            settle(page)
    page.get_by_role("button", name="Leave the presentation").click()
    expect(page.locator("[data-testid='stHeader']")).to_be_visible()
    until_link(page, lambda url: "present" not in url)
