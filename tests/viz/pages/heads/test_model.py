"""The Heads with pretrained models: MiniLM, tiny models of every kind from the server's folders, and a hub made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
import transformers
from streamlit.testing.v1 import AppTest

import models.huggingface.hub
from models.huggingface.embedded import local_models
from models.huggingface.hub_settings import HubError, OfflineError
from models.huggingface.hub_store import HubModel
from tests.support.heads_page import MINILM, TEXT, fine, opened, overview, parameter, trace_of, words
from viz.canvas.payload import MOST_PICKED
from viz.measures.head_profile import clearest, columns_of, profiles_of
from viz.pages.heads import model as head_model
from viz.views.heads import HeadPlace, views_at


def test_minilm_shows_what_transformers_itself_attends_to() -> None:
    app = opened(model=MINILM, unit="piece", heads0="0", heads5="0")
    header, cells = overview(app)
    folder = local_models()[MINILM].folder
    own = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager")
    inputs = transformers.AutoTokenizer.from_pretrained(folder)(TEXT, return_tensors="pt")
    eager = own(**inputs, output_attentions=True).attentions
    assert header["queries"][:3] == ["[CLS]", "the", "cat"]
    for number, (layer, head) in enumerate(header["heads"]):
        np.testing.assert_allclose(cells[number], eager[layer][0, head].detach().numpy(), atol=0.004)
    assert len(header["heads"]) == 72
    assert "Type a sentence to see the attention of every head to" in app.text_input(key="sentence").label
    assert [place.title for place in app.multiselect[0].value] == ["layer 0, head 0", "layer 5, head 0"]


def test_heads_of_a_large_model_are_picked_in_one_box() -> None:
    app = opened(model=MINILM, heads0="0", heads5="0")
    box = app.multiselect[0]
    box.set_value([*box.value, HeadPlace(3, 4), HeadPlace(1, 2), HeadPlace(2, 2)])
    fine(app.run())
    assert {tuple(place) for place in overview(app)[0]["picked"]} == {(5, 0), (3, 4), (1, 2), (2, 2)}
    assert "Replaced: layer 0, head 0" in words(app)
    assert (parameter(app, "heads0"), parameter(app, "heads3")) == (None, "4")


def test_a_missing_head_is_said_where_a_mask_is_typed() -> None:
    assert "cannot predict [MASK]: its checkpoint has no trained output layer" in words(
        opened(model=MINILM, sentence="The [MASK] sleeps.")
    )


@pytest.mark.usefixtures("tiny")
def test_a_word_that_is_clicked_is_read_as_a_mask_until_it_becomes_another_word() -> None:
    app = opened(model="hf:tiny-bert", sentence="The cat drank the milk.", masked="1")
    hidden = trace_of("hf:tiny-bert", "The <mask> drank the milk.")
    assert "tiny-bert would put here: for “cat”: " in words(app).replace("<small>", "").replace("</small>", "")
    assert set(app.dataframe[0].value["masked word"]) == {"for “cat”"}
    shares = [share for _text, share in hidden.predictions[0].alternatives]
    np.testing.assert_allclose(app.dataframe[0].value["probability"], shares, atol=1e-6)
    header, cells = overview(app)
    assert header["queries"] == list(hidden.source.to_words().texts)
    np.testing.assert_allclose(cells[0], hidden["encoder.0.self"].to_words().weights[0], atol=0.004)
    pills = app.button_group(key="masked")
    assert pills.options == ["The", "cat", "drank", "the", "milk", r"\."]
    fine(pills.set_value(["1", "4"]).run())
    assert parameter(app, "masked") == "1 4"
    assert set(app.dataframe[0].value["masked word"]) == {"for “cat”", "for “milk”"}
    fine(app.text_input(key="sentence").set_value("The cat drank the milk. It slept.").run())
    assert parameter(app, "masked") == "1 4"
    fine(app.text_input(key="sentence").set_value("The dog drank the milk.").run())
    assert parameter(app, "masked") is None
    assert "would put here" not in words(app)


@pytest.mark.usefixtures("tiny")
def test_each_kind_of_model_shows_what_it_has() -> None:
    app = opened(model="hf:tiny-bert", sentence="The <mask> sleeps.")
    assert "tiny-bert would put here:" in words(app)
    assert len(app.button_group(key="map").options) == 1
    assert app.text_input(key="pair").label.startswith("Second text")
    app = opened(model="hf:tiny-gpt2")
    assert "Continue with:" in words(app)
    assert len(app.dataframe[0].value) == len(trace_of("hf:tiny-gpt2").source)
    assert "pair" not in [each.key for each in app.text_input]
    assert "decoder self-attention" in overview(app)[0]["title"]
    app = opened(model="hf:tiny-marian", map="cross")
    assert "tiny-marian wrote:" in words(app)
    assert len(app.button_group(key="map").options) == 3
    assert len(overview(app)[0]["heads"]) == 3 * 2


@pytest.mark.usefixtures("tiny")
def test_another_model_starts_with_its_own_maps_and_picks() -> None:
    app = opened(model="hf:tiny-marian", map="cross", heads2="1")
    fine(app.selectbox(key="model").set_value("hf:tiny-bert").run())
    assert parameter(app, "model") == "hf:tiny-bert"
    assert (parameter(app, "map"), parameter(app, "heads2")) == (None, None)
    profiles = profiles_of(views_at(trace_of("hf:tiny-bert"), "encoder.*.self", "word"))
    assert {tuple(place) for place in overview(app)[0]["picked"]} == set(clearest(profiles, MOST_PICKED)) != set()
    assert not app.warning


def test_a_pair_is_cut_into_who_reads_whom() -> None:
    app = opened(model=MINILM, pair="It was sweet.", between="ab", hide="on")
    whole = trace_of(MINILM, TEXT, "It was sweet.")
    source = whole.source.to_words()
    first, second = ([place for place, each in enumerate(source.segments) if each == side] for side in (0, 1))
    header, cells = overview(app)
    assert header["queries"] == [source.texts[place] for place in first]
    assert header["keys"] == [*(source.texts[place] for place in second), "⟨hidden⟩"]
    weights = whole["encoder.2.self"].to_words().weights[7][first]
    (number,) = [number for number, place in enumerate(header["heads"]) if place == [2, 7]]
    np.testing.assert_allclose(cells[number][:, :-1], weights[:, second], atol=0.004)
    np.testing.assert_allclose(cells[number][:, -1], 1 - weights[:, second].sum(axis=1), atol=0.004)
    assert "rows: text A; columns: text B" in header["note"]


def test_a_long_text_leaves_room_for_the_second() -> None:
    app = opened(model=MINILM, sentence="cat " * 600, pair="It was sweet.", unit="piece")
    assert not app.error
    assert "This text is too long for the model. It is cut after “…" in words(app)
    picked = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert picked["data"][0]["z"]["shape"] == "512, 512"


def test_heads_are_ordered_filtered_and_listed_alike() -> None:
    app = opened(model=MINILM, order="first", only="first", below="table")
    profiles = profiles_of(views_at(trace_of(MINILM), "encoder.*.self", "word"))
    expected = sorted((each for each in profiles if each.label.key == "first"), key=lambda each: -each.values["first"])
    assert 0 < len(expected) < 72
    assert [tuple(place) for place in overview(app)[0]["heads"]] == [tuple(each.place) for each in expected]
    table = app.dataframe[0].value
    assert list(zip(table["layer"], table["head"], strict=True)) == [tuple(each.place) for each in expected]
    assert "heads left out" in overview(app)[0]["note"]
    names = [measure.key for measure in columns_of(profiles)]
    assert {"last", "delimiter"} < set(names)  # the full stop is punctuation, and not the last token


def test_lines_words_likeness_and_rollout() -> None:
    app = opened(model=MINILM, compare="lines", below="similarity rollout", least="0.1", heads1="3")
    lines, rolled, alike = (json.loads(chart.proto.spec) for chart in app.get("plotly_chart"))
    assert "below 0.1" in json.dumps(lines)
    assert "rollout" in json.dumps(rolled["layout"]["annotations"])
    assert len(alike["layout"]["xaxis"]["ticktext"]) == 72
    (nearest, *_others) = [each for each in app.button if each.key and each.key.startswith("nearest-")]
    fine(nearest.click().run())
    assert app.button_group(key="compare").value == "difference"
    assert len(app.multiselect[0].value) == 2
    app = opened(model=MINILM, compare="text", word="2", way="read_by")
    assert "Which words attend to “cat”" in words(app)


def test_a_long_text_is_shown_in_pieces_and_nothing_is_measured_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = []
    own = profiles_of
    monkeypatch.setattr("viz.measures.head_profile.profiles_of", lambda *given: measured.append(1) or own(*given))
    app = opened(model=MINILM, sentence="The cat drank the cold milk. " * 40)
    header, cells = overview(app)
    assert cells.shape[1] <= 64
    assert "largest weight of a few tokens" in header["note"]
    assert (app.button_group(key="unit").value, header["colour"]) == ("piece", "root")
    assert measured == []
    assert len(app.dataframe) == 0
    picked = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert picked["data"][0]["z"]["shape"] == "282, 282"
    assert len(picked["layout"]["xaxis"]["tickvals"]) < 20


class Hub:
    """Stands in for the hub: one model, fetched from a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.asked, self.fetched = folder, [], 0
        self.fails: HubError | None = None

    def look_up(self, text: str, settings: Any = None) -> HubModel:
        self.asked.append(text)
        if self.fails is not None:
            raise self.fails
        return HubModel(text, "abc", (("config.json", 900), ("model.safetensors", 2_100_000)))

    def fetch(self, found: HubModel, progress: Any = None, settings: Any = None) -> Path:
        self.fetched += 1
        progress(1_000_000, found.size)
        return self.folder


@pytest.fixture
def hub(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> Hub:
    made = Hub(folders["gpt2"])
    for module in (models.huggingface.hub, head_model):
        monkeypatch.setattr(module, "look_up", made.look_up)
    for module in (models.huggingface.hub_store, head_model):
        monkeypatch.setattr(module, "stored", lambda identity: None)
    monkeypatch.setattr(models.huggingface.hub, "fetch", made.fetch)
    return made


def test_a_link_to_a_model_of_the_hub_asks_before_it_fetches(hub: Hub) -> None:
    app = opened(model="hf:somebody/tiny")
    assert (hub.fetched, hub.asked) == (0, ["somebody/tiny"])
    assert "2 files, 2.1 MB" in words(app)
    fine(app.run())
    assert len(hub.asked) == 1  # once, not at every key
    fine(app.button(key="fetch").click().run())
    assert hub.fetched == 1
    assert len(overview(app)[0]["heads"]) == 12
    assert parameter(app, "model") == "hf:somebody/tiny"
    assert "Continue with:" in words(app)


@pytest.mark.parametrize(
    "error",
    [
        OfflineError("No connection to the hub."),
        HubError("There is no model somebody/other on the hub."),
        HubError("somebody/other has no weights in safetensors"),
        HubError("somebody/other is too large: 9,000 MB"),
    ],
)
def test_what_the_hub_cannot_give_is_said_and_can_be_tried_again(hub: Hub, error: HubError) -> None:
    hub.fails = error
    app = opened(model="hf:somebody/other")
    assert str(error) in words(app)
    assert hub.fetched == 0
    hub.fails = None
    fine(app.button(key="again-hf:somebody/other").click().run())
    assert str(error) not in words(app)
    assert app.button(key="fetch")


def test_a_load_that_fails_can_be_tried_again(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(found: HubModel, progress: Any = None, settings: Any = None) -> Path:
        message = "The connection broke."
        raise OfflineError(message)

    with monkeypatch.context() as patch:
        patch.setattr(models.huggingface.hub, "fetch", broken)
        app = opened(model="hf:somebody/broken")
        fine(app.button(key="fetch").click().run())
        assert "The connection broke." in words(app)
    fine(app.button(key="again-hf:somebody/broken").click().run())
    fine(app.button(key="fetch").click().run())
    assert len(overview(app)[0]["heads"]) == 12


@pytest.mark.parametrize(
    "text", ["/etc/passwd", "../../models", "C:\\models", "tiny", "a/b/c", "hf:a/b", "a/..", "~/x", "a/b.git", "a-/b"]
)
def test_a_typed_path_reaches_neither_disk_nor_hub(hub: Hub, text: str) -> None:
    app = opened(model="hub")
    fine(app.text_input(key="hub-name").set_value(text).run())
    assert "owner/name" in app.error[0].value.replace("\\", "")
    assert hub.asked == []
    app = opened(model=f"hf:{text}")
    assert hub.asked == []
    assert words(app)


def test_a_typed_name_is_looked_up(hub: Hub) -> None:
    app = opened(model="hub")
    assert overview_is_absent(app)
    fine(app.text_input(key="hub-name").set_value("somebody/typed").run())
    assert parameter(app, "model") == "hf:somebody/typed"
    assert hub.asked == ["somebody/typed"]
    assert app.button(key="fetch")


def overview_is_absent(app: AppTest) -> bool:
    return not [each for each in app.get("bidi_component") if each.proto.bytes]


def test_a_deployment_can_switch_the_hub_off_or_give_a_list(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_BENCH_HUB", "off")
    app = opened(model="hf:somebody/tiny2")
    assert "Hub models are off on this server" in words(app)
    assert "hub" not in " ".join(app.selectbox(key="model").options)
    monkeypatch.setenv("ATTENTION_BENCH_HUB", "somebody/listed")
    assert "somebody/listed (hub)" in opened().selectbox(key="model").options
    assert "opens only these models: somebody/listed" in words(opened(model="hf:somebody/tiny2"))
    assert hub.asked == []


def test_where_other_machines_reach_the_server_its_owner_is_told_how_to_turn_the_hub_on(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: None if name == "server.address" else usual(name))
    monkeypatch.delenv("ATTENTION_BENCH_HUB", raising=False)
    app = opened(model="hub")
    assert "ATTENTION_BENCH_HUB=on" in words(app).replace("\\", "")
    assert "hub-name" not in [each.key for each in app.text_input]
    assert "Hub models are off, because this server is open to" in words(opened(model="hf:somebody/tiny3"))
    assert hub.asked == []
