"""What an import brings along, seen in fresh processes. import-linter holds who may import whom (pyproject.toml)."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def loaded_by(statement: str) -> frozenset[str]:
    """Return the names of all modules that are loaded once `statement` has run in a fresh process."""
    script = f"{statement}\nimport json, sys\nsys.stdout.write(json.dumps(sorted(sys.modules)))"
    command = [sys.executable, "-c", script]
    return frozenset(json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout))


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import models", ("torch", "numpy", "tokenizers", "safetensors", "streamlit", "plotly", "viz")),
        ("import models.sites", ("torch", "numpy")),
        ("import models.trace", ("torch", "tokenizers", "models.edits")),
        ("import models.edits", ("torch", "tokenizers")),
        ("import models.model", ("torch", "tokenizers")),
        ("import models.keys", ("torch", "numpy")),
        ("import models.mechanisms", ("torch", "models.networks.recurrent")),
        ("import models.registry", ("torch", "tokenizers", "safetensors", "transformers", "huggingface_hub")),
        ("import models.loading", ("torch", "tokenizers", "safetensors", "transformers", "huggingface_hub")),
        ("import models.huggingface.hub", ("torch", "transformers", "huggingface_hub", "tqdm")),
        ("import models.huggingface.embedded", ("torch", "transformers", "numpy")),
        ("import viz.pages.bench.page", ("torch", "tokenizers")),
        ("import viz.pages.steps.page", ("torch", "tokenizers")),
        ("import viz.pages.surgery.page", ("torch", "tokenizers", "scipy.stats", "matplotlib")),
        ("import models.experiments.lab_presets", ("torch", "tokenizers")),
        ("import viz.walk.mechanisms", ("torch", "streamlit", "plotly", "models.hooks")),
        ("import viz.notebook", ("torch", "streamlit", "transformers")),
        ("import viz.figures", ("torch", "streamlit", "pandas", "models.hooks")),
        ("import models.measures.heads", ("torch", "streamlit", "plotly")),
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
    assert loaded.isdisjoint(("torch", "streamlit", "viz.pages", "viz.server.runtime"))


def test_a_fresh_process_shows_what_is_loaded() -> None:
    assert "torch" in loaded_by("import models.hooks")


def imported_by(path: Path, names: frozenset[str]) -> set[str]:
    """Return which of the modules `names` a file names in any import of it, those for types and in functions too."""
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {
                whole if (whole := f"{node.module}.{each.name}") in names else str(node.module) for each in node.names
            }
    return found & names - {module_name(path)}


def test_no_modules_import_each_other_in_a_circle() -> None:
    paths = [path for room in ("models", "viz", "training", "scale") for path in (ROOT / room).rglob("*.py")]
    names = frozenset(map(module_name, paths))
    arrows = {module_name(path): imported_by(path, names) for path in paths}
    assert sum(map(len, arrows.values())) > len(arrows)
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))
