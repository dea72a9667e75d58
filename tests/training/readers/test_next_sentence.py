"""Pairs of sentences: where the wrong one comes from, which lines are kept apart, and the control by shared tokens."""

from __future__ import annotations

import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np

from training.readers.batches import TextRow, bert_rows, encode
from training.readers.next_sentence import by_overlap, shared
from training.readers.recipe import ReaderRecipe, TextFile, read_reader_recipe
from training.readers.texts import learn_tokenizer, training_lines

ROOT = Path(__file__).parents[3]
RECIPE = ReaderRecipe(key="tiny", kind="bert", files=(), held_out=(), test=(), vocabulary=120, pair_share=1.0)
FIRST = [f"The cat {number} sat. It slept {number}." for number in range(40)]
SECOND = [f"A ship left port {number}. Waves rose {number}." for number in range(40)]


def row(first: list[int], second: list[int], follows: int) -> TextRow:
    return TextRow(np.array([2, *first, 3, *second, 3], np.uint16), len(first) + 2, follows)


def test_the_wrong_sentence_comes_from_the_same_file_or_from_any() -> None:
    tokenizer = learn_tokenizer("bert", [*FIRST, *SECOND], 120)
    corpus = encode(tokenizer, [(1.0, FIRST), (1.0, SECOND)], 60)
    shown = np.random.default_rng(1).permutation(80)

    def mixed(wrong_from: str) -> int:
        rows = bert_rows(corpus, shown, replace(RECIPE, wrong_from=wrong_from), 1)
        texts = [tokenizer.decode(each.ids.tolist()) for each in rows if not each.follows]
        assert texts
        return sum(("cat" in text) == ("Waves" in text) for text in texts)

    assert mixed("file") == 0
    assert mixed("corpus") > 0


def test_lines_of_pairs_share_no_telling_sentence_with_held_out_ones(tmp_path: Path) -> None:
    texts = {
        "held": ["The old man sat down. He slept."],
        "train": ["I know. The old man sat down.", "Go on. He slept."],
    }
    for name, lines in texts.items():
        with lzma.open(tmp_path / f"{name}.xz", "wt", encoding="utf8") as file:
            file.writelines(f"{line}\n" for line in lines)
    recipe = replace(RECIPE, files=(TextFile("train.xz", pairs=True),), held_out=(TextFile("held.xz"),))
    ((_file, lines),) = training_lines(recipe, tmp_path)
    assert lines == ["Go on. He slept."]


def test_shared_tokens_are_the_share_of_the_shorter_part() -> None:
    assert shared(row([7, 8, 9], [8, 9], 1)) == 1.0
    assert shared(row([7, 8, 9], [8, 10], 1)) == 0.5
    assert shared(row([7], [8, 10], 0)) == 0.0
    known = [[row([7, 8], [8], 1), row([7, 8], [9], 0)]]
    assert by_overlap(known, [[row([5], [5], 1), row([5], [6], 0), row([5], [6], 1)]]) == 2 / 3


def test_the_trial_that_is_told_of_is_a_recipe_that_starts_from_the_shipped_weights() -> None:
    recipe = read_reader_recipe(ROOT / "training" / "readers" / "recipes" / "trials" / "bert-en-next.toml")
    assert (recipe.start, recipe.wrong_from) == ("bert-en", "corpus")
