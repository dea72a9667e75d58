"""How far back the language models read, on the Heads: what is said of the text, and the figures of the cards."""

from __future__ import annotations

from models.huggingface.embedded import held_out_of, local_models
from tests.support.heads_page import opened, trace_of, words
from tests.support.readers import LANGUAGE_MODELS, N_GRAM_RNN
from viz.measures.reach import share_within

TEXT = "The old man who had lived by the sea for years said that he would not go back to the city."
HERE = [key for key in (*LANGUAGE_MODELS, N_GRAM_RNN) if key in local_models()]


def test_every_model_that_is_there_stands_in_the_table_with_its_figures() -> None:
    app = opened(model="hf:key-value-predict-en", sentence=TEXT)
    table = app.dataframe[-1].value
    assert len(table) == len(HERE)
    for key, (_, row) in zip(HERE, table.iterrows(), strict=True):
        told, trace = held_out_of(key)["all"], trace_of(key, TEXT)
        assert row["held-out perplexity per token"] == told["perplexity_per_token"]
        assert trace.predictions[-1].alternatives[0][0].strip() in row["predicted next token"]
        if trace.maps:
            share = share_within(trace.maps[0].weights[0])
            assert abs(row["this text: weight at most 5 back"] - share) < 1e-6
            assert f"{share:.0%} of the weight is at most 5 back" in words(app)
    assert N_GRAM_RNN not in app.selectbox[0].options


def test_a_short_text_is_too_short_to_tell() -> None:
    assert "too short to tell near from far" in words(opened(model="hf:key-value-predict-en", sentence="Why?"))
