"""A first-layer score split into words and positions, against full matrices in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import models
from models.experiments.arithmetic import parameters_at
from models.sites import Site
from models.trace import AttentionTrace
from tests.support.small_models import translator
from viz.walk.mechanisms import WALKS
from viz.walk.position_split import score_parts
from viz.walk.scene import Scene
from viz.walk.steps import look_at, take_steps

SOURCE = "The cat saw the cat, the cat saw it"
LAYERS = [Site(stack, 0, "self") for stack in ("encoder", "decoder")]
absolute = pytest.mark.parametrize("key", ["transformer", "transformer-post-ln"])


def scene_of(model: Any, trace: AttentionTrace, key: str, place: Site, row: int, head: int = 0) -> Scene:
    parameters = parameters_at(model, place, WALKS[key].parameters)
    return look_at(WALKS[key], trace, row=row, place=place, head=head, column=0, parameters=parameters)


def split_of(scene: Scene) -> NDArray[np.float64]:
    """Return the four parts as the formula of matrices has them, [query part, key part, key]."""
    p = {name: np.asarray(values, dtype=np.float64) for name, values in scene.parameters.items()}
    ids = list(scene.queries.ids)
    d = p["network.embedding.weight"].shape[1]
    token = np.stack([p["network.embedding.weight"][ids] * np.sqrt(d), p["network.positions"][: len(ids)]])
    shift = np.zeros(d)
    if "norm.weight" in WALKS[scene_key(scene)].parts[1].parameters:
        spread = np.sqrt(token.sum(axis=0).var(axis=1) + 1e-5)
        token = token @ (np.eye(d) - 1 / d) * p["norm.weight"] / spread[:, None]
        shift = p["norm.bias"]
    size = scene.of_query("query").shape[0]
    rows = slice(scene.head * size, (scene.head + 1) * size)

    def side(name: str) -> NDArray[np.float64]:
        weight, bias = p[f"{name}.weight"][rows], p[f"{name}.bias"][rows]
        return np.stack([token[0] @ weight.T + shift @ weight.T + bias, token[1] @ weight.T])

    found = np.einsum("ad,bkd->abk", side("query")[:, scene.row], side("key")) / np.sqrt(size)
    return np.asarray(found[..., : scene.count])


def scene_key(scene: Scene) -> str:
    return scene.trace.provenance.checkpoint.removesuffix("-en-fr")


@pytest.mark.parametrize("place", LAYERS, ids=str)
@absolute
def test_the_four_parts_are_those_of_full_matrices_and_add_up_to_the_score(key: str, place: Site) -> None:
    model = models.load(f"{key}-en-fr")
    trace = model.attend(SOURCE, sites=("*",))
    for row, head in ((0, 0), (2, 3), (5, 7)):
        scene = scene_of(model, trace, key, place, row, head)
        found = score_parts(scene, normalised=key == "transformer")
        np.testing.assert_allclose(found, split_of(scene).reshape(4, -1), atol=1e-10)
        np.testing.assert_allclose(found.sum(axis=0), scene.of_query("scores"), atol=1e-5, rtol=1e-5)
        (step,) = [each for each in take_steps(WALKS[key], scene) if each.key == "split"]
        assert step.worked is not None
        assert step.worked.fall is not None
        assert sorted(value for _name, value in step.worked.fall.parts) == pytest.approx(sorted(found[:, 0]))
        assert all(f"{value:.3f}" in step.says for value in found[:, 0])
        assert ("LayerNorm" in step.says) == (key == "transformer")


def test_without_a_norm_equal_words_have_equal_word_parts_and_positions_know_no_word() -> None:
    model, key = translator("transformer-post-ln"), "transformer-post-ln"
    one, other = (model.attend(text, "le chat", sites=("*",)) for text in ("the cat the cat", "a a a a"))
    parts, others = (score_parts(scene_of(model, each, key, LAYERS[0], 1), normalised=False) for each in (one, other))
    ids = one.source.ids
    pairs = [(a, b) for a in range(len(ids)) for b in range(a) if ids[a] == ids[b]]
    assert pairs
    for a, b in pairs:
        np.testing.assert_allclose(parts[[0, 2], a], parts[[0, 2], b], atol=1e-12)
        assert not np.allclose(parts[[1, 3], a], parts[[1, 3], b])
    count = min(parts.shape[1], others.shape[1])
    np.testing.assert_allclose(parts[3, :count], others[3, :count], atol=1e-12)


@absolute
def test_only_the_first_self_attention_has_the_split(key: str) -> None:
    model = translator(key)
    trace = model.attend(SOURCE, "le chat", sites=("*",))
    found = {
        str(place)
        for place in trace.sites
        if any(step.key == "split" for step in take_steps(WALKS[key], scene_of(model, trace, key, place, 1)))
    }
    assert found == {"encoder.0.self", "decoder.0.self"}
    assert not any(part.key == "split" for part in WALKS["transformer-relative"].at(LAYERS[0]).parts)
