"""Heads and Surgery on a model of which some layers attend, and whose tokenizer knows a token that it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
import transformers
from streamlit.testing.v1 import AppTest

from tests.support.drawing import redrawn
from tests.support.heads_page import MINILM, PATIENCE, fine, opened, overview, words
from tests.support.huggingface_samples import VOCABULARY, tiny_tokenizer

SAID = "<new> has no embedding in this model"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a tiny model with attention in layers 1 and 4 of 5, and a token without an embedding."""
    place = tmp_path_factory.mktemp("models") / "tiny-hybrid"
    config = transformers.Lfm2Config(
        vocab_size=VOCABULARY,
        hidden_size=32,
        num_hidden_layers=5,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=32,
        layer_types=["conv", "full_attention", "conv", "conv", "full_attention"],
    )
    redrawn(transformers.Lfm2ForCausalLM(config), seed=7, std=0.3).save_pretrained(place)
    tokenizer = tiny_tokenizer(ends=False)
    tokenizer.add_tokens(["<new>"])
    tokenizer.save_pretrained(place)
    return place


@pytest.fixture(autouse=True)
def offered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_BENCH_MODELS", str(folder))


@pytest.mark.parametrize(
    "link",
    [{}, {"below": "table similarity"}, {"heads1": "0 3", "heads4": "2"}, {"compare": "lines"}, {"against": "word"}],
)
def test_heads_are_shown_under_the_numbers_of_their_layers(link: dict[str, str]) -> None:
    app = opened(model="hf:tiny-hybrid", **link)
    header, cells = overview(app)
    assert len(cells) == 8
    assert {place[0] for place in header["heads"]} <= {1, 4}


def test_rollout_is_not_offered_where_layers_lie_between() -> None:
    def offers(model: str) -> bool:
        app = opened(model=model, below="table")
        return any("rollout" in str(each.options) for each in app.get("button_group"))

    assert offers(MINILM)
    assert not offers("hf:tiny-hybrid")


def test_a_text_with_a_token_that_has_no_embedding_is_said_on_heads() -> None:
    assert SAID in words(opened(model="hf:tiny-hybrid", sentence="a <new> b"))


def test_a_text_with_a_token_that_has_no_embedding_is_said_on_surgery() -> None:
    def script() -> None:
        from viz.pages.surgery.page import PAGE

        PAGE.show()

    app = AppTest.from_function(script, default_timeout=PATIENCE)
    for key, value in {"model": "hf:tiny-hybrid", "sentence": "a <new> b"}.items():
        app.query_params[key] = value
    assert SAID in words(fine(app.run()))
