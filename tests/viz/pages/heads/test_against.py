"""The Heads compared on a second sentence and with a second model: numbers worked out anew from the maps alone."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from models.measures.divergence import head_divergence
from models.trace import AttentionTrace
from tests.support.heads_page import MINILM, TEXT, opened, parameter, trace_of, words
from tests.support.huggingface_samples import tiny_network, tiny_tokenizer
from viz.text.tokens import visible

OTHER = "The cat drank the milk because it was sweet."
B = "It was sweet."
APART = 9  # the word in which the two differ, counted from [CLS]
HEADS = [(layer, head) for layer in range(6) for head in range(12)]


def of_head(trace: AttentionTrace, layer: int, head: int) -> np.ndarray:
    """Return the weights of one head, words as tokens: [query, key]."""
    return np.asarray(trace[f"encoder.{layer}.self"].to_words().weights[head], dtype=float)


def parted(weights: np.ndarray, queries: list[int], keys: list[int]) -> np.ndarray:
    """Return some rows and columns, and in one more column what the rows give to all other columns."""
    chosen = weights[np.ix_(queries, keys)]
    return np.column_stack([chosen, weights[queries].sum(axis=1) - chosen.sum(axis=1)])


def drawn(app: AppTest) -> tuple[np.ndarray, dict[str, Any]]:
    """Return the values of the figure of the difference, NaN where a cell is empty, and the figure."""
    (chart,) = [each for each in app.get("plotly_chart") if " minus " in each.proto.spec]
    figure = json.loads(chart.proto.spec)
    return numbers(figure["data"][0]["z"]), figure


def numbers(values: Any) -> np.ndarray:
    """Return an array of a figure, [row, column], as Plotly was sent it."""
    shape = [int(side) for side in values["shape"].split(",")]
    return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).reshape(shape)


def notes(figure: dict[str, Any]) -> str:
    return " ".join(each["text"] for each in figure["layout"]["annotations"]).replace("<br>", " ")


def compared(**link: str) -> AppTest:
    return opened(**{"model": MINILM, "against": "sentence", "other": OTHER, "below": "", "compare": "lines", **link})


def ranked(first: AttentionTrace, second: AttentionTrace, queries: list[int], keys: list[int]) -> np.ndarray:
    """Return the change of every head: half the absolute differences of a row, averaged over rows."""
    gaps = [
        parted(of_head(first, *place), queries, keys) - parted(of_head(second, *place), queries, keys)
        for place in HEADS
    ]
    return np.array([np.abs(gap).sum(axis=1).mean() / 2 for gap in gaps])


def check(app: AppTest, first: AttentionTrace, second: AttentionTrace, queries: list[int], keys: list[int]) -> None:
    """Prove that the page ranks the heads by their change, and draws that of the most changed one."""
    changes = ranked(first, second, queries, keys)
    table = app.dataframe[0].value
    assert table["change"].tolist() == pytest.approx(sorted(changes, reverse=True), abs=1e-5)
    place = HEADS[int(changes.argmax())]
    assert (table.iloc[0]["layer"], table.iloc[0]["head"]) == place
    expected = parted(of_head(first, *place), queries, keys) - parted(of_head(second, *place), queries, keys)
    np.testing.assert_allclose(drawn(app)[0], expected, atol=1e-5)


def test_a_second_sentence_ranks_heads_by_change_and_shows_the_difference() -> None:
    app = compared()
    same = [place for place in range(12) if place != APART]
    check(app, trace_of(MINILM), trace_of(MINILM, OTHER), same, same)
    _z, figure = drawn(app)
    assert (figure["layout"]["coloraxis"]["cmin"], figure["layout"]["coloraxis"]["cmax"]) == (-1, 1)
    assert "not matched" in words(app)
    assert "Attention weights are dynamic" in words(app)
    assert "A is always read together with B. Words of A are" not in words(app)
    assert "no words in common" in words(compared(other="Zebras!?", hide="on"))


def test_the_offered_pair_is_put_into_both_boxes() -> None:
    app = opened(model=MINILM, sentence="Something else.", against="sentence", below="", compare="lines")
    assert "not matched" not in words(app)
    app.button(key="minimal-pair").click().run()
    assert not app.exception
    assert (app.text_input(key="sentence").value, app.text_input(key="other").value) == (TEXT, OTHER)
    assert (parameter(app, "sentence"), parameter(app, "other")) == (TEXT, OTHER)
    same = [place for place in range(12) if place != APART]
    check(app, trace_of(MINILM), trace_of(MINILM, OTHER), same, same)


def test_a_second_sentence_is_read_with_the_second_text_of_the_first() -> None:
    app = compared(pair=B)
    first, second = trace_of(MINILM, TEXT, B), trace_of(MINILM, OTHER, B)
    assert len(first.source.to_words()) == 17
    same = [place for place in range(17) if place != APART]
    check(app, first, second, same, same)
    assert "Words of A are matched with words of A" in words(app)


def test_a_second_sentence_leaves_room_for_the_second_text() -> None:
    app = compared(pair=B, other="The cat drank the milk. " * 200)
    assert "The text for comparison is longer than the model" in words(app)
    assert not app.error
    assert len(app.dataframe[0].value) == len(HEADS)


def test_who_reads_whom_holds_for_a_second_sentence() -> None:
    app = compared(pair=B, between="ab")
    first, second = trace_of(MINILM, TEXT, B), trace_of(MINILM, OTHER, B)
    rows, columns = [place for place in range(1, 11) if place != APART], [12, 13, 14, 15]
    check(app, first, second, rows, columns)
    _z, figure = drawn(app)
    assert "rows: text A; columns: text B; all other weight: ⟨elsewhere⟩" in notes(figure)
    said = words(app)
    assert said.index("9 words are matched") < said.index("4 words are matched")  # rows, then columns


def test_hidden_tokens_and_small_weights_stay_hidden_in_a_comparison() -> None:
    app = compared(hide="on", least="0.05")
    same = [place for place in range(1, 11) if place != APART]
    first, second = trace_of(MINILM), trace_of(MINILM, OTHER)
    place = HEADS[int(ranked(first, second, same, same).argmax())]
    z = parted(of_head(first, *place), same, same) - parted(of_head(second, *place), same, same)
    found, figure = drawn(app)
    small = np.abs(z) < 0.05
    assert 0 < small.sum() < small.size
    np.testing.assert_allclose(found, np.where(small, np.nan, z), atol=1e-5)
    assert f"{small.sum()} of {small.size} cells below 0.05, left empty" in notes(figure)
    assert "special tokens hidden; their weight: ⟨elsewhere⟩" in notes(figure)


def test_the_words_written_are_shown_beside_the_words_read() -> None:
    app = opened(sentence=TEXT, other=OTHER, against="sentence", below="", compare="lines", map="cross")
    shown = [each.proto.body for each in app.get("html") if 'class="alone"' in each.proto.body]
    (both,) = shown
    written = trace_of("transformer-en-fr"), trace_of("transformer-en-fr", OTHER)
    first, second = (trace.target.to_words().texts for trace in written)
    assert first != second
    rows, columns = both.split("key: the source word attended to")
    assert "query: the word being written" in rows
    for texts, part in ((first, rows), (second, rows), (written[0].source.to_words().texts, columns)):
        places = [part.find(f"<bdi>{html.escape(visible(text))}</bdi>") for text in texts]
        assert -1 not in places
    apart = [text for text in second if text not in first]
    assert all(f'title="not matched"><bdi>{html.escape(visible(text))}</bdi>' in rows for text in apart)
    plain = compared()
    (same,) = [each.proto.body for each in plain.get("html") if 'class="alone"' in each.proto.body]
    assert "query: " not in same


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "The <b>cat</b> &amp; $x$ %{y} 👩\u200d👩\u200d👧 sat",
            "The <b>dog</b> &amp; $x$ %{y} 👩\u200d👩\u200d👧 sat",
        ),
        ("אני אוהב <s> it </s>", "אני קורא <s> it </s>"),
        ("我 爱 自然 语言", "我 爱 语言"),
    ],
)
def test_awkward_words_of_both_are_shown_as_text(first: str, second: str) -> None:
    app = compared(sentence=first, other=second)
    (shown,) = [each.proto.body for each in app.get("html") if 'class="matched"' in each.proto.body]
    for text in (*trace_of(MINILM, first).source.word_texts, *trace_of(MINILM, second).source.word_texts):
        assert f"<bdi>{html.escape(visible(text))}</bdi>" in shown
    assert "<b>" not in shown
    assert "<s>" not in shown
    z, figure = drawn(app)
    assert z.shape == (len(figure["layout"]["yaxis"]["ticktext"]), len(figure["layout"]["xaxis"]["ticktext"]))
    assert "<b>" not in "".join(figure["layout"]["xaxis"]["ticktext"])


@pytest.mark.usefixtures("tiny")
def test_two_models_are_compared_on_the_same_words() -> None:
    link = {"model": "hf:tiny-bert", "against": "model", "second": "hf:tiny-gpt2", "below": "", "compare": "lines"}
    app = opened(**link, mine="1.2")
    first, second = trace_of("hf:tiny-bert"), trace_of("hf:tiny-gpt2")
    assert first.source.to_words().texts[1:-1] == second.source.to_words().texts
    count = len(second.source.to_words())
    one = {
        place: parted(of_head(first, *place), list(range(1, count + 1)), list(range(1, count + 1)))
        for place in [(layer, head) for layer in range(3) for head in range(4)]
    }
    other = {}
    for layer, head in one:
        weights = np.asarray(second[f"decoder.{layer}.self"].to_words().weights[head], dtype=float)
        other[layer, head] = parted(weights, list(range(count)), list(range(count)))
    apart = np.array([[np.abs(a - b).sum(axis=1).mean() / 2 for b in other.values()] for a in one.values()])
    table = app.dataframe[0].value
    assert table["distance"].tolist() == pytest.approx(sorted(apart.min(axis=1), reverse=True), abs=1e-5)
    nearest = list(other)[int(apart[list(one).index((1, 2))].argmin())]
    assert app.selectbox(key="its").value == f"{nearest[0]}.{nearest[1]}"
    assert "Head of tiny-gpt2" in app.selectbox(key="its").label
    np.testing.assert_allclose(drawn(app)[0], one[1, 2] - other[nearest], atol=1e-5)


def test_two_fine_tunes_of_one_model_show_every_head_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base, tuned = tiny_network("bert"), tiny_network("bert")
    query = tuned.bert.encoder.layer[1].attention.self.query
    with torch.no_grad():
        query.weight[: query.weight.shape[0] // 4] *= -1  # head 0 of layer 1 reads otherwise
    folders = [tmp_path / "base", tmp_path / "tuned"]
    for folder, network in zip(folders, (base, tuned), strict=True):
        network.save_pretrained(folder)
        tiny_tokenizer(ends=True).save_pretrained(folder)
    monkeypatch.setenv("ATTENTION_BENCH_MODELS", ":".join(map(str, folders)))
    app = opened(model="hf:base", against="model", second="hf:tuned", below="", compare="lines")
    (chart,) = [each for each in app.get("plotly_chart") if "heads-apart" in each.proto.id]
    found = numbers(json.loads(chart.proto.spec)["data"][0]["z"])
    first, second = trace_of("hf:base"), trace_of("hf:tuned")
    gaps = [[of_head(first, layer, head) - of_head(second, layer, head) for head in range(4)] for layer in range(3)]
    expected = [[np.abs(gap).sum(axis=1).mean() / 2 for gap in row] for row in gaps]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert not found[0].any()
    assert found[1].argmax() == 0
    assert f"differs most: {found.max():.2f} of its attention weight moves elsewhere" in words(app)


@pytest.mark.usefixtures("tiny")
def test_two_models_read_a_pair_as_a_pair_or_say_that_b_is_left_out() -> None:
    link = {"model": MINILM, "against": "model", "below": "", "compare": "lines", "pair": B, "mine": "2.7"}
    app = opened(**link, second="hf:tiny-bert", its="1.3")
    first, second = trace_of(MINILM, TEXT, B), trace_of("hf:tiny-bert", TEXT, B)
    texts = second.source.to_words()
    of_b = [place for place, each in enumerate(texts.segments) if each == 1]
    of_a = [place for place, each in enumerate(texts.segments) if each == 0]
    mine = [*range(1, 11), *range(12, 16)]
    assert [first.source.to_words().texts[place] for place in mine] == [texts.texts[place] for place in (*of_a, *of_b)]
    expected = parted(of_head(first, 2, 7), mine, mine)
    expected -= parted(of_head(second, 1, 3), [*of_a, *of_b], [*of_a, *of_b])
    np.testing.assert_allclose(drawn(app)[0], expected, atol=1e-5)
    assert "B is left out" not in words(app)

    app = opened(**link, second="hf:tiny-gpt2", its="1.3")
    assert "tiny-gpt2 takes one text, so B is left out." in words(app)
    alone = np.asarray(trace_of("hf:tiny-gpt2")["decoder.1.self"].to_words().weights[3], dtype=float)
    expected = parted(of_head(first, 2, 7), mine[:10], mine[:10]) - parted(alone, list(range(10)), list(range(10)))
    z, figure = drawn(app)
    np.testing.assert_allclose(z, expected, atol=1e-5)
    assert "tiny-gpt2 reads only text A" in notes(figure)
    app = opened(**link, second="hf:tiny-gpt2", between="ab")
    assert "B cannot be compared. Choose “A and B” or “A → A” above" in words(app)
    assert not app.exception


def test_numbers_say_what_they_were_measured_on() -> None:
    whole = "Labels and numbers cover the whole map, including"
    link = {"model": MINILM, "pair": B, "below": "table similarity", "compare": "lines"}
    assert whole not in words(opened(**link))
    app, trace = opened(**link, between="ab", least="0.1"), trace_of(MINILM, TEXT, B)
    assert whole in words(app)
    drawings = [json.loads(each.proto.spec) for each in app.get("plotly_chart")]
    figure = [each for each in drawings if "rows: text A; columns: text B" in notes(each)][-1]
    cut = [parted(of_head(trace, *place), list(range(1, 11)), [12, 13, 14, 15]) for place in HEADS]
    expected = head_divergence(np.stack(cut))
    np.testing.assert_allclose(
        np.sort(numbers(figure["data"][0]["z"]), axis=None), np.sort(expected, axis=None), atol=1e-4
    )
