"""Files opened on Bench and Heads: what is in one is shown, what cannot be is said, and what was open before stays."""

from __future__ import annotations

import re
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from models.trace import AttentionTrace
from tests.support.huggingface_samples import tiny_network, tiny_tokenizer
from tests.support.npz_files import aligned, encoder, saved, shares
from viz.widgets.opened.taking import BOX

PATIENCE = 100


@pytest.fixture(params=["bench", "heads"])
def page(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def app(page: str) -> AppTest:
    script = f"from viz.pages.{page}.page import PAGE\nPAGE.show()"
    app = AppTest.from_string(script, default_timeout=PATIENCE)
    app.session_state[BOX] = True
    app.run()
    assert not app.exception
    return app


def drawn(app: AppTest, of: str = "-opened-") -> set[str]:
    """Return the keys of the canvases on the page, behind `of`."""
    return {each.proto.id.rpartition(of or "-")[2] for each in app.get("bidi_component") if of in each.proto.id}


def facts(app: AppTest) -> str:
    return "".join(each.proto.body for each in app.get("html"))


@pytest.mark.parametrize(
    ("trace", "name", "pictures"),
    [(aligned(title="<b>Mine</b>"), "Mine", {"panels"}), (encoder(), "An encoder", {"overview", "full"})],
)
def test_a_trace_is_shown_with_where_it_comes_from(
    app: AppTest, trace: AttentionTrace, name: str, pictures: set[str]
) -> None:
    app.file_uploader[0].upload("mine.npz", saved(trace)).run()
    assert not app.exception
    assert not app.error
    assert name in facts(app)
    assert "<b>Mine" not in facts(app)
    assert drawn(app) >= pictures


def test_a_translation_is_aligned_on_the_bench_and_its_heads_are_on_heads(app: AppTest, page: str) -> None:
    ways = {"bench": "panels", "heads": "cross"}
    canvases = {"panels": {"panels"}, "cross": {"overview", "full"}}
    trace = AttentionTrace.from_arrays({"decoder.0.cross": shares(4, 3, 2)}, source=["a", "b"], target=["x", "y", "z"])
    app.file_uploader[0].upload("mine.npz", saved(trace)).run()
    assert drawn(app) == canvases[ways.pop(page)]
    (other,) = ways.values()
    app.query_params["show"] = other
    assert drawn(app.run()) == canvases[other]


def test_closed_the_page_shows_its_own_run_again(app: AppTest) -> None:
    before = drawn(app, of="")
    app.file_uploader[0].upload("mine.npz", saved(encoder())).run()
    assert drawn(app, of="") != before
    app.button("close-files").click().run()
    assert drawn(app, of="") == before
    assert not app.warning


def test_a_file_that_cannot_be_shown_loses_nothing(app: AppTest) -> None:
    app.file_uploader[0].upload("mine.npz", saved(encoder())).run()
    app.file_uploader[0].upload("*broken*.npz", b"nothing").run()
    assert not app.exception
    assert "broken" in app.error[0].value
    assert "This is not a saved trace, or the file is incomplete" in app.error[0].value.replace("\\", "")
    assert "An encoder" in facts(app)


def test_the_box_tells_first_how_to_save_attention_of_transformers_and_each_way_runs(
    app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (said,) = (each.value for each in app.code)
    first, *ways, last = said.split("\n\n")
    assert [re.findall(r"AttentionTrace\.(\w+)", each) for each in ways] == [["from_transformers"], ["from_arrays"]]
    tokenizer = tiny_tokenizer()
    given = {
        "model": tiny_network("bert", attention="eager"),
        "tokenizer": tokenizer,
        "inputs": tokenizer("The cat sat.", return_tensors="pt", return_token_type_ids=False),
        "weights": np.full((2, 4, 4), 0.25),
    }
    for way in ways:
        exec("\n".join((first, way, last)), given)
        assert AttentionTrace.load(tmp_path / "mine.npz").sites
    rewritten = run_path(str(Path(__file__).parents[4] / "deploy" / "wheel.py"))["rewritten"]
    assert first == "from models import AttentionTrace"
    assert rewritten(said).startswith("from attention_bench.models import AttentionTrace\n")
