"""Which head aligns, on the page: every encoder-decoder is held against sentences that were aligned by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from models.experiments.aligning_heads import rank_heads
from tests.support.heads_page import fine, opened, script, words
from tests.support.huggingface_samples import tiny_network, tiny_tokenizer
from viz.server.runtime import shared_host


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Write a small model under a name that says its languages, as opus-mt's do, and under one that does not."""
    places = [tmp_path_factory.mktemp("translators") / name for name in ("opus-mt-en-fr", "some-translator")]
    for place in places:
        tiny_network("marian").save_pretrained(place)
        tiny_tokenizer().save_pretrained(place)
    return places


@pytest.fixture
def page(folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("ATTENTION_BENCH_MODELS", ":".join(map(str, folders)))
    app = AppTest.from_function(script, default_timeout=200)
    app.session_state["aligning"] = True
    for key, value in {"sentence": "The dog sleeps.", "map": "cross", "model": "hf:opus-mt-en-fr"}.items():
        app.query_params[key] = value
    return app


def test_the_heads_of_opus_mt_are_ranked_with_what_goes_to_the_end_and_punctuation(page: AppTest) -> None:
    app = fine(page.run())
    table, found = app.dataframe[-1].value, rank_heads(shared_host().model("hf:opus-mt-en-fr"), "en-fr")
    assert list(zip(table["layer"], table["head"], strict=True)) == [(each.site.layer, each.head) for each in found]
    assert table["alignment error rate"].tolist() == pytest.approx([each.error_rate for each in found])
    assert table["to </s> and punctuation"].tolist() == pytest.approx([each.aside for each in found])
    assert f"layer {found[0].site.layer}, head {found[0].head} aligns best" in words(app)
    assert "aligned" not in [each.key for each in app.selectbox]


def test_of_a_model_whose_name_says_no_languages_the_reader_chooses_them(page: AppTest) -> None:
    page.query_params["model"] = "hf:some-translator"
    app = fine(page.run())
    assert app.selectbox(key="aligned").value == "en-fr"
    assert len(app.dataframe[-1].value) == 12
    app.selectbox(key="aligned").set_value("zh-en").run()
    best = rank_heads(shared_host().model("hf:some-translator"), "zh-en")[0]
    assert f"layer {best.site.layer}, head {best.head} aligns best" in words(fine(app))


def test_maps_of_one_text_are_not_ranked() -> None:
    assert "Which head aligns" not in words(opened(map="encoder"))
