"""The installed Streamlit has every part that a style sheet names, and no sheet or module names one by itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.bundle import bundle
from viz.shell.selectors import SELECTORS, with_selectors

ROOT = Path(__file__).parents[3]
SHELL = ROOT / "viz" / "shell"
SHEETS = [each for each in sorted((ROOT / "viz").rglob("*.css")) if "$" in each.read_text(encoding="utf8")]
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
