"""Static vectors: equation 4 and an update against NumPy in float64; pairs by hand; a run, published and measured."""

from __future__ import annotations

import json
import lzma
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from models.experiments.word_vectors import VECTORS, WordVectors, read_vectors, static_vectors
from models.translation.checkpoints import file_hash
from models.translation.words import bare_words
from training.recipes import RecipeError
from training.vectors import evaluate
from training.vectors.pairs import PairCorpus, commonest, drawn, epoch_pairs, kept_share, noise, pairs_of
from training.vectors.publish import publish
from training.vectors.recipe import VectorRecipe, read_vector_recipe
from training.vectors.skip_gram import SkipGram
from training.vectors.trainer import VectorScores, VectorTrainer, held_out_loss

RECIPES = sorted((Path(__file__).parents[3] / "training" / "vectors" / "recipes").glob("*.toml"))
LARGEST = 4 * 2**20
WORDS, WIDTH, RATE = 9, 4, 0.05


def logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def reference(
    tables: dict[str, np.ndarray], centres: np.ndarray, contexts: np.ndarray, negatives: np.ndarray
) -> tuple[float, dict[str, np.ndarray]]:
    """Return what the pairs cost on average, and the derivative of that by both tables: equation 4, pair by pair."""
    read, predicted = tables["input"], tables["output"]
    cost, by = 0.0, {name: np.zeros_like(table) for name, table in tables.items()}
    for word, near, false in zip(centres, contexts, negatives, strict=True):
        for target, sign in ((near, 1), *((other, -1) for other in false)):
            score = sign * predicted[target] @ read[word]
            cost -= np.log(logistic(score)) / len(centres)
            slope = -sign * logistic(-score) / len(centres)  # of -log s(x) by x is -s(-x)
            by["output"][target] += slope * read[word]
            by["input"][word] += slope * predicted[target]
    return cost, by


def test_the_loss_and_an_update_are_those_of_the_papers_equation() -> None:
    chance = np.random.default_rng(5)
    network = SkipGram(WORDS, WIDTH, seed=1).double()
    with torch.no_grad():
        network.output.copy_(torch.from_numpy(chance.normal(size=(WORDS, WIDTH))))
        network.input.copy_(torch.from_numpy(chance.normal(size=(WORDS, WIDTH))))
    before = {name: value.detach().numpy().copy() for name, value in network.named_parameters()}
    batch = chance.integers(WORDS, size=7), chance.integers(WORDS, size=7), chance.integers(WORDS, size=(7, 3))
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE, fused=True)
    loss = network(*map(torch.from_numpy, batch)).mean()
    loss.backward()
    optimizer.step()
    cost, by = reference(before, *batch)
    assert float(loss.detach()) == pytest.approx(cost, abs=1e-12)
    for name, value in network.named_parameters():
        assert value.grad is not None
        np.testing.assert_allclose(value.grad.numpy(), by[name], atol=1e-12)
        # The first step of Adam (Kingma and Ba 2015): both moments, without their bias, are the gradient's own.
        expected = before[name] - RATE * by[name] / (np.abs(by[name]) + 1e-8)
        np.testing.assert_allclose(value.detach().numpy(), expected, atol=1e-9)


def test_the_measured_loss_is_the_trained_one() -> None:
    chance = np.random.default_rng(6)
    network = SkipGram(WORDS, WIDTH, seed=1)
    with torch.no_grad():
        network.output.normal_()
    batch = VectorScores(
        chance.integers(WORDS, size=50), chance.integers(WORDS, size=50), chance.integers(WORDS, size=(50, 3))
    )
    tables = {name: value.detach().numpy().astype(float) for name, value in network.named_parameters()}
    cost, _ = reference(tables, batch.centres, batch.contexts, batch.negatives)
    shipped = WordVectors(
        tuple(map(str, range(WORDS))), network.input.detach().numpy(), network.output.detach().numpy()
    )
    assert held_out_loss(network, batch) == pytest.approx(cost, rel=1e-5)
    assert evaluate.losses(shipped, batch).mean() == pytest.approx(cost, rel=1e-6)


def test_pairs_are_those_of_a_slow_loop_and_stay_in_their_line() -> None:
    ids, lines = np.arange(30), np.repeat(np.arange(5), 6)
    centres, contexts = pairs_of(ids, lines, 4, np.random.default_rng(2))
    reach = np.random.default_rng(2).integers(1, 5, size=30)
    expected = [
        (a, b) for a in range(30) for b in range(30) if a != b and abs(a - b) <= reach[a] and lines[a] == lines[b]
    ]
    assert sorted(zip(centres.tolist(), contexts.tolist(), strict=True)) == expected
    assert [len(each) for each in pairs_of(ids[:1], lines[:1], 4, np.random.default_rng(2))] == [0, 0]


def test_noise_and_subsampling_are_the_papers() -> None:
    counts = np.array([80, 16, 4])
    np.testing.assert_allclose(kept_share(counts, 0.04), np.sqrt([0.05, 0.25, 1.0]))
    assert kept_share(counts, 0.5).max() == 1
    share = noise(counts, 0.75)
    np.testing.assert_allclose(share, np.array([80, 16, 4]) ** 0.75 / (80**0.75 + 16**0.75 + 4**0.75))
    many = drawn(share.cumsum(), (60_000,), np.random.default_rng(1))
    np.testing.assert_allclose(np.bincount(many) / 60_000, share, atol=0.01)


def test_words_are_counted_bare_and_those_without_a_vector_fall_out_before_the_window() -> None:
    words, total = commonest(["New shoes, new hats!", "The new year."], 3)
    assert (words, total) == (["new", "hats", "shoes"], 7)
    corpus = PairCorpus.of(["New and old shoes", "hats"], {"new": 0, "shoes": 2, "hats": 1})
    assert (corpus.ids.tolist(), corpus.lines.tolist()) == ([0, 2, 1], [0, 0, 1])
    assert bare_words("我爱 New York\u2019s 5 shoes?!") == ["我", "爱", "new", "york's", "5", "shoes"]


def test_an_epoch_shows_every_word_that_stays() -> None:
    corpus = PairCorpus(np.arange(40), np.zeros(40, dtype=np.int64))
    parts = list(epoch_pairs(corpus, np.ones(40), 2, np.random.default_rng(3)))
    assert {int(each) for _, centres, _ in parts for each in centres} == set(range(40))
    assert all(0 <= done < 1 for done, _, _ in parts)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[VectorRecipe, Path]:
    """Return a recipe and its text, in which who eats and who drives is told by the words beside it."""
    folder, chance = tmp_path_factory.mktemp("vectors"), random.Random(4)
    groups = (
        (("cat", "dog", "bird"), ("eats", "drinks", "sleeps")),
        (("car", "bus", "train"), ("drives", "stops", "waits")),
    )

    def line() -> str:
        nouns, verbs = chance.choice(groups)
        return f"The {chance.choice(nouns)} {chance.choice(verbs)} {chance.randrange(10**6)}.\tx\n"

    for name, count in (("files", 4000), ("held_out", 200), ("test", 200)):
        with lzma.open(folder / f"{name}.tsv.xz", "wt", encoding="utf8") as file:
            file.writelines(line() for _ in range(count))
    recipe = folder / "tiny.toml"
    texts = "".join(f'{name} = [{{ path = "{name}.tsv.xz" }}]\n' for name in ("files", "held_out", "test"))
    recipe.write_text(
        f'key = "tiny"\n{texts}words = 13\nwidth = 8\nepochs = 8\npairs_per_batch = 256\nlearning_rate = 0.02\n'
        "subsampling = 1\n",
        encoding="utf8",
    )
    return read_vector_recipe(recipe), folder


def test_a_run_learns_is_published_and_measured(tiny: tuple[VectorRecipe, Path], tmp_path: Path) -> None:
    recipe, data = tiny
    VectorTrainer(recipe, data, tmp_path).run()
    card = publish(recipe, tmp_path, tmp_path / "vectors")
    folder = tmp_path / "vectors" / "tiny"
    vectors = read_vectors(folder)
    assert vectors.nearest("Cat", 2)[0][0] in ("dog", "bird")
    assert vectors.odd_one(["car", "bus", "dog", "train"]) == "dog"
    assert "eats" in vectors
    assert "unheard" not in vectors
    assert card["updates"] > 0
    assert card["training_text"]["lines"] > 3000
    curve = [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf8").splitlines()]
    found = evaluate.evaluate(recipe, data, folder)
    assert curve[-1]["held_out_loss"] == pytest.approx(found["loss"], abs=0.1)
    assert found["loss"] < found["loss_of_zeros"] == pytest.approx(6 * np.log(2), abs=1e-4)
    assert found["median_rank"] < found["median_rank_by_frequency"]
    with pytest.raises(KeyError):
        vectors.nearest("unheard")


def test_a_rank_counts_those_above_and_half_of_those_alike() -> None:
    scores = np.array([[3.0, 1.0, 0.0], [2.0, 2.0, 5.0]])
    np.testing.assert_array_equal(evaluate.ranks(scores, np.array([1.5, 2.0])), [2, 3])


def test_a_recipe_with_an_unknown_field_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text('key = "a"\nfiles = []\nheld_out = []\ntest = []\nwindows = 3\n', encoding="utf8")
    with pytest.raises(RecipeError, match="windows"):
        read_vector_recipe(path)


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_the_shipped_vectors_are_small_and_say_whose_text_they_were_trained_on(path: Path) -> None:
    folder = VECTORS / path.stem
    card = json.loads((folder / "card.json").read_text(encoding="utf8"))
    recipe = read_vector_recipe(path)
    assert sum(each.stat().st_size for each in folder.iterdir()) <= LARGEST
    assert {each["licence"] != "" and each["credit"] != "" for each in card["data"]} == {True}
    assert card["recipe"]["epochs"] == recipe.epochs
    for name, value in card["sha256"].items():
        assert file_hash(folder / name) == value
    vectors = read_vectors(folder)
    assert vectors.table.shape == vectors.outputs.shape == (recipe.words, recipe.width)
    held_out = card["held_out"]
    assert held_out["loss"] < held_out["loss_of_zeros"]
    assert held_out["median_rank"] < held_out["median_rank_by_frequency"]
    sets = [words for words in evaluate.odd_sets() if all(word in vectors for word in words)]
    found = sum(vectors.odd_one(words) == words[-1] for words in sets)
    assert (found, len(sets)) == (held_out["odd_ones_found"], held_out["odd_sets"])


def test_the_mean_of_different_words_leaves_out_the_same_and_the_unknown() -> None:
    vectors = static_vectors()
    found = vectors.mean_cosine(["He", "new", "Zyx"], ["new", "he"])
    assert found == pytest.approx(vectors.cosine("he", "new"))
    assert np.isnan(vectors.mean_cosine(["new"], ["New", "Zyx"]))
