"""The policy of every file of HTML that is saved: each script that runs is named by its hash, and nothing else is."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.support.canvas_samples import SAMPLES
from viz.canvas import Picture, overview_html, standalone_html
from viz.canvas.parts import _FILES
from viz.lessons.sheet import Pin, SheetAnswer, sheet_of
from viz.text.policy import hash_of

PIN = Pin("A <b>", b"<svg xmlns='http://www.w3.org/2000/svg'></svg>", "https://x.example/", {"sentence": "y"}, ())


def every_canvas() -> str:
    return standalone_html("All", [Picture(name, b"") for name in _FILES])


def in_a_notebook() -> str:
    return overview_html(SAMPLES["small"]()).html


def sheet() -> str:
    return sheet_of([(PIN, "remark")], [SheetAnswer("here", "which?", "this", right=True)], "Ann")


def policy_in(page: str) -> dict[str, list[str]]:
    """Return what the policy in the head of a page says, which stands before all that it bounds."""
    found = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    assert found is not None
    assert not re.search("<(script|style|img|link|base)", page[: found.start()])
    return {name: allowed for name, *allowed in (each.split() for each in found[1].split(";"))}


@pytest.mark.parametrize("made", [every_canvas, in_a_notebook, sheet])
def test_a_saved_page_runs_the_scripts_that_were_written_into_it_alone(made: Callable[[], str]) -> None:
    page = made()
    policy = policy_in(page)
    scripts = re.findall(r'<script(?: type="module")?>(.*?)</script>', page, re.DOTALL)
    assert policy["script-src"] == [hash_of(each) for each in scripts] or policy["script-src"] == ["'none'"]
    assert bool(scripts) == (made is not sheet)
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == ["'none'"]
    assert not re.search(r"\son\w+=", page.partition("<body>")[2].partition("<script")[0])


def test_the_sheet_has_its_one_style_by_hash_and_no_other() -> None:
    page = sheet()
    (style,) = re.findall("<style>(.*?)</style>", page, re.DOTALL)
    assert policy_in(page)["style-src"] == [hash_of(style)]
    assert " style=" not in page
