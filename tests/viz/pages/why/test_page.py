"""The page Why: a sentence grows, what is lost is named, both ways are drawn, BLEU by length is shown."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

import models
from models.edits import block
from models.experiments.path_lengths import MOST
from models.translation.length_table import LengthRow
from viz.pages.why import page as why
from viz.pages.why.beginnings import beginnings


def script() -> None:
    from viz.pages.why.page import PAGE

    PAGE.show()


def test_the_figure_shows_the_chosen_models_and_names_those_that_are_not_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = tuple(
        LengthRow(f"{name}-en-fr", "europarl.test", most - 4, most, 50, 20.0, 15.0, 25.0, tokens * 1_000_000)
        for name, tokens in (("bahdanau", 30), ("transformer", 27))
        for most in (10, 40)
    )
    monkeypatch.setattr(why, "length_table", lambda _pair: rows)
    app = AppTest.from_function(script, default_timeout=120)
    app.query_params["models"] = "bahdanau luong-general"
    app.run()
    assert not app.exception
    _paths, chart = app.get("plotly_chart")
    assert [each["name"] for each in json.loads(chart.proto.spec)["data"]] == [
        "Bahdanau (additive), 2015 (30 M tokens)"
    ]
    said = " ".join(each.value for each in app.caption).replace("\\", "")
    assert "words Bahdanau (additive), 2015 has 20.0 BLEU." in said  # alone, it is not compared with itself
    assert "Initialised from another model here, where its weights" not in said
    assert "not measured yet for: Luong" in app.info[0].value.replace("\\", "")
    app.button_group(key="models").set_value(["bahdanau", "transformer"]).run()
    _paths, chart = app.get("plotly_chart")
    assert len(json.loads(chart.proto.spec)["data"]) == 2
    assert not app.info


def test_the_paths_of_the_text_are_drawn_for_those_that_attend() -> None:
    app = AppTest.from_function(script, default_timeout=120)
    app.query_params["models"] = "seq2seq bahdanau transformer"
    app.query_params["long"] = "The keys that the old man left were not his."
    app.run()
    assert not app.exception
    drawn = json.loads(app.get("plotly_chart")[0].proto.spec)["data"]
    assert [each["name"].split()[0] for each in drawn] == ["Bahdanau"] * 2 + ["Multi-head"] * 2
    count = len(models.load("bahdanau-en-fr").attend("The keys that the old man left were not his.").source)
    said = " ".join(each.value for each in app.caption).replace("\\", "")
    assert f"Bahdanau (additive), 2015: {count} steps between the first token and the last" in said
    assert "Multi-head (Transformer), 2017: 3 steps" in said
    app.button_group(key="models").set_value(["seq2seq"]).run()
    assert not app.exception
    assert any("Choose a model with attention" in each.value for each in app.caption)
    app.query_params["models"] = "bahdanau"
    app.text_input(key="long").set_value("The old man, who had lost his keys, " * 4 + "slept.").run()
    assert not app.exception
    said = " ".join(each.value for each in app.caption).replace("\\", "")
    assert (
        said.count(
            "First 24 words of the text: The old man, who had lost his keys, The old man, who had lost his keys, The"
        )
        == 1
    )


def test_a_model_that_saw_nothing_of_the_source_is_left_out_with_the_reason() -> None:
    app = AppTest.from_function(script, default_timeout=120)
    app.query_params["models"] = "rctm bahdanau transformer"
    app.run()
    assert not app.exception
    assert not app.info  # it is not announced as one that will be measured
    drawn = json.loads(app.get("plotly_chart")[-1].proto.spec)["data"]
    assert [each["name"].split()[0] for each in drawn] == ["Bahdanau", "Multi-head"]
    said = " ".join(each.value for each in app.caption).replace("\\", "")
    assert "Not in this picture: RCTM" in said
    assert "novels, up to 40 words: Bahdanau (additive), 2015; Multi-head (Transformer), 2017." in said
    app.button_group(key="models").set_value(["rctm"]).run()
    assert not app.exception
    assert any("Not in this picture" in each.value for each in app.caption)


def test_paths_of_words_of_many_tokens_are_drawn_of_as_many_as_may_be() -> None:
    keys, name = ("transformer-post-ln-en-fr", "transformer-en-fr"), "Xqzwvkjhgxq"
    app = AppTest.from_function(script, default_timeout=120)
    app.query_params["models"] = "transformer-post-ln transformer"
    app.query_params["long"] = " ".join([name] * 20)
    app.run()
    assert not app.exception
    assert not app.info
    pieces = [len(models.load(key).attend(" ".join([name] * 2)).source) for key in keys]
    assert len({*pieces}) == 2  # their tokenizers cut it unlike each other
    shown = min((MOST - 1) // ((each - 1) // 2) for each in pieces)
    tokens = sorted(1 + shown * (each - 1) // 2 for each in pieces)
    said = " ".join(each.value for each in app.caption).replace("\\", "")
    assert f"{tokens[0]}\u2013{tokens[1]} tokens, including the end. First {shown} words of the text (at most " in said
    app.text_input(key="long").set_value("word " * 4 + "qzx" * 60).run()
    assert not app.exception
    said = " ".join(each.value for each in app.caption).replace("\\", "")
    assert "First 4 words of the text (at most 48 tokens): word word word word" in said
    app.text_input(key="long").set_value("qzx" * 60 + " is one word").run()
    assert not app.exception
    assert "shown for 48 tokens at most" in app.info[0].value


def test_the_page_lets_a_sentence_grow_through_every_chosen_model() -> None:
    app = AppTest.from_function(script, default_timeout=120)
    app.query_params["models"] = "bahdanau transformer"
    app.run()
    assert not app.exception
    table = next(each.body for each in app.html if 'class="grow"' in each.body)
    assert table.count('<td class="grow-source">') == len(beginnings(why.DEFAULT))
    assert table.count("<th>") == 3
    app.text_input(key="long").set_value("Hi <b>.").run()
    assert not app.exception
    assert "at least" in app.error[0].value
    app.text_input(key="long").set_value("<b>one two three four five six seven eight</b>").run()
    assert not app.exception
    assert "<b>one" not in next(each.body for each in app.html if 'class="grow"' in each.body)


def test_what_a_model_inherited_is_named_beside_its_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    row = LengthRow("seq2seq-en-fr", "europarl.test", 6, 10, 50, 20.0, 15.0, 25.0, 42_000_000)
    monkeypatch.setattr(why, "length_table", lambda _pair: (row,))
    app = AppTest.from_function(script, default_timeout=120)
    app.query_params["models"] = "seq2seq"
    app.run()
    start = models.describe("seq2seq-en-fr").card["start"]
    said = " ".join(each.value for each in app.caption).replace("\\", "")
    count = f"{start['target_tokens'] / 1e6:.1f}"
    assert f"Tokens seen there: Seq2seq (no attention), 2014: {count} M as Luong (general), 2015." in said


def test_beginnings_past_the_training_length_are_shaded_and_a_text_that_is_cut_says_so() -> None:
    app = AppTest.from_function(script, default_timeout=120)
    app.query_params["models"] = "seq2seq"
    app.query_params["long"] = " ".join(["word"] * why.TRAINING_LENGTH)
    app.run()
    assert not app.exception
    assert 'grow-beyond"' not in next(each.body for each in app.html if 'class="grow"' in each.body)
    assert not any("Shaded" in each.value for each in app.caption)
    app.text_input(key="long").set_value("word, " * 300).run()
    table = next(each.body for each in app.html if 'class="grow"' in each.body)
    counts = [int(each) for each in re.findall(r'<td class="grow-source"><b>(\d+)</b>', table)]
    shaded = [int(each) for each in re.findall(r'<tr class="grow-beyond"><td class="grow-source"><b>(\d+)', table)]
    assert shaded == [each for each in counts if each > why.TRAINING_LENGTH] != []
    assert any("Shaded" in each.value for each in app.caption)
    (said,) = (each.value for each in app.info)
    assert said.replace("\\", "").endswith(f"Words and marks left out: {2 * (300 - counts[-1])}.")
    app.text_input(key="long").set_value("\x01 \x02 \x03 \x04 \x05").run()
    assert not any('class="grow"' in each.body for each in app.html)
    assert "at least 4 words" in app.error[0].value


def drawings(app: AppTest) -> str:
    return " ".join(str(each.proto) for each in app.get("bidi_component"))


def table(app: AppTest) -> str:
    return next(each.body for each in app.html if 'class="grow"' in each.body)


def test_what_one_vector_loses_is_named_and_attention_loses_less() -> None:
    app = AppTest.from_function(script, default_timeout=120)
    app.query_params["models"] = "seq2seq transformer"
    app.run()
    assert not app.exception
    last = table(app).rsplit("<tr", 1)[1]
    blind, seeing = (each.split("lost: ")[1:] for each in last.split("<td data-model=")[1:])
    assert len(blind[0].split(",")) >= 4
    assert not seeing or len(seeing[0].split(",")) < len(blind[0].split(","))


def test_the_sentence_of_the_other_pages_can_grow() -> None:
    app = AppTest.from_function(script, default_timeout=120)
    app.query_params["models"] = "bahdanau"
    app.run()
    app.button[0].click().run()
    assert not app.exception
    assert "European Economic Area" in app.text_input(key="long").value
    assert "European Economic Area" in table(app)


def charts(app: AppTest) -> dict[str, dict]:
    """Return the charts by the first words of their titles."""
    found = [json.loads(each.proto.spec) for each in app.get("plotly_chart")]
    return {str(each["layout"].get("title", {}).get("text", "maps")): each for each in found}


def test_what_length_costs_is_shown_from_the_link_with_a_limited_encoder() -> None:
    app = AppTest.from_function(script, default_timeout=120)
    app.query_params["models"] = "bahdanau transformer"
    app.query_params["long"] = "The cat drank the milk because it was hungry."
    app.run()
    assert len(app.get("plotly_chart")) == 2  # nothing of it is drawn before it is wanted
    linked = {name: app.query_params[name] for name in ("models", "long")}
    app = AppTest.from_function(script, default_timeout=120)
    for name, value in {**linked, "length": "on", "pattern": "block", "size": "4"}.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    drawn = charts(app)
    count = len(models.load("transformer-en-fr").attend("The cat drank the milk because it was hungry.").source)
    costs = drawn["<b>One encoder layer, 1 to 64 times this text</b>"]["data"]
    assert costs[0]["x"] == [count * times for times in (1, 2, 4, 8, 16, 32, 64)]
    assert len(costs) == 5 * 3
    edited = models.load("transformer-en-fr").attend(
        "The cat drank the milk because it was hungry.", edits=[block("encoder.*.self", 4)]
    )
    (line,) = (each.body for each in app.html if "New translation:" in each.body)
    written = unescape(re.sub("<del>.*?</del>|<small>.*?</small>|<[^>]*>", "", line))
    assert written.replace(" ", "") == edited.output_text.replace(" ", "")
    sizes = [line["marker"]["size"] for line in drawn["<b>BLEU when the encoder is limited</b>"]["data"]]
    assert [15 in each for each in sizes] == [False, False, True, False]
    app.button_group(key="models").set_value(["bahdanau"]).run()
    assert not app.exception
    assert any("Choose a Transformer" in each.value for each in app.caption)
    app.button_group(key="models").set_value(["seq2seq"]).run()
    assert not app.exception
