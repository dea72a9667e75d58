"""The notebooks of the docs run from a clone, without a network, and have what they show when nobody runs them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
UNREACHABLE = "http://127.0.0.1:9"


def shown(notebook: Any) -> list[list[tuple[str, list[str]]]]:
    """Return of each cell of code the kinds of its outputs."""
    return [
        [(each.output_type, sorted(each.get("data", {}))) for each in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["figure", "own_model", "two_models"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_is_kept_in_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, UNREACHABLE)
    kept = nbformat.read(path, as_version=4)
    run = NotebookClient(nbformat.read(path, as_version=4), timeout=300, store_widget_state=False).execute()
    assert shown(run) == shown(kept)
    assert {kind for cell in shown(kept) for kind, _ in cell} <= {"display_data", "execute_result"}
    assert path.stat().st_size < 500_000
    assert "widgets" not in kept.metadata
