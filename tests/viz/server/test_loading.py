"""A checkpoint that is not whole: every page names it and shows all else."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from models import registry
from models.translation.checkpoints import CARD_FILE, TOKENIZER_FILE, find_tokenizer, read_card, shipped_folders
from viz.server.runtime import shared_host

BROKEN = ("luong-general-en-fr", "transformer-post-ln-en-fr")
"""One that the Bench shows unasked, one of several heads."""
PAGES = sorted(path.parent.name for path in (Path(__file__).parents[3] / "viz" / "pages").glob("*/page.py"))


def script(page: str) -> None:
    from importlib import import_module

    import_module(f"viz.pages.{page}.page").PAGE.show()


@pytest.fixture(params=[CARD_FILE, TOKENIZER_FILE])
def damaged(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Serve with half of a file of two models; afterwards the usual host is made anew."""
    folders = dict(shipped_folders())
    for key in BROKEN:
        own = Path(shutil.copytree(folders[key], tmp_path / key))
        shutil.copy(find_tokenizer(own, read_card(own)), own / TOKENIZER_FILE)
        raw = (own / request.param).read_bytes()
        (own / request.param).write_bytes(raw[: len(raw) // 2])
        folders[key] = own
    monkeypatch.setattr(registry, "shipped_folders", lambda: folders)
    shared_host.clear()
    yield request.param
    shared_host.clear()


@pytest.mark.parametrize("page", PAGES)
def test_a_model_that_is_not_whole_is_named_and_all_else_works(page: str, damaged: str) -> None:
    app = AppTest.from_function(script, args=(page,), default_timeout=120).run()
    assert not app.exception
    said = " ".join(each.value for each in (*app.warning, *app.error)).replace("\\", "")
    shown = sum(len(app.get(kind)) for kind in ("html", "plotly_chart", "bidi_component", "arrow_data_frame"))
    assert shown > (page != "lessons")  # which shows no model
    assert "Traceback" not in said
    if damaged == CARD_FILE and page in ("bench", "surgery", "why"):
        assert f"{BROKEN[0]}/{CARD_FILE}: not whole" in said
    if damaged == CARD_FILE and page == "heads":
        assert f"{BROKEN[1]}/{CARD_FILE}: not whole" in said
    if damaged == TOKENIZER_FILE and page == "bench":
        assert f"{BROKEN[0]}: {TOKENIZER_FILE} has another SHA-256 than its card expects" in said
