"""A block of a causal language model on the Steps page: opened by its link, walked through, or refused in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from huggingface_hub import constants
from streamlit.testing.v1 import AppTest

from models.huggingface.embedded import local_models
from models.sites import Site
from tests.support.payloads import walk_of
from viz.server.runtime import shared_host

SENTENCE = "The old man walked to the"
GPT = "hf:gpt-en"
PATIENCE = 120


def steps_page() -> None:
    from viz.pages.steps.page import PAGE

    PAGE.show()


def surgery_page() -> None:
    from viz.pages.surgery.page import PAGE

    PAGE.show()


def opened(script: object = steps_page, **link: str) -> AppTest:
    app = AppTest.from_function(script, default_timeout=PATIENCE)  # type: ignore[arg-type]
    for name, value in {"sentence": SENTENCE, **link}.items():
        app.query_params[name] = value
    return app.run()


def told(app: AppTest) -> str:
    return " ".join(each.value for each in app.info).replace("\\", "")


def test_a_link_opens_a_block_at_its_layer_head_position_key_and_step() -> None:
    app = opened(mechanism=GPT, layer="decoder.2.self", head="5", word="4", reads="1", step="expand", unit="piece")
    assert not app.exception
    assert not app.warning
    walk = walk_of(app)
    trace = shared_host().attend(GPT, SENTENCE)
    assert (walk["row"], walk["column"], walk["step"]) == (4, 1, "expand")
    (picture,) = walk["pictures"]
    np.testing.assert_allclose(picture["rows"][-1]["values"], trace["decoder.2.self"].weights[5, 4], atol=1e-6)
    assert [each["share"] for each in picture["words"]] == [p for _text, p in trace.predictions[4].alternatives[:5]]
    keys = [each["key"] for each in walk["steps"]]
    assert keys[0] == "normalise"  # what enters is of the first block
    assert keys[-4:] == ["renormalise", "expand", "feedforward", "predict"]


def test_layer_and_head_are_chosen_and_the_first_block_begins_with_the_embedding() -> None:
    app = opened(mechanism=GPT)
    heads = shared_host().model(GPT).heads
    assert len(app.selectbox(key="layer").options) == len(heads)
    assert len(app.selectbox(key="head").options) == heads[Site("decoder", 0, "self")]
    assert walk_of(app)["steps"][0]["key"] == "embed"
    app.selectbox(key="layer").set_value("decoder.3.self").run()
    app.selectbox(key="head").set_value("7").run()
    row = walk_of(app)["row"]
    weights = shared_host().attend(GPT, SENTENCE)["decoder.3.self"].to_words().weights[7]
    assert not app.exception
    assert np.isclose(weights.max(axis=1), max(walk_of(app)["pictures"][0]["rows"][-1]["values"]), atol=1e-5).any(), row


def test_numbers_of_a_step_are_shown_with_what_the_model_went_on_with() -> None:
    app = AppTest.from_function(steps_page, default_timeout=PATIENCE)
    for name, value in {"sentence": SENTENCE, "mechanism": GPT, "step": "feedforward"}.items():
        app.query_params[name] = value
    app.session_state["numbers-of-step"] = True
    app.run()
    assert not app.exception
    assert any("The model itself used" in each.value for each in app.caption)


def test_a_model_that_predicts_no_next_token_is_refused_in_words() -> None:
    for key in ("hf:minilm", "hf:bert-en"):
        app = opened(mechanism=key)
        assert not app.exception
        assert f"{local_models()[key].title} does not predict the next token." in told(app)
        assert not app.get("bidi_component")


@pytest.mark.parametrize(("page", "name"), [(steps_page, "mechanism"), (surgery_page, "model")])
def test_where_smollm2_is_not_installed_the_page_names_the_command(
    page: object, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HOME", str(tmp_path))
    app = opened(page, **{name: "hf:smollm2-135m"})
    assert not app.exception
    assert "SmolLM2-135M-Instruct is not on this machine yet" in told(app)
    assert "python -m models.huggingface.get smollm2" in told(app)
    assert f"{name}=hf:smollm2-135m" in app.warning[0].value.replace("\\", "")
