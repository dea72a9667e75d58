"""A checkpoint that is not whole: every page names it and shows all else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from models import cards, registry
from models.translation import checkpoints
from models.translation.checkpoints import CARD_FILE, TOKENIZER_FILE, find_tokenizer, read_card, shipped_folders
from viz.server.runtime import shared_host

BROKEN = ("luong-general-en-fr", "transformer-post-ln-en-fr")
"""One that the Bench shows unasked, one of several heads."""
ROOT = Path(__file__).parents[3]
PAGES = sorted(path.parent.name for path in (ROOT / "viz" / "pages").glob("*/page.py"))


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
        assert f"{BROKEN[0]}/{CARD_FILE}: incomplete" in said
    if damaged == CARD_FILE and page == "heads":
        assert f"{BROKEN[1]}/{CARD_FILE}: incomplete" in said
    if damaged == TOKENIZER_FILE and page == "bench":
        assert f"{BROKEN[0]}: the SHA-256 of {TOKENIZER_FILE} differs from the one on its card" in said


@pytest.fixture
def _without_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Serve as the main wheel does, of whose models none finds its weights."""
    packages = run_path(str(ROOT / "deploy" / "wheel.py"))["weight_packages"]()
    (tmp_path / "packages.json").write_text(
        json.dumps({name: package for package, names in packages.items() for name in names}), encoding="utf8"
    )
    monkeypatch.setattr(cards, "PACKAGES_FILE", tmp_path / "packages.json")
    monkeypatch.setattr(cards, "distribution", lambda name: SimpleNamespace(read_text=lambda file: None))
    monkeypatch.setattr(checkpoints, "MODEL_FILE", "nowhere.safetensors")
    shared_host.clear()
    yield
    shared_host.clear()


@pytest.mark.parametrize(
    ("page", "asked", "missing"),
    [
        ("training", "", ["bahdanau-en-fr@", "luong-general-en-fr@", "transformer-en-fr@"]),
        ("bench", "luong-dot luong-concat", ["luong-dot-en-fr", "luong-concat-en-fr"]),
    ],
)
@pytest.mark.usefixtures("_without_weights")
def test_models_that_one_package_brings_are_named_in_one_warning(page: str, asked: str, missing: list[str]) -> None:
    app = AppTest.from_function(script, args=(page,), default_timeout=120)
    if asked:
        app.query_params["mechanisms"] = asked
    said = [each.value.replace("\\", "") for each in app.run().warning]
    assert not app.exception
    assert len(said) == 1
    assert all(each in said[0] for each in missing)
    assert said[0].count("package") == 1
