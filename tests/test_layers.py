"""Who may import whom, read from the source of every file and seen in fresh processes."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ANY_LIBRARY = frozenset("*")


@dataclass(frozen=True)
class Rule:
    """What the modules under a prefix may import, besides the standard library.

    Parameters
    ----------
    libraries : frozenset of str
        Third-party packages.
    own : tuple of str
        Modules of this repository, with all below them.
    own_for_types : tuple of str
        The same, but only under ``if TYPE_CHECKING``.
    """

    libraries: frozenset[str] = frozenset()
    own: tuple[str, ...] = ()
    own_for_types: tuple[str, ...] = ()


DRAWING = Rule(
    frozenset(("numpy", "plotly")),
    (
        "models.sites",
        "models.trace",
        "viz.differences",
        "viz.figures",
        "viz.head_labels",
        "viz.head_profile",
        "viz.heatmaps",
        "viz.hiding",
        "viz.language",
        "viz.matching",
        "viz.measures",
        "viz.on_text",
        "viz.panels",
        "viz.pooling",
        "viz.rollout",
        "viz.similarity",
        "viz.strips",
        "viz.theme",
        "viz.tokens",
        "viz.views",
        "viz.windows",
    ),
)
FEEDING = Rule(frozenset(("numpy",)), (*DRAWING.own, "viz.canvas_payload"))
PAGES = Rule(frozenset(("streamlit",)), ("models", "viz"))

# The longest prefix counts.
WALKING = Rule(
    frozenset(("numpy",)),
    (
        "models.sites",
        "models.trace",
        "viz.digits",
        "viz.language",
        "viz.step_after",
        "viz.step_recurrence",
        "viz.step_scores",
        "viz.step_vector",
        "viz.step_weights",
        "viz.steps",
        "viz.strips",
        "viz.tokens",
    ),
)
RULES = {
    "models": Rule(ANY_LIBRARY, ("models",)),
    "models.sites": Rule(),
    "models.edit_text": Rule(own=("models.sites",)),
    "models.edits": Rule(frozenset(("numpy",)), ("models.edit_text", "models.sites")),
    "models.trace": Rule(frozenset(("numpy",)), ("models.sites",), ("models.edits",)),
    "viz": DRAWING,
    "viz.measures": Rule(frozenset(("numpy",)), ("models.sites", "models.trace")),
    "viz.head_labels": Rule(own=("viz.language",)),
    "viz.head_profile": Rule(  # not viz.figures: those import it
        frozenset(("numpy",)),
        (
            "models.sites",
            "viz.head_labels",
            "viz.hiding",
            "viz.language",
            "viz.measures",
            "viz.tokens",
            "viz.views",
        ),
    ),
    "viz.hiding": Rule(frozenset(("numpy",)), ("models.sites", "models.trace", "viz.language")),
    "viz.head_pairs": Rule(PAGES.libraries | {"numpy"}, PAGES.own),
    "viz.head_sides": Rule(PAGES.libraries | {"numpy"}, PAGES.own),
    "viz.isolation": PAGES,
    "viz.matching": Rule(frozenset(("numpy",)), ("models.trace",)),
    "viz.on_text": Rule(own=("viz.language", "viz.theme", "viz.tokens", "viz.views")),
    "viz.pooling": Rule(frozenset(("numpy",))),
    "viz.rollout": Rule(frozenset(("numpy",))),
    "viz.digits": Rule(frozenset(("numpy",)), ("viz.language",)),
    "viz.lab_tables": Rule(PAGES.libraries | {"numpy"}, PAGES.own),
    "viz.lab_view": Rule(PAGES.libraries | {"numpy"}, PAGES.own),
    "viz.pairs": PAGES,
    "viz.positions_view": PAGES,
    "viz.step_after": WALKING,
    "viz.step_recurrence": WALKING,
    "viz.step_scores": WALKING,
    "viz.step_vector": WALKING,
    "viz.step_weights": WALKING,
    "viz.steps": WALKING,
    "viz.steps_view": PAGES,
    "viz.strips": Rule(frozenset(("numpy",))),
    "viz.walks": WALKING,
    "viz.similarity": Rule(frozenset(("numpy", "scipy")), ("viz.measures",)),
    "viz.caching": Rule(),
    "viz.runtime": Rule(frozenset(("streamlit", "torch")), ("models", "viz.caching")),
    "viz.pages": PAGES,
    "viz.bench_below": PAGES,
    "viz.bench_common": PAGES,
    "viz.bench_summary": Rule(
        frozenset(("numpy",)),
        ("models.trace", "viz.differences", "viz.language", "viz.measures", "viz.similarity", "viz.views"),
    ),
    "viz.cards": PAGES,
    "viz.canvas_payload": Rule(own=("viz.figures.head_overview", "viz.language", "viz.theme", "viz.views")),
    "viz.comparison_payload": FEEDING,
    "viz.head_payload": FEEDING,
    "viz.chart": Rule(PAGES.libraries | {"plotly"}, PAGES.own),
    "viz.controls": PAGES,
    "viz.head_below": PAGES,
    "viz.head_canvas": PAGES,
    "viz.head_compare": PAGES,
    "viz.head_foretells": Rule(PAGES.libraries | {"numpy"}, PAGES.own),
    "viz.head_gallery": PAGES,
    "viz.head_model": PAGES,
    "viz.head_picks": PAGES,
    "viz.head_settings": PAGES,
    "viz.head_shown": Rule(DRAWING.libraries, (*DRAWING.own, "viz.caching", "viz.head_payload")),
    "viz.head_table": PAGES,
    "viz.returning": PAGES,
    "viz.edit_builder": Rule(PAGES.libraries | {"numpy"}, PAGES.own),
    "viz.edit_list": PAGES,
    "viz.bench_window": PAGES,
    "viz.translation_consequence": PAGES,
    "viz.surgery_checks": Rule(PAGES.libraries | {"numpy"}, PAGES.own),
    "viz.surgery_heads": PAGES,
    "viz.edit_history": Rule(own=("models.edits", "models.trace", "viz.language", "viz.tokens")),
    "viz.vector_consequence": Rule(PAGES.libraries | {"numpy"}, PAGES.own),
    "viz.consequence": Rule(frozenset(("numpy", "scipy")), ("models.trace",)),
    "viz.fitting": PAGES,
    "viz.loading": PAGES,
    "viz.runs": PAGES,
    "viz.sentence": PAGES,
    "viz.style": PAGES,
    "viz.viewport": PAGES,
    "app": Rule(PAGES.libraries, ("viz",)),
}
NEVER = {"models": ("streamlit", "plotly", "viz")}


@dataclass(frozen=True)
class Import:
    """An import statement of a module: what it names, on which line, and whether only type checkers follow it."""

    target: str
    line: int
    for_types: bool


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or path.is_dir()


def targets(node: ast.AST, module: str) -> Iterator[str]:
    """Give the modules that one statement imports, whatever its form."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = ".".join(module.split(".")[: -node.level]) if node.level else ""
        base = ".".join(filter(None, (above, node.module)))
        for alias in node.names:
            yield f"{base}.{alias.name}" if is_module(f"{base}.{alias.name}") else base
    elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")) and node.args:
        name = node.args[0]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            yield name.value


def imports(source: str, module: str) -> list[Import]:
    """List what `source` imports, inside functions too."""
    tree = ast.parse(source)
    guarded = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for statement in node.body
        for inner in ast.walk(statement)
    }
    return [
        Import(target, getattr(node, "lineno", 0), id(node) in guarded)
        for node in ast.walk(tree)
        for target in targets(node, module)
    ]


def under(name: str, prefixes: tuple[str, ...]) -> bool:
    return any(name == prefix or name.startswith(f"{prefix}.") for prefix in prefixes)


def is_allowed(module: str, found: Import) -> bool:
    """Tell whether `module` may hold the import `found`."""
    top = found.target.partition(".")[0]
    if top == "app":
        return False
    prefix = max((prefix for prefix in RULES if under(module, (prefix,))), key=len, default=None)
    if prefix is None or top in sys.stdlib_module_names:
        return True
    if under(top, NEVER.get(module.partition(".")[0], ())):
        return False
    rule = RULES[prefix]
    if top in ("models", "viz"):
        return under(found.target, rule.own + (rule.own_for_types if found.for_types else ()))
    return rule.libraries == ANY_LIBRARY or top in rule.libraries


def violations(source: str, module: str) -> list[str]:
    """List the imports of `source` that break a rule, each with its line."""
    return [
        f"{module}:{found.line} imports {found.target}"
        for found in imports(source, module)
        if not is_allowed(module, found)
    ]


def loaded_by(statement: str) -> frozenset[str]:
    """Give the names of all modules that are loaded once `statement` has run in a fresh process."""
    script = f"{statement}\nimport json, sys\nsys.stdout.write(json.dumps(sorted(sys.modules)))"
    command = [sys.executable, "-c", script]
    return frozenset(json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout))


def sources() -> list[Path]:
    folders = (ROOT / name for name in ("models", "viz", "tests", "benchmarks"))
    return [*ROOT.glob("*.py"), *(path for folder in folders for path in sorted(folder.rglob("*.py")))]


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_imports_only_what_its_layer_may(path: Path) -> None:
    assert violations(path.read_text(encoding="utf8"), module_name(path)) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("models.hooks", "import streamlit"),
        ("models.hooks", "from plotly import graph_objects"),
        ("models.hooks", "def late():\n    from viz import measures"),
        ("models.training.train", "from viz.measures import entropy"),
        ("models.registry", "import importlib\nimportlib.import_module('viz.figures')"),
        ("models.sites", "import numpy"),
        ("models.sites", "from models import trace"),
        ("models.trace", "import torch"),
        ("models.trace", "from models.edits import Edit"),
        ("models.trace", "from . import edits"),
        ("models.trace", "from .hooks import capture"),
        ("models.edits", "import torch"),
        ("viz.figures.heads", "import torch"),
        ("viz.figures.heads", "import streamlit as st"),
        ("viz.figures.heads", "from models import load"),
        ("viz.figures.heads", "import models"),
        ("viz.figures.heads", "from models.edits import Edit"),
        ("viz.figures.heads", "if TYPE_CHECKING:\n    from models.edits import Edit"),
        ("viz.figures.heads", "from viz.pages import bench"),
        ("viz.theme", "from viz.runtime import warm_up"),
        ("viz.theme", "import streamlit"),
        ("viz.measures", "import plotly"),
        ("viz.pages.bench", "import torch"),
        ("viz.pages.bench", "import plotly.graph_objects as go"),
        ("viz.pages.bench", "import app"),
        ("tests.test_app", "from app import main"),
        ("benchmarks.page", "import app"),
        ("app", "import torch"),
    ],
)
def test_the_check_sees_an_import_across_layers(module: str, source: str) -> None:
    assert len(violations(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("models.trace", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from models.edits import Edit"),
        ("models.trace", "from models.sites import Site"),
        ("models.hooks", "import torch\nfrom models import edits"),
        (
            "viz.figures.heads",
            "import numpy\nimport plotly.graph_objects\nfrom models import sites, trace\nimport math",
        ),
        ("viz.pages.bench", "import streamlit\nfrom models import load\nfrom viz import figures, measures"),
        ("tests.test_hooks", "import torch\nimport streamlit\nfrom models import hooks"),
    ],
)
def test_the_check_lets_pass_what_the_design_allows(module: str, source: str) -> None:
    assert violations(source, module) == []


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import models", ("torch", "numpy", "tokenizers", "safetensors", "streamlit", "plotly", "viz")),
        ("import models.sites", ("torch", "numpy")),
        ("import models.trace", ("torch", "tokenizers", "models.edits")),
        ("import models.edits", ("torch", "tokenizers")),
        ("import models.mechanisms", ("torch", "models.recurrent")),
        ("import models.registry", ("torch", "tokenizers", "safetensors", "transformers", "huggingface_hub")),
        ("import models.hub", ("torch", "transformers", "huggingface_hub", "tqdm")),
        ("import models.huggingface.embedded", ("torch", "transformers", "numpy")),
        ("import viz.pages.bench", ("torch", "tokenizers")),
        ("import viz.pages.steps", ("torch", "tokenizers")),
        ("import viz.walks", ("torch", "streamlit", "plotly", "models.hooks")),
        ("import viz.figures", ("torch", "streamlit", "pandas", "models.hooks")),
        ("import viz.measures", ("torch", "streamlit", "plotly")),
    ],
)
def test_a_fresh_process_stays_free_of(statement: str, absent: tuple[str, ...]) -> None:
    loaded = loaded_by(statement)
    assert statement.rpartition(" ")[2] in loaded
    assert loaded.isdisjoint(absent)


def test_no_module_of_models_loads_the_browser_side() -> None:
    paths = [path for path in sorted((ROOT / "models").rglob("*.py")) if path.stem != "__main__"]
    loaded = loaded_by("\n".join(f"import {module_name(path)}" for path in paths))
    assert loaded.isdisjoint(("streamlit", "plotly", "viz", "app"))


def test_every_figure_is_drawn_without_models_that_run() -> None:
    paths = sorted((ROOT / "viz" / "figures").rglob("*.py"))
    loaded = loaded_by("\n".join(f"import {module_name(path)}" for path in paths))
    assert loaded.isdisjoint(("torch", "streamlit", "viz.pages", "viz.runtime"))


def test_a_fresh_process_shows_what_is_loaded() -> None:
    assert "torch" in loaded_by("import models.hooks")
