"""The Surgery page: every operation does what it says, edits are kept, undone and carried by the link."""

from __future__ import annotations

import base64
import json
import os
import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from models import load
from models.edits import mask_key, scale_scores, zero_head
from models.experiments.sweeps import turned
from tests.support.huggingface_samples import tiny_network, tiny_tokenizer
from tests.support.readers import HOPS_READERS
from viz.server.cores import load_for_serving
from viz.text.tokens import visible
from viz.widgets.edits.builder import OPERATIONS
from viz.widgets.edits.history import History, read_history

SENTENCE = "The cat drank the milk because it was hungry."
PATIENCE = 120
LOST = "log-probability lost (nats)"
LOST = "log-probability lost (nats)"


def script() -> None:
    from viz.pages.surgery.page import PAGE

    PAGE.show()


def opened(**link: str) -> AppTest:
    app = AppTest.from_function(script, default_timeout=PATIENCE)
    for name, value in {"sentence": SENTENCE, "model": "transformer", **link}.items():
        app.query_params[name] = value
    app.session_state["sentence"] = link.get("sentence", SENTENCE)
    for fold in ("numbers-of-words", "numbers-of-tokens"):
        app.session_state[fold] = True
    return app.run()


def link_of(app: AppTest) -> str:
    values = app.query_params.get("edits", [""])
    return values[0] if isinstance(values, list) else values


def box(app: AppTest, label: str) -> Any:
    return next(each for each in app.selectbox if each.label == label)


def texts(app: AppTest) -> str:
    said = [each.body for each in app.html] + [each.value for each in (*app.markdown, *app.caption)]
    return "\n".join(said + [each.label for each in app.button])


def _patch_from(app: AppTest, text: str) -> None:
    next(each for each in app.pills if each.label == "Heads").set_value([0, 1, 2, 3, 4, 5, 6, 7])
    next(each for each in app.text_input if each.label == "Other sentence with the same number of tokens").set_value(
        text
    )


def test_every_operation_changes_what_is_written_or_how_surely() -> None:
    """Each with the first choices that it offers; what it gives is in the link and in force."""
    app = opened()
    assert not app.exception
    settings = {
        "off": lambda: next(each for each in app.pills if each.label == "Heads").set_value([0, 3]),
        "keep": lambda: next(each for each in app.pills if each.label == "Heads").set_value([1]),
        "even": lambda: box(app, "Row (query): word being written").set_value(2),
        "hard": lambda: box(app, "Row (query): word being written").set_value(1),
        "diagonal": lambda: box(app, "Head").set_value(1),
        "draw": lambda: box(app, "Row (query): word being written").set_value(1),
        "force": lambda: box(app, "onto the word").set_value(4),
        "row": lambda: next(each for each in app.slider if each.label == "Blend").set_value(0.5),
        "temperature": lambda: app.select_slider[0].set_value(3.0),
        "window": lambda: box(app, "around the word").set_value(2),
        "pattern": lambda: box(app, "Where").set_value("encoder.*.self"),
        "forbid": lambda: box(app, "Word to hide from all rows").set_value(1),
        "patch": lambda: _patch_from(app, SENTENCE.replace("cat", "dog")),
    }
    assert settings.keys() == OPERATIONS.keys() - {"nothing"}
    for operation, choose in settings.items():
        box(app, "Edit").set_value(operation)
        app.run()
        choose()
        app.run()
        assert not app.exception, operation
        assert not app.error, operation
        if operation == "row":  # until a number of it is another nothing is edited
            assert not link_of(app)
            assert "Change a number in this row to make an edit" in texts(app)
            continue
        history, unknown = read_history(link_of(app))
        assert history.edits, operation
        assert not unknown
        assert "being tried" in texts(app)
        changes = [float(each) for each in app.dataframe[0].value["change"]]
        assert max(map(abs, changes)) > 1e-4, operation


def test_edits_are_kept_undone_redone_taken_out_and_cleared() -> None:
    app = opened()
    box(app, "Edit").set_value("forbid")
    app.run()
    app.button(key="keep-edit").click()
    app.run()
    box(app, "Edit").set_value("temperature")
    app.run()
    app.select_slider[0].set_value(2.0)
    app.run()
    app.button(key="keep-edit").click()
    app.run()
    both = link_of(app)
    assert [type(edit).name for edit in read_history(both)[0].edits] == ["mask_key", "scale_scores"]
    app.button(key="undo").click()
    app.run()
    assert link_of(app) == both.split("~", maxsplit=1)[0]
    app.button(key="redo").click()
    app.run()
    assert link_of(app) == both
    app.button(key="without-0").click()
    app.run()
    assert link_of(app) == both.split("~")[1]
    app.button(key="clear").click()
    app.run()
    assert not link_of(app)
    assert "No edits yet. Click a word or a cell of the map, or" in texts(app)


def test_a_link_restores_its_edits_and_names_what_is_none() -> None:
    edits = History(
        ((zero_head("decoder.*.cross", 1),), (mask_key("decoder.*.cross", 2), mask_key("decoder.*.cross", 3)))
    )
    app = opened(edits=f"{edits.to_text()}~nonsense(1)")
    assert not app.exception
    assert "nonsense" in app.warning[0].value
    shown = texts(app).replace("\\", "")
    model = load("transformer-en-fr")
    before = model.attend(SENTENCE)
    hidden = dict.fromkeys(before.source.word_texts[before.source.words[place]] for place in (2, 3))
    assert "head 1 is ablated (cross-attention of every decoder layer)" in shown
    assert f"{', '.join(f'“{word}”' for word in hidden)} hidden" in shown
    after = model.attend(SENTENCE, before.output_text, edits=edits.edits)
    found = [float(each) for each in app.dataframe[0].value["now"]]
    expected = [step.log_probability for step in after.steps]
    assert sum(found) == pytest.approx(sum(expected), abs=2e-3)
    app.run()
    assert "nonsense" in app.warning[0].value  # until the reader changes something
    app.button(key="without-0").click().run()
    assert not any("nonsense" in each.value for each in app.warning)


def test_an_edit_that_leaves_a_word_nothing_gets_a_message() -> None:
    """Every key of the source forbidden; and an edit of a head that this model does not have."""
    keys = len(load("transformer-en-fr").attend(SENTENCE).source)
    app = opened(edits="~".join(mask_key("decoder.0.cross", key).to_text() for key in range(keys)))
    assert not app.exception
    assert "hide every key from a word" in app.error[0].value.replace("\\", "")
    app = opened(model="bahdanau", edits=zero_head("decoder.0.cross", 7).to_text())
    assert not app.exception
    assert "does not fit" in app.error[0].value.replace("\\", "")


def assert_one_sign(app: AppTest) -> None:
    """Hold that text, picture and table call a loss a loss: above 0 is what is lost without it."""
    said = texts(app) + "".join(each.proto.spec for each in app.get("plotly_chart"))
    assert not re.search("[Bb]elow 0|[Cc]hange (of|in) (the )?log-probability|likelier|more likely", said)
    (table,) = (each.value for each in app.dataframe if LOST in each.value)
    drawn = [
        np.frombuffer(base64.b64decode(trace["z"]["bdata"]), trace["z"]["dtype"])
        for each in app.get("plotly_chart")
        for trace in json.loads(each.proto.spec)["data"]
        if "z" in trace
    ]
    assert any(np.nanmax(cells) == pytest.approx(max(table[LOST]), abs=1e-3) for cells in drawn)


@pytest.mark.parametrize("model", ["bahdanau", "luong-general", "transformer"])
@pytest.mark.parametrize("check", ["heads", "words", "chance"])
def test_every_further_look_shows_its_numbers(model: str, check: str) -> None:
    app = opened(model=model, check=check, sentence="The cat sleeps.")
    assert not app.exception
    assert not app.error
    said = texts(app)
    if check == "heads":
        shown = app.dataframe[1].value
        assert len(shown) == (72 if model == "transformer" else 1)
        losses = list(shown[LOST])
        assert losses == sorted(losses, reverse=True)
        assert losses[0] > 0
        assert_one_sign(app)
    elif check == "words":
        assert re.search(r"loses most without “\w+", said.replace("\\", ""))
        assert len(app.dataframe[1].value) > 2
    else:
        assert "weights are outside the chance range (about" in said.replace("\\", "")


@pytest.mark.parametrize("check", ["heads", "words", "chance"])
def test_hops_are_weighed_by_what_their_classifier_answers(check: str) -> None:
    sentence = "Madam President, how many lemons did my aunt sell?"
    app = opened(model=HOPS_READERS[0], check=check, sentence=sentence)
    assert not app.exception
    assert not app.error
    said = texts(app).replace("\\", "")
    if check == "chance":
        assert "weights are outside the chance range (about" in said
        return
    answer = max(load(HOPS_READERS[0]).attend(sentence).classes, key=lambda each: each[1])[0]
    assert re.search(rf"“{answer}” loses most without “\W*[\w,?-]+\W*”", said)
    shown = app.dataframe[-1].value
    assert len(shown) == (8 if check == "heads" else 11)
    losses = list(shown[LOST])
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > 0
    assert_one_sign(app)
    assert app.segmented_control(key="check").options[1] == "which hops matter here"


@pytest.mark.parametrize("text", ["", " ", "🔥", "我爱自然语言。", "x" * 4000, "</s> <s>", "\x00", "a " * 30])
def test_awkward_text_gets_a_picture_or_a_message(text: str) -> None:
    app = opened(sentence=text, edits=scale_scores("decoder.*.cross", 0.5).to_text())
    assert not app.exception
    assert app.error or app.warning or app.info or app.dataframe


def test_a_sentence_encoder_shows_how_far_its_vectors_turn() -> None:
    """MiniLM has no head that writes: 1 - cosine of each token's final vector is what an edit did."""
    edit = zero_head("encoder.2.self", 3)
    app = opened(model="hf:minilm", edits=edit.to_text(), check="heads")
    assert not app.exception
    assert not app.error
    model = load("hf:minilm")
    before, after = model.attend(SENTENCE), model.attend(SENTENCE, edits=[edit])
    found = app.dataframe[0].value["1 - cosine"].to_numpy()
    np.testing.assert_allclose(found, turned(before.vectors, after.vectors), atol=1e-5)
    heads = app.dataframe[1].value
    assert len(heads) == 72
    assert heads["mean of 1 - cosine"].is_monotonic_decreasing
    row = heads[(heads["layer"] == 2) & (heads["head"] == "3")]
    assert float(row["mean of 1 - cosine"].iloc[0]) == pytest.approx(found.mean(), abs=1e-5)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Write a tiny pretrained model of each kind, and one whose attention is its own, as checkpoints come."""
    place = tmp_path_factory.mktemp("models")
    for family in ("bert", "gpt2", "mbart", "deberta-v2"):
        tiny_network(family).save_pretrained(place / f"surgery-{family}")
        tiny_tokenizer(ends=family != "gpt2").save_pretrained(place / f"surgery-{family}")
    return sorted(place.iterdir())


@pytest.fixture
def tiny(folders: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_BENCH_MODELS", os.pathsep.join(map(str, folders)))


def drawn(app: AppTest, key: str) -> str:
    """Return the figure `key` as it is sent to the browser."""
    return next(each.proto.spec for each in app.get("plotly_chart") if key in each.proto.id)


def looked(**link: str) -> AppTest:
    app = opened(sentence="The cat sleeps.", **link)
    assert not app.exception
    assert not app.error
    assert not app.warning
    return app


@pytest.mark.usefixtures("tiny")
def test_every_head_of_a_pretrained_encoder_decoder_is_weighed_by_what_it_writes() -> None:
    """Encoder, decoder and cross heads, by the log-probability of the translation; as one run of each says."""
    app = looked(model="hf:surgery-mbart", check="heads")
    heads = app.dataframe[1].value
    assert set(heads["where"]) == {"encoder self", "decoder self", "decoder cross"}
    assert len(heads) == 2 * 4 + 3 * 2 + 3 * 2
    losses = list(heads[LOST])
    assert losses == sorted(losses, reverse=True)
    assert_one_sign(app)
    model = load_for_serving("hf:surgery-mbart")
    written = model.attend("The cat sleeps.").output_text
    before = model.attend("The cat sleeps.", written)
    for place in ("encoder.1.self", "decoder.2.cross"):
        stack, layer, kind = place.split(".")
        row = heads[(heads["where"] == f"{stack} {kind}") & (heads["layer"] == int(layer)) & (heads["head"] == "1")]
        after = model.attend("The cat sleeps.", written, edits=[zero_head(place, 1)])
        expected = sum(
            was.log_probability - now.log_probability for now, was in zip(after.steps, before.steps, strict=True)
        )
        assert float(row[LOST].iloc[0]) == pytest.approx(expected, abs=1e-3)


@pytest.mark.usefixtures("tiny")
def test_words_of_a_pretrained_encoder_decoder_are_left_out_and_held_against_the_chosen_row() -> None:
    app = looked(model="hf:surgery-mbart", check="words", shown="decoder.2.cross.1")
    said = texts(app).replace("\\", "")
    assert "(cross, layer 2, head 1)" in said
    assert "loses most without" in said
    app = looked(model="hf:surgery-mbart", check="words", shown="encoder.0.self.1")
    assert "(cross, layer 0, head 0)" in texts(app).replace("\\", "")


@pytest.mark.usefixtures("tiny")
def test_what_stands_behind_a_mask_is_said_as_trained_and_with_the_edits() -> None:
    edit, read = mask_key("encoder.*.self", 1), "The cat drank the <mask> because it was hungry."
    app = opened(model="hf:surgery-bert", masked="4", edits=edit.to_text())
    assert not app.exception
    lines = [each.body for each in app.html if "would put here:" in each.body]
    model = load_for_serving("hf:surgery-bert")
    for line, edits in zip(lines, ((), (edit,)), strict=True):
        likeliest = model.attend(read, edits=edits).predictions[0].alternatives[0]
        assert "for “milk”:" in line
        assert f"“{visible(likeliest[0])}” {max(likeliest[1], 0.01):.0%}" in unescape(line)
    assert "With the edits:" in texts(app)


@pytest.mark.usefixtures("tiny")
def test_a_causal_model_is_weighed_by_the_text_that_it_reads_and_by_its_vectors() -> None:
    heads = looked(model="hf:surgery-gpt2", check="heads").dataframe[-1].value
    model, edit = load_for_serving("hf:surgery-gpt2"), zero_head("decoder.1.self", 2)
    before, after = model.attend("The cat sleeps."), model.attend("The cat sleeps.", edits=[edit])
    row = heads[(heads["layer"] == 1) & (heads["head"] == "2")]
    told = [sum(each.log_probability or 0 for each in trace.predictions) for trace in (before, after)]
    assert float(row[LOST].iloc[0]) == pytest.approx(told[0] - told[1], abs=1e-3)
    turn = turned(before.vectors, after.vectors).mean()
    assert float(row["mean of 1 - cosine"].iloc[0]) == pytest.approx(turn, abs=1e-5)
    assert heads[LOST].is_monotonic_decreasing


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("against", ["weights", "order"])
@pytest.mark.parametrize(
    ("family", "shown"), [("bert", "encoder.2.self.3"), ("gpt2", "decoder.1.self.mean"), ("mbart", "decoder.2.cross.1")]
)
def test_any_map_of_a_pretrained_model_is_held_against_chance(family: str, shown: str, against: str) -> None:
    app = looked(model=f"hf:surgery-{family}", check="chance", against=against, shown=shown)
    said = texts(app).replace("\\", "")
    assert "weights are outside the chance range (about" in said
    layer, head = shown.split(".")[1], shown.split(".")[3]
    figure = drawn(app, "chance")
    assert f"layer {layer}, {'mean of 4 heads' if head == 'mean' else f'head {head}'}" in figure.replace("<br>", " ")
    count = 20 if against == "weights" else 40
    assert (f"{count} networks" if against == "weights" else f"{count} random orders") in figure.replace("<br>", " ")
    assert ("Each token attends only to the tokens before it. In" in said) == (family == "gpt2" and against == "order")


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(
    ("model", "check", "reason"),
    [
        ("deberta-v2", "heads", "heads of this model cannot be ablated"),
        ("bert", "words", "This model neither translates nor classifies, so the"),
        ("gpt2", "words", "This model neither translates nor classifies, so the"),
    ],
)
def test_what_a_model_cannot_do_is_said_with_the_reason(model: str, check: str, reason: str) -> None:
    app = looked(model=f"hf:surgery-{model}", check=check)
    assert reason in " ".join(each.value for each in app.info).replace("\\", "")
    assert not [each for each in app.button if each.label == "Stop"]


def test_an_edit_of_a_word_that_a_shorter_sentence_lacks_is_left_out_and_says_so() -> None:
    edits = "~".join(mask_key("decoder.*.cross", key).to_text() for key in (1, 90))
    app = opened(edits=edits)
    assert not app.exception
    assert not app.error
    said = texts(app).replace("\\", "")
    assert "no effect here, because this sentence is shorter" in said
    assert "” hidden" in said
    assert link_of(app) == edits


def test_no_choice_that_the_page_itself_took_away_is_named_as_missing() -> None:
    """A map that was chosen goes with its model, and a model with the languages that lack it."""
    app = opened(sentence="The cat sleeps.", shown="decoder.2.cross.7")
    assert not app.warning
    for model in ("hf:minilm", "bahdanau", "transformer"):
        app.selectbox(key="model").set_value(model).run()
        assert not app.exception
        assert not app.warning, model
    app.selectbox(key="model").set_value("luong-location").run()
    app.selectbox(key="languages").set_value("zh-en").run()
    assert not app.exception
    assert not [each for each in app.warning if "This link contains" in each.value]


def test_setting_a_row_by_hand_changes_nothing_until_a_number_changes() -> None:
    app = opened(sentence="The cat sleeps.", model="bahdanau")
    box(app, "Edit").set_value("row")
    app.run()
    assert not link_of(app)
    assert "No edits yet. Click a word or a cell of the map, or" in texts(app)
    assert "Change a number in this row to make an edit" in texts(app)
