"""The page that opens traces: what is in a file is shown, what cannot be is said, and what was open before stays."""

from __future__ import annotations

import re
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from models.trace import AttentionTrace
from tests.support.huggingface_samples import tiny_network, tiny_tokenizer
from tests.support.npz_files import aligned, encoder, saved

PATIENCE = 100


@pytest.fixture
def app() -> AppTest:
    def script() -> None:
        from viz.pages.open.page import PAGE

        PAGE.show()

    app = AppTest.from_function(script, default_timeout=PATIENCE).run()
    assert not app.exception
    return app


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
    drawn = {each.proto.id.rpartition("-opened-")[2] for each in app.get("bidi_component")}
    assert drawn >= pictures


def test_a_file_that_cannot_be_shown_loses_nothing(app: AppTest) -> None:
    app.file_uploader[0].upload("mine.npz", saved(encoder())).run()
    app.file_uploader[0].upload("*broken*.npz", b"nothing").run()
    assert not app.exception
    assert "broken" in app.error[0].value
    assert "This is not a saved trace, or the file is incomplete" in app.error[0].value.replace("\\", "")
    assert "An encoder" in facts(app)


def test_the_page_tells_first_how_to_save_attention_of_transformers_and_each_way_runs(
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
