"""The Bench, run as a page on the shipped models: what it shows, and what it does with bad input."""

import base64
import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import models
from models import registry
from models.edits import sample, window
from models.mechanisms import mechanisms
from models.translation.words import normalise
from tests.support.payloads import alignment
from viz.figures import alignment_heatmap, difference_heatmap
from viz.pages.bench import page as bench
from viz.pages.bench.about import about, examples_met, measured, tokens_seen
from viz.server.runtime import shared_host
from viz.server.translations import forced_translations, sites_of
from viz.views.view import choose_view
from viz.widgets.sentence import USUAL as USUAL_PAIR
from viz.widgets.sentence import offered
from viz.widgets.translation import tinted

APP = str(Path(__file__).parents[4] / "app.py")
SENTENCE = "The cat sleeps."
KEYS = tuple(f"{mechanism}-{USUAL_PAIR}" for mechanism in bench.USUAL)
PATIENCE = 120  # seconds: the first run loads the models


@pytest.fixture
def app() -> AppTest:
    return opened()


def test_a_card_says_in_a_fold_what_other_texts_get_differently(app: AppTest) -> None:
    folds = [each for each in app.expander if each.label == "Other texts say"]
    told = [each.markdown[0].value.replace("\\", "") for each in folds]
    for key in ("luong-general", "transformer"):
        assert any(all(said in each for said in mechanisms()[key].other_texts) for each in told)
    assert all(not each.proto.expanded for each in folds)


def opened(**link: str) -> AppTest:
    """Open the page by a link, with its settings and two folds open."""
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    for each in ("settings", "fold-luong-general", "fold-transformer"):
        app.session_state[each] = True
    app.query_params.update(link)
    return app.run()


def figures(app: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def panels(app: AppTest) -> list[dict[str, Any]]:
    """Return the panels of the picture that have a map."""
    return [each for each in alignment(app)[0]["panels"] if each["rows"]]


def check_panels(app: AppTest) -> None:
    """Check that each panel has a label a row, a column a word, and that its rows are of words that it has."""
    header, maps = alignment(app)
    for panel, weights in zip(panels(app), maps, strict=True):
        assert weights.shape == (len(panel["rows"]), len(header["tokens"]))
        assert all(panel["rows"])
        assert set(panel["row_words"]) <= {-1, *range(len(panel["words"]))}


def toggle(app: AppTest, mechanism: str, *, on: bool, part: str = "") -> AppTest:
    """Put a mechanism on the bench, or take it off, where it stands on the timeline."""
    group = app.button_group(key=f"mechanisms-{part or mechanism}")
    return group.set_value([*({*group.value, mechanism} if on else {*group.value} - {mechanism})]).run()


def check_labels(drawn: dict[str, Any]) -> None:
    """Check that each panel has one label a row and one a column, none of them markup."""
    for number, heatmap in enumerate(drawn["data"], start=1):
        suffix = "" if number == 1 else str(number)
        shape = [int(side) for side in heatmap["z"]["shape"].split(",")]
        labels = [drawn["layout"][f"{axis}axis{suffix}"]["ticktext"] for axis in "yx"]
        assert [len(each) for each in labels] == shape
        assert not any("<" in text for each in labels for text in each)


def shown_text(app: AppTest) -> str:
    """Return all HTML that the page holds, but for its header, the only one that may bring a script."""
    others = [each for each in app.get("html") if "bench-title" not in each.proto.body]
    assert len(others) == len(app.get("html")) - 1
    assert not any(each.proto.unsafe_allow_javascript for each in others)
    return " ".join(each.proto.body for each in others)


def type_sentence(app: AppTest, text: str) -> AppTest:
    return app.text_input(key="sentence").set_value(text).run()


def show_anyway(app: AppTest) -> AppTest:
    """Have a sentence in another script drawn, if it is not."""
    offered = [each for each in app.button if each.key == "show-anyway"]
    return offered[0].click().run() if offered else app


def test_the_page_opens_with_three_translations_and_one_figure(app: AppTest) -> None:
    assert not app.exception
    assert not app.error
    assert not app.warning
    header, maps = alignment(app)
    assert len(maps) == 3
    assert (header["ticks"][0][0], header["ticks"][-1][0]) == (0, 1)
    assert not figures(app)
    for key, panel in zip(KEYS, header["panels"], strict=True):
        mechanism = models.describe(key).mechanism
        assert (panel["title"], panel["year"]) == (mechanism.title, str(mechanism.year))
        assert panel["formula"].startswith("<math")


def test_a_typed_sentence_is_translated_and_drawn(app: AppTest) -> None:
    type_sentence(app, SENTENCE)
    assert app.text_input(key="sentence").value == SENTENCE
    check_panels(app)
    header, maps = alignment(app)
    for key, panel, weights in zip(KEYS, header["panels"], maps, strict=True):
        view = choose_view(shared_host().attend(key, SENTENCE))
        assert panel["rows"] == list(view.shown.query_tokens.texts)
        np.testing.assert_array_equal(weights, view.weights)


def test_the_picture_has_the_numbers_of_the_figure_of_notebooks(app: AppTest) -> None:
    header, maps = alignment(app)
    sentence = app.text_input(key="sentence").value
    drawn = alignment_heatmap([shared_host().attend(key, sentence) for key in KEYS])
    for weights, heatmap, panel in zip(maps, drawn.data, panels(app), strict=True):
        np.testing.assert_array_equal(weights, heatmap.z)
        assert panel["rows"] == [unescape(each) for each in drawn.layout[heatmap.yaxis.replace("y", "yaxis")].ticktext]
    assert header["tokens"] == [unescape(each) for each in drawn.layout.xaxis.ticktext]


def test_pieces_are_a_choice_of_the_reader(app: AppTest) -> None:
    type_sentence(app, "An unbelievable misunderstanding.")
    words = alignment(app)[0]["tokens"]
    app.button_group(key="unit").set_value("piece").run()
    assert not app.exception
    check_panels(app)
    header, _maps = alignment(app)
    assert len(header["tokens"]) > len(words)
    assert header["key_title"] == "key: the source subword attended to"
    for panel in header["panels"]:  # several pieces of one word are rows of one word of the translation
        assert len(panel["row_words"]) > len(set(panel["row_words"]))


LONG = "word " * 2000


@pytest.mark.parametrize(
    "link",
    [
        {"also": "difference differences summary numbers"},
        {"order": "agreement"},
        {"order": "entropy", "align": "bahdanau"},
    ],
)
def test_a_very_long_text_is_cut_wherever_it_goes(link: dict[str, str]) -> None:
    app = opened(sentence=LONG, **link)
    assert not app.exception
    assert not app.error
    assert any("This text is too long for the model" in each.value for each in app.info)
    check_panels(app)


def test_what_another_page_could_read_is_cut_for_the_bench() -> None:
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.session_state["last-readable"] = LONG[:3000]
    app.query_params["sentence"] = ""
    app.run()
    app.text_input(key="sentence").set_value("").run()
    assert not app.exception
    assert len(app.error) == 1
    check_panels(app)


def test_the_second_of_a_difference_is_another_one_than_the_first() -> None:
    app = opened(sentence=SENTENCE, also="difference", first="luong-general")
    assert app.selectbox(key="second").value != "luong-general"
    z = figures(app)[0]["data"][0]["z"]
    assert np.abs(np.frombuffer(base64.b64decode(z["bdata"]), dtype=z["dtype"])).max() > 0


def test_a_parameter_that_means_nothing_is_named() -> None:
    app = opened(sentence=SENTENCE, mechanism="bahdanau", foo="bar")
    assert "foo" not in app.query_params
    assert "mechanism" in app.query_params  # Steps has one: it is kept for that page
    assert [("foo" in each.value, "mechanism" in each.value) for each in app.warning] == [(True, False)]


@pytest.mark.parametrize("order", ["year", "agreement", "entropy"])
def test_every_order_shows_every_mechanism_and_a_summary(order: str) -> None:
    app = opened(sentence=SENTENCE, order=order, also="summary differences", chosen="luong-general")
    assert not app.exception
    assert not app.warning
    assert app.button_group(key="order").value == order
    assert len(app.dataframe[0].value) == len(bench.USUAL)
    assert len(panels(app)) == 3
    assert [len(each["data"]) for each in figures(app)] == [2]


@pytest.mark.parametrize(
    ("order", "column"), [("agreement", "divergence from the chosen one (bits)"), ("entropy", "mean entropy (bits)")]
)
def test_panels_and_table_stand_in_the_order_of_their_numbers(order: str, column: str) -> None:
    keys = ("luong-concat", "luong-location", "bahdanau", "luong-general", "seq2seq")
    app = opened(sentence=SENTENCE, order=order, also="summary", chosen="luong-general", mechanisms=" ".join(keys))
    assert not app.exception
    table = app.dataframe[0].value
    numbers = list(table[column])
    assert numbers[:-1] == sorted(numbers[:-1])
    assert len(set(numbers[:-1])) == len(numbers) - 1
    assert np.isnan(numbers[-1])  # without attention there is no map to order by
    titles = list(table["mechanism"])
    by_year = [models.describe(f"{key}-{USUAL_PAIR}").mechanism.title for key in mechanisms() if key in keys]
    assert [each.rpartition(",")[0] for each in titles] != by_year
    assert [f"{each['title']}, {each['year']}" for each in alignment(app)[0]["panels"]] == titles
    (code,) = app.code
    assert [line.split(",")[0] for line in code.value.splitlines()[1:]] == [
        next(f"{key}-{USUAL_PAIR}" for key in keys if models.describe(f"{key}-{USUAL_PAIR}").mechanism.title in each)
        for each in titles
    ]


def test_a_model_without_attention_has_a_panel_that_says_why_there_is_no_map() -> None:
    app = opened(sentence=SENTENCE, mechanisms="seq2seq rnn-encoder-decoder")
    assert not app.exception
    header, maps = alignment(app)
    assert not maps
    assert header["tokens"] == ["The", "cat", "sleeps", ".", "</s>"]
    for panel in header["panels"]:
        assert panel["vector"][0] == "5 words and marks, including the end mark"
        assert "No attention map: this decoder never looks back. It" in panel["vector"][-1]
        assert panel["words"]
    app = opened(sentence=SENTENCE, mechanisms="seq2seq bahdanau")
    assert ["vector" in each for each in alignment(app)[0]["panels"]] == [True, False]


@pytest.mark.parametrize("number", range(len(offered(USUAL_PAIR))))
def test_an_example_takes_the_place_of_the_sentence(app: AppTest, number: int) -> None:
    type_sentence(app, SENTENCE)
    name, example = tuple(offered(USUAL_PAIR).items())[number]
    app.menu_button(key="examples").click(name).run()
    assert app.text_input(key="sentence").value == example
    assert not app.exception
    assert not app.error


def test_a_link_holds_the_sentence() -> None:
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["sentence"] = SENTENCE
    app.run()
    assert app.text_input(key="sentence").value == SENTENCE
    assert "cat" in alignment(app)[0]["tokens"]


@pytest.mark.parametrize("text", ["", "   ", "\x00\x07"], ids=["empty", "blank", "control characters"])
def test_bad_input_gets_a_message_and_takes_nothing_away(app: AppTest, text: str) -> None:
    type_sentence(app, SENTENCE)
    before = alignment(app)[0]
    type_sentence(app, text)
    assert not app.exception
    assert len(app.error) == 1
    assert app.text_input(key="sentence").value == text
    assert alignment(app)[0] == before
    assert any("The cat sleeps" in each.value for each in app.caption)
    type_sentence(app, SENTENCE)
    assert not app.error


def test_bad_input_from_a_link_gets_a_message() -> None:
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["sentence"] = " "
    app.run()
    assert not app.exception
    assert len(app.error) == 1


AWKWARD = {
    "special": "<b>bold</b> </s> <s>",
    "script": "<script>alert(1)</script>",
    "one character": "x",
    "one mark": ".",
    "Chinese": "猫在喝牛奶。",
    "emoji": "🔥🔥 👩\u200d👧",
    "right to left": "שלום עולם",
    "markup": "$x^2$ **a** {b} %{z} [link](http://x)",
    "override": "\u202eevil",
    "NUL": "a\x00b\x1b[31m c",
    "repeated": " ".join(["cat"] * 30),
}


def test_awkward_text_is_shown_as_text(app: AppTest) -> None:
    """One visitor types it all, in words and pieces, without an error and with a label a row and a column."""
    app.query_params["also"] = "difference numbers"
    for name, text in AWKWARD.items():
        show_anyway(type_sentence(app, text))
        assert not app.exception, name
        assert not app.error, name
        assert app.text_input(key="sentence").value == text
        check_panels(app)
        for drawn in figures(app):
            check_labels(drawn)
        html = shown_text(app)
        assert "<b>" not in html
        assert "<script" not in html
    assert len(alignment(app)[0]["tokens"]) == 31


@pytest.mark.parametrize("text", ["word " * 2000, "猫" * 2000, "x" * 10_000], ids=["words", "Chinese", "one word"])
def test_a_long_text_is_cut_with_a_message_and_stays_in_the_box(app: AppTest, text: str) -> None:
    app.query_params["mechanisms"] = "luong-general"
    show_anyway(type_sentence(app, text))
    assert not app.exception
    assert not app.error
    assert "left out" in app.info[0].value
    assert app.text_input(key="sentence").value == text
    check_panels(app)


def test_a_link_of_2000_chinese_characters_loads() -> None:
    app = opened(sentence="猫" * 2000, mechanisms="luong-general", languages="zh-en")
    assert not app.exception
    assert app.text_input(key="sentence").value == "猫" * 2000
    assert "left out" in app.info[0].value


def test_mechanisms_are_a_choice_of_which_one_stays(app: AppTest) -> None:
    toggle(app, "bahdanau", on=False)
    toggle(app, "luong-general", on=False)
    assert len(panels(app)) == 1
    assert app.query_params["mechanisms"] == "transformer"
    toggle(app, "transformer", on=False)
    assert not app.exception
    assert len(panels(app)) == 1
    assert app.button_group(key="mechanisms-transformer").value == ["transformer"]
    toggle(app, "bahdanau", on=True)
    toggle(app, "luong-general", on=True)
    assert len(panels(app)) == 3
    assert "mechanisms" not in app.query_params


def test_variants_fold_out_of_their_family_and_stand_beside_it(app: AppTest) -> None:
    toggle(app, "luong-dot", on=True, part="luong-general-variants")
    assert [each["title"] for each in panels(app)][1:3] == ["Luong (dot)", "Luong (general)"]
    assert app.query_params["mechanisms"] == "bahdanau luong-dot luong-general transformer"
    toggle(app, "luong-general", on=False)
    assert app.button_group(key="mechanisms-luong-general-variants").value == ["luong-dot"]
    toggle(app, "rnn-encoder-decoder", on=True)
    assert "vector" in alignment(app)[0]["panels"][0]


@pytest.mark.parametrize("author", bench.USUAL)
def test_all_can_be_aligned_on_one_translation(app: AppTest, author: str) -> None:
    app.selectbox(key="align").set_value(author).run()
    assert not app.exception
    rows = [each["rows"] for each in panels(app)]
    assert len(rows) == 3
    written = [row[1:] if row[0] == "<s>" else row[:-1] for row in rows]
    assert written == [written[0]] * 3
    assert app.query_params["align"] == author


def test_all_can_be_aligned_on_a_translation_of_the_reader(app: AppTest) -> None:
    app.selectbox(key="align").set_value("text").run()
    assert not app.exception
    app.text_input(key="target").set_value("Le chat dort .").run()
    assert panels(app)[0]["rows"][:4] == ["Le", "chat", "dort", "."]
    for text in ("", " ", "\x00", "<script>", "🔥", "mot " * 2000):
        app.text_input(key="target").set_value(text).run()
        assert not app.exception
        check_panels(app)
        assert app.text_input(key="target").value == text


def test_the_difference_of_two_is_of_one_translation(app: AppTest) -> None:
    app.button_group(key="also").set_value(["difference"]).run()
    assert not app.exception
    difference = figures(app)[0]
    assert (difference["layout"]["coloraxis"]["cmin"], difference["layout"]["coloraxis"]["cmax"]) == (-1, 1)
    check_labels(difference)
    app.selectbox(key="first").set_value("transformer").run()
    assert not app.exception
    assert app.query_params["first"] == "transformer"
    assert "Multi-head" in figures(app)[0]["layout"]["annotations"][0]["text"]
    toggle(app, "transformer", on=False)
    assert not app.exception
    assert not app.warning
    assert "Luong" in figures(app)[0]["layout"]["annotations"][0]["text"]
    toggle(app, "bahdanau", on=False)
    assert not app.exception
    assert not figures(app)


def test_the_numbers_are_those_of_the_picture(app: AppTest) -> None:
    type_sentence(app, "The cat saw the cat.")
    app.button_group(key="also").set_value(["numbers"]).run()
    app.selectbox(key="table").set_value("luong-general").run()
    assert not app.exception
    table = app.dataframe[0].value
    view = choose_view(shared_host().attend("luong-general-en-fr", "The cat saw the cat."))
    assert list(table.columns[1:]) == ["1 The", "2 cat", "3 saw", "4 the", "5 cat", "6 .", "7 </s>"]
    np.testing.assert_allclose(table.iloc[:, 1:].to_numpy(), view.weights)


def test_layer_and_head_reading_colour_and_format_are_choices(app: AppTest) -> None:
    app.selectbox(key="head-transformer").set_value("1.mean").run()
    assert not app.exception
    assert panels(app)[2]["notes"][0].startswith("cross-attention, layer 1, mean of")
    app.button_group(key="reading").set_value("input").run()
    assert panels(app)[0]["rows"][0] == "<s>"
    assert panels(app)[0]["row_words"][:2] == [-1, 0]
    app.button_group(key="colour").set_value("root").run()
    assert alignment(app)[0]["colour"] == "root"
    app.button_group(key="picture").set_value("svg").run()
    assert not app.exception
    assert {"head-transformer": "1.mean", "reading": "input", "colour": "root", "picture": "svg"}.items() <= dict(
        app.query_params
    ).items()


def test_a_link_restores_every_choice() -> None:
    app = opened(**LINK)
    assert not app.exception
    assert not app.warning
    for key in ("bahdanau", "transformer"):
        assert app.button_group(key=f"mechanisms-{key}").value == [key]
    assert app.button_group(key="mechanisms-luong-general").value == []
    for key in ("align", "first", "second", "table", "head-transformer"):
        assert app.selectbox(key=key).value == LINK[key]
    for key in ("unit", "reading", "colour", "picture"):
        assert app.button_group(key=key).value == LINK[key]
    assert app.text_input(key="target").value == LINK["target"]
    assert dict(app.query_params) == LINK
    assert [len(each["data"]) for each in figures(app)] == [1]
    assert len(panels(app)) == 2
    assert alignment(app)[0]["key_title"] == "key: the source subword attended to"
    app.run()
    assert dict(app.query_params) == LINK


LINK = {
    "sentence": SENTENCE,
    "mechanisms": "bahdanau transformer",
    "align": "text",
    "target": "Le chat dort.",
    "unit": "piece",
    "reading": "written",
    "colour": "root",
    "picture": "svg",
    "head-transformer": "0.mean",
    "also": "difference numbers",
    "first": "transformer",
    "second": "bahdanau",
    "table": "transformer",
}


def test_what_a_link_asks_for_in_vain_is_named_and_replaced() -> None:
    wrong = dict.fromkeys(LINK, "<b>nonsense</b>") | {"mechanisms": "bahdanau nonsense", "also": "difference"}
    app = opened(**{key: value for key, value in wrong.items() if key not in ("sentence", "target", "second", "table")})
    assert not app.exception
    (warning,) = app.warning
    said = warning.value.replace("\\", "")
    for key in ("align", "unit", "reading", "colour", "picture"):
        assert f"{key}=<b>nonsense</b>" in said
        assert key not in app.query_params
    assert "mechanisms=nonsense" in said
    assert app.query_params["mechanisms"] == "bahdanau"
    assert len(panels(app)) == 1
    app.run()
    assert len(app.warning) == 1
    type_sentence(app, SENTENCE)
    assert not app.warning


def test_a_card_that_is_not_whole_is_named_and_takes_nothing_else_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_host: Callable[[Any], None]
) -> None:
    broken = tmp_path / "bahdanau-en-fr"
    before = models.catalog()
    broken.mkdir()
    (broken / "card.json").write_text("{")
    folders = registry.shipped_folders() | {"bahdanau-en-fr": broken}
    monkeypatch.setattr(registry, "shipped_folders", lambda: folders)
    fresh_host(models.load_translator)
    assert models.catalog() == before
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    assert not app.exception
    assert len(panels(app)) == 2
    assert "card.json" in app.warning[0].value.replace("\\", "")


def test_each_word_is_tinted_by_what_the_model_gave_it(app: AppTest) -> None:
    type_sentence(app, "An unbelievable misunderstanding.")
    trace = shared_host().attend(KEYS[0], "An unbelievable misunderstanding.")
    panel = panels(app)[0]
    assert "".join(" " * each["spaced"] + each["text"] for each in panel["words"]) == trace.output_text
    expected = [
        np.prod(
            [step.probability for step, owner in zip(trace.steps, trace.target.words, strict=True) if owner == word]
        )
        for word in range(len(trace.target.word_texts) - 1)
    ]
    assert panel["sure"] == pytest.approx(expected, abs=5.1e-5)
    for word, probability in zip(panel["words"], expected, strict=True):
        assert f"“{word['text']}”: probability {probability:.4f}" in word["says"]


@settings(max_examples=12, deadline=None)
@given(st.text(st.characters(), max_size=60))
def test_any_text_gets_a_picture_with_a_label_a_row_or_a_message(text: str) -> None:
    host = shared_host()
    source, _ = host.model(KEYS[0]).fit(text)
    if not normalise(text):
        with pytest.raises(models.InputError, match="type at least one word"):
            host.attend(KEYS[0], source)
        return
    traces = forced_translations(host, KEYS, source, "Le chat.")
    drawn = json.loads(alignment_heatmap(tuple(traces.values())).to_json())
    check_labels(drawn)
    difference = difference_heatmap(*(choose_view(traces[key]) for key in KEYS[:2]))
    check_labels(json.loads(difference.to_json()))
    for trace in traces.values():
        assert "<script" not in tinted(trace)


def test_a_mechanism_without_weights_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = tuple(key for key in KEYS if not key.startswith("luong"))
    monkeypatch.setattr(models, "catalog", lambda: installed)
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    assert not app.exception
    assert len(panels(app)) == 2
    assert "Luong" in app.warning[0].value


@pytest.fixture
def fresh_host(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Return a way to serve with models from another loader; afterwards the usual host is made anew."""

    def serve(load: Any) -> None:
        monkeypatch.setattr(models, "load_translator", load)
        shared_host.clear()

    yield serve
    shared_host.clear()


def test_a_model_that_fails_to_load_is_named(fresh_host: Callable[[Any], None]) -> None:
    load = models.load_translator

    def broken(key: str, *, at_rest: bool) -> Any:
        if key.startswith("bahdanau"):
            message = "the weights file does not have the hash that its card names"
            raise ValueError(message)
        return load(key, at_rest=at_rest)

    fresh_host(broken)
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    assert not app.exception
    assert len(panels(app)) == 2
    assert "bahdanau" in app.warning[0].value
    assert "hash" in app.warning[0].value


def test_every_map_has_a_description_in_words(app: AppTest) -> None:
    for panel in panels(app):
        assert panel["alt"].startswith(f"{panel['title']}, {panel['year']}: ")
        assert len(re.findall(r"attends most to “[^”]+” \([01]\.", panel["alt"])) >= 3


def test_a_card_says_what_was_measured_and_leaves_out_what_was_not() -> None:
    card = {"bleu": {"tatoeba.test": {"bleu": 42.04}}, "aer": {"hansards": 0.377}}
    assert measured(card) == [
        "BLEU, higher is better: 42.0 (tatoeba.test)",
        "Alignment error rate of the weights at the layer and head shown first, lower is better: 0.38 (hansards)",
    ]
    said = measured({"aer_grown": {"hansards": 0.195}, "aer_moved": {"hansards": 0.187}})
    assert said == ["With grown links: of weights 0.20 (hansards); of what is moved 0.19 (hansards)"]
    *_, rate, why = measured({"aer": {"tsinghua_zh-en.odd": 0.71}})
    assert "0.71" in rate
    assert "news" in why
    assert "poorly" in why
    assert "poorly" not in measured({"aer": {"tsinghua_zh-en.odd": 0.3}})[-1]
    assert measured({}) == []


def test_words_without_a_piece_of_their_own_are_named_and_others_are_not() -> None:
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["sentence"] = "The 龘 is a 猫 or \\x41 in the Café."
    app.run()
    (said,) = (each.value for each in app.caption if "its bytes" in each.value)
    assert said.replace("\\", "").endswith("learnt little: 龘 猫")
    many = [chr(0x3400 + number) for number in range(11)]
    app.text_input(key="sentence").set_value(f"The cat sleeps on the old chair in the garden {' '.join(many)}").run()
    (said,) = (each.value for each in app.caption if "its bytes" in each.value)
    assert said.replace("\\", "").endswith(f"learnt little: {' '.join(many[:8])} and 3 more")
    app.text_input(key="sentence").set_value("The Café.").run()
    assert not any("its bytes" in each.value for each in app.caption)


def test_a_card_says_which_examples_the_model_met_while_it_was_trained() -> None:
    assert examples_met({"examples_in_training": {"I see.": True, "A cat.": False, "You go.": True}}) == [
        "in the training text (ignoring case and final punctuation): “I see.” “You go.”",
        "not in the training text: “A cat.”",
    ]
    assert examples_met({"examples_in_training": {"A cat.": False}}) == ["none is in the training text"]
    assert examples_met({}) == []


def test_a_card_says_how_much_a_model_was_trained_and_what_it_inherited() -> None:
    start = {"key": "luong-general-en-fr", "target_tokens": 29_391_895}
    assert tokens_seen({"target_tokens_seen": 42_001_950, "start": start}) == [
        "42.0 M target tokens, 29.4 M of them as luong-general-en-fr (training started from its matching weights)"
    ]
    assert tokens_seen({"target_tokens_seen": 30_001_334}) == ["30.0 M target tokens"]
    assert tokens_seen({}) == []


def test_the_sources_of_a_mechanism_name_paper_departures_and_data() -> None:
    for key in KEYS:
        entry, text = models.describe(key), about(models.describe(key)).replace("\\", "")
        assert entry.mechanism.paper in text
        assert all(departure in text for departure in entry.mechanism.departures)
        assert all(each["credit"] in text for each in entry.card["data"])


def test_visitors_share_traces(app: AppTest) -> None:
    traces = shared_host().traces
    type_sentence(app, "A sentence that two visitors type.")
    kept = len(traces)
    other = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    type_sentence(other, "A sentence that two visitors type.")
    assert len(traces) == kept
    np.testing.assert_equal(alignment(app)[1], alignment(other)[1])


def test_the_window_of_local_attention_is_moved_and_widened_by_sliders() -> None:
    """The row's own centre and D stand on the sliders; the model runs again with what they are moved to."""
    key = "luong-local-p-en-fr"
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    for name, value in {"sentence": SENTENCE, "mechanisms": "bahdanau luong-local-p", "also": "window"}.items():
        app.query_params[name] = value
    app.session_state["numbers-of-words"] = True
    app.run()
    assert not app.exception
    before = shared_host().attend(key, SENTENCE, sites=sites_of(key))
    windows = before["decoder.0.cross"].companions["centre"][0]
    (width,) = app.slider
    assert width.value == windows[0, 1]
    row = next(each for each in app.selectbox if each.label.startswith("Row"))
    row.set_value(1)
    app.run()
    position = before.target.words.index(1)
    centre, width = app.slider
    assert centre.value == pytest.approx(1 + windows[position, 0], abs=0.05)  # a reader counts from 1
    centre.set_value(4.5)
    width.set_value(1)
    app.run()
    assert not app.exception
    place, pieces = "decoder.0.cross", [row for row, word in enumerate(before.target.words) if word == 1]
    edits = tuple(window(place, each, 3.5, 1) for each in pieces)
    forced = shared_host().model(key).attend(SENTENCE, before.output_text, edits=edits)
    shown = next(each.value for each in app.dataframe if "now" in each.value)
    expected = sum(step.log_probability for step in forced.steps)
    assert sum(float(each) for each in shown["now"]) == pytest.approx(expected, abs=2e-3)
    assert abs(sum(float(each) for each in shown["change"])) > 1e-3
    app.slider[1].set_value(0)
    app.run()
    assert "hide every key from a word" in app.error[0].value.replace("\\", "")
    app.text_input(key="sentence").set_value("The dog sleeps.")
    app.run()
    assert app.slider[1].value == windows[0, 1]  # the edit was of another text
    assert not figures(app)


def test_the_window_of_a_translation_that_is_cut_into_other_pieces_than_were_written() -> None:
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    sentence = "http://www.example.com/abc"
    for name, value in {"sentence": sentence, "mechanisms": "luong-local-p", "also": "window"}.items():
        app.query_params[name] = value
    app.run()
    app.slider[0].set_value(1)
    app.run()
    assert not app.exception
    assert not app.error
    assert len(figures(app)) == 1


def test_the_pyramid_of_the_rctm_stands_below_the_maps_with_the_orders_that_are_near() -> None:
    app = opened(sentence="The old dog sleeps.", mechanisms="rctm bahdanau", also="pyramid")
    assert not app.exception
    (drawn,) = [each for each in figures(app) if "yaxis2" in each["layout"]]
    source = models.load("rctm-en-fr").attend("The old dog sleeps.").source
    assert len(drawn["layout"]["xaxis"]["ticktext"]) == len(source)
    said = " ".join(each.value for each in app.markdown)
    assert "old The dog sleeps" in said
    alone = opened(sentence="The old dog sleeps.", mechanisms="bahdanau", also="pyramid")
    assert not [each for each in figures(alone) if "yaxis2" in each["layout"]]


def test_the_draws_of_hard_attention_stand_beside_the_row_that_they_are_drawn_from() -> None:
    sentence = "I don't know what you want."
    app = opened(sentence=sentence, mechanisms="hard bahdanau", also="draws", draws="21", unit="piece")
    assert not app.exception
    (drawn,) = figures(app)
    cells = [each["z"] for each in drawn["data"]]
    probabilities, shares = (
        np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"]).reshape([int(side) for side in z["shape"].split(",")])
        for z in cells
    )
    np.testing.assert_allclose(shares * 20, np.round(shares * 20), atol=1e-4)
    np.testing.assert_allclose(shares.sum(-1), 1, atol=1e-4)
    model = models.load("hard-en-fr")
    own = model.attend(sentence)
    assert shared_host().attend("hard-en-fr", sentence).maps[0].weights.max(-1).min() == 1
    found = model.attend(sentence, own.output_text, sites=("*",)).maps[0]
    assert probabilities.sum() == pytest.approx(len(probabilities), abs=1e-3)
    assert probabilities[0].max() == pytest.approx(found.companions["probabilities"][0, 0].max(), abs=1e-4)
    table = next(each.value for each in app.dataframe if "seeds" in each.value)
    assert table["draws"].sum() == 20
    written = {
        model.attend(sentence, edits=[sample("decoder.0.cross", None, None, seed)]).output_text
        for seed in range(21, 41)
    }
    assert set(table["translation"]) == written
    alone = opened(sentence=sentence, mechanisms="bahdanau", also="draws")
    assert not figures(alone)
