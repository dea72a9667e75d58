"""Scenes and their captions: what a caption says is so, its words name the cells of what they say, texts come back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import InputError
from models.scenes.drawing import PIXELS, tiles
from models.scenes.things import (
    CELLS,
    COLOURS,
    HELD_OUT,
    KINDS,
    SIZES,
    THINGS,
    Scene,
    codes_of,
    has_held_out,
    random_scene,
    scene_by_seed,
    scene_of,
    seen_things,
    thing_of,
    to_text,
)
from models.scenes.wording import FUNCTION_WORDS, MANY, NUMBERS, VOCABULARY, caption_of, groups_of
from models.scenes.words import MOST_WORDS, WORDS, ids_of

scenes = st.lists(st.integers(0, THINGS - 1), min_size=CELLS, max_size=CELLS).map(
    lambda codes: tuple(map(thing_of, codes))
)


@given(scenes)
def test_a_scene_comes_back_from_its_text_and_its_codes(scene: Scene) -> None:
    assert scene_of(to_text(scene)) == scene
    assert tuple(map(thing_of, codes_of(scene))) == scene


@given(scenes)
def test_each_word_names_the_cells_that_have_what_it_says(scene: Scene) -> None:
    caption = caption_of(scene)
    assert len(caption) < MOST_WORDS
    assert set(ids_of(each.text for each in caption)) <= set(range(3, len(WORDS)))
    for word, cells in caption:
        things = [scene[each] for each in cells]
        assert bool(cells) or word in FUNCTION_WORDS or word in ("as", "of")
        singular = word.removesuffix("s") if word.removesuffix("s") in KINDS else word
        for attribute, words in (("kind", KINDS), ("colour", COLOURS), ("size", SIZES)):
            if singular in words:
                assert {getattr(each, attribute) for each in things} == {singular}
        if word in NUMBERS[1:]:
            assert len(cells) == NUMBERS.index(word) + 1
        if word == MANY:
            assert len(cells) > len(NUMBERS)


@given(scenes)
def test_every_thing_is_in_the_caption_or_among_the_others(scene: Scene) -> None:
    named = frozenset().union(*(each.cells for each in caption_of(scene)))
    there = {cell for cell, each in enumerate(scene) if each is not None}
    assert there <= named
    groups = groups_of(scene)
    assert sum(len(cells) for _thing, cells in groups) == len(there)


def test_captions_by_hand() -> None:
    def said(text: str) -> str:
        return " ".join(each.text for each in caption_of(scene_of(text)))

    assert said(",,,,,,,,") == "there is nothing here"
    assert said(",,,,small red star,,,,") == "there is a small red star at the middle centre"
    assert said("large red star,,large red star,,,,,,") == "there are two large red stars in the top row"
    assert said("small red circle,,large blue square,,,,,,large blue square") == (
        "there is a small red circle left of two large blue squares with fewer circles than squares"
    )
    assert said(",small red circle,,,large red circle,,,,") == "there is a small red circle above a large red circle"
    assert said("small red circle,,,,,,small blue circle,large red star,") == (
        "there is a small red circle above a small blue circle with more red than blue and one other"
    )


@pytest.mark.parametrize(
    "text", ["", "small red circle", ",,,,,,,,,", "small pink circle,,,,,,,,", "red circle,,,,,,,,"]
)
def test_what_is_no_scene_is_said(text: str) -> None:
    with pytest.raises(InputError, match=r"A scene has 9 cells|is no thing of a scene"):
        scene_of(text)


def test_a_seed_draws_one_scene_and_all_counts_come() -> None:
    assert scene_by_seed(5) == scene_by_seed(5)
    counts = {sum(each is not None for each in scene_by_seed(seed)) for seed in range(200)}
    assert counts == set(range(CELLS + 1))
    chance = np.random.default_rng(0)
    assert not any(has_held_out(random_scene(chance, seen_things(held_out=False))) for _ in range(200))
    assert len(seen_things(held_out=True)) == len(HELD_OUT) * len(SIZES)


def test_things_are_drawn_apart_inside_their_cells() -> None:
    drawn = tiles()
    assert drawn.shape == (THINGS, 3, PIXELS, PIXELS)
    assert not drawn[0].any()
    assert len({each.tobytes() for each in drawn}) == THINGS
    assert len(set(VOCABULARY)) == len(VOCABULARY)
