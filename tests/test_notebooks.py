"""The notebooks of the docs run with the installed app and no network; unrun, they show what they would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.support.wheels import installed_app, site_of

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


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of packages of an environment into which the app was installed."""
    return site_of(installed_app(tmp_path_factory.getbasetemp()))


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["figure", "own_model", "two_models"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_is_kept_in_it(
    path: Path, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(installed))
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, UNREACHABLE)
    kept = nbformat.read(path, as_version=4)
    run = NotebookClient(nbformat.read(path, as_version=4), timeout=300, store_widget_state=False).execute()
    assert shown(run) == shown(kept)
    assert {kind for cell in shown(kept) for kind, _ in cell} <= {"display_data", "execute_result"}
    assert path.stat().st_size < 500_000
    assert "widgets" not in kept.metadata
