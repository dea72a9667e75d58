"""Every file of the weights, damaged in turn: what is broken is named, and all else is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

import models
from benchmarks import damage
from models.huggingface.embedded import local_models
from models.translation.checkpoints import CheckpointError
from models.translation.entry import at_point
from models.translation.length_table import trained_on
from viz.pages.bench.about import about


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with damage.linked_weights(tmp_path_factory.mktemp("weights")) as folder:
        yield folder


@pytest.fixture(scope="module")
def keys(weights: Path) -> set[str]:
    return damage.there()[0]


def kind_of(name: str) -> tuple[str, str]:
    """Return of what and for what a file is, such as the card of a reader."""
    *folders, file = Path(name).parts
    return folders[0] if len(folders) > 1 else "", file


FIRST = {kind_of(name): name for name in reversed(damage.FILES)}


@pytest.mark.parametrize(("number", "name"), list(enumerate(damage.FILES)))
def test_a_damaged_file_is_named_and_hides_no_other_model(
    number: int, name: str, weights: Path, keys: set[str]
) -> None:
    """In each way one file of each kind, in one of them, by turns, each other one: `benchmarks.damage` tries all."""
    ways = list(damage.WAYS) if FIRST[kind_of(name)] == name else [list(damage.WAYS)[number % len(damage.WAYS)]]
    assert {way: damage.problems(weights, name, way, keys) for way in ways} == {way: [] for way in ways}


def test_damage_is_seen(weights: Path) -> None:
    """What the test above relies on: a broken card and broken weights are found out."""
    with damage.damaged(weights, "readers/lstmn-en/card.json", "truncated"):
        assert "lstmn-en/card.json: incomplete" in str(local_models()["hf:lstmn-en"].broken)
        with pytest.raises(models.InputError, match="incomplete"):
            models.load("hf:lstmn-en")
    with damage.damaged(weights, "bahdanau-en-fr/card.json", "missing"):
        assert "bahdanau-en-fr" in models.catalog()
        with pytest.raises(CheckpointError, match=r"no card\.json"):
            models.describe("bahdanau-en-fr")
    with damage.damaged(weights, "bahdanau-en-fr/model.safetensors", "a byte flipped"), pytest.raises(CheckpointError):
        models.load("bahdanau-en-fr")


CARDS = ("bahdanau-en-fr", "seq2seq-en-fr", "training/bahdanau-en-fr", "readers/gpt-en", "readers/lstmn-en",
         "readers/self-attentive-en", "vectors/skip-gram-en", "datastores/world-english-bible")  # fmt: skip


def renamed(card: Any, path: tuple[Any, ...]) -> bytes:
    """Return a card in which one key has another letter."""
    made = json.loads(json.dumps(card))
    where = made
    for each in path[:-1]:
        where = where[each]
    where["~" + path[-1][1:]] = where.pop(path[-1])
    return json.dumps(made).encode()


def key_paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    named = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for name, each in named:
        if isinstance(name, str):
            yield (*path, name)
        yield from key_paths(each, (*path, name))


def say_all(folder: str) -> None:
    """Read all that pages read of a card, or have it refused in words."""
    if folder.startswith("readers/"):
        key = f"hf:{Path(folder).name}"
        local_models()
        damage.embedded.held_out_of(key)
        return
    if folder.startswith("datastores/"):
        damage.datastore.remembers("hf:gpt-en", "")
        return
    if folder.startswith("vectors/"):
        damage.there()
        return
    try:
        entry = models.describe(Path(folder).name + ("@01" if folder.startswith("training/") else ""))
    except CheckpointError:
        return
    about(entry)
    trained_on(entry.card, "europarl.test")
    for number, _point in enumerate(entry.card.get("points", ()), 1):
        at_point(entry, number)


@pytest.mark.parametrize("folder", CARDS)
def test_no_letter_of_a_card_breaks_what_is_said_of_it(folder: str, weights: Path) -> None:
    name = f"{folder}/card.json"
    card = json.loads((damage.WEIGHTS / name).read_bytes())
    with damage.damaged(weights, name, "empty"):
        for path in key_paths(card):
            (weights / name).write_bytes(renamed(card, path))
            damage.forget()
            say_all(folder)
        whole, draw = (damage.WEIGHTS / name).read_bytes(), Random(folder)
        for _ in range(60):
            data = bytearray(whole)
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
            (weights / name).write_bytes(data)
            damage.forget()
            say_all(folder)


EACH_KIND = {
    "readers/lstmn-en/card.json": "truncated",
    "readers/gpt-en/tokenizer.json": "a byte flipped",
    "readers/self-attentive-en/model.safetensors": "truncated",
    "readers/gpt-en/config.json": "empty",
    "readers/gpt-en/log.jsonl": "not UTF-8",
    "bahdanau-en-fr/card.json": "not UTF-8",
    "luong-general-en-fr/model.safetensors": "missing",
    "transformer-post-ln-en-fr/card.json": "missing",
    "training/luong-general-en-fr/card.json": "truncated",
    "training/transformer-en-fr/model.safetensors": "a byte flipped",
    "vectors/skip-gram-en/words.txt": "truncated",
    "en-fr/lengths.csv": "truncated",
    "en-fr/twins.json": "empty",
    "zh-en/everyday.json": "truncated",
}
"""A file of each kind, all at once: what one of them takes down is found whatever else is broken."""

NAMED = {
    "why": ("bahdanau-en-fr/card.json", "en-fr/lengths.csv"),
    "bench": ("bahdanau-en-fr/card.json", "luong-general-en-fr: no model.safetensors"),
    "heads": ("transformer-post-ln-en-fr: no card.json",),
    "training": ("luong-general-en-fr/card.json", "transformer-en-fr/model.safetensors: SHA-256"),
    "heads hf:lstmn-en": ("lstmn-en/card.json: incomplete",),
    "heads hf:key-value-en": ("tokenizer.json is not the one expected",),
    "heads hf:self-attentive-en": ("its weights have SHA-256",),
    "heads hf:bert-en": ("words.txt is not the one expected",),
}


@pytest.fixture(scope="module")
def all_damaged(weights: Path) -> Iterator[None]:
    with ExitStack() as stack:
        for name, way in EACH_KIND.items():
            stack.enter_context(damage.damaged(weights, name, way))
        yield


@pytest.mark.parametrize("view", damage.VIEWS, ids=lambda each: " ".join((each[0], each[1].get("model", ""))).strip())
def test_every_page_names_what_is_broken_and_shows_the_rest(
    view: tuple[str, dict[str, str]], all_damaged: None, request: pytest.FixtureRequest
) -> None:
    said = damage.words_of(*view)
    for each in NAMED.get(" ".join((view[0], view[1].get("model", ""))).strip(), ()):
        assert each in said
