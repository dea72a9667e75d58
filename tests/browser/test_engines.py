"""Each page in Firefox and in WebKit, Safari's engine: painted, typed into, pointed at, Back; a room joined."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page

from tests.support.browsing import until_link
from tests.support.engines import ENGINES, ENTER, PATIENCE, Opening, Window
from tests.support.waiting import until

SENTENCE = "The dog sleeps."
ALL = """
const all = (css, root = document) => [...root.querySelectorAll(css),
    ...[...root.querySelectorAll("*")].flatMap((each) => (each.shadowRoot ? all(css, each.shadowRoot) : []))];
const seen = (css) => all(css).filter((each) => each.getClientRects().length);
const text = (css) => seen(css).map((each) => each.textContent).join("|");
"""
"""All elements of the page, those in the shadow of components too."""
RESTS = "() => !!document.querySelector('[data-test-script-state=\"notRunning\"]')"
PAINTED = f"""(css) => {{ {ALL}
    const colours = (canvas) => new Set(new Uint32Array(
        canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size;
    const painted = (each) => (each.matches("canvas") ? each.width && colours(each) : each.childElementCount) > 4;
    return seen(css).some(painted);
}}"""
TEXT = f"(css) => {{ {ALL} return text(css); }}"
OTHER = f"(css, before) => {{ {ALL} const now = text(css); return now && now !== before && now; }}"
LINK = "(name, value) => new URLSearchParams(location.search).get(name) === value"
SHOWN = f"(css) => {{ {ALL} return seen(css).length > 0; }}"
BACK = f"(css, before) => {{ {ALL} return text(css) === before; }}"
PLACE = f"""(css, words) => {{ {ALL}
    const found = seen(css).find((each) => each.textContent.trim().endsWith(words));
    if (!found) return null;
    found.scrollIntoView({{ block: "nearest" }});
    const frame = found.getBoundingClientRect(), [box] = found.boxes ?? [{{ ...frame.toJSON(), left: 0, top: 0 }}];
    return [frame.left + box.left + box.width / 2, frame.top + box.top + box.height / 2];
}}"""
"""The middle of an element whose text ends with these words; on a canvas of several maps, the middle of the first."""
SELECTED = f"(css) => {{ {ALL} const [box] = seen(css); box.select(); return document.activeElement === box; }}"
FAULTS = f"""() => {{ {ALL}
    const faults = [];
    const expected = (holds, said) => holds || faults.push(said);
    for (const label of seen(".stMain .stMarkdownEllipsis")) {{
        const words = document.createRange();
        words.selectNodeContents(label);
        const [wanted, given] = [words, label].map((each) => each.getBoundingClientRect().width);
        expected(wanted <= given + 0.005, `${{label.textContent}}: ${{wanted}} in ${{given}}`);
    }}
    for (const row of seen(".st-key-timeline, [class*='st-key-figure-']"))
        expected(row.scrollWidth <= row.clientWidth,
            `cut by ${{row.scrollWidth - row.clientWidth}}: ${{row.className}}`);
    for (const panel of seen(".alignment .panel")) {{
        const [head, formula] = [".head", ".formula"].map((part) => panel.querySelector(part).getBoundingClientRect());
        const bottom = panel.querySelector(".translation").getBoundingClientRect().top;
        expected(formula.top >= head.top - 0.5 && formula.bottom <= bottom + 0.5,
            `formula: ${{formula.top}} to ${{formula.bottom}} in ${{head.top}} to ${{bottom}}`);
    }}
    return faults;
}}"""


@dataclass(frozen=True, slots=True)
class Trial:
    """What is looked at on a page: its picture, the text that follows what is typed, and what answers the pointer."""

    path: str
    picture: str
    follows: str
    target: str
    answer: str
    click: bool = False


MAP = (".alignment .cells", ".alignment .translation", ".alignment .cells", ".alignment .says")
TRIALS = (
    Trial("", *MAP),
    Trial("training", *MAP),
    Trial("heads", ".overview canvas", ".model-output", ".overview .stage", ".overview .tip"),
    Trial("surgery", ".comparison canvas", ".surgery-text", ".comparison .stage", ".comparison .tip"),
    Trial("steps", ".walk svg", ".walk .sentence", ".walk .sentence button:last-child", ".walk .box", True),
)


@pytest.fixture(scope="module", params=ENGINES)
def opening(request: pytest.FixtureRequest) -> Iterator[Opening]:
    with ENGINES[request.param]() as opening:
        yield opening


@pytest.fixture
def window(opening: Opening) -> Iterator[Window]:
    """Open a window of a laptop's size; what is shown in it may not offend the policy."""
    with opening() as window:
        window.resize(1280, 720)
        yield window
        assert window.offences() == []


LOOKS = 10
"""How often what is clicked on must be seen in one place: a line of controls is laid out again as they come."""


def steady(window: Window, function: str, *arguments: object) -> Any:
    """Return what a function gives once it gives the same look after look, on a page at rest."""
    looks: list[Any] = []

    def stands() -> bool:
        looks.append(window.run(RESTS) and window.run(function, *arguments))
        return bool(looks[-1]) and len(looks) >= LOOKS and all(each == looks[-1] for each in looks[-LOOKS:])

    until(stands, seconds=PATIENCE, what=f"{arguments} changes: {looks}")
    return looks[-1]


def click(window: Window, css: str, words: str = "") -> None:
    """Click on what is there, once it is, and nothing on the page moves any more."""
    window.until(PLACE, css, words)
    window.point(*steady(window, PLACE, css, words), click=True)


def type_in(window: Window, box: str, words: str) -> None:
    """Click on a text box, and type over what is in it."""
    click(window, box)
    window.until(
        f"(css) => {{ {ALL} const [box] = seen(css); box.select(); return document.activeElement === box; }}", box
    )
    window.press(words + ENTER)


def point_until_it_answers(window: Window, trial: Trial, unsaid: str) -> None:
    """Point at the picture, and after many looks again, a little beside: one that is drawn anew forgets the pointer."""
    looks = count()

    def answers() -> Any:
        if (look := next(looks)) % 100 == 0:
            x, y = window.until(PLACE, trial.target, "")
            window.point(x + look // 100 % 2, y, click=trial.click)
        return window.run(OTHER, trial.answer, unsaid)

    until(answers, seconds=PATIENCE, what=f"{trial.answer} is silent")


def look_right(window: Window) -> None:
    """Wait until nothing is cut or lies over another: fonts come, and parts of a line, one after another."""
    found = []

    def looks_right() -> bool:
        found[:] = window.run(FAULTS)
        return not found

    until(looks_right, seconds=PATIENCE, what=found)


def begin_a_lesson_and_go_back(window: Window) -> None:
    click(window, "[data-testid='stTopNavLink']", "Lessons")
    window.until("() => location.pathname === '/lessons'")
    click(window, ".stButton button", "Begin")
    window.until(SHOWN, ".st-key-lesson")
    window.until(RESTS)
    look_right(window)
    window.back()
    window.until("() => location.pathname === '/lessons'")
    window.until(SHOWN, ".st-key-room-opening")


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.path or "bench")
def test_a_page_is_painted_follows_what_is_typed_answers_the_pointer_and_comes_back(
    window: Window, address: str, trial: Trial
) -> None:
    """The Bench comes back: that each page does is seen in one engine, in test_every_page.py."""
    window.open(f"{address}/{trial.path}")
    window.until(PAINTED, trial.picture)
    window.until(RESTS)
    look_right(window)
    if not trial.path:
        assert "→ key: the source word attended to" in window.run(TEXT, ".alignment .corner")
    before = window.run(TEXT, trial.follows)
    type_in(window, ".st-key-sentence input", SENTENCE)
    window.until(OTHER, trial.follows, before)
    window.until(LINK, "sentence", SENTENCE)
    follows, unsaid = steady(window, TEXT, trial.follows), window.run(TEXT, trial.answer)
    point_until_it_answers(window, trial, unsaid)
    if trial.path:
        return
    begin_a_lesson_and_go_back(window)
    window.back()
    window.until(BACK, trial.follows, follows)
    window.until("(said) => document.querySelector('.st-key-sentence input').value === said", SENTENCE)


def test_why_attention_is_drawn_and_follows_what_is_typed(window: Window, address: str) -> None:
    window.open(f"{address}/why")
    window.until(PAINTED, ".drawings svg")
    window.until(RESTS)
    look_right(window)
    before = window.run(TEXT, "table")
    type_in(window, ".st-key-long input", "The dog sleeps, and the cat sleeps.")
    window.until(OTHER, "table", before)


def test_a_room_is_joined_by_a_link_and_by_its_code(
    window: Window, open_page: Callable[..., Page], address: str
) -> None:
    teacher = open_page(f"{address}/lessons")
    teacher.get_by_role("button", name="Open a room").click()
    until_link(teacher, lambda url: "room=" in url)
    code = parse_qs(urlsplit(teacher.url).query)["room"][0]
    window.open(f"{address}/?room={code}")
    window.until("() => location.pathname === '/lessons'")  # led to where the teacher is
    window.until(OTHER, ".st-key-room", "")
    click(window, ".st-key-room-leave button")
    window.until(f"() => {{ {ALL} return !seen('.st-key-room').length; }}")
    window.open(f"{address}/lessons")
    type_in(window, ".st-key-room-opening input", code.lower())
    window.until(LINK, "room", code)
    window.until(OTHER, ".st-key-room", "")
    teacher.get_by_test_id("stHeader").get_by_role("link", name="Surgery", exact=True).click()
    window.until("() => location.pathname === '/surgery'")
    window.until(PAINTED, ".comparison canvas")
    teacher.get_by_role("button", name="Close the room").click()
    teacher.get_by_role("button", name="Close it for all").click()
    window.until(f"() => {{ {ALL} return !seen('.st-key-room').length; }}")


def test_what_offends_the_policy_is_noticed(opening: Opening, address: str) -> None:
    with opening() as window:
        window.open(f"{address}/open")
        window.until(SHOWN, "[data-testid='stFileUploader']")
        assert window.offences() == []
        window.run("() => { fetch('http://127.0.0.1:9').catch(() => {}); }")
        until(window.offences, seconds=PATIENCE)
