"""The installed Streamlit has every part that a style sheet names, and no sheet or module names one by itself."""

from __future__ import annotations

import re
from itertools import accumulate
from pathlib import Path

import pytest

from tests.support.bundle import bundle
from viz.shell.selectors import SELECTORS, with_selectors

ROOT = Path(__file__).parents[3]
SHELL = ROOT / "viz" / "shell"
WITH_RULES = [each for kind in ("css", "html", "js", "py") for each in sorted((ROOT / "viz").rglob(f"*.{kind}"))]
SHEETS = [each for each in WITH_RULES if each.suffix == ".css" and "$" in each.read_text(encoding="utf8")]
STRUCTURAL = re.compile(r":(?:(?:first|last|only|nth)-[\w-]+|empty)(?![\w-])")
"""Pseudo-classes of an element's place among others: WebKit keeps what `:has` found of one while the others change."""
OWN_NAMES = re.compile(r"\.st[A-Z]\w+|data-testid|data-stale|data-test-|react-aria|st-emotion|\[kind=")


@pytest.mark.parametrize("name", SELECTORS)
def test_the_installed_streamlit_has_the_part(name: str) -> None:
    found = re.findall(r"[A-Za-z][\w-]*", SELECTORS[name].replace("data-testid", ""))
    assert found
    assert [each for each in found if not re.search(rf"\b{each}\b", bundle())] == []


def test_every_part_is_named_by_a_sheet_and_every_name_is_a_part() -> None:
    assert len(SHEETS) > 8
    texts = "".join(each.read_text(encoding="utf8") for each in [*SHEETS, ROOT / "viz/widgets/presenting.py"])
    named = set(re.findall(r"\$(\w+)", texts))
    assert named == set(SELECTORS)
    assert not [each for each in SHEETS if "$" in with_selectors(each.read_text(encoding="utf8"))]
    with pytest.raises(KeyError):
        with_selectors("$absent { }")


def test_no_file_outside_the_shell_names_a_part_of_streamlits_page() -> None:
    files = [each for kind in ("py", "css", "js", "html") for each in (ROOT / "viz").rglob(f"*.{kind}")]
    assert OWN_NAMES.search((SHELL / "turning.js").read_text(encoding="utf8"))
    told = [each for each in files if SHELL not in each.parents and OWN_NAMES.search(each.read_text(encoding="utf8"))]
    assert told == []


def inside_has(sheet: str) -> list[str]:
    """Return what is asked in each `:has(...)`, those inside of another too."""
    found = []
    for start in (each.end() for each in re.finditer(r":has\(", sheet)):
        depths = accumulate((char == "(") - (char == ")") for char in sheet[start:])
        found.append(sheet[start : start + next((end for end, depth in enumerate(depths) if depth < 0), 0)])
    return found


@pytest.mark.parametrize(
    "rule",
    [
        "a:has(> b > c:only-child > d) { }",
        "a:has(b:is(:not(:nth-child(2n + 1)))) { }",
        "a:is(b, :has(:empty)) { }",
        "a:has(b, c:first-of-type)",
    ],
)
def test_a_place_among_others_inside_has_is_seen(rule: str) -> None:
    assert [each for each in inside_has(rule) if STRUCTURAL.search(each)]
    outside = re.sub(STRUCTURAL, "", rule) + "a:has(b):last-child, c:nth-child(2):has(.empty)"
    assert not [each for each in inside_has(outside) if STRUCTURAL.search(each)]


def test_no_rule_asks_inside_has_for_a_place_among_others() -> None:
    asked = {each: inside_has(each.read_text(encoding="utf8")) for each in WITH_RULES}
    assert sum(map(len, asked.values())) > 30
    told = {str(each.relative_to(ROOT)): has for each in asked for has in asked[each] if STRUCTURAL.search(has)}
    assert told == {}
