"""The Heads, run as a page on the shipped model: every control, every link, and what it does with bad input."""

import base64
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import models
from tests.support.figure_samples import axis_title
from tests.support.payloads import compared, overview
from viz.canvas.payload import MOST_PICKED
from viz.captions.heads import rollout_sentence
from viz.captions.measures import label_name, meaning_of, name_of, tile_label
from viz.figures.rollout import rollout_view
from viz.measures.head_profile import clearest, columns_of, profiles_of
from viz.measures.similarity import head_similarity
from viz.pages.heads.page import KEY
from viz.server.runtime import shared_host
from viz.text.tokens import isolated, visible
from viz.views.heads import KINDS, HeadPlace, pick_views, views_at

SENTENCE = "The cat drank the milk."
PATIENCE = 120  # seconds: the first run loads the model


def script() -> None:
    from viz.pages.heads.page import PAGE

    PAGE.show()


def opened(**link: str | None) -> AppTest:
    """Open the page by a link, the first head of both outer layers picked unless it says otherwise."""
    app = AppTest.from_function(script, default_timeout=PATIENCE)
    for key, value in {"sentence": SENTENCE, "heads0": "0", "heads2": "0", **link}.items():
        if value is not None:
            app.query_params[key] = value
    return app.run()


@pytest.fixture
def app() -> AppTest:
    return opened()


def figures(app: AppTest) -> list[dict[str, Any]]:
    """Return the Plotly figures of the page, without that of every head in numbers."""
    assert not app.exception
    charts = [chart for chart in app.get("plotly_chart") if "heads-by-number" not in chart.proto.id]
    return [json.loads(chart.proto.spec) for chart in charts]


def numbers(value: Any) -> np.ndarray:
    """Return an array of a figure as Plotly was sent it."""
    if not isinstance(value, dict):
        return np.asarray(value, dtype=float)
    shape = [int(side) for side in str(value["shape"]).split(",")] if "shape" in value else -1
    return np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"]).reshape(shape)


def overview_title(app: AppTest) -> str:
    return str(overview(app)[0]["title"])


def framed(app: AppTest) -> set[tuple[int, int]]:
    return {(layer, head) for layer, head in overview(app)[0]["picked"]}


def panel_names(app: AppTest) -> list[str]:
    return [HeadPlace(*place).title for place in compared(app)[0]["heads"]]


def captions(app: AppTest) -> str:
    return " ".join(each.value for each in app.caption).replace("\\", "")


def pick(app: AppTest, layer: int, *heads: int) -> AppTest:
    return app.button_group(key=f"heads{layer}").set_value([str(head) for head in heads]).run()


def parameter(app: AppTest, key: str) -> str | None:
    values = app.query_params.get(key)
    return None if values is None else values[0] if isinstance(values, list) else values


def test_the_page_opens_with_the_clearest_heads_of_the_sentence_picked_one_a_label() -> None:
    app = opened(heads0=None, heads2=None)
    for sentence in (SENTENCE, "My brother did not buy the red car because it was too expensive."):
        app.text_input(key="sentence").set_value(sentence).run()
        profiles = profiles_of(views_at(shared_host().attend(KEY, sentence), "encoder.*.self", "word"))
        wanted = clearest(profiles, MOST_PICKED)
        assert framed(app) == set(wanted)
        assert panel_names(app) == [each.title for each in sorted(wanted)]
        labels = {each.place: each.label.key for each in profiles}
        assert len({labels[place] for place in wanted}) == len(wanted) >= 3
        assert overview(app)[0]["labels"] == [tile_label(each.label) for each in profiles]
    assert not any(each.startswith("heads") for each in app.query_params)
    pick(app, 1, 3)
    kept = [each for each in wanted if each.layer != 1]
    assert framed(app) == {*kept, (1, 3)}
    app.text_input(key="sentence").set_value(SENTENCE).run()
    assert framed(app) == {*kept, (1, 3)}


def test_what_is_picked_is_framed_and_compared(app: AppTest) -> None:
    assert not app.error
    assert not app.warning
    assert len(overview(app)[1]) == 24
    assert framed(app) == {(0, 0), (2, 0)}
    assert panel_names(app) == ["layer 0, head 0", "layer 2, head 0"]
    trace = shared_host().attend(KEY, SENTENCE)
    header, weights = compared(app)
    views = pick_views(trace, "encoder.*.self", "word", [HeadPlace(0, 0), HeadPlace(2, 0)])
    np.testing.assert_array_equal(weights, [view.weights for view in views])
    assert header["alt"].startswith("layer 0, head 0; layer 2, head 0: encoder self-attention")
    assert any(trace.output_text.split()[0] in each.proto.body for each in app.get("html"))


@pytest.mark.parametrize(
    ("kind", "title"),
    [("encoder", "encoder self-attention"), ("decoder", "decoder self-attention"), ("cross", "cross-attention")],
)
def test_each_kind_of_map_is_shown(kind: str, title: str) -> None:
    app = opened(below="table")
    app.button_group(key="map").set_value(kind).run()
    assert title in overview_title(app)
    views = views_at(shared_host().attend(KEY, SENTENCE), KINDS[kind][0], "word")
    header, cells = overview(app)
    assert [tuple(place) for place in header["heads"]] == [(layer, head) for layer in range(3) for head in range(8)]
    every = np.concatenate([view.shown.weights for view in views])
    np.testing.assert_allclose((cells / 255) ** 2, every, atol=0.004)
    assert len(app.dataframe[0].value.columns) == 5 + len(columns_of(profiles_of(views)))


def test_pieces_are_a_choice_of_the_reader(app: AppTest) -> None:
    app.text_input(key="sentence").set_value("An unbelievable misunderstanding.").run()
    words = len(compared(app)[0]["column_labels"])
    app.button_group(key="unit").set_value("piece").run()
    assert len(compared(app)[0]["column_labels"]) > words
    assert "query: the subword that attends" in compared(app)[0]["query_title"]
    assert parameter(app, "unit") == "piece"


def test_square_root_colour_is_said_on_both_figures(app: AppTest) -> None:
    app.button_group(key="colour").set_value("root").run()
    header, _weights = compared(app)
    assert "square root" in " ".join(text["text"] for text in header["layouts"][1]["texts"])
    assert header["colour"] == "root"
    assert "square root" in overview(app)[0]["legend"]
    assert overview(app)[0]["colour"] == "root"


@pytest.mark.parametrize("picture", ["png", "svg"])
def test_every_figure_is_saved_in_the_chosen_format(picture: str) -> None:
    app = opened(below="similarity rollout")
    app.button_group(key="picture").set_value(picture).run()
    charts = app.get("plotly_chart")
    assert len(charts) == 2
    for chart in charts:
        config = json.loads(chart.proto.config)
        assert config["displayModeBar"]
        assert config["modeBarButtons"] == [["toImage"]]
        assert config["toImageButtonOptions"]["format"] == picture
        assert "cat" in config["toImageButtonOptions"]["filename"]
    assert compared(app)[0]["file"] == f"The-cat-drank-the-milk-side-layer-0-head-0-layer-2-head-0.{picture}"
    assert overview(app)[0]["file"] == f"The-cat-drank-the-milk-encoder-self-attention.{picture}"


def test_a_saved_picture_is_dark_on_white() -> None:
    app = opened(below="similarity rollout", compare="mean")
    for figure in figures(app):
        layout = figure["layout"]["template"]["layout"]
        assert layout["paper_bgcolor"] == "#ffffff"
        assert layout["font"]["color"] == "#1c2330"
        assert "paper_bgcolor" not in figure["layout"]


def test_picked_heads_are_framed_and_shown(app: AppTest) -> None:
    pick(app, 1, 3, 5)
    assert panel_names(app) == ["layer 0, head 0", "layer 1, head 3", "layer 1, head 5", "layer 2, head 0"]
    assert framed(app) == {(0, 0), (1, 3), (1, 5), (2, 0)}
    assert parameter(app, "heads1") == "3 5"
    trace = shared_host().attend(KEY, SENTENCE)
    (view,) = pick_views(trace, "encoder.*.self", "word", [HeadPlace(1, 5)])
    np.testing.assert_array_equal(compared(app)[1][2], view.weights)


def test_a_fifth_head_takes_the_place_of_the_first(app: AppTest) -> None:
    pick(app, 1, 3)
    pick(app, 1, 3, 5)
    pick(app, 0, 0, 7)
    assert panel_names(app) == ["layer 0, head 7", "layer 1, head 3", "layer 1, head 5", "layer 2, head 0"]
    assert "Replaced: layer 0, head 0" in captions(app)
    assert list(app.button_group(key="heads0").value) == ["7"]
    pick(app, 0)
    assert "Replaced: " not in captions(app)
    assert len(panel_names(app)) == 3


def test_without_a_picked_head_the_page_says_what_to_do(app: AppTest) -> None:
    pick(app, 0)
    pick(app, 2)
    assert len(figures(app)) == 0
    assert framed(app) == set()
    assert "Pick a head" in app.info[0].value


def test_the_difference_of_two_picked_heads(app: AppTest) -> None:
    pick(app, 1, 4)
    app.button_group(key="compare").set_value("difference").run()
    axis = figures(app)[0]["layout"]["coloraxis"]
    assert (axis["cmin"], axis["cmax"]) == (-1, 1)
    assert "layer 0, head 0 attends to this token more" in axis["colorbar"]["title"]["text"].replace("<br>", " ")
    app.selectbox(key="plus").set_value("1.4").run()
    assert app.selectbox(key="minus").value == "0.0"
    meaning = figures(app)[0]["layout"]["coloraxis"]["colorbar"]["title"]["text"].replace("<br>", " ")
    assert "layer 1, head 4 attends to this token more, below 0 (orange) layer 0, head 0" in meaning
    app.selectbox(key="minus").set_value("1.4").run()
    assert "The two heads are the same: no weight differs" in captions(app)
    app.selectbox(key="plus").set_value("2.0").run()
    meaning = figures(app)[0]["layout"]["coloraxis"]["colorbar"]["title"]["text"].replace("<br>", " ")
    assert "layer 2, head 0 attends to this token more" in meaning
    assert "layer 1, head 4" in meaning
    pick(app, 2)
    assert not app.warning
    meaning = figures(app)[0]["layout"]["coloraxis"]["colorbar"]["title"]["text"].replace("<br>", " ")
    assert "layer 0, head 0 attends to this token more" in meaning


def test_a_difference_needs_two(app: AppTest) -> None:
    app.button_group(key="compare").set_value("difference").run()
    pick(app, 0)
    assert len(figures(app)) == 0
    assert "needs two heads" in app.info[0].value


def test_sum_and_mean_have_their_own_scales(app: AppTest) -> None:
    pick(app, 1, 4)
    app.button_group(key="compare").set_value("sum").run()
    assert figures(app)[0]["layout"]["coloraxis"]["cmax"] == 3
    assert "of 3)" in captions(app)
    app.button_group(key="compare").set_value("mean").run()
    assert figures(app)[0]["layout"]["coloraxis"]["cmax"] == 1


def test_the_table_holds_every_head_and_can_be_ordered() -> None:
    app = opened(below="table")
    table = app.dataframe[0].value
    assert list(zip(table["layer"], table["head"], strict=True)) == [
        (layer, head) for layer in range(3) for head in range(8)
    ]
    assert list(table["picked"]).count("✓") == 2
    views = views_at(shared_host().attend(KEY, SENTENCE), "encoder.*.self", "word")
    profiles = profiles_of(views)
    np.testing.assert_allclose(table["entropy, bits"], [profile.values["entropy"] for profile in profiles])
    assert list(table["label"]) == [label_name(profile.label) for profile in profiles]
    for measure in columns_of(profiles):
        app.selectbox(key="order").set_value(measure.key).run()
        table = app.dataframe[0].value
        values = table[name_of(measure)]
        assert [tuple(place) for place in overview(app)[0]["heads"]] == list(
            zip(table["layer"], table["head"], strict=True)
        )
        assert list(values) == sorted((profile.values[measure.key] for profile in profiles), reverse=True)
        assert meaning_of(measure) in captions(app)


def test_an_order_that_means_nothing_elsewhere_falls_back() -> None:
    app = opened(below="table")
    app.selectbox(key="order").set_value("next").run()
    app.button_group(key="map").set_value("cross").run()
    assert not app.warning
    assert list(app.dataframe[0].value["head"][:3]) == [0, 1, 2]
    assert "equal positions mean nothing" in captions(app)


def test_a_link_restores_everything() -> None:
    app = opened(
        map="cross",
        unit="piece",
        colour="root",
        picture="svg",
        heads0="2 3",
        heads1="7",
        heads2="",
        compare="difference",
        plus="1.7",
        minus="0.3",
        order="entropy",
        below="table",
    )
    assert not app.warning
    assert "cross-attention" in overview_title(app)
    picked = figures(app)[0]
    assert framed(app) == {(0, 2), (0, 3), (1, 7)}
    meaning = picked["layout"]["coloraxis"]["colorbar"]["title"]["text"].replace("<br>", " ")
    assert "layer 1, head 7 attends to this token more, below 0 (orange) layer 0, head 3" in meaning
    assert "square root" in meaning
    assert "query: the subword being written" in axis_title(picked, "y")
    assert json.loads(app.get("plotly_chart")[0].proto.config)["toImageButtonOptions"]["format"] == "svg"
    entropies = list(app.dataframe[0].value["entropy, bits"])
    assert entropies == sorted(entropies, reverse=True)
    assert app.text_input(key="sentence").value == SENTENCE


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("map", "decoder.0"),
        ("unit", "letters"),
        ("colour", "pink"),
        ("picture", "gif"),
        ("heads0", "8"),
        ("heads1", "x 3"),
        ("compare", "product"),
        ("order", "beauty"),
        ("least", "0.123"),
        ("hide", "perhaps"),
        ("only", "clever"),
        ("below", "everything"),
    ],
)
def test_a_stale_link_is_named_and_the_default_shown(key: str, value: str) -> None:
    app = opened(**{key: value})
    assert panel_names(app)[-1] == "layer 2, head 0"
    (warning,) = app.warning
    assert key in warning.value
    assert value.split()[0] in warning.value.replace("\\", "")


def test_heads_of_a_layer_that_there_is_not_are_named() -> None:
    app = opened(heads7="1", unit="letters")
    assert len(panel_names(app)) == 2
    assert framed(app) == {(0, 0), (2, 0)}
    (warning,) = app.warning
    assert "heads7=1" in warning.value.replace("\\", "")
    assert "unit=letters" in warning.value.replace("\\", "")
    assert parameter(app, "heads7") is None
    app.run()
    assert len(app.warning) == 1
    app.button_group(key="colour").set_value("root").run()
    assert not app.warning


def test_a_link_with_too_many_heads_shows_four_and_names_the_others() -> None:
    app = opened(heads0="0 1 2", heads1="3 4", heads2="5")
    assert panel_names(app) == ["layer 0, head 0", "layer 0, head 1", "layer 0, head 2", "layer 1, head 3"]
    assert "Replaced: layer 1, head 4; layer 2, head 5" in captions(app)


@pytest.mark.parametrize("text", ["", "   "], ids=["empty", "blank"])
def test_bad_input_gets_a_message_and_takes_nothing_away(app: AppTest, text: str) -> None:
    (before, weights), small = compared(app), overview(app)[1]
    app.text_input(key="sentence").set_value(text).run()
    assert len(app.error) == 1
    assert compared(app)[0] == before
    np.testing.assert_array_equal(compared(app)[1], weights)
    np.testing.assert_array_equal(overview(app)[1], small)
    assert app.text_input(key="sentence").value == text
    assert "The cat drank the milk" in captions(app)
    app.text_input(key="sentence").set_value(SENTENCE).run()
    assert not app.error


def test_bad_input_from_a_link_gets_a_message() -> None:
    app = opened(sentence=" ")
    assert not app.exception
    assert len(app.error) == 1


def test_a_long_text_is_cut_with_a_message_and_stays_in_the_box(app: AppTest) -> None:
    text = "word " * 2000
    app.text_input(key="sentence").set_value(text).run()
    assert len(figures(app)) == 1  # too long for a label a token
    assert "left out" in app.info[0].value
    assert app.text_input(key="sentence").value == text


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "the " * 30,
        "<s>",
        "</s> <b>bold</b>",
        "<script>alert(1)</script>",
        "a\x00b\x07",
        "猫が好き。我爱你",
        "🔥👩\u200d👧🇫🇷",
        "שלום עולם",
        "$x^2$ **a** {b} %{z}",
        "\u202eevil",
    ],
)
def test_awkward_text_is_shown_as_text(text: str) -> None:
    app = opened(sentence=text)
    if offered := [each for each in app.button if each.key == "show-anyway"]:  # in another script
        offered[0].click().run()
    for kind in ("encoder", "cross"):
        app.button_group(key="map").set_value(kind).run()
        assert not app.error
        picked, weights = compared(app)
        views = views_at(shared_host().attend(KEY, text), KINDS[kind][0], "word")
        queries, keys = views[0].weights.shape
        assert overview(app)[1].shape == (24, queries, keys)
        np.testing.assert_array_equal(weights[0], views[0].weights)
        assert (len(picked["row_labels"]), len(picked["column_labels"])) == (queries, keys)
        assert picked["queries"] == [isolated(visible(token)) for token in views[0].shown.query_tokens.texts]
        others = [each for each in app.get("html") if "bench-title" not in each.proto.body]
        assert "<script>" not in " ".join(each.proto.body for each in others)


def test_the_figures_have_their_descriptions_in_words(app: AppTest) -> None:
    (strongest,) = [
        each.value.replace("\\", "") for each in app.caption if each.value.startswith("Sharpest of 24 heads")
    ]
    header = overview(app)[0]
    assert strongest.removesuffix(".") in header["alt"]
    assert header["alt"].startswith(header["title"])
    assert header["note"] in header["alt"]
    picked = compared(app)[0]
    spoken = [each.value.replace("\\", "") for each in app.caption]
    (said,) = [each for each in spoken if each.startswith("layer 0, head 0: “")]
    assert picked["alt"].startswith(f"{picked['title']}. {said.removesuffix('.')}")


def test_weights_below_a_threshold_are_drawn_empty_everywhere(app: AppTest) -> None:
    app.selectbox(key="least").set_value("0.2").run()
    trace = shared_host().attend(KEY, SENTENCE)
    views = pick_views(trace, "encoder.*.self", "word", [HeadPlace(0, 0), HeadPlace(2, 0)])
    picked, weights = compared(app)
    np.testing.assert_array_equal(
        weights, [view.weights for view in views]
    )  # the browser leaves cells empty, and counts
    assert picked["threshold"] == 0.2
    note = " ".join(picked["layouts"][1]["headings"][0]["notes"])
    assert f"{{count}} of {views[0].weights.size} cells below 0.2" in note  # the browser counts them
    header, _cells = overview(app)
    assert header["threshold"] == 0.2
    cells = np.concatenate([view.shown.weights.ravel() for view in views_at(trace, "encoder.*.self", "word")])
    assert f"{(cells < 0.2).sum()} of {cells.size} cells below 0.2" in header["note"]
    assert parameter(app, "least") == "0.2"


def test_special_tokens_are_hidden_in_a_column_that_keeps_their_weight(app: AppTest) -> None:
    assert overview(app)[0]["keys"][-1] == "</s>"
    app.toggle(key="hide").set_value(True).run()
    header, cells = overview(app)
    (view,) = pick_views(shared_host().attend(KEY, SENTENCE), "encoder.*.self", "word", [HeadPlace(0, 0)])
    assert (header["queries"][-1], header["keys"][-2:]) == (".", [".", "⟨hidden⟩"])
    np.testing.assert_allclose((cells[0] / 255) ** 2, view.weights[:-1], atol=0.004)
    picked, weights = compared(app)
    np.testing.assert_allclose(weights[0], view.weights[:-1], atol=1e-6)
    assert "</s>" not in " ".join(picked["column_labels"])
    assert parameter(app, "hide") == "on"
    app.toggle(key="hide").set_value(False).run()
    assert overview(app)[0]["keys"][-1] == "</s>"


def test_heads_of_one_label_alone_are_shown() -> None:
    app = opened(below="table")
    profiles = profiles_of(views_at(shared_host().attend(KEY, SENTENCE), "encoder.*.self", "word"))
    wanted = [tuple(each.place) for each in profiles if each.label.key == "broad"]
    assert 0 < len(wanted) < 24
    app.selectbox(key="only").set_value("broad").run()
    assert [tuple(place) for place in overview(app)[0]["heads"]] == wanted
    assert f"{24 - len(wanted)} of 24 heads left out" in overview(app)[0]["note"]
    table = app.dataframe[0].value
    assert list(zip(table["layer"], table["head"], strict=True)) == wanted
    assert parameter(app, "only") == "broad"


def test_picked_heads_are_drawn_as_lines(app: AppTest) -> None:
    app.selectbox(key="least").set_value("0.1").run()
    app.button_group(key="compare").set_value("lines").run()
    (figure,) = figures(app)
    trace = shared_host().attend(KEY, SENTENCE)
    views = pick_views(trace, "encoder.*.self", "word", [HeadPlace(0, 0), HeadPlace(2, 0)])
    ends = [numbers(each["y"]) for each in figure["data"] if each.get("meta") == "lines"]
    found = sorted((round(query), round(key)) for each in ends for query, key in each.reshape(-1, 3)[:, :2])
    assert found == sorted(tuple(pair) for view in views for pair in np.argwhere(view.weights >= 0.1).tolist())
    assert [each["name"] for each in figure["data"] if each.get("name")] == ["layer 0, head 0", "layer 2, head 0"]
    assert parameter(app, "compare") == "lines"


def test_picked_heads_are_shaded_on_the_text(app: AppTest) -> None:
    app.button_group(key="compare").set_value("text").run()
    assert len(figures(app)) == 0
    app.selectbox(key="word").set_value("2").run()
    trace = shared_host().attend(KEY, SENTENCE)
    views = pick_views(trace, "encoder.*.self", "word", [HeadPlace(0, 0), HeadPlace(2, 0)])
    for way, heading in (("reads", "What “drank” attends to"), ("read_by", "Which words attend to “drank”")):
        app.button_group(key="way").set_value(way).run()
        texts = [each.proto.body for each in app.get("html") if 'class="on-text"' in each.proto.body]
        for text, view in zip(texts, views, strict=True):
            weights = view.weights[2] if way == "reads" else view.weights[:, 2]
            assert heading in text
            shown = re.findall(r'<li[^>]*title="“(.*?)”: ([0-9.]+)"', text)
            assert [float(weight) for _word, weight in shown] == pytest.approx(weights.tolist(), abs=5.1e-5)
    assert (parameter(app, "word"), parameter(app, "way")) == ("2", "read_by")


def test_rollout_is_followed_to_the_chosen_layer() -> None:
    app, trace = opened(below="rollout"), shared_host().attend(KEY, SENTENCE)
    for layer in (2, 0, 1):
        app.select_slider(key="upto").set_value(str(layer)).run()
        view = rollout_view(trace, sites="encoder.*.self", layer=layer, unit="word")
        np.testing.assert_allclose(numbers(figures(app)[0]["data"][0]["z"]), view.weights, atol=1e-6)
        assert app.get("plotly_chart")[0].proto.alt == rollout_sentence(view)
    assert parameter(app, "upto") == "1"
    app.button_group(key="below").set_value([]).run()
    assert (len(figures(app)), parameter(app, "below")) == (0, None)


def test_the_likeness_of_heads_says_which_are_alike_and_compares_two() -> None:
    app, found = opened(below="similarity"), head_similarity(shared_host().attend(KEY, SENTENCE))
    (alike,) = app.get("plotly_chart")
    pairs = [(one, other) for other in range(24) for one in range(other)]
    values = np.array([found.divergence[pair] for pair in pairs])
    assert len(set(values)) == len(values)
    for said, number in (("Most similar", values.argmin()), ("Least similar", values.argmax())):
        one, other = sorted(found.places[place] for place in pairs[int(number)])
        value = f"{values[number]:.2f}"
        assert f"{said}: {one.title} and {other.title} (divergence {value})" in alike.proto.alt
    assert alike.proto.alt in captions(app)
    figure = json.loads(alike.proto.spec)
    titles = [figure["layout"][f"{axis}axis"]["title"]["text"] for axis in "yx"]
    assert titles == ["row: one head", "column: the other head"]
    app.selectbox(key="like").set_value("1.3").run()
    assert parameter(app, "like") == "1.3"
    nearest = found.nearest(HeadPlace(1, 3), 5)
    buttons = [each for each in app.button if each.key and each.key.startswith("nearest-")]
    assert [each.label.split(" \\(")[0].replace("\\", "") for each in buttons] == [place.title for place in nearest]
    buttons[0].click().run()
    assert framed(app) == {(1, 3), tuple(nearest[0])}
    assert app.button_group(key="compare").value == "difference"
    assert (app.selectbox(key="plus").value, app.selectbox(key="minus").value) == (
        "1.3",
        f"{nearest[0].layer}.{nearest[0].head}",
    )


def test_a_link_restores_what_is_hidden_filtered_and_shown_below() -> None:
    link = {
        "least": "0.05",
        "hide": "on",
        "only": "broad",
        "order": "entropy",
        "compare": "text",
        "word": "2",
        "way": "read_by",
        "below": "similarity rollout",
        "upto": "1",
        "like": "2.6",
        "heads1": "4",
    }
    app = opened(**link)
    assert not app.warning
    header, _cells = overview(app)
    assert (header["threshold"], header["keys"][-1]) == (0.05, "⟨hidden⟩")
    assert len(header["heads"]) < 24
    assert framed(app) == {(0, 0), (1, 4), (2, 0)}
    texts = [each.proto.body for each in app.get("html") if 'class="on-text"' in each.proto.body]
    assert [text.count("Which words attend to “drank”") > 0 for text in texts] == [True] * 3
    rolled, _alike = figures(app)
    assert "layers 0 to 1" in json.dumps(rolled["layout"]["annotations"])
    boxes = {each.key: each.value for each in (*app.selectbox, *app.select_slider, *app.toggle)}
    assert {key: boxes[key] for key in ("least", "only", "order", "word", "upto", "like", "hide")} == {
        **{key: link[key] for key in ("least", "only", "order", "word", "upto", "like")},
        "hide": True,
    }
    assert {key: parameter(app, key) for key in link} == link


def test_whatever_is_typed_each_figure_has_a_label_a_token() -> None:
    app = opened(below="similarity")

    @settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.text(max_size=30))
    def typed(text: str) -> None:
        app.text_input(key="sentence").set_value(text).run()
        (alike,) = figures(app)
        header, cells = overview(app)
        try:
            trace = shared_host().attend(KEY, text)
        except models.InputError:
            assert len(app.error) == 1
            trace = shared_host().attend(KEY, app.session_state["last-readable"])
        else:
            assert not app.error
        queries, keys = views_at(trace, "encoder.*.self", "word")[0].weights.shape
        assert (len(header["queries"]), len(header["keys"])) == (queries, keys)
        assert cells.shape == (24, header["rows"].index(queries), header["columns"].index(keys))
        picked, weights = compared(app)
        assert (len(picked["row_labels"]), len(picked["column_labels"])) == weights.shape[1:] == (queries, keys)
        axes = [alike["layout"][f"{axis}axis"] for axis in "xy"]
        assert [len(axis["ticktext"]) for axis in axes] == [24, 24]

    typed()


def test_attention_is_not_sold_as_an_explanation(app: AppTest) -> None:
    assert "does not by itself say why" in captions(app)


def test_a_missing_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "catalog", lambda: ())
    app = opened()
    assert not app.exception
    assert "Transformer" in app.warning[0].value


@pytest.fixture
def fresh_host(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Return a way to serve with models from another loader; afterwards the usual host is made anew."""

    def serve(load: Any) -> None:
        monkeypatch.setattr(models, "load_translator", load)
        shared_host.clear()

    yield serve
    shared_host.clear()


def test_a_model_that_fails_to_load_is_named(fresh_host: Callable[[Any], None]) -> None:
    def broken(key: str, *, at_rest: bool) -> Any:
        message = f"{key} does not have the hash that its card names"
        raise ValueError(message)

    fresh_host(broken)
    app = opened()
    assert not app.exception
    assert "hash" in app.warning[0].value


def test_no_choice_that_the_page_itself_took_away_is_named_as_missing() -> None:
    """What was chosen for a kind of map, a model or a label goes without a word when that goes."""
    app = opened(below="rollout similarity", upto="2", like="2.7", only="next", order="next", heads0="7")
    app.button_group(key="map").set_value("cross").run()
    assert not app.warning
    assert parameter(app, "below") == "similarity"
    for key, value in {"only": "aligned", "order": "aligned"}.items():
        app.selectbox(key=key).set_value(value).run()
    for model in ("hf:minilm", KEY):
        app.selectbox(key="model").set_value(model).run()
        assert not app.exception
        assert not app.warning
    app.text_input(key="sentence").set_value("Go.").run()
    assert not app.warning
