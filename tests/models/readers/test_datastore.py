"""The kNN memory against equations 2 and 3 of Khandelwal et al. 2020 in float64 loops, and the shipped datastore."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import models
from models.readers import datastore
from models.readers.datastore import (
    DATASTORE_FILE,
    DATASTORES,
    VERSES,
    Datastore,
    datastore_card,
    mixed,
    quantised,
    recall,
    remembers,
    shipped_datastore,
)
from models.translation.checkpoints import file_hash

TEXT = "In the beginning God created the"
DRAWN = np.random.default_rng(5)


def drawn(places: int = 40, width: int = 6, vocabulary: int = 7) -> Datastore:
    """Return a datastore of random keys, whose texts begin at every seventh place."""
    tokens = DRAWN.integers(1, vocabulary, places)
    tokens[::7] = 0
    keys = DRAWN.normal(size=(places, width)).astype(np.float32)
    return Datastore(keys, tokens, DRAWN.integers(0, vocabulary, places))


def reference(
    store: Datastore, query: list[float], count: int, temperature: float
) -> tuple[list[int], dict[int, float]]:
    """Return the nearest places, and p_kNN by token: equation 2 in numbers of Python, one place at a time."""
    distance = [sum((float(a) - b) ** 2 for a, b in zip(key, query, strict=True)) for key in store.keys]
    nearest = sorted(range(len(distance)), key=distance.__getitem__)[:count]
    scores = [math.exp(-distance[place] / temperature) for place in nearest]
    found: dict[int, float] = defaultdict(float)
    for place, score in zip(nearest, scores, strict=True):
        found[int(store.following[place])] += score / math.fsum(scores)
    return nearest, found


@pytest.mark.parametrize(("count", "temperature"), [(1, 1.0), (8, 0.5), (40, 30.0)])
def test_neighbours_and_their_prediction_are_those_of_the_equations(count: int, temperature: float) -> None:
    store, queries = drawn(), DRAWN.normal(size=(5, 6))
    near = store.nearest(queries, count)
    given = near.probabilities(temperature, 7)
    assert np.allclose(near.weights(temperature).sum(axis=1), 1)
    for row, query in enumerate(np.asarray(queries, dtype=np.float32)):
        places, expected = reference(store, query.tolist(), count, temperature)
        assert near.places[row].tolist() == places
        assert given[row] == pytest.approx([expected[token] for token in range(7)], abs=1e-5)
    own = np.full_like(given, 1 / 7)
    assert np.array_equal(mixed(own, given, 0.0), own)
    assert mixed(own, given, 0.25)[0, 3] == pytest.approx(0.25 * given[0, 3] + 0.75 / 7)


def test_a_place_knows_the_words_before_it_of_its_own_text_alone() -> None:
    store = Datastore(np.zeros((5, 1), np.float32), np.array([0, 3, 4, 0, 5]), np.zeros(5, np.int64))
    assert [store.before(place, 3) for place in range(5)] == [(), (3,), (3, 4), (), (5,)]
    assert store.before(2, 1) == (4,)


def test_a_key_of_8_bits_is_within_half_a_step() -> None:
    keys = DRAWN.normal(size=(50, 8)).astype(np.float32)
    steps, scale = quantised(keys)
    assert steps.dtype == np.int8
    assert (np.abs(steps * scale - keys) <= scale / 2 * 1.001).all()


def test_the_shipped_one_is_small_whole_and_of_the_model_that_is_shipped() -> None:
    path, card = DATASTORES / VERSES / DATASTORE_FILE, datastore_card()
    assert path.stat().st_size <= 6 * 10**6
    assert file_hash(path) == card["sha256"][DATASTORE_FILE]
    assert card["data"][0]["licence"] == "public domain"
    store = shipped_datastore()
    assert len(store.keys) == len(store.tokens) == len(store.following) == card["places"] == 20_000
    same = store.tokens[1:] == store.following[:-1]  # what follows is the next token that is read, or the end
    assert (same | (store.tokens[1:] == 0)).all()
    assert remembers(card["model"], card["model_sha256"])
    assert not remembers(card["model"], "another")
    with pytest.raises(models.InputError, match="has no datastore"):
        recall(models.load("hf:minilm"), TEXT)


def test_the_memory_helps_where_its_text_is_alike_and_not_elsewhere() -> None:
    """The figures of the card say it; a verse's beginning shows it."""
    told = datastore_card()["test"]
    verses, novels = told["verses"], told["novels"]
    assert verses["with"] < verses["frequencies"] < verses["without"]
    assert novels["with_own_share"] > 0.98 * novels["without"]
    assert novels["with"] > novels["without"]
    found = recall(models.load("hf:gpt-en"), TEXT)
    trace = models.load("hf:gpt-en").attend(TEXT)
    assert found.own[-1].max() == pytest.approx(trace.predictions[-1].alternatives[0][1], rel=1e-4)
    assert found.mixed(0.5).sum(axis=1) == pytest.approx(1)


def test_a_damaged_one_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = DATASTORES / VERSES
    (tmp_path / VERSES).mkdir()
    (tmp_path / VERSES / "card.json").write_bytes((whole / "card.json").read_bytes())
    (tmp_path / VERSES / DATASTORE_FILE).write_bytes((whole / DATASTORE_FILE).read_bytes()[:1000])
    monkeypatch.setattr(datastore, "DATASTORES", tmp_path)
    shipped_datastore.cache_clear()
    with pytest.raises(models.InputError, match="is not the one expected"):
        shipped_datastore()
