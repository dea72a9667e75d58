"""Models as they were at points of their training: found, whole, the runs that their cards tell of, small to clone."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from models import catalog, describe, load, training_runs
from models.keys import KEY, at_point, split_point
from models.translation.checkpoints import MODEL_FILE, CheckpointError, read_weights
from models.translation.entry import Entry
from scale.serve.model_cache import ModelCache
from training.twins import read_runs

RUNS = training_runs()
POINTS = 20
TEXT = "The cat sleeps."


def test_a_bahdanau_a_luong_and_a_transformer_are_kept_and_in_no_list_of_models() -> None:
    assert RUNS == ("bahdanau-en-fr", "luong-general-en-fr", "transformer-en-fr")
    assert not any("@" in key for key in catalog())


def test_all_points_together_are_small_enough_to_clone() -> None:
    sizes = [(describe(at_point(key, 1)).folder / MODEL_FILE).stat().st_size for key in RUNS]
    assert sum(sizes) <= 25 * 10**6
    assert max(sizes) <= 16 * 2**20


@pytest.mark.parametrize("key", RUNS)
def test_points_lie_evenly_on_a_scale_of_powers_and_the_runs_saw_the_same(key: str) -> None:
    points = describe(at_point(key, 1)).card["points"]
    seen = [each["target_tokens_seen"] for each in points]
    assert len(points) == POINTS
    assert all(1.2 < later / earlier < 1.6 for earlier, later in pairwise(seen))
    assert seen == [each["target_tokens_seen"] for each in describe(at_point(RUNS[0], 1)).card["points"]]


@pytest.mark.parametrize("key", RUNS)
def test_it_goes_from_noise_to_alignment(key: str) -> None:
    points = describe(at_point(key, 1)).card["points"]
    assert points[0]["held_out_loss"] > 7 > 4.1 > points[-1]["held_out_loss"]
    errors = [each["aer"]["everyday.gold"] for each in points]
    assert errors[0] > 0.8
    assert errors[-1] < 0.4


@pytest.mark.parametrize("key", RUNS)
def test_the_last_point_is_the_twin_of_the_table(key: str) -> None:
    """Two commands measured it, each on its own: the alignment error is the same to the last digit."""
    twin = next(run for run in read_runs() if key == f"{run['mechanism']}-en-fr" and run["seed"] == 1)
    last = describe(at_point(key, POINTS)).card
    assert last["aer"]["hansards_en-fr.odd"] == twin["aer"]["hansards_en-fr.odd"]
    assert last["held_out_loss"] == pytest.approx(twin["held_out_loss"], abs=0.002)  # weights of half precision


@pytest.mark.parametrize("key", RUNS)
def test_each_point_runs_with_weights_of_its_own(key: str) -> None:
    kept = load_file(describe(at_point(key, 1)).folder / MODEL_FILE)
    traces = []
    for point in (1, 7, POINTS):
        model = load(at_point(key, point))
        own = model.network.state_dict()  # type: ignore[attr-defined]
        for name, values in own.items():
            np.testing.assert_array_equal(values.numpy(), kept[f"{point:02}.{name}"].astype(np.float32))
        traces.append(model.attend(TEXT, "Le chat dort."))
    first, middle, last = (trace["decoder.0.cross"].weights for trace in traces)
    assert not np.allclose(first, middle)
    assert not np.allclose(middle, last)
    assert [trace.provenance.checkpoint for trace in traces] == [at_point(key, each) for each in (1, 7, POINTS)]


@pytest.mark.parametrize("key", ["bahdanau-en-fr@00", "bahdanau-en-fr@21", "seq2seq-en-fr@01", "bahdanau-en-fr@7"])
def test_a_point_that_is_not_kept_is_refused(key: str) -> None:
    for ask in (describe, load, ModelCache().model):
        with pytest.raises(KeyError):
            ask(key)


def test_weights_that_are_not_those_of_the_card_are_refused() -> None:
    entry = describe("bahdanau-en-fr@03")
    wrong: Entry = replace(entry, card={**entry.card, "sha256": "0" * 64})
    with pytest.raises(CheckpointError, match="SHA-256"):
        read_weights(wrong.folder, wrong.card)


def test_keys_of_points_are_keys_and_no_paths() -> None:
    assert KEY.fullmatch("bahdanau-en-fr@07")
    assert not any(map(KEY.fullmatch, ("bahdanau@7", "bahdanau@007", "@07", "../x@07", "a/b@07")))
    assert split_point("a@b@07") == ("a@b@07", None)


def test_the_service_serves_points_and_does_not_load_them_before_somebody_asks() -> None:
    shelf = ModelCache()
    assert not any("@" in served for served in tuple(shelf.keys()))
    key = at_point("luong-general-en-fr", 13)
    assert shelf.model(key).attend(TEXT).target.texts == load(key).attend(TEXT).target.texts


def test_every_point_stands_in_the_folder_of_its_run() -> None:
    folder = describe(at_point(RUNS[0], 1)).folder
    assert {path.name for path in Path(folder).iterdir()} == {"card.json", MODEL_FILE}
