"""The Heads, run as a page on the shipped model: every control, every link, and what it does with bad input."""

import json
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from figure_samples import axis_title
from streamlit.testing.v1 import AppTest

import models
from viz.figures.head_maps import HeadPlace, pick_views, views_at
from viz.head_gallery import columns_of
from viz.head_profile import profiles_of
from viz.pages.heads import KEY, MAPS
from viz.runtime import shared_host

SENTENCE = "The cat drank the milk."
PATIENCE = 120  # seconds: the first run loads the model


def script() -> None:
    from viz.pages import heads

    heads.page()


def opened(**link: str) -> AppTest:
    """Open the page by a link."""
    app = AppTest.from_function(script, default_timeout=PATIENCE)
    for key, value in {"sentence": SENTENCE, **link}.items():
        app.query_params[key] = value
    return app.run()


@pytest.fixture
def app() -> AppTest:
    return opened()


def figures(app: AppTest) -> list[dict[str, Any]]:
    """Give the Plotly figures of the page: the picked heads first, if they are shown."""
    assert not app.exception
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def overview(app: AppTest) -> tuple[dict[str, Any], np.ndarray]:
    """Give what the canvas of all heads is fed with: its header, and bytes [head, row, column]."""
    assert not app.exception
    (payload,) = [each.proto.bytes for each in app.get("bidi_component") if each.proto.bytes]
    plain = zlib.decompress(payload)
    (length,) = struct.unpack("<I", plain[:4])
    header = json.loads(plain[4 : 4 + length])
    shape = len(header["heads"]), len(header["rows"]) - 1, len(header["columns"]) - 1
    return header, np.frombuffer(plain[4 + length :], np.uint8).reshape(shape)


def overview_title(app: AppTest) -> str:
    return str(overview(app)[0]["title"])


def framed(app: AppTest) -> set[tuple[int, int]]:
    return {(layer, head) for layer, head in overview(app)[0]["picked"]}


def panel_names(app: AppTest) -> list[str]:
    return [heatmap["name"] for heatmap in figures(app)[0]["data"]]


def captions(app: AppTest) -> str:
    return " ".join(each.value for each in app.caption).replace("\\", "")


def pick(app: AppTest, layer: int, *heads: int) -> AppTest:
    return app.button_group(key=f"heads{layer}").set_value([str(head) for head in heads]).run()


def parameter(app: AppTest, key: str) -> str | None:
    values = app.query_params.get(key)
    return None if values is None else values[0] if isinstance(values, list) else values


def test_the_page_opens_with_all_heads_and_two_picked(app: AppTest) -> None:
    (picked,) = figures(app)
    assert not app.error
    assert not app.warning
    assert len(overview(app)[1]) == 24
    assert framed(app) == {(0, 0), (2, 0)}
    assert panel_names(app) == ["layer 0, head 0", "layer 2, head 0"]
    assert (picked["layout"]["coloraxis"]["cmin"], picked["layout"]["coloraxis"]["cmax"]) == (0, 1)
    trace = shared_host().attend(KEY, SENTENCE)
    assert any(trace.output_text.split()[0] in each.proto.body for each in app.get("html"))


@pytest.mark.parametrize(
    ("kind", "title"),
    [("encoder", "encoder self-attention"), ("decoder", "decoder self-attention"), ("cross", "cross-attention")],
)
def test_each_kind_of_map_is_shown(app: AppTest, kind: str, title: str) -> None:
    app.button_group(key="map").set_value(kind).run()
    assert title in overview_title(app)
    views = views_at(shared_host().attend(KEY, SENTENCE), MAPS[kind][0], "word")
    header, cells = overview(app)
    assert [tuple(place) for place in header["heads"]] == [(layer, head) for layer in range(3) for head in range(8)]
    every = np.concatenate([view.shown.weights for view in views])
    np.testing.assert_allclose((cells / 255) ** 2, every, atol=0.004)
    assert len(app.dataframe[0].value.columns) == 5 + len(columns_of(profiles_of(views)))


def test_pieces_are_a_choice_of_the_reader(app: AppTest) -> None:
    app.text_input(key="sentence").set_value("An unbelievable misunderstanding.").run()
    words = len(figures(app)[0]["layout"]["xaxis"]["ticktext"])
    app.button_group(key="unit").set_value("piece").run()
    assert len(figures(app)[0]["layout"]["xaxis"]["ticktext"]) > words
    assert "the piece that reads" in axis_title(figures(app)[0], "y")
    assert parameter(app, "unit") == "piece"


def test_square_root_colour_is_said_on_both_figures(app: AppTest) -> None:
    app.button_group(key="colour").set_value("root").run()
    (figure,) = figures(app)
    assert "square root" in figure["layout"]["coloraxis"]["colorbar"]["title"]["text"].replace("<br>", " ")
    assert "square root" in overview(app)[0]["legend"]
    assert overview(app)[0]["colour"] == "root"


@pytest.mark.parametrize("picture", ["png", "svg"])
def test_the_toolbar_saves_the_chosen_format(app: AppTest, picture: str) -> None:
    app.button_group(key="picture").set_value(picture).run()
    for chart in app.get("plotly_chart"):
        options = json.loads(chart.proto.config)["toImageButtonOptions"]
        assert options["format"] == picture
        assert "cat" in options["filename"]


def test_a_saved_picture_is_dark_on_white(app: AppTest) -> None:
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
    shape = [int(side) for side in figures(app)[0]["data"][2]["z"]["shape"].split(",")]
    assert shape == list(view.weights.shape)


def test_a_fifth_head_takes_the_place_of_the_first(app: AppTest) -> None:
    pick(app, 1, 3)
    pick(app, 1, 3, 5)
    pick(app, 0, 0, 7)
    assert panel_names(app) == ["layer 0, head 7", "layer 1, head 3", "layer 1, head 5", "layer 2, head 0"]
    assert "layer 0, head 0 made room" in captions(app)
    assert list(app.button_group(key="heads0").value) == ["7"]
    pick(app, 0)
    assert "made room" not in captions(app)
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
    assert "layer 0, head 0 reads this token more" in axis["colorbar"]["title"]["text"].replace("<br>", " ")
    app.selectbox(key="plus").set_value("2.0").run()
    meaning = figures(app)[0]["layout"]["coloraxis"]["colorbar"]["title"]["text"].replace("<br>", " ")
    assert "layer 2, head 0 reads this token more" in meaning
    assert "layer 1, head 4" in meaning
    pick(app, 2)
    assert not app.warning
    meaning = figures(app)[0]["layout"]["coloraxis"]["colorbar"]["title"]["text"].replace("<br>", " ")
    assert "layer 0, head 0 reads this token more" in meaning


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


def test_the_table_holds_every_head_and_can_be_ordered(app: AppTest) -> None:
    table = app.dataframe[0].value
    assert list(zip(table["layer"], table["head"], strict=True)) == [
        (layer, head) for layer in range(3) for head in range(8)
    ]
    assert list(table["picked"]).count("✓") == 2
    views = views_at(shared_host().attend(KEY, SENTENCE), "encoder.*.self", "word")
    profiles = profiles_of(views)
    np.testing.assert_allclose(table["entropy, bits"], [profile.values["entropy"] for profile in profiles])
    assert list(table["label"]) == [profile.label.name for profile in profiles]
    for measure in columns_of(profiles):
        app.selectbox(key="order").set_value(measure.key).run()
        table = app.dataframe[0].value
        values = table[measure.name]
        assert [tuple(place) for place in overview(app)[0]["heads"]] == list(
            zip(table["layer"], table["head"], strict=True)
        )
        assert list(values) == sorted((profile.values[measure.key] for profile in profiles), reverse=True)
        assert measure.meaning in captions(app)


def test_an_order_that_means_nothing_elsewhere_falls_back(app: AppTest) -> None:
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
    )
    assert not app.warning
    assert "cross-attention" in overview_title(app)
    picked = figures(app)[0]
    assert framed(app) == {(0, 2), (0, 3), (1, 7)}
    meaning = picked["layout"]["coloraxis"]["colorbar"]["title"]["text"].replace("<br>", " ")
    assert "layer 1, head 7 reads this token more, below 0 (orange) layer 0, head 3" in meaning
    assert "square root" in meaning
    assert "piece being written" in axis_title(picked, "y")
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
    ],
)
def test_a_stale_link_is_named_and_the_default_shown(key: str, value: str) -> None:
    app = opened(**{key: value})
    assert len(figures(app)) == 1
    (warning,) = app.warning
    assert key in warning.value
    assert value.split()[0] in warning.value.replace("\\", "")


def test_heads_of_a_layer_that_there_is_not_are_named() -> None:
    app = opened(heads7="1")
    assert len(figures(app)) == 1
    assert "heads7=1" in app.toast[0].value.replace("\\", "")
    assert parameter(app, "heads7") is None


def test_a_link_with_too_many_heads_shows_four_and_names_the_others() -> None:
    app = opened(heads0="0 1 2", heads1="3 4", heads2="5")
    assert panel_names(app) == ["layer 0, head 0", "layer 0, head 1", "layer 0, head 2", "layer 1, head 3"]
    assert "layer 1, head 4; layer 2, head 5 made room" in captions(app)


@pytest.mark.parametrize("text", ["", "   "], ids=["empty", "blank"])
def test_bad_input_gets_a_message_and_takes_nothing_away(app: AppTest, text: str) -> None:
    before, small = figures(app), overview(app)[1]
    app.text_input(key="sentence").set_value(text).run()
    assert len(app.error) == 1
    assert figures(app) == before
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
    assert len(figures(app)) == 1
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
    for kind in ("encoder", "cross"):
        app.button_group(key="map").set_value(kind).run()
        assert not app.error
        (picked,) = (figure["layout"] for figure in figures(app))
        views = views_at(shared_host().attend(KEY, text), MAPS[kind][0], "word")
        queries, keys = views[0].weights.shape
        assert overview(app)[1].shape == (24, queries, keys)
        assert (len(picked["yaxis"]["ticktext"]), len(picked["xaxis"]["ticktext"])) == (queries, keys)
        assert not any("<" in tick for tick in picked["xaxis"]["ticktext"])
        assert "<script>" not in " ".join(each.proto.body for each in app.get("html"))


def test_the_figures_have_their_descriptions_in_words(app: AppTest) -> None:
    (picked,) = app.get("plotly_chart")
    assert "Of 24 heads layer " in captions(app)
    assert picked.proto.alt.startswith("layer 0, head 0: “")
    assert picked.proto.alt in captions(app)


def test_attention_is_not_sold_as_an_explanation(app: AppTest) -> None:
    assert "does not by itself say why" in captions(app)


def test_a_missing_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "catalog", lambda: ())
    app = opened()
    assert not app.exception
    assert "Transformer" in app.warning[0].value


@pytest.fixture
def fresh_host(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Give a way to serve with models from another loader; afterwards the usual host is made anew."""

    def serve(load: Any) -> None:
        monkeypatch.setattr(models, "load", load)
        shared_host.clear()

    yield serve
    shared_host.clear()


def test_a_model_that_fails_to_load_is_named(fresh_host: Callable[[Any], None]) -> None:
    def broken(key: str) -> Any:
        message = f"{key} does not have the hash that its card names"
        raise ValueError(message)

    fresh_host(broken)
    app = opened()
    assert not app.exception
    assert "hash" in app.warning[0].value
