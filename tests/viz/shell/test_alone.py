"""`viz/shell` alone knows what Streamlit does not promise, each file says what replaces it, and each has a test."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

ROOT = Path(__file__).parents[3]
SHELL = ROOT / "viz" / "shell"
FILES = [each for each in sorted(SHELL.glob("*.py")) if each.stem != "__init__"]
PUBLIC = {"streamlit", "streamlit.delta_generator"}
"""The second for the type of a container, which has no public name."""
PRIVATE = re.compile(r"_stcore|\.proto\b|\bst\._\w|\bScriptRunContext\b|MultiPartParser|Bad delta path")


def imported(path: Path) -> set[str]:
    """Return the modules of Streamlit that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {
                f"{node.module}.{each.name}" if node.module == "streamlit" else node.module for each in node.names
            }
    return {each for each in found if each.split(".")[0] == "streamlit"}


def test_nobody_else_imports_what_is_not_public() -> None:
    files = [ROOT / "app.py", *(each for name in ("viz", "models", "scale") for each in (ROOT / name).rglob("*.py"))]
    told = {str(each.relative_to(ROOT)): imported(each) - PUBLIC for each in files if SHELL not in each.parents}
    assert {name: found for name, found in told.items() if found} == {}
    assert any(imported(each) - PUBLIC for each in FILES)
    assert isinstance(st.container(), DeltaGenerator)


def test_nobody_else_names_what_is_not_public() -> None:
    files = [each for kind in ("py", "js", "html") for each in (ROOT / "viz").rglob(f"*.{kind}")]
    told = [each for each in files if SHELL not in each.parents and PRIVATE.search(each.read_text(encoding="utf8"))]
    assert told == []
    assert len([each for each in files if PRIVATE.search(each.read_text(encoding="utf8"))]) > 3


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_file_says_what_replaces_it_and_has_a_test(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf8"))) or ""
    assert re.search(r"replaces? (it|this file|them|an entry)|[Uu]ntil |waits for", docstring)
    assert (Path(__file__).parent / f"test_{path.stem}.py").is_file()


def test_the_guide_for_the_next_version_names_each_file() -> None:
    guide = (ROOT / "docs" / "adding.md").read_text(encoding="utf8").partition("\n## The next Streamlit\n")[2]
    guide = guide.partition("\n## ")[0]
    assert set(re.findall(r"`(\w+\.py)`", guide)) == {each.name for each in FILES}
    assert set(re.findall(r"`(\w+\.js)`", guide)) == {each.name for each in SHELL.glob("*.js")}
