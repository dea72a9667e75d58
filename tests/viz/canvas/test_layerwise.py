"""Heads pooled layer by layer while the model runs: the bytes of the overview of the whole record."""

from __future__ import annotations

import numpy as np
import pytest

from models.hooks import taking
from models.sites import Site
from tests.support.huggingface_samples import tiny_model
from viz.canvas.layerwise import LayerPooling
from viz.canvas.overview import encode_overview
from viz.views.heads import views_at

TEXT = "The cat, the cat: it sat. " * 4


@pytest.mark.parametrize(("family", "sites"), [("llama", "decoder.*.self"), ("bert", "encoder.*.self")])
def test_the_overview_has_the_bytes_of_that_of_the_whole_record(family: str, sites: str) -> None:
    model, picked = tiny_model(family), Site.parse(sites.replace("*", "1"))
    whole, pooling = model.attend(TEXT), LayerPooling(whole=(picked,))
    with taking(pooling.take):
        kept = model.attend(TEXT)
    assert kept.sites == (picked,)
    np.testing.assert_array_equal(kept[picked].weights, whole[picked].weights)
    assert kept.predictions == whole.predictions
    drawn = encode_overview(views_at(kept, sites, "piece"), small=pooling.small)
    views = views_at(whole, sites, "piece")
    assert len(pooling.small.columns) < len(whole.source)
    assert drawn == encode_overview(views)


def test_nothing_is_taken_after_the_block() -> None:
    model = tiny_model("llama")
    with taking(LayerPooling().take):
        assert model.attend(TEXT).sites == ()
    assert len(model.attend(TEXT).sites) == 3
