"""Training of captioners: scenes as tensors, the penalty by hand, a run that learns, and what it writes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from models.captioning.captioner import load_captioner
from models.captioning.entry import CAPTIONERS, MECHANISMS, PAIR
from models.scenes.things import has_held_out, random_scene, seen_things
from models.scenes.wording import caption_of
from models.scenes.words import WORDS
from models.translation.entry import Entry
from models.vocabulary import BEGIN, END, PAD
from training.captions.evaluate import figures_of
from training.captions.recipe import read_caption_recipe
from training.captions.scenes import (
    FIRST_RUN,
    batch_of,
    never_drawn,
    scenes_to_measure,
    scenes_to_watch,
    training_batches,
    training_scenes,
)
from training.captions.train import main
from training.captions.trainer import uneven

FOLDER = Path(__file__).parents[3] / "training" / "captions" / "recipes"
RECIPES = sorted(set(FOLDER.glob("*.toml")) - {FOLDER / "soft-start.toml"})  # another run went on from its weights


def test_a_batch_is_its_scenes() -> None:
    scenes = scenes_to_measure(held_out=False, count=5)
    batch = batch_of(scenes)
    for row, scene in enumerate(scenes):
        caption = caption_of(scene)
        words = [WORDS[each] for each in batch.labels[row].tolist() if each not in (PAD, END)]
        assert words == [each.text for each in caption]
        assert int(batch.labels[row, len(caption)]) == END
        assert batch.inputs[row, : len(caption) + 1].tolist() == [BEGIN, *batch.labels[row, : len(caption)].tolist()]
        for step, word in enumerate(caption):
            assert set(batch.named[row, step].nonzero().flatten().tolist()) == word.cells


def test_training_and_test_scenes_are_apart() -> None:
    chance = np.random.default_rng(0)
    seen, held_out = (scenes_to_measure(held_out=each, count=300) for each in (False, True))
    trained = set(training_scenes(chance, 2000))
    assert not {each for each in trained if any(each)} & {*scenes_to_measure(held_out=False), *scenes_to_watch()}
    left = never_drawn(scenes_to_measure(held_out=False))
    chance = np.random.default_rng(FIRST_RUN[0])
    trained = {random_scene(chance, seen_things(held_out=False)) for _draw in range(5000)} - {(None,) * 9}
    assert not trained & set(left) - set(scenes_to_measure(held_out=False, seed=FIRST_RUN[2]))
    assert 1500 < len(left) < 2000
    assert not any(map(has_held_out, [*trained, *seen]))
    assert all(map(has_held_out, held_out))
    assert seen == scenes_to_measure(held_out=False, count=300)
    sizes = [len(each.scenes) for each in training_batches(chance, 100, 32, drawn=64)]
    assert sum(sizes) >= 100
    assert set(sizes) == {32}


def test_the_penalty_by_hand() -> None:
    weights = torch.zeros(1, 4, 2)
    weights[0, :, 0] = torch.tensor([1.0, 1.0, 0.5, 1.0])
    weights[0, :, 1] = torch.tensor([0.0, 0.0, 0.5, 0.0])
    written = torch.tensor([[True, True, True, False]])  # 3 words over 2 cells: a fair share is 1.5
    assert float(uneven(weights, written)) == pytest.approx(((1 - 2.5 / 1.5) ** 2 + (1 - 0.5 / 1.5) ** 2) / 2)
    assert float(uneven(torch.full((1, 4, 2), 0.5), written)) == pytest.approx(0)


def test_figures_by_hand() -> None:
    batch = batch_of(scenes_to_measure(held_out=False, count=50))
    right = torch.nn.functional.one_hot(batch.labels, len(WORDS)).double()
    even = torch.full(batch.named.shape, 1 / 9)
    found = figures_of(batch, right, even)
    assert found["content_words_right"] == 1
    assert found["weight_on_named"] == pytest.approx(found["weight_on_named_by_chance"], abs=1e-4)
    assert found["weight_on_named_one_cell"] == pytest.approx(1 / 9, abs=1e-4)
    named = batch.named / batch.named.sum(dim=-1, keepdim=True).clamp_min(1)
    assert figures_of(batch, right, named)["weight_on_named"] == 1


def test_a_short_run_writes_a_captioner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = tmp_path / "short.toml"
    text = 'key = "show-tell-regular-scene-en"\nscenes = 512\nscenes_drawn = 256\nscenes_per_batch = 64\n'
    recipe.write_text(f"{text}doubly_stochastic = 0.1\n", encoding="utf8")
    figures = {"seen": {}, "held_out": {}}
    monkeypatch.setattr("training.captions.train.measured_figures", lambda _network: figures)
    main(recipe, out=tmp_path)
    folder = tmp_path / "show-tell-regular-scene-en"
    card = json.loads((folder / "card.json").read_text(encoding="utf8"))
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf8").splitlines()]
    assert (log[-1]["scenes"], card["figures"]) == (512, figures)
    model = load_captioner(Entry(card["key"], MECHANISMS[card["mechanism"]], PAIR, card, folder))
    assert len(model.attend(",,,,,,,,").source) == 9


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_a_shipped_captioner_is_of_its_recipe(path: Path) -> None:
    recipe = read_caption_recipe(path)
    card = json.loads((CAPTIONERS / recipe.key / "card.json").read_text(encoding="utf8"))
    assert {name: value for name, value in card["recipe"].items()} == {
        name: getattr(recipe, name) for name in recipe.__dataclass_fields__
    }
    assert card["departures"] == list(MECHANISMS[card["mechanism"]].departures)
