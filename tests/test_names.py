"""A class name of `models` and `viz` stands for one thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_no_class_name_is_used_twice() -> None:
    owners: dict[str, set[str]] = defaultdict(set)
    for path in (each for package in ("models", "viz") for each in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            if isinstance(node, ast.ClassDef):
                owners[node.name].add(path.relative_to(ROOT).as_posix())
    assert len(owners) > 300
    assert {name: found for name, found in owners.items() if len(found) > 1} == {}
