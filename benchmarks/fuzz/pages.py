"""Links and texts of strangers on every page, in a real browser: nothing fails, nothing runs, nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from hypothesis import strategies as st

from benchmarks.fuzz.running import Check, Fuzz
from tests.support.browsing import running
from viz.widgets.frame import Page as Shown

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM, FLAGS = "/usr/bin/chromium", ("--no-sandbox", "--disable-gpu", "--no-first-run")
PATIENCE = 120_000  # milliseconds
NAMES = ("why", "bench", "steps", "heads", "surgery")
SHOWN: dict[str, Shown] = {name: import_module(f"viz.pages.{name}.page").PAGE for name in NAMES}

SCRIPTS = (
    "<script>window.ran=1</script>",
    "<img src=x onerror=window.ran=1>",
    "<svg onload=window.ran=1>",
    "<svg><script>window.ran=1</script></svg>",
    "<iframe srcdoc='<script>parent.ran=1</script>'></iframe>",
    '"><img src=x onerror="window.ran=1">',
    "javascript:window.ran=1",
    "[a](javascript:window.ran=1) ![b](http://127.0.0.9/b.png)",
    "<a href='javascript:window.ran=1' autofocus onfocus=window.ran=1>a</a>",
    "</style><script>window.ran=1</script>",
    "</script><script>window.ran=1</script>",
    "'-window.ran=1-'",
    "${window.ran=1} {{constructor.constructor('window.ran=1')()}}",
    "<math><mtext><table><mglyph><style><img src=x onerror=window.ran=1>",
    "$\\href{javascript:window.ran=1}{a}$ :material/home: <details open ontoggle=window.ran=1>",
)
VIEWS: tuple[tuple[str, dict[str, str]], ...] = (
    ("", {}),
    ("", {"align": "one", "target": "{}"}),
    ("why", {"long": "{}"}),
    ("steps", {}),
    ("steps", {"show": "lab"}),
    ("steps", {"show": "positions"}),
    ("heads", {}),
    ("heads", {"model": "hf:minilm", "pair": "{}"}),
    ("heads", {"against": "sentence", "other": "{}"}),
    ("heads", {"heads0": "0 1", "compare": "text"}),
    ("heads", {"heads0": "0 1", "compare": "lines"}),
    ("heads", {"model": "{}"}),
    ("surgery", {}),
    ("surgery", {"edits": "{}"}),
    ("surgery", {"check": "words"}),
    ("surgery", {"model": "hf:minilm"}),
)

_TEXTS = st.one_of(
    st.sampled_from(
        ("The cat sleeps.", "", " ", "我爱吃苹果。", "אני אוהב", "the " * 40, "x" * 3000, "\u200b", "a\0b")
    ),
    st.sampled_from(SCRIPTS),
    st.text(st.characters(codec="utf8"), max_size=40),
)
_VALUES = st.one_of(
    st.sampled_from("0 1 2 -1 999999999999 0.5 on off none all transformer hf:minilm en-fr zh-en hf:../x %00".split()),
    st.sampled_from(("bahdanau luong-general", "decoder.0.cross", "../..", "mean", "sum")),
    _TEXTS,
)


@st.composite
def _links(draw: st.DrawFn) -> str:
    """Return a link: a page, settings of it and of others, with values of their own or any."""
    name = draw(st.sampled_from(NAMES))
    settings = {each.name: tuple(getattr(each, "choices", None) or ()) for each in SHOWN[name].settings}
    names = [each.replace("*", "transformer") for each in settings]
    names += [f"{each}{draw(st.integers(0, 7))}" for each in names if each == "heads"]
    chosen = draw(st.lists(st.sampled_from(names), max_size=6, unique=True))
    link = {}
    for each in chosen:
        own = settings.get(each) if draw(st.booleans()) else None
        link[each] = draw(st.sampled_from(own) if own else _VALUES)
    if draw(st.booleans()):
        link["sentence"] = draw(_TEXTS)
    if draw(st.integers(0, 4)) == 0:
        link[draw(st.text(st.characters(codec="utf8"), min_size=1, max_size=8))] = draw(_VALUES)
    return _address(name, link)


def _address(name: str, link: dict[str, str]) -> str:
    path = "" if name == "bench" else SHOWN[name].address if name else ""
    return f"/{path}?{urlencode(link, quote_via=quote)}"


LINKS = Fuzz(_links(), 10)
PAYLOADS = Fuzz(st.tuples(st.sampled_from(SCRIPTS), st.sampled_from(VIEWS)), 10)


def watched(page: Page, own: str) -> list[str]:
    """Return a list into which goes whatever should not happen on a page from now on."""
    problems: list[str] = []
    mine = (f"http://{urlsplit(own).netloc}/", "blob:", "data:")
    page.on("pageerror", lambda error: problems.append(f"error: {error}"))
    page.on("request", lambda request: request.url.startswith(mine) or problems.append(f"fetched: {request.url}"))
    page.on("console", lambda said: "Content Security Policy" in said.text and problems.append(said.text))

    def dismiss(dialog: Any) -> None:
        problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("dialog", dismiss)
    return problems


def visit(page: Page, link: str) -> None:
    """Open a link and wait until its page is there, and stands still."""
    page.goto(link)
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for(timeout=PATIENCE)
    page.locator('[data-testid="stMain"] [data-testid="stTextInput"]').first.wait_for(timeout=PATIENCE)


@contextmanager
def _opened(address: str | None) -> Iterator[tuple[Page, str]]:
    from playwright.sync_api import sync_playwright

    with ExitStack() as stack:
        own = address or stack.enter_context(running("app.py"))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        stack.callback(browser.close)
        yield browser.new_page(viewport={"width": 1280, "height": 900}), own


def link_check(page: Page, own: str) -> Check:
    """Return what raises AssertionError if a link breaks its page."""
    problems = watched(page, own)

    def check(link: str) -> None:
        problems.clear()
        visit(page, own + link)
        assert not page.locator('[data-testid="stException"]').count(), link
        assert not problems, (link, problems)

    return check


def payload_check(page: Page, own: str) -> Check:
    """Return what raises AssertionError if a text runs in a view."""
    check_link = link_check(page, own)

    def check(example: tuple[str, tuple[str, dict[str, str]]]) -> None:
        script, (name, view) = example
        link = {key: script if value == "{}" else value for key, value in view.items()}
        check_link(_address(name, {"sentence": f"The cat {script} sleeps."} | link))
        assert page.evaluate("window.ran") is None, example

    return check


@contextmanager
def checking_links(address: str | None = None) -> Iterator[Check]:
    """Open a browser and an app, unless one runs already, and yield the check of links."""
    with _opened(address) as (page, own):
        yield link_check(page, own)


@contextmanager
def checking_payloads(address: str | None = None) -> Iterator[Check]:
    """Open a browser and an app, unless one runs already, and yield the check of texts that would run."""
    with _opened(address) as (page, own):
        yield payload_check(page, own)
