"""What can be shown of a model is declared on its entry: no module of `viz` asks which model or mechanism it has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import models
from models.huggingface.reader_entries import READER_ENTRIES
from models.keys import identity_of, mechanism_of
from models.mechanisms import mechanisms, multi_head, usual

ROOT = Path(__file__).parents[2]
FILES = sorted(path.relative_to(ROOT) for path in (ROOT / "viz").rglob("*.py"))
OURS = (*models.catalog(), *models.training_runs())
KEYS = {*mechanisms(), *map(mechanism_of, OURS), *OURS, *models.pretrained(), *map(identity_of, models.pretrained())}
KEYS |= {each.name for each in READER_ENTRIES.values()}

TABLES = ("viz/walk/mechanisms.py", "viz/walk/memory.py")
"""Data by mechanism, which is looked up by the key of a trace."""

HARD = ("viz/pages/steps/lab.py", "viz/pages/steps/lab_arithmetic.py", "viz/pages/steps/settings.py")
HARD += ("viz/widgets/edits/builder.py",)
"""Where the word names an edit or a switch of the lab."""


def written(tree: ast.AST) -> Iterator[str]:
    """Yield the strings of a module but its docstrings, and how each f-string begins."""
    shown = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.Constant):
            yield str(node.values[0].value).removesuffix("-")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in shown:
            yield node.value


def is_of_keys(value: object) -> bool:
    return isinstance(value, tuple | list) and len(value) > 1 and set(map(str, value)) <= KEYS


def by_place(tree: ast.AST, module: object) -> Iterator[str]:
    """Yield the names of tuples of keys of which one is taken by its place, or which are zipped to other names."""
    for node in ast.walk(tree):
        taken: list[ast.expr] = []
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant | ast.Slice):
            taken = [node.value]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
            taken = node.args
        for each in taken:
            if isinstance(each, ast.Name) and is_of_keys(getattr(module, each.id, None)):
                yield each.id


@pytest.mark.parametrize("file", FILES, ids=str)
def test_no_module_of_viz_names_a_mechanism_or_a_model(file: Path) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf8"))
    found = set(written(tree)) & KEYS if str(file) not in TABLES else set[str]()
    assert found - ({"hard"} if str(file) in HARD else set()) == set()
    if file.stem != "__main__":
        assert set(by_place(tree, import_module(".".join(file.with_suffix("").parts)))) == set()


def test_each_kind_has_one_that_stands_for_it() -> None:
    assert multi_head() in usual()
    assert {each.has_attention for each in usual()} == {True, False}
    for shown in ("draws", "pyramid", "distances"):
        assert sum(getattr(each, shown) for each in mechanisms().values()) == 1


@pytest.mark.parametrize("room", ["models", "viz"])
def test_no_text_counts_the_parameters_of_a_model_by_hand(room: str) -> None:
    files = {path: ast.parse(path.read_text(encoding="utf8")) for path in (ROOT / room).rglob("*.py")}
    found = {text for tree in files.values() for text in written(tree) if re.search(r"\d (M|million) parameters", text)}
    assert found == set()
