"""A block of a language model that runs in another place: its form and its parameters arrive as they are."""

from __future__ import annotations

import io
import json
from typing import cast

import numpy as np
import pytest

from models.huggingface.block_form import BlockForm
from models.model import Model
from models.sites import Site
from models.trace.codec import unpack
from scale.serve.answers import answer
from scale.serve.wire import Request, read_request
from tests.support.huggingface_samples import tiny_model

PLACE = Site("decoder", 1, "self")


def test_a_form_arrives_whole_and_of_a_model_without_one_nothing() -> None:
    asked = Request("block", "hf:llama", place=PLACE)
    assert read_request("block", asked.to_bytes()) == asked
    model = tiny_model("llama")
    told = json.loads(answer(cast("Model", model), asked))
    assert BlockForm(*told) == model.blocks.form_at(PLACE)
    assert json.loads(answer(cast("Model", tiny_model("bert")), Request("block", "hf:bert", place=PLACE))) is None
    with pytest.raises(KeyError, match="place"):
        answer(cast("Model", model), Request("block", "hf:llama"))


def test_parameters_arrive_as_they_are() -> None:
    model, names = tiny_model("gpt2"), ("query.weight", "contract.bias", "table.weight")
    data = answer(cast("Model", model), Request("parameters", "hf:gpt2", place=PLACE, names=names))
    found, wanted = unpack(io.BytesIO(data), most_bytes=len(data))[1], model.blocks.parameters_at(PLACE, names)
    assert set(found) == set(names)
    for name in names:
        np.testing.assert_array_equal(found[name], wanted[name])
