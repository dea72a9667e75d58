"""Captioners of scenes: the equations of their paper in float64, what edits do, and the three that are shipped."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import torch

import models
from models import InputError
from models.captioning.captioner import Captioner
from models.captioning.entry import CAPTIONERS, captioners
from models.edits import mask_key, sample, uniform_row
from models.networks.show_tell import ShowTellNetwork
from models.scenes.alignment import score_of
from models.scenes.things import CELLS, codes_of, scene_by_seed, scene_of, to_text
from models.scenes.wording import caption_of
from models.trace import TraceError
from models.vocabulary import BEGIN
from tests.support.drawing import redrawn
from tests.support.reference_networks import likeliest
from tests.support.reference_scenes import show_tell

SCENE = "small red circle,,large blue square,,,,,,large blue square"
RIGHT = " ".join(each.text for each in caption_of(scene_of(SCENE)))
PLACE = "decoder.0.cross"
SIZES: dict[str, Any] = {
    "vocabulary": 20,
    "d_embedding": 5,
    "d_annotation": 6,
    "d_decoder": 7,
    "d_attention": 4,
    "channels": (2, 3),
}
shipped = pytest.mark.parametrize("key", captioners())


@pytest.mark.parametrize("hard", [False, True])
def test_a_random_network_is_the_papers_equations(hard: bool) -> None:
    network = redrawn(ShowTellNetwork(**SIZES, hard=hard).eval(), seed=2, std=0.5).double()
    network.encoder.tiles = network.encoder.tiles.double()
    parameters = {name: values.numpy() for name, values in network.state_dict().items()}
    rows: list[torch.Tensor] = []
    network.attend.weights.register_forward_hook(lambda _module, _given, shown: rows.append(shown))
    inputs = [BEGIN, 5, 9, 7]
    for seed in (1, 2):
        codes = list(codes_of(scene_by_seed(seed)))
        rows.clear()
        with torch.inference_mode():
            own = network.decode(network.encode(torch.tensor([codes])), torch.tensor([inputs]))[0]
        choose = likeliest if hard else lambda weights, _: weights
        expected, weights = show_tell(parameters, codes, inputs, choose)
        np.testing.assert_allclose(own.numpy(), expected, atol=1e-10)
        np.testing.assert_allclose(torch.cat(rows, dim=2)[0, 0].numpy(), weights, atol=1e-10)


@shipped
def test_shipped_weights_are_the_papers_equations(key: str) -> None:
    model = models.load(key)
    assert isinstance(model, Captioner)
    trace = model.attend(SCENE, RIGHT, sites=("*",))
    parameters = {name: values.double().numpy() for name, values in model.network.state_dict().items()}
    choose = likeliest if "hard" in key else lambda weights, _: weights
    expected, weights = show_tell(parameters, list(trace.source.ids), [BEGIN, *trace.target.ids[:-1]], choose)
    np.testing.assert_allclose(trace[PLACE].weights[0], weights, atol=2e-4)
    wanted = [row - np.logaddexp.reduce(row) for row in expected[:, 2:]]  # neither <pad> nor <s> is ever written
    for step, row in zip(trace.steps, wanted, strict=True):
        assert step.log_probability == pytest.approx(row[step.id - 2], abs=2e-3)


@shipped
def test_a_captioner_writes_what_its_card_says(key: str) -> None:
    card = json.loads((CAPTIONERS / key / "card.json").read_text(encoding="utf8"))
    assert card["parameters"] <= 300_000
    assert (CAPTIONERS / key / "model.safetensors").stat().st_size < 2**20
    seen = card["figures"]["seen"]
    assert seen["weight_on_named"] > seen["weight_on_named_by_chance"] + 0.2
    model = models.load(key)
    scenes = [scene_by_seed(seed) for seed in range(30)]
    scores = [score_of(model.attend(to_text(each), _right(each)), caption_of(each)) for each in scenes]
    right = sum(each.right for each in scores) / sum(each.words for each in scores)
    assert right == pytest.approx(seen["content_words_right"], abs=0.1)
    assert model.attend(SCENE).output_text.startswith("there is a small red circle")


def _right(scene: Any) -> str:
    return " ".join(each.text for each in caption_of(scene))


@shipped
def test_edits_act_and_are_undone(key: str) -> None:
    model = models.load(key)
    before = model.attend(SCENE)
    hidden = model.attend(SCENE, edits=[mask_key(PLACE, 0)])
    assert (hidden[PLACE].weights[..., 0] == 0).all()
    even = model.attend(SCENE, RIGHT, edits=[uniform_row(PLACE, None, None)])
    np.testing.assert_allclose(even[PLACE].weights, 1 / CELLS, atol=1e-6)
    again = model.attend(SCENE)
    assert again.output_text == before.output_text
    np.testing.assert_array_equal(again[PLACE].weights, before[PLACE].weights)
    assert model.replay(before).run(np.arange(CELLS)[None]).log_probabilities.shape == (1, len(before.target))


def test_hard_attention_draws_by_a_seed() -> None:
    model = models.load(next(key for key in captioners() if "hard" in key))
    scene = to_text(scene_by_seed(4))
    right = " ".join(each.text for each in caption_of(scene_of(scene)))
    first, again, other = (model.attend(scene, right, edits=[sample(PLACE, None, None, seed)]) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first[PLACE].weights, again[PLACE].weights)
    assert not np.array_equal(first[PLACE].weights, other[PLACE].weights)
    assert set(np.unique(first[PLACE].weights)) == {0, 1}


def test_what_is_no_scene_or_no_caption_is_said() -> None:
    model = models.load(captioners()[0])
    for texts, said in (
        (("A cat.", None), "A scene has 9 cells"),
        ((SCENE, "a purple cat"), "Captions have no word “purple”"),
        ((SCENE, " "), "Type a caption"),
        ((SCENE, "red " * 40), "31 words at most"),
    ):
        with pytest.raises(InputError, match=said):
            model.attend(*texts)
    with pytest.raises(InputError, match="takes one scene"):
        model.attend(SCENE, pair=SCENE)
    with pytest.raises(TraceError, match="a score is of the right caption"):
        score_of(model.attend(SCENE, "there is nothing here"), caption_of(scene_of(SCENE)))
