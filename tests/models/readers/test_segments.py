"""Segment memory of the small GPT against its paper's equations in float64, with the positions of each way."""

from __future__ import annotations

import numpy as np
import pytest
from safetensors.torch import load_file

import models
from models.huggingface.embedded import READERS
from models.readers.segment_table import WAYS, Way, segment_table
from models.readers.segments import read_segment
from tests.support.reference_readers import gpt

TEXT, FIRST = "The old man went to the market and bought a small dog.", 7


@pytest.mark.parametrize("way", WAYS)
def test_a_second_segment_is_read_as_the_equations_say(way: Way) -> None:
    model = models.load("hf:gpt-en")
    ids = list(model.attend(TEXT).source.ids)
    lead = {"off": 0, "boundary": 1}.get(way, FIRST)
    parameters = {
        name: values.double().numpy() for name, values in load_file(READERS / "gpt-en" / "model.safetensors").items()
    }
    own = len(ids) - FIRST
    places = [*range(lead), *range(own)] if way == "anew" else [*range(lead + own)]
    parameters["transformer.wpe.weight"] = parameters["transformer.wpe.weight"][places]
    logits, maps = gpt(parameters, [*ids[:lead], *ids[FIRST:]], heads=8, layers=4)
    found = read_segment(model, ids, FIRST, way)  # type: ignore[arg-type]
    for layer, weights in enumerate(found.weights):
        np.testing.assert_allclose(weights, maps[f"decoder.{layer}.self"][:, lead:], atol=1e-5)
    scores = logits[lead:-1]
    expected = scores[range(own - 1), ids[FIRST + 1 :]] - np.log(np.exp(scores).sum(axis=1))
    np.testing.assert_allclose(found.log_probabilities, expected, atol=1e-4)


def test_positions_that_go_on_are_the_whole_text_read_at_once() -> None:
    model = models.load("hf:gpt-en")
    trace = model.attend(TEXT)
    found = read_segment(model, list(trace.source.ids), FIRST, "on")  # type: ignore[arg-type]
    np.testing.assert_allclose(found.weights[2], trace["decoder.2.self"].weights[:, FIRST:], atol=1e-6)
    with pytest.raises(models.InputError, match="too short"):
        read_segment(model, list(trace.source.ids), 0, "on")  # type: ignore[arg-type]


def test_the_figures_say_that_absolute_positions_begun_anew_are_worth_less_than_no_memory() -> None:
    table = segment_table()
    assert table is not None
    on, anew, off, boundary = (table.ways[way].perplexity for way in ("on", "anew", "off", "boundary"))
    assert on < boundary < anew < off
    assert table.ways["off"].in_memory == 0
    for way in ("on", "anew"):
        assert sum(table.ways[way].by_distance) == pytest.approx(table.ways[way].in_memory, abs=2e-3)
        assert len(table.ways[way].by_distance) == table.segment
