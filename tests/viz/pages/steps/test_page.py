"""The Steps, run as a page on the shipped models: every control, every link, and what it does with bad input."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import plotly.io
import pytest
from streamlit.testing.v1 import AppTest

import models
from models.experiments import lab, lab_layer, lab_presets
from models.mechanisms import mechanisms
from tests.support.payloads import walk_of
from tests.support.small_models import AWKWARD
from viz.pages.steps.settings import PRESET, SCORE
from viz.server.runtime import shared_host
from viz.walk.mechanisms import WALKS

SENTENCE = "The cat drank the milk."
TURNED = "The agreement on the European Economic Area was signed in August 1992."
PATIENCE = 120  # seconds: the first run loads the models
INSTALLED = [key for key in mechanisms() if f"{key}-en-fr" in models.catalog()]


def script() -> None:
    from viz.pages.steps.page import PAGE

    PAGE.show()


def opened(**link: str) -> AppTest:
    """Open the page by a link."""
    app = AppTest.from_function(script, default_timeout=PATIENCE)
    for key, value in {"sentence": SENTENCE, **link}.items():
        app.query_params[key] = value
    return app.run()


def figures(app: AppTest) -> list[Any]:
    assert not app.exception
    return [plotly.io.from_json(chart.proto.spec, skip_invalid=True) for chart in app.get("plotly_chart")]


def drawn(values: Any) -> np.ndarray:
    """Read an array as a figure is sent: in base64, with its type and shape."""
    if not isinstance(values, dict):
        return np.asarray(values)
    shape = [int(side) for side in str(values.get("shape", "-1")).split(",")]
    return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"]).reshape(shape)


def said(app: AppTest) -> str:
    return " ".join(each.value for each in (*app.caption, *app.markdown)).replace("\\", "")


def formulas(app: AppTest) -> list[str]:
    return [each.value.removeprefix("$$").removesuffix("$$").strip() for each in app.latex]


def parameter(app: AppTest, key: str) -> str | None:
    values = app.query_params.get(key)
    return None if values is None else values[0] if isinstance(values, list) else values


def shown_strip(app: AppTest, name: str) -> np.ndarray:
    return next(drawn(each.z) for each in figures(app)[0].data if each.name.startswith(name))


class TestSteps:
    def test_the_page_opens_on_a_word_that_reads_another_one_and_with_its_score(self) -> None:
        app = opened(sentence=TURNED)
        assert not app.error
        assert not app.warning
        walk = walk_of(app)
        assert chosen(walk) == "accord"
        (picture,) = walk["pictures"]
        assert picture["columns"][picture["chosen"]]["text"] == "agreement"
        assert walk["step"] == "scores"
        fall = next(step["fall"] for step in picture["steps"] if step["key"] == "scores")
        trace = shared_host().attend("bahdanau-en-fr", TURNED, sites=("decoder.0.cross.*",))
        size = trace["decoder.0.cross"].companions["features"].shape[-1]
        assert fall["says"].endswith(f": the {len(fall['parts']) - 1} largest of {size}")
        assert set(app.query_params) <= {"sentence"}

    @pytest.mark.parametrize("mechanism", INSTALLED)
    def test_every_installed_mechanism_is_walked_through_with_the_numbers_of_its_trace(self, mechanism: str) -> None:
        app = opened(mechanism=mechanism, word="2", unit="piece")
        key = f"{mechanism}-en-fr"
        trace = shared_host().attend(key, SENTENCE)
        (picture,) = walk_of(app)["pictures"]
        several = any(each.layer for each in trace.sites)
        elsewhere = {"embed", "split", "predict"} if several else set()  # at the first and at the last layer
        parts = [part.key for part in WALKS[mechanism].parts if part.key not in elsewhere]
        assert [step["key"] for step in picture["steps"]] == parts
        assert all(step["says"] for step in picture["steps"])
        if trace.sites:
            best = trace.provenance.alignment
            weights = trace[best.site.place].weights[0 if best.head == "mean" else best.head, 2]
            np.testing.assert_allclose(picture["rows"][-1]["values"], weights, atol=1e-6)
        expected = [share for _text, share in trace.steps[2].alternatives[:5]]
        assert [each["share"] for each in picture["words"][:5]] == expected if picture["words"] else True

    def test_a_link_names_word_step_and_key(self) -> None:
        app = opened(mechanism="luong-general", word="1", step="scores", reads="3", unit="piece")
        trace = shared_host().attend("luong-general-en-fr", SENTENCE, sites=("decoder.0.cross.*",))
        walk = walk_of(app)
        (picture,) = walk["pictures"]
        assert (walk["row"], walk["column"], walk["step"], picture["chosen"]) == (1, 3, "scores", 3)
        fall = next(step["fall"] for step in picture["steps"] if step["key"] == "scores")
        score = trace["decoder.0.cross"].companions["scores"][0, 1, 3]
        assert sum(value for _label, value in fall["parts"]) == pytest.approx(score, rel=1e-5)

    @pytest.mark.parametrize("place", ["encoder.2.self", "decoder.0.self", "decoder.1.cross"])
    def test_every_layer_and_head_of_the_transformer_can_be_walked_through(self, place: str) -> None:
        app = opened(mechanism="transformer", step="softmax", unit="piece")
        app.selectbox(key="layer").set_value(place).run()
        app.selectbox(key="head").set_value("5").run()
        trace = shared_host().attend("transformer-en-fr", SENTENCE)
        walk = walk_of(app)
        row = walk["row"]
        values = walk["pictures"][0]["rows"][-1]["values"]
        np.testing.assert_allclose(values, trace[place].weights[5, row, : len(values)], atol=1e-6)

    def test_a_new_sentence_opens_on_its_own_word_with_the_same_step(self) -> None:
        app = opened(word="4", step="context", reads="2")
        app.text_input(key="sentence").set_value("Yes.").run()
        assert not app.warning
        assert (parameter(app, "word"), parameter(app, "reads"), parameter(app, "step")) == (None, None, "context")

    def test_another_mechanism_keeps_the_word_and_the_step(self) -> None:
        app = opened(sentence=TURNED, step="features", word="11")
        before = walk_of(app)
        assert chosen(before) == "été"
        app.selectbox(key="mechanism").set_value("seq2seq").run()
        assert not app.warning
        walk = walk_of(app)
        assert chosen(walk) == "été"
        assert walk["row"] != before["row"]
        assert walk["step"] == "vector"
        app.selectbox(key="mechanism").set_value("luong-general").run()
        assert chosen(walk_of(app)) == "été"

    def test_three_mechanisms_write_the_same_word_one_below_the_other(self) -> None:
        app = opened(
            sentence=TURNED, mechanism="bahdanau", second="seq2seq", third="transformer", step="softmax", word="8"
        )
        walk = walk_of(app)
        titles = [mechanisms()[key].title for key in ("bahdanau", "seq2seq", "transformer")]
        assert [each["title"] for each in walk["pictures"]] == titles
        for picture in walk["pictures"]:
            assert picture["state"]["text"] == "L'accord sur l'Espace"
            assert [each["text"] for each in picture["words"] if each["written"]] == ["économique"]
        assert all("cross-attention" in option for option in app.selectbox(key="layer").options)

    def test_what_is_compared_is_the_same_word_of_the_source_though_pieces_differ(self) -> None:
        keys = ("bahdanau", "transformer")
        app = opened(sentence="We saw a flumberdoodle in the garden.", mechanism=keys[0], second=keys[1], reads="3")
        chosen_words = [each["columns"][each["chosen"]]["text"] for each in walk_of(app)["pictures"]]
        source = shared_host().attend("bahdanau-en-fr", "We saw a flumberdoodle in the garden.").source
        assert chosen_words == [source.word_texts[source.words[3]].strip()] * 2

    def test_words_are_joined_from_pieces_or_shown_as_pieces(self) -> None:
        app = opened(sentence="We saw a flumberdoodle in the garden.")
        words = walk_of(app)["pictures"][0]["columns"]
        app.button_group(key="unit").set_value("piece").run()
        pieces = walk_of(app)["pictures"][0]["columns"]
        assert len(pieces) == sum(each["pieces"] for each in words) > len(words)

    @pytest.mark.parametrize(
        ("link", "named"),
        [
            ({"word": "99"}, "word=99"),
            ({"step": "<b>"}, "step=<b>"),
            ({"mechanism": "nothing"}, "mechanism=nothing"),
            ({"second": "bahdanau"}, "second=bahdanau"),
            ({"mechanism": "transformer", "layer": "encoder.9.self"}, "layer=encoder.9.self"),
            ({"mechanism": "transformer", "head": "9"}, "head=9"),
            ({"reads": "x"}, "reads=x"),
            ({"show": "else"}, "show=else"),
        ],
        ids=str,
    )
    def test_what_a_link_asks_for_and_there_is_not_is_named(self, link: dict[str, str], named: str) -> None:
        app = opened(**link)
        assert walk_of(app)["pictures"]
        assert named in app.warning[0].value.replace("\\", "")

    def test_the_fold_holds_every_number_of_the_step(self) -> None:
        app = AppTest.from_function(script, default_timeout=PATIENCE)
        for key, value in {"sentence": SENTENCE, "mechanism": "luong-general", "word": "2", "step": "softmax"}.items():
            app.query_params[key] = value
        app.session_state["numbers-of-step"] = True
        app.run()
        weights = shared_host().attend("luong-general-en-fr", SENTENCE)["decoder.0.cross"].weights[0, 2]
        np.testing.assert_array_equal(shown_strip(app, "attention weights")[0], weights)
        assert f"The model itself used {weights.max():.6f}" in said(app)
        assert formulas(app)

    def test_bad_input_is_said_and_the_last_good_sentence_stays(self) -> None:
        app = opened(step="softmax")
        before = walk_of(app)["pictures"]
        app.text_input(key="sentence").set_value("   ").run()
        assert "type at least one word" in app.error[0].value
        assert walk_of(app)["pictures"] == before

    def test_a_page_that_opens_with_bad_input_says_what_to_do(self) -> None:
        app = opened(sentence=" ")
        assert len(app.error) == 1
        assert not app.get("bidi_component")

    @pytest.mark.parametrize("name", AWKWARD)
    @pytest.mark.parametrize("mechanism", ["transformer", "luong-local-p", "seq2seq"])
    def test_awkward_sentences_are_walked_through(self, name: str, mechanism: str) -> None:
        sentence = AWKWARD[name].encode("utf8", "replace").decode()
        app = opened(mechanism=mechanism, sentence=sentence, step="context")
        if offered := [each for each in app.button if each.key == "show-anyway"]:  # in another script
            offered[0].click().run()
        assert app.error or walk_of(app)["pictures"]

    def test_a_text_that_is_too_long_is_cut_and_said(self) -> None:
        app = opened(mechanism="luong-general", sentence="cat " * 400)
        assert "This text is too long for the model" in app.info[0].value
        assert walk_of(app)["pictures"]


def chosen(walk: dict[str, Any]) -> str:
    """Return the word that is walked through."""
    return str(next(each["text"] for each in walk["text"] if each["row"] == walk["row"]))


def arrays(app: AppTest) -> dict[str, np.ndarray]:
    return {each.name.partition(":")[0].split(" ")[0]: drawn(each.z) for each in figures(app)[0].data}


class TestLab:
    def test_the_book_example_shows_the_book_numbers(self) -> None:
        app = opened(show="lab")
        assert not app.error
        found = arrays(app)
        np.testing.assert_allclose(found["products"], [[0.36, 2.4, -0.36, 0.36]], atol=1e-6)
        np.testing.assert_allclose(found["weights"], [[0.098, 0.756, 0.048, 0.098]], atol=6e-4)
        np.testing.assert_allclose(found["result"], [[1.98, 2.98, 3.98, 4.98]], atol=6e-3)
        said = " ".join(each.value for each in app.markdown).replace("\\", "")
        assert "Keys 3 and 4 are made here" in said
        assert "One query and four keys from a textbook, unscaled. The" in said

    @pytest.mark.parametrize("preset", PRESET.choices or ())
    def test_every_preset_is_shown(self, preset: str) -> None:
        app = opened(show="lab")
        app.button_group(key="preset").set_value(preset).run()
        assert figures(app)
        assert not app.error
        assert parameter(app, "preset") == (None if preset == "book" else preset)

    def test_scaling_and_temperature_change_what_the_softmax_gets(self) -> None:
        app = opened(show="lab", preset="causal")
        plain = arrays(app)
        app.toggle(key="scaling").set_value(False).run()
        np.testing.assert_allclose(arrays(app)["scores"], plain["products"], atol=1e-6)
        app.select_slider(key="temperature").set_value("10").run()
        np.testing.assert_allclose(arrays(app)["scores"], plain["products"] / 10, atol=1e-6)
        assert (parameter(app, "scaling"), parameter(app, "temperature")) == ("off", "10")
        app.button_group(key="preset").set_value("book").run()
        assert (parameter(app, "scaling"), parameter(app, "temperature")) == (None, None)

    @pytest.mark.parametrize("score", SCORE.choices or ())
    def test_every_score_is_worked_out_with_its_own_tables(self, score: str) -> None:
        app = opened(show="lab")
        app.button_group(key="score").set_value(score).run()
        assert not app.error
        given = lab_presets.book()
        tables = {**given.tables, **lab_presets.score_tables(4, 4)}
        expected = lab_layer.run_layer(tables, scaled=False, score=score)
        np.testing.assert_allclose(arrays(app)["result"], expected.output, atol=1e-5)
        assert parameter(app, "score") == (None if score == "dot" else score)
        if score == "activated":
            (run,) = expected.runs
            key = int(run.weights[0].argmax())
            (line,) = [each for each in formulas(app) if "b) &= \\tanh" in each]
            assert f"{run.inner[0, key]:.3f} + 0) = {np.tanh(run.inner[0, key]):.3f}" in line

    def test_a_hard_choice_reads_one_key_and_a_lifted_mask_hides_nothing(self) -> None:
        app = opened(show="lab", preset="written")
        assert arrays(app)["weights"][0].tolist() == [1, 0, 0, 0]
        app.toggle(key="lifted").set_value(True).run()
        assert arrays(app)["weights"][0].all()
        app.toggle(key="hard").set_value(True).run()
        assert set(arrays(app)["weights"].ravel().tolist()) == {0, 1}
        assert (parameter(app, "lifted"), parameter(app, "hard")) == ("on", "on")

    def test_a_link_pads_the_keys_and_weight_leaks_to_padding_without_its_mask(self) -> None:
        plain = arrays(opened(show="lab"))
        app = opened(show="lab", padding="3", **{"padding-mask": "off"})
        powers = np.exp(np.append(plain["scores"][0], [0, 0, 0]))
        np.testing.assert_allclose(arrays(app)["weights"], [powers / powers.sum()], atol=1e-5)
        assert f"up to {powers[-3:].sum() / powers.sum():.0%} of a query's weight leaks to padding" in said(app)
        assert any("\\sum_p" in each for each in formulas(app))
        app.toggle(key="padding-mask").set_value(True).run()
        np.testing.assert_allclose(arrays(app)["weights"][:, :-3], plain["weights"], atol=1e-6)
        assert not arrays(app)["weights"][:, -3:].any()
        np.testing.assert_allclose(arrays(app)["result"], plain["result"], atol=1e-6)
        assert "gives padding the weight 0" in said(app)
        app.select_slider(key="padding").set_value("0").run()
        assert (parameter(app, "padding"), parameter(app, "padding-mask")) == (None, None)
        np.testing.assert_allclose(arrays(app)["weights"], plain["weights"])

    @pytest.mark.parametrize("preset", ["projections", "heads", "written"])
    @pytest.mark.parametrize("score", ["dot", "additive"])
    def test_every_preset_can_be_padded(self, preset: str, score: str) -> None:
        app = opened(show="lab", preset=preset, padding="2", score=score, **{"padding-mask": "off"})
        assert not app.error
        strip = next(each for each in figures(app)[0].data if "weights" in each.name)
        assert drawn(strip.z)[:, -2:].all()

    def test_two_heads_are_shown_apart_and_joined(self) -> None:
        app = opened(show="lab", preset="heads")
        names = [each.name for each in figures(app)[0].data]
        assert sum(name.startswith("head 0") for name in names) == sum(name.startswith("head 1") for name in names) == 6
        np.testing.assert_allclose(shown_strip(app, "output"), lab_presets.two_heads().run().output, atol=1e-6)

    def test_edited_cells_stand_in_the_link_and_a_link_restores_them(self) -> None:
        preset = lab_presets.book().tables
        tables = {name: preset[name].tolist() for name in ("query", "key", "value")}
        tables["query"] = [[1, 0, 0, 0], [0, 0, 0, 2]]
        tables["mask"] = [[True, True, False, True], [True] * 4]
        app = opened(show="lab", cells=json.dumps(tables))
        expected = lab.run_lab(tables["query"], tables["key"], tables["value"], mask=tables["mask"], scaled=False)
        np.testing.assert_allclose(arrays(app)["result"], expected.result, atol=1e-5)
        kept = json.loads(parameter(app, "cells") or "")
        assert {name: kept[name] for name in tables} == tables
        app.run()
        np.testing.assert_allclose(arrays(app)["result"], expected.result, atol=1e-5)
        app.button(key="lab-reset").click().run()
        np.testing.assert_allclose(arrays(app)["result"], [[1.98, 2.98, 3.98, 4.98]], atol=6e-3)
        assert parameter(app, "cells") is None

    def test_edits_are_there_again_after_a_look_at_another_part(self) -> None:
        tables = {name: lab_presets.book().tables[name].tolist() for name in ("query", "key", "value")}
        tables |= {"query": [[1.0, 0, 0, 0]], "mask": [[True] * 4]}
        app = opened(show="lab", cells=json.dumps(tables))
        before = arrays(app)["result"]
        app.button_group(key="show").set_value("positions").run()
        app.button_group(key="show").set_value("lab").run()
        np.testing.assert_array_equal(arrays(app)["result"], before)

    @pytest.mark.parametrize(
        "cells", ["nonsense", "[]", '{"other":[[1]]}', '{"tokens":3}', "[" * 3000, '{"query":[[1e99]],"key":1}']
    )
    def test_cells_of_a_link_that_are_none_are_named(self, cells: str) -> None:
        app = opened(show="lab", cells=cells)
        np.testing.assert_allclose(arrays(app)["result"], [[1.98, 2.98, 3.98, 4.98]], atol=6e-3)
        assert "cells=" in app.warning[0].value.replace("\\", "")
        assert len(app.warning[0].value) < 500

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"query": [[None, 1, 1, 1]]}, "row 1, column 1 has no number"),
            ({"query": [[1, 2]]}, "A query has 2 numbers and a key has 4"),
            ({"value": [[1.0], [2.0]]}, "4 keys and 2 values"),
            ({"mask": [[False] * 4]}, "has no key to attend to. Leave at least one"),
        ],
        ids=str,
    )
    def test_bad_cells_get_a_message_and_the_last_good_picture_stays(
        self, change: dict[str, Any], message: str
    ) -> None:
        preset = lab_presets.book().tables
        tables = {name: preset[name].tolist() for name in ("query", "key", "value")} | {"mask": [[True] * 4]}
        app = opened(show="lab")
        before = arrays(app)
        app.query_params["cells"] = json.dumps(tables | change)
        app.button_group(key="show").set_value("steps").run()
        app.button_group(key="show").set_value("lab").run()
        assert message in app.error[0].value.replace("\\", "")
        for name, values in arrays(app).items():
            np.testing.assert_array_equal(values, before[name])

    def test_permuted_inputs_give_permuted_outputs(self) -> None:
        app = opened(show="lab", preset="permuted")
        for order in ("2 0 3 1", "3 2 1 0"):
            app.selectbox(key="order").set_value(order).run()
            first, second = (drawn(each.z) for each in figures(app)[0].data if each.name.startswith("results"))
            np.testing.assert_allclose(second, first[[int(each) for each in order.split()]], atol=1e-6)

    def test_the_softmax_saturates_without_the_scaling(self) -> None:
        app = opened(show="lab", preset="saturation")
        app.select_slider(key="d").set_value("512").run()
        without, with_it = (drawn(each.z) for each in figures(app)[0].data if each.name.startswith("weights"))
        assert without.max() > 0.9 > 0.6 > with_it.max()
        assert parameter(app, "d") == "512"


class TestPositions:
    def test_three_figures_show_positions_and_what_they_are_for(self) -> None:
        app = opened(show="positions")
        assert not app.error
        encoding, distance, maps, *_learnt = figures(app)
        added = shared_host().model("transformer-en-fr").network.positions[:64].numpy()  # type: ignore[union-attr]
        np.testing.assert_array_equal(drawn(encoding.data[0].z), added)
        assert len(drawn(distance.data[0].y)) == 127
        notes = [each.text for each in maps.layout.annotations]
        assert "positions removed" not in notes[0]
        assert "positions removed" in notes[1].replace("<br>", " ")
        told = shared_host().attend("transformer-en-fr", SENTENCE)["encoder.0.self"].to_words()
        np.testing.assert_array_equal(drawn(maps.data[0].z), told.weights[0])
        assert np.abs(drawn(maps.data[1].z) - told.weights[0]).max() > 0.01

    def test_layer_head_unit_and_number_are_choices(self) -> None:
        app = opened(show="positions")
        app.selectbox(key="encoder-layer").set_value("2").run()
        app.selectbox(key="encoder-head").set_value("mean").run()
        app.button_group(key="unit").set_value("piece").run()
        app.select_slider(key="count").set_value("16").run()
        encoding, distance, maps, *_learnt = figures(app)
        assert drawn(encoding.data[0].z).shape[0] == 16
        assert len(drawn(distance.data[0].y)) == 31
        told = shared_host().attend("transformer-en-fr", SENTENCE)["encoder.2.self"]
        np.testing.assert_allclose(drawn(maps.data[0].z), told.mean, atol=1e-7)

    def test_bad_input_leaves_the_positions_and_the_last_good_maps(self) -> None:
        app = opened(show="positions")
        app.text_input(key="sentence").set_value("").run()
        assert len(figures(app)) == 7
        assert len(app.error) == 1

    def test_learnt_vectors_and_what_they_add_stand_below_for_the_layer_and_head_that_are_chosen(self) -> None:
        app = opened(show="positions")
        app.selectbox(key="distance-layer").set_value("decoder.1.self").run()
        app.selectbox(key="distance-head").set_value("3").run()
        assert parameter(app, "distance-layer") == "decoder.1.self"
        cosines, norms, added, parts = figures(app)[3:]
        host, key, place = shared_host(), "transformer-relative-en-fr", "decoder.1.self"
        attention = host.model(key).network.decoder[1].attention  # type: ignore[union-attr]
        vectors = attention.distance_key.weight.numpy()[: attention.reach + 1]  # a decoder never reads ahead
        assert drawn(cosines.data[0].z).shape == (len(vectors), len(vectors))
        np.testing.assert_allclose(drawn(norms.data[0].y), np.linalg.norm(vectors, axis=1), rtol=1e-5)
        found = host.attend(key, SENTENCE, sites=(f"{place}.*",))[place].companions
        products = found["query"][3] @ vectors.T / vectors.shape[1] ** 0.5
        np.testing.assert_allclose(drawn(added.data[-1].y), products.mean(axis=0), atol=1e-5)
        total = drawn(parts.data[0].z) + drawn(parts.data[1].z)
        read = found["mask"][3].astype(bool)
        np.testing.assert_allclose(total[read], found["scores"][3][read], atol=1e-5)
        assert np.isnan(total[~read]).all()


def test_without_any_weights_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "catalog", lambda: ())
    monkeypatch.setattr("viz.pages.steps.places.own_models", dict)
    for show in ("steps", "positions"):
        app = opened(show=show)
        assert app.warning
        assert not app.exception
