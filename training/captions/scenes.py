"""Scenes with their captions as tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from models.scenes.things import CELLS, Scene, Thing, codes_of, has_held_out, random_scene, seen_things
from models.scenes.wording import CaptionWord, caption_of
from models.scenes.words import ids_of
from models.vocabulary import BEGIN, END, PAD


@dataclass(frozen=True, slots=True)
class Batch:
    """Scenes, and their captions with the cells that each word names."""

    scenes: Tensor  # [scene, cell]
    inputs: Tensor  # [scene, word], begun by <s>
    labels: Tensor  # [scene, word], ended by </s>
    named: Tensor  # [scene, word, cell], True where a word names a cell


def batch_of(scenes: Sequence[Scene]) -> Batch:
    """Return scenes as tensors, shorter captions filled with padding."""
    captions = [caption_of(each) for each in scenes]
    length = max(map(len, captions)) + 1
    labels = torch.full((len(scenes), length), PAD)
    named = torch.zeros(len(scenes), length, CELLS, dtype=torch.bool)
    for row, caption in enumerate(captions):
        labels[row, : len(caption) + 1] = torch.tensor([*ids_of(word.text for word in caption), END])
        _name(named[row], caption)
    inputs = torch.cat((torch.full((len(scenes), 1), BEGIN), labels[:, :-1].where(labels[:, :-1] != END, PAD)), dim=1)
    return Batch(torch.tensor([codes_of(each) for each in scenes]), inputs, labels, named)


def _name(named: Tensor, caption: Sequence[CaptionWord]) -> None:
    """Mark the cells that the words of one caption name.

    Shapes: `named` [word, cell].
    """
    for step, word in enumerate(caption):
        named[step, list(word.cells)] = True


def training_batches(chance: np.random.Generator, count: int, size: int, *, drawn: int) -> Iterator[Batch]:
    """Give `count` scenes in batches of `size`, captions of about one length together: epochs of `drawn` scenes.

    None has a combination that is held out, and none but the empty one is a scene to watch or to measure by.
    """
    scenes = sorted(training_scenes(chance, drawn), key=lambda each: len(caption_of(each)))
    batches = [batch_of(scenes[first : first + size]) for first in range(0, len(scenes), size)]
    seen = 0
    while seen < count:
        for place in chance.permutation(len(batches)):
            seen += len(batches[place].scenes)
            yield batches[place]
            if seen >= count:
                return


def training_scenes(chance: np.random.Generator, count: int) -> list[Scene]:
    """Draw scenes to train on."""
    things, kept = seen_things(held_out=False), {*scenes_to_watch(), *scenes_to_measure(held_out=False)}
    found: list[Scene] = []
    while len(found) < count:
        scene = random_scene(chance, things)
        if scene not in kept or not any(scene):
            found.append(scene)
    return found


def scenes_to_watch() -> list[Scene]:
    """Return the scenes that a run is watched on, by which recipes are chosen: others than those to measure by."""
    return scenes_to_measure(held_out=False, seed=7)


FIRST_RUN = (1, 65_657, 2015)
"""The first run of the soft captioner was before the scenes to measure by were chosen: its seed, its draws, and the
seed of the scenes that it left out."""


def never_drawn(scenes: Sequence[Scene]) -> list[Scene]:
    """Return the scenes, all but the empty one, on which the first run of the soft captioner was not trained either."""
    seed, draws, left_out = FIRST_RUN
    chance, things = np.random.default_rng(seed), seen_things(held_out=False)
    drawn = {random_scene(chance, things) for _draw in range(draws)} - {(None,) * CELLS}
    drawn -= set(scenes_to_measure(held_out=False, seed=left_out))
    return [each for each in scenes if each not in drawn]


def scenes_to_measure(*, held_out: bool, count: int = 2_000, seed: int = 2026) -> list[Scene]:
    """Return the scenes to measure by: with a combination that is held out in each, or in none."""
    every: tuple[Thing, ...] = seen_things(held_out=False)
    if held_out:
        every += seen_things(held_out=True)
    chance = np.random.default_rng((seed, held_out))
    found: list[Scene] = []
    while len(found) < count:
        scene = random_scene(chance, every)
        if has_held_out(scene) == held_out:
            found.append(scene)
    return found
