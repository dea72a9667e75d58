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
from models.experiments import lab
from models.experiments.arithmetic import parameters_at
from models.mechanisms import mechanisms
from models.sites import Site
from tests.support.small_models import AWKWARD
from viz.pages.steps.settings import PRESET
from viz.server.runtime import shared_host
from viz.walk.mechanisms import WALKS
from viz.walk.steps import take_steps

SENTENCE = "The cat drank the milk."
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


def headings(app: AppTest) -> str:
    return " | ".join(each.text.replace("<br>", " ") for each in figures(app)[0].layout.annotations)


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
    def test_the_page_opens_at_the_first_step_of_the_first_word(self) -> None:
        app = opened()
        assert not app.error
        assert not app.warning
        assert "step 1 of 8" in said(app)
        assert [each.key for each in app.select_slider] == ["word", "step"]
        assert r"\boxed{U h_j}" in formulas(app)[0]
        assert set(app.query_params) == {"sentence"}

    @pytest.mark.parametrize("mechanism", INSTALLED)
    def test_every_installed_mechanism_walks_from_score_to_output(self, mechanism: str) -> None:
        app = opened(mechanism=mechanism)
        host, key = shared_host(), f"{mechanism}-en-fr"
        trace = host.attend(key, SENTENCE)
        place = trace.provenance.alignment.site.place if trace.sites else None
        best = trace.provenance.alignment.head
        head = 0 if best == "mean" else best
        walk = WALKS[mechanism]
        if place is not None and not walk.needs_states:
            trace = host.attend(key, SENTENCE, sites=(f"{place}.*",))
            given = parameters_at(host.model(key), place, walk.parameters)  # type: ignore[arg-type]
            steps = take_steps(walk, trace, row=2, place=place, head=head, parameters=given)
            app.select_slider(key="word").set_value("2").run()
            for step in steps:
                app.select_slider(key="step").set_value(step.key).run()
                figure = figures(app)[0]
                assert formulas(app)[0] == step.formula
                for shown, strip in zip(figure.data, step.strips, strict=True):
                    np.testing.assert_array_equal(drawn(shown.z), strip.values.astype(np.float32))
                assert step.worked is not None
                assert all(line in formulas(app)[1] for line in step.worked.lines)
                assert f"went on with {step.worked.captured:.6f}" in said(app)
            assert parameter(app, "step") == steps[-1].key
            assert parameter(app, "word") == "2"

    def test_a_link_names_word_step_and_pair(self) -> None:
        app = opened(mechanism="luong-general", word="1", step="softmax", reads="3")
        weights = shared_host().attend("luong-general-en-fr", SENTENCE)["decoder.0.cross"].weights[0, 1]
        np.testing.assert_array_equal(shown_strip(app, "weights")[0], weights)
        assert f"went on with {weights[3]:.6f}" in said(app)
        assert "a_{2,4}" in formulas(app)[1].replace("{{", "{").replace("}}", "}")

    @pytest.mark.parametrize("place", ["encoder.2.self", "decoder.0.self", "decoder.1.cross"])
    def test_every_layer_and_head_of_the_transformer_can_be_walked_through(self, place: str) -> None:
        app = opened(mechanism="transformer", step="softmax")
        app.selectbox(key="layer").set_value(place).run()
        app.selectbox(key="head").set_value("5").run()
        trace = shared_host().attend("transformer-en-fr", SENTENCE)
        count = 1 if Site.parse(place).stack == "decoder" and place.endswith("self") else len(trace.source)
        np.testing.assert_allclose(shown_strip(app, "weights")[0], trace[place].weights[5, 0, :count], atol=1e-6)
        app.select_slider(key="step").set_value("merge").run()
        assert "contexts of all heads [8 x 32]" in headings(app)

    def test_a_new_sentence_begins_at_its_first_word_with_the_same_step(self) -> None:
        app = opened(word="4", step="context", reads="2")
        app.text_input(key="sentence").set_value("Yes.").run()
        assert not app.warning
        assert (parameter(app, "word"), parameter(app, "reads"), parameter(app, "step")) == (None, None, "context")
        assert "step 6 of 8" in said(app)

    def test_another_mechanism_begins_at_its_first_step(self) -> None:
        app = opened(step="features", word="3")
        app.button_group(key="mechanism").set_value("luong-general").run()
        assert not app.warning
        assert "step 1 of 6" in said(app)

    @pytest.mark.parametrize(
        ("link", "named"),
        [
            ({"word": "99"}, "word=99"),
            ({"step": "<b>"}, "step=<b>"),
            ({"mechanism": "nothing"}, "mechanism=nothing"),
            ({"mechanism": "transformer", "layer": "encoder.9.self"}, "layer=encoder.9.self"),
            ({"mechanism": "transformer", "head": "9"}, "head=9"),
            ({"reads": "x"}, "reads=x"),
            ({"show": "else"}, "show=else"),
        ],
        ids=str,
    )
    def test_what_a_link_asks_for_and_there_is_not_is_named(self, link: dict[str, str], named: str) -> None:
        app = opened(**link)
        assert figures(app)
        assert named in app.warning[0].value.replace("\\", "")

    def test_bad_input_is_said_and_the_last_good_sentence_stays(self) -> None:
        app = opened(step="softmax")
        before = shown_strip(app, "weights")
        app.text_input(key="sentence").set_value("   ").run()
        assert "type at least one word" in app.error[0].value
        np.testing.assert_array_equal(shown_strip(app, "weights"), before)

    def test_a_page_that_opens_with_bad_input_says_what_to_do(self) -> None:
        app = opened(sentence=" ")
        assert len(app.error) == 1
        assert not figures(app)

    @pytest.mark.parametrize("name", AWKWARD)
    def test_awkward_sentences_are_walked_through(self, name: str) -> None:
        app = opened(mechanism="transformer", sentence=AWKWARD[name].encode("utf8", "replace").decode(), step="context")
        assert figures(app) or app.error

    def test_a_text_that_is_too_long_is_cut_and_said(self) -> None:
        app = opened(mechanism="luong-general", sentence="cat " * 400)
        assert "longer than the model takes" in app.info[0].value
        assert figures(app)


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

    def test_edited_cells_stand_in_the_link_and_a_link_restores_them(self) -> None:
        preset = lab.book()
        tables = {name: getattr(preset, name).tolist() for name in ("query", "key", "value")}
        tables["query"] = [[1, 0, 0, 0], [0, 0, 0, 2]]
        tables["mask"] = [[True, True, False, True], [True] * 4]
        app = opened(show="lab", cells=json.dumps(tables))
        expected = lab.run_lab(tables["query"], tables["key"], tables["value"], mask=tables["mask"], scaled=False)
        np.testing.assert_allclose(arrays(app)["result"], expected.result, atol=1e-5)
        assert json.loads(parameter(app, "cells") or "") == tables
        app.run()
        np.testing.assert_allclose(arrays(app)["result"], expected.result, atol=1e-5)
        app.button(key="lab-reset").click().run()
        np.testing.assert_allclose(arrays(app)["result"], [[1.98, 2.98, 3.98, 4.98]], atol=6e-3)
        assert parameter(app, "cells") is None

    def test_edits_are_there_again_after_a_look_at_another_part(self) -> None:
        tables = {name: getattr(lab.book(), name).tolist() for name in ("query", "key", "value")}
        tables |= {"query": [[1.0, 0, 0, 0]], "mask": [[True] * 4]}
        app = opened(show="lab", cells=json.dumps(tables))
        before = arrays(app)["result"]
        app.button_group(key="show").set_value("positions").run()
        app.button_group(key="show").set_value("lab").run()
        np.testing.assert_array_equal(arrays(app)["result"], before)

    @pytest.mark.parametrize(
        "cells", ["nonsense", "[]", '{"query":[[1]]}', '{"tokens":3}', "[" * 3000, '{"query":[[1e99]],"key":1}']
    )
    def test_cells_of_a_link_that_are_none_are_named(self, cells: str) -> None:
        app = opened(show="lab", cells=cells)
        np.testing.assert_allclose(arrays(app)["result"], [[1.98, 2.98, 3.98, 4.98]], atol=6e-3)
        assert "cells=" in app.warning[0].value.replace("\\", "")
        assert len(app.warning[0].value) < 500

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"query": [[None, 1, 1, 1]]}, "row 1, column 1 holds no number"),
            ({"query": [[1, 2]]}, "A query has 2 numbers and a key 4"),
            ({"value": [[1.0], [2.0]]}, "4 keys and 2 values"),
            ({"mask": [[False] * 4]}, "may read no key"),
        ],
        ids=str,
    )
    def test_bad_cells_get_a_message_and_the_last_good_picture_stays(
        self, change: dict[str, Any], message: str
    ) -> None:
        preset = lab.book()
        tables = {name: getattr(preset, name).tolist() for name in ("query", "key", "value")} | {"mask": [[True] * 4]}
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
        encoding, distance, maps = figures(app)
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
        encoding, distance, maps = figures(app)
        assert drawn(encoding.data[0].z).shape[0] == 16
        assert len(drawn(distance.data[0].y)) == 31
        told = shared_host().attend("transformer-en-fr", SENTENCE)["encoder.2.self"]
        np.testing.assert_allclose(drawn(maps.data[0].z), told.mean, atol=1e-7)

    def test_bad_input_leaves_the_positions_and_the_last_good_maps(self) -> None:
        app = opened(show="positions")
        app.text_input(key="sentence").set_value("").run()
        assert len(figures(app)) == 3
        assert len(app.error) == 1


def test_without_any_weights_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "catalog", lambda: ())
    for show in ("steps", "positions"):
        app = opened(show=show)
        assert app.warning
        assert not app.exception
