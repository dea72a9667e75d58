"""Press the link to the other language at random moments of first runs: `python -m benchmarks.languages`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain, cycle, islice
from random import Random
from typing import TYPE_CHECKING, Annotated
from urllib.parse import parse_qsl, urlencode, urlsplit

import typer
from playwright.sync_api import TimeoutError as Late
from playwright.sync_api import sync_playwright
from tqdm import tqdm

from benchmarks.fuzz.pages import CHROMIUM, FLAGS, PATIENCE
from models.command import run
from tests.support.browsing import running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

VISITS: tuple[tuple[str, dict[str, str]], ...] = (
    ("", {}),
    ("", {"sentence": "The dog sleeps.", "unit": "piece", "mechanisms": "transformer"}),
    ("", {"languages": "zh-en", "sentence": "你好吗？", "align": "text"}),
    ("why", {"models": "bahdanau"}),
    ("steps", {"mechanism": "luong-general"}),
    ("steps", {"show": "lab", "preset": "onehot"}),
    ("heads", {"colour": "root"}),
    ("heads", {"model": "hf:bert-en", "against": "model"}),
    ("surgery", {"model": "luong-general", "check": "words"}),
    ("scenes", {"edit": "even"}),
    ("training", {"point": "3"}),
    ("lessons", {"in": "zh"}),
    ("", {"lesson": "bahdanau-and-luong.2"}),
)
LATEST = 4.0
"""Seconds after which the link is pressed at the latest; the first run takes one to three."""

_HAS_PAGE = "() => document.querySelector('[data-testid=stMain]')?.innerText.length > 40"
_HAS_RUN = "() => document.querySelector('[data-test-script-state=\"notRunning\"]')"
_LINK = "a[data-language]"


@dataclass(frozen=True, slots=True)
class Press:
    """What a press did: the link before and after, and what was wrong with the page."""

    before: str
    after: str
    wrong: tuple[str, ...]


def press(page: Page, address: str, visit: tuple[str, dict[str, str]], moment: float) -> Press:
    """Open a page, press the link to the other language, and look at what stands there then."""
    path, link = visit
    page.goto(f"{address}/{path}?{urlencode(link)}")
    language = page.locator(_LINK)
    language.wait_for()
    page.wait_for_timeout(1000 * moment)
    before = page.url
    wanted = str(language.get_attribute("data-language"))
    language.click()
    wrong = []
    try:
        page.locator(f'html[lang="{wanted}"]').wait_for(state="attached")
        page.wait_for_function(_HAS_PAGE)
        page.wait_for_function(_HAS_RUN)
    except Late:
        wrong.append("white")
    said = page.get_by_test_id("stAlertContentWarning").all_inner_texts()
    wrong += ["warning" for text in said if "=" in text]
    if not set(parse_qsl(urlsplit(before).query)) <= set(parse_qsl(urlsplit(page.url).query)):
        wrong.append("lost")
    return Press(before, page.url, tuple(wrong))


def presses(page: Page, address: str, count: int, seed: int) -> Iterator[Press]:
    """Press so many times, each page about as often as any other."""
    draw = Random(seed)
    rounds = (draw.sample(VISITS, len(VISITS)) for _round in cycle("."))
    for visit in islice(chain.from_iterable(rounds), count):
        yield press(page, address, visit, draw.uniform(0, LATEST))


def main(
    *,
    count: Annotated[int, typer.Option("--presses", help="How many.", min=1)] = 60,
    seed: Annotated[int, typer.Option(help="Of the random moments.")] = 1,
) -> None:
    """Press, and say what was wrong with how many presses."""
    with running("app.py") as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(PATIENCE)
        found: Counter[str] = Counter()
        for each in tqdm(presses(page, address, count, seed), total=count, disable=None):
            found.update(each.wrong)
            if each.wrong:
                typer.echo(f"{', '.join(each.wrong)}: {each.before} -> {each.after}")
        browser.close()
    parts = ", ".join(f"{name} {found[name]}" for name in ("warning", "lost", "white"))
    typer.echo(f"{count} presses: {parts}")
    raise typer.Exit(bool(found))


if __name__ == "__main__":
    run(main)
