"""Training: the loss against torch, batches, recipes, runs that stop and go on; evaluation against its definitions."""

from __future__ import annotations

import json
import lzma
import math
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import sacrebleu
import torch
from hypothesis import assume, example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from models import catalog, describe, load
from models.experiments.alignment import (
    AlignedSentence,
    Choice,
    ErrorRate,
    GoldSentence,
    aligned,
    choose,
    choose_heads,
    error_rate,
    error_rates,
    gold_indices,
    read_gold,
    word_map,
)
from models.experiments.links import grown_links, strongest_sources
from models.mechanisms import mechanisms
from models.sites import Site
from models.trace import AttentionMap, AttentionTrace, Provenance, Step
from models.translation.checkpoints import TOKENIZER_FILE, read_card
from models.translation.examples import EXAMPLES
from models.translation.tokenizer import PairTokenizer
from models.translation.words import is_mark, normalise, split_words
from models.vocabulary import BEGIN, END, PAD
from tests.support.commands import exit_code
from tests.support.small_models import ATTENTIVE, KEYS, SIZES, fluent, tokenizer, translator
from training import evaluate, report, train
from training import publish as publishing
from training.batches import epoch_batches, make_batch
from training.data import EncodedPairs, EncodedText, encode_texts, load_pairs, load_tokenizer, read_pairs
from training.loss import BLOCK, output_loss
from training.optimizers import stored_state
from training.progress import Progress, ProgressStart, learning_rate, read_progress, read_start
from training.publish import CREDITS, make_card, publish
from training.recipes import DataFile, Recipe, RecipeError, read_recipe
from training.report import UNKNOWN, tables
from training.trainer import Trainer
from training.unseen import bare, training_sources, unseen
from training.varying import WAYS, vary

ROOT = Path(__file__).parents[2]
RECIPES = sorted((ROOT / "training").glob("*/*.toml"))
TWINS = sorted((ROOT / "training").glob("*/twins/*.toml"))
PLACE = "decoder.0.cross"
CHOICE = {"site": PLACE, "reading": "written"}


class TestLoss:
    """`output_loss` makes its gradients itself, in blocks: held to what torch derives from all logits at once."""

    @staticmethod
    def draw(rows: int, *, vocabulary: int = 13, size: int = 5) -> tuple[Tensor, ...]:
        generator = torch.Generator().manual_seed(rows)
        states, weight, bias = (
            torch.randn(*shape, generator=generator, dtype=torch.float64, requires_grad=True)
            for shape in ((rows, size), (vocabulary, size), (vocabulary,))
        )
        return states, weight, bias, torch.randint(0, vocabulary, (rows,), generator=generator)

    @staticmethod
    def both(parts: tuple[Tensor, ...], smoothing: float, scale: float = 1.0) -> Iterator[list[Tensor]]:
        """Return the loss and its gradients, of `output_loss` and of torch."""
        states, weight, bias, labels = parts
        ours = output_loss(states, weight, bias, labels, ignore=PAD, smoothing=smoothing, precision=torch.float64)
        logits = nn.functional.linear(states, weight, bias).flatten(0, -2)
        theirs = nn.functional.cross_entropy(logits, labels.flatten(), ignore_index=PAD, label_smoothing=smoothing)
        for loss in (ours, theirs):
            yield [loss.detach(), *torch.autograd.grad(loss * scale, (states, weight, bias))]

    @pytest.mark.parametrize("smoothing", [0.0, 0.1, 1.0])
    @pytest.mark.parametrize("rows", [1, 7, BLOCK, BLOCK + 1, 2 * BLOCK + 5])
    def test_value_and_gradients_are_those_of_torch(self, rows: int, smoothing: float) -> None:
        parts = self.draw(rows)
        parts[-1][0] = 3  # at least one label counts
        for ours, theirs in zip(*self.both(parts, smoothing), strict=True):
            torch.testing.assert_close(ours, theirs, atol=1e-12, rtol=1e-12)

    def test_rows_of_padding_count_for_nothing(self) -> None:
        states, weight, bias, labels = self.draw(12)
        labels[:] = torch.tensor([PAD, 4] * 6)
        parts = (states, weight, bias, labels)
        for ours, theirs in zip(*self.both(parts, 0.1), strict=True):
            torch.testing.assert_close(ours, theirs, atol=1e-12, rtol=1e-12)
        gradient = next(self.both(parts, 0.1))[1]
        assert not gradient[::2].any()
        assert gradient[1::2].any()

    def test_leading_axes_and_a_scaled_loss(self) -> None:
        states, weight, bias, labels = self.draw(12)
        parts = (states.detach().view(3, 4, 5).requires_grad_(), weight, bias, labels.view(3, 4))
        for ours, theirs in zip(*self.both(parts, 0.1, scale=-2.5), strict=True):
            torch.testing.assert_close(ours, theirs, atol=1e-12, rtol=1e-12)

    def test_large_logits_do_not_overflow(self) -> None:
        states, weight, bias, labels = self.draw(6)
        parts = ((states.detach() * 1e4).requires_grad_(), weight, bias, labels.clamp(min=1))
        for ours, theirs in zip(*self.both(parts, 0.1), strict=True):
            torch.testing.assert_close(ours, theirs, atol=1e-9, rtol=1e-9)

    def test_in_bfloat16_it_is_near(self) -> None:
        states, weight, bias, labels = (part.float() if part.is_floating_point() else part for part in self.draw(50))
        exact = output_loss(states, weight, bias, labels, ignore=PAD, smoothing=0.1)
        rough = output_loss(states, weight, bias, labels, ignore=PAD, smoothing=0.1, precision=torch.bfloat16)
        assert rough.dtype == torch.float32
        assert rough.item() == pytest.approx(exact.item(), rel=1e-2)


def text_of(lists: Sequence[Sequence[int]]) -> EncodedText:
    ids = np.array([token for each in lists for token in each], dtype=np.uint16)
    return EncodedText(ids, np.cumsum([0, *map(len, lists)]))


def pairs_of(lengths: Sequence[tuple[int, int]], repeats: Sequence[int]) -> EncodedPairs:
    sources = [[10 + index] * source for index, (source, _) in enumerate(lengths)]
    targets = [[100 + index] * target for index, (_, target) in enumerate(lengths)]
    return EncodedPairs(text_of(sources), text_of(targets), np.array(repeats, dtype=float))


CORPORA = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 30), st.integers(0, 3)), min_size=1, max_size=60).filter(
    lambda rows: any(row[2] for row in rows)
)


class TestBatches:
    @given(CORPORA, st.integers(1, 200), st.integers(0, 3), st.integers(0, 3))
    def test_an_epoch_shows_each_pair_as_often_as_it_should(
        self, rows: list[tuple[int, int, int]], tokens: int, epoch: int, seed: int
    ) -> None:
        pairs = pairs_of([row[:2] for row in rows], [row[2] for row in rows])
        batches = epoch_batches(pairs, tokens, epoch, seed)
        shown = Counter(int(index) for batch in batches for index in batch)
        assert shown == {index: row[2] for index, row in enumerate(rows) if row[2]}

    @given(CORPORA, st.integers(1, 200))
    def test_a_batch_has_one_source_length_and_keeps_the_budget(
        self, rows: list[tuple[int, int, int]], tokens: int
    ) -> None:
        pairs = pairs_of([row[:2] for row in rows], [row[2] for row in rows])
        for indices in epoch_batches(pairs, tokens, 0, 0):
            batch = make_batch(pairs, indices)
            assert {rows[index][0] for index in indices} == {batch.source.shape[1] - 1}
            assert len(indices) == 1 or batch.labels.numel() <= tokens

    def test_a_long_epoch_keeps_the_budget_and_fills_it(self) -> None:
        choice = random.Random(0)
        lengths = [(choice.randint(1, 3), choice.randint(1, 20)) for _ in range(2000)]
        pairs = pairs_of(lengths, [1] * 2000)
        sizes = [make_batch(pairs, indices).labels.numel() for indices in epoch_batches(pairs, 90, 0, 0)]
        assert max(sizes) <= 90
        assert np.median(sizes) > 75

    def test_epoch_and_seed_give_the_batches(self) -> None:
        pairs = pairs_of([(1 + index % 3, 1 + index % 7) for index in range(60)], [2] * 60)

        def batches(epoch: int, seed: int) -> list[list[int]]:
            return [batch.tolist() for batch in epoch_batches(pairs, 40, epoch, seed)]

        assert batches(0, 1) == batches(0, 1)
        assert batches(0, 1) != batches(1, 1)
        assert batches(0, 1) != batches(0, 2)
        assert batches(1, 0) != batches(0, 1)

    def test_batches_of_one_length_are_spread_over_the_epoch(self) -> None:
        pairs = pairs_of([(1 + index // 50, 4) for index in range(200)], [1] * 200)
        lengths = [pairs.source.lengths[batch[0]] for batch in epoch_batches(pairs, 50, 0, 0)]
        assert lengths != sorted(lengths)

    def test_what_a_batch_holds(self) -> None:
        pairs = EncodedPairs(text_of([[7, 8], [9, 9], [5]]), text_of([[11], [12, 13, 14], [3]]), np.ones(3))
        batch = make_batch(pairs, np.array([1, 0]))
        assert batch.source.tolist() == [[9, 9, END], [7, 8, END]]
        assert batch.inputs.tolist() == [[BEGIN, 12, 13, 14], [BEGIN, 11, PAD, PAD]]
        assert batch.labels.tolist() == [[12, 13, 14, END], [11, END, PAD, PAD]]
        assert {part.dtype for part in (batch.source, batch.inputs, batch.labels)} == {torch.int64}

    def test_texts_are_encoded_in_blocks_as_they_are_one_by_one(self) -> None:
        texts = ["the cat", "", "le chat 🔥", "a"] * 3
        encoded = encode_texts(tokenizer(), texts, block=5)
        assert [encoded[index].tolist() for index in range(12)] == tokenizer().encode_batch(texts)
        assert encoded.lengths.tolist() == [len(ids) for ids in tokenizer().encode_batch(texts)]


class Chosen(random.Random):
    """Always chooses one kind of change."""

    def __init__(self, kind: int) -> None:
        super().__init__(0)
        self.kind = kind

    def randrange(self, *limits: Any) -> int:  # type: ignore[override]
        return self.kind


ON_THE_SOURCE = (5, 6)
"""The ways that change the source alone: capitals, and apostrophes left out."""


class TestVarying:
    @given(st.text(), st.sampled_from([kind for kind in range(len(WAYS)) if kind not in ON_THE_SOURCE]))
    @example("ΑΣ Σ.", 0)
    @example("İ.", 1)
    def test_both_sides_are_changed_alike(self, text: str, kind: int) -> None:
        source, target = vary((text, text), Chosen(kind))
        assert source == target

    @given(st.text(), st.text(), st.sampled_from(range(len(WAYS))))
    def test_no_letter_is_lost(self, source: str, target: str, kind: int) -> None:
        """Of a text that has no letters without a capital of their own, as "ß" has none."""
        assume(source.upper().lower() == source.lower())
        for before, after in zip((source, target), vary((source, target), Chosen(kind)), strict=True):
            want, got = ("".join(each.split()).casefold().replace("'", "") for each in (normalise(before), after))
            closed = kind in (3, 4, 6) and want and is_mark(want[-1])
            assert got.replace("'", "") == want or (closed and got == want[:-1]) or normalise(before).endswith("'")

    @pytest.mark.parametrize(
        ("kind", "varied"),
        [
            (0, ("the cat's, mr. x.", "le chat de l'ami.")),
            (1, ("The cat's , Mr . X .", "Le chat de l' ami .")),
            (2, ("the cat's , mr . x .", "le chat de l' ami .")),
            (3, ("The cat's, Mr. X", "Le chat de l'ami")),
            (4, ("the cat's, mr. x", "le chat de l'ami")),
            (5, ("THE CAT'S, MR. X.", "Le chat de l'ami.")),
            (6, ("the cats, mr. x", "le chat de l'ami")),
        ],
    )
    def test_as_people_also_type(self, kind: int, varied: tuple[str, str]) -> None:
        assert vary(("The cat's,  Mr. X.", "Le chat de l\u2019ami."), Chosen(kind)) == varied

    @pytest.mark.parametrize("pair", [("Yes!", "Oui."), ("yes", "oui"), ("Yes.", "oui"), ("x", "x")])
    def test_a_closing_mark_goes_from_both_sides_or_from_none(self, pair: tuple[str, str]) -> None:
        assert vary(pair, Chosen(3)) == pair


class TestRecipes:
    def test_it_is_read_as_it_stands(self, tmp_path: Path) -> None:
        path = tmp_path / "one.toml"
        path.write_text(
            'mechanism = "bahdanau"\npair = "en-fr"\nseed = 7\nnetwork = { d_encoder = 5 }\n'
            'files = [{ path = "a" }, { path = "b", repeat = 3, tokenizer_share = 0.5 }]\n'
        )
        files = (DataFile("a"), DataFile("b", 3, 0.5))
        assert read_recipe(path) == Recipe("bahdanau", "en-fr", files, {"d_encoder": 5}, seed=7)
        assert read_recipe(path).key == "bahdanau-en-fr"

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ('pair = "en-fr"\nfiles = []', "one.toml: mechanism missing"),
            ("seed = 1", "one.toml: files, mechanism, pair missing"),
            (
                'mechanism = "bahdanau"\npair = "en-fr"\nfiles = []\nlerning_rate = 1.0\nx = 1',
                "one.toml: lerning_rate, x not known; a recipe has average_decay, ",
            ),
            (
                'mechanism = "bahdanou"\npair = "en-fr"\nfiles = []',
                f"mechanism 'bahdanou' not known; there are {', '.join(KEYS)}",
            ),
            (
                'mechanism = "bahdanau"\npair = "en-fr"\nfiles = [{ path = "a", repeet = 3 }]',
                "one.toml: files: .* unexpected keyword argument 'repeet'",
            ),
            ('mechanism = "bahdanau"\npair = "en-fr"\nfiles = [{ repeat = 3 }]', "one.toml: files: .*missing.*'path'"),
        ],
    )
    def test_what_is_wrong_is_named(self, text: str, problem: str, tmp_path: Path) -> None:
        path = tmp_path / "one.toml"
        path.write_text(text)
        with pytest.raises(RecipeError, match=problem):
            read_recipe(path)

    @pytest.mark.parametrize("path", RECIPES, ids=lambda path: f"{path.parent.name}/{path.stem}")
    def test_a_shipped_recipe_builds_a_network_within_the_limits(self, path: Path) -> None:
        recipe = read_recipe(path)
        assert (recipe.mechanism, recipe.pair) == (path.stem, path.parent.name)
        built = mechanisms()[recipe.mechanism].build(vocabulary=recipe.vocabulary, **recipe.network)
        count = sum(parameter.numel() for parameter in built.parameters())
        mechanism = mechanisms()[recipe.mechanism]
        assert count <= (8_000_000 if mechanism.is_multi_head or mechanism.is_multi_step else 5_000_000)
        assert str(path.relative_to(ROOT)) in path.read_text(encoding="utf8").splitlines()[0]

    @pytest.mark.parametrize("path", RECIPES, ids=lambda path: f"{path.parent.name}/{path.stem}")
    def test_all_data_of_a_shipped_recipe_is_credited(self, path: Path) -> None:
        card = make_card(read_recipe(path), Progress(), 0)
        assert card["data"]
        assert all(each in CREDITS.values() for each in card["data"])

    def test_recipes_of_a_pair_share_their_data_and_vocabulary(self) -> None:
        for pair in {path.parent for path in RECIPES}:
            recipes = [read_recipe(path) for path in RECIPES if path.parent == pair]
            assert len({(frozenset(each.path for each in recipe.files), recipe.vocabulary) for recipe in recipes}) == 1
            taught = [recipe for recipe in recipes if any(each.teacher for each in recipe.files)]
            fixed = [recipe for recipe in taught if recipe.mechanism in ("rnn-encoder-decoder", "seq2seq")]
            attending = [recipe for recipe in taught if recipe not in fixed]
            for alike in (attending, fixed, [recipe for recipe in recipes if recipe not in taught]):
                assert len({recipe.files for recipe in alike}) <= 1
                # a model that went on from weights of its own has its text in another order
                went_on = [each for each in alike if describe(each.key).card.get("start", {}).get("key") == each.key]
                ranked = [each for each in alike if not mechanisms()[each.mechanism].is_small and each not in went_on]
                assert len({recipe.seed for recipe in ranked}) <= 1

    def test_no_model_is_its_own_teacher(self) -> None:
        for recipe in map(read_recipe, RECIPES):
            assert all(each.teacher in ("", *catalog()) and each.teacher != recipe.key for each in recipe.files)

    def test_every_mechanism_has_a_recipe(self) -> None:
        assert {path.stem for path in (*RECIPES, *TWINS)} >= set(KEYS)


class TestLearningRate:
    RECIPE = Recipe("bahdanau", "en-fr", (), learning_rate=2.0, warmup_steps=10, target_tokens=1000, decay_share=0.2)

    def test_it_rises_in_a_line(self) -> None:
        rates = [learning_rate(self.RECIPE, Progress(step=step)) for step in range(12)]
        assert rates[:10] == pytest.approx([0.2 * (step + 1) for step in range(10)])
        assert rates[10:] == [2.0, 2.0]

    def test_it_holds_and_falls_as_a_cosine_over_the_last_share(self) -> None:
        def rate(tokens: int) -> float:
            return learning_rate(self.RECIPE, Progress(step=100, tokens=tokens))

        assert [rate(tokens) for tokens in (0, 500, 800)] == [2.0, 2.0, 2.0]
        assert rate(850) == pytest.approx(1 + math.cos(math.pi / 4))
        assert rate(900) == pytest.approx(1.0)
        assert [rate(tokens) for tokens in (1000, 1500)] == [0.0, 0.0]
        rates = [rate(tokens) for tokens in range(800, 1001, 5)]
        assert rates == sorted(rates, reverse=True)


# Runs.

WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa".split()
VOCABULARY = 280


def write_lines(path: Path, lines: Sequence[Sequence[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(path, "wt", encoding="utf8") as file:
        file.writelines("\t".join(line) + "\n" for line in lines)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a corpus to copy, each text its own translation, with all files that evaluation reads."""
    folder = tmp_path_factory.mktemp("data")
    choice = random.Random(5)
    texts = [" ".join(choice.choices(WORDS, k=choice.randint(1, 5))) for _ in range(340)]
    pairs = [(text, text) for text in texts]
    write_lines(folder / "en-fr" / "tatoeba.train.tsv.xz", pairs[:200])
    write_lines(folder / "en-fr" / "europarl-short.train.tsv.xz", pairs[200:300])
    for name in ("tatoeba.dev", "tatoeba.test", "everyday.test", "europarl.test"):
        write_lines(folder / "en-fr" / f"{name}.tsv.xz", pairs[300:])
    gold = [
        (str(index), text, text, " ".join(f"{n}-{n}" for n in range(len(text.split()))))
        for index, text in enumerate(texts[300:306])
    ]
    for name in (evaluate.TRIAL["en-fr"], *evaluate.GOLD["en-fr"]):
        write_lines(folder / "gold" / f"{name}.tsv.xz", gold)
    return folder


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for the pair's tokenizer in place of ``models/weights``."""
    return tmp_path_factory.mktemp("weights")


@pytest.fixture
def tokenizers(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("training.trainer.TOKENIZERS", shared)
    return shared


def recipe_for(key: str, **changes: Any) -> Recipe:
    values: dict[str, Any] = {
        "network": {**SIZES.get(key, {}), "dropout": 0.1},
        "vocabulary": VOCABULARY,
        "tokens_per_batch": 600,
        "learning_rate": 0.02,
        "warmup_steps": 5,
        "target_tokens": 10**6,
        "files": (DataFile("en-fr/tatoeba.train.tsv.xz", repeat=2), DataFile("en-fr/europarl-short.train.tsv.xz")),
    }
    return Recipe(key, "en-fr", **(values | changes))


def advance(trainer: Trainer, updates: int) -> list[float]:
    batches = trainer.batches()
    return [trainer.update(next(batches)) for _ in range(updates)]


def everything(trainer: Trainer) -> dict[str, Tensor]:
    """Return all numbers that decide how a run goes on."""
    found = {f"model.{name}": values.clone() for name, values in trainer.network.state_dict().items()}
    found |= {f"average.{name}": values.clone() for name, values in trainer.average.items()}
    found |= {name: values.clone() for name, values in stored_state(trainer.optimizers).items()}
    return found | {"random": torch.get_rng_state()}


keys = pytest.mark.parametrize("key", KEYS)


@pytest.mark.usefixtures("tokenizers")
class TestRuns:
    @keys
    def test_the_loss_falls(self, key: str, data: Path, tmp_path: Path) -> None:
        trainer = Trainer(recipe_for(key, vary_share=0.0), data, tmp_path, "cpu")
        held_out = trainer.held_out_loss()
        losses = advance(trainer, 40)
        assert losses[0] == pytest.approx(math.log(VOCABULARY), rel=0.3)
        assert np.mean(losses[-5:]) < 0.6 * np.mean(losses[:3])
        assert trainer.held_out_loss() < 0.9 * held_out

    @pytest.mark.parametrize("optimizer", ["adam", "muon"])
    @pytest.mark.parametrize("key", ["bahdanau", "luong-general", "transformer"])
    def test_a_run_that_was_stopped_goes_on_bit_for_bit(
        self, key: str, optimizer: str, data: Path, tmp_path: Path
    ) -> None:
        """With dropout; stopped two batches before the end of an epoch, and on to three of the next."""
        files = (DataFile("en-fr/europarl-short.train.tsv.xz", repeat=2), DataFile("en-fr/everyday.test.tsv.xz"))
        recipe = recipe_for(key, optimizer=optimizer, files=files)  # an epoch of half as many batches
        whole = Trainer(recipe, data, tmp_path / "whole", "cpu")
        length = len(epoch_batches(whole.pairs, recipe.tokens_per_batch, 0, recipe.seed))
        losses = advance(whole, length + 3)
        assert (whole.progress.epoch, whole.progress.batch) == (1, 3)
        want = everything(whole)

        first = Trainer(recipe, data, tmp_path / "parts", "cpu")
        again = advance(first, length - 2)
        first.save()
        torch.manual_seed(99)
        second = Trainer(recipe, data, tmp_path / "parts", "cpu")
        second.resume()
        again += advance(second, 5)
        got = everything(second)
        assert again == losses
        assert asdict(second.progress) == asdict(whole.progress)
        assert got.keys() == want.keys()
        for name, values in want.items():
            assert torch.equal(got[name], values), name

    def test_without_a_save_resuming_begins(self, data: Path, tmp_path: Path) -> None:
        trainer = Trainer(recipe_for("bahdanau"), data, tmp_path, "cpu")
        trainer.resume()
        assert trainer.progress == Progress()

    def test_a_save_leaves_whole_files_that_know_how_far_they_are(self, data: Path, tmp_path: Path) -> None:
        trainer = Trainer(recipe_for("bahdanau"), data, tmp_path, "cpu")
        advance(trainer, 2)
        trainer.save()
        assert sorted(path.name for path in trainer.folder.iterdir()) == ["average.safetensors", "state.safetensors"]
        for name in ("state", "average"):
            assert read_progress(trainer.folder / f"{name}.safetensors") == trainer.progress
        assert trainer.progress.step == 2
        assert trainer.progress.tokens > 0

    def test_tokens_are_counted_without_padding(self, data: Path, tmp_path: Path) -> None:
        trainer = Trainer(recipe_for("bahdanau"), data, tmp_path, "cpu")
        batch = next(trainer.batches())
        trainer.update(batch)
        assert trainer.progress.tokens == int((batch.labels != PAD).sum())

    def test_the_average_follows_the_weights(self, data: Path, tmp_path: Path) -> None:
        trainer = Trainer(recipe_for("bahdanau", average_decay=0.5), data, tmp_path, "cpu")
        name = "output_bias"
        before = trainer.average[name].clone()
        advance(trainer, 1)
        share = 1 / 10  # while a run is young the average forgets faster: (1 + step) / (10 + step)
        want = share * before + (1 - share) * trainer.network.state_dict()[name]
        torch.testing.assert_close(trainer.average[name], want)

    def test_measuring_the_held_out_loss_changes_nothing(self, data: Path, tmp_path: Path) -> None:
        trainer = Trainer(recipe_for("luong-general"), data, tmp_path, "cpu")
        advance(trainer, 2)
        before = everything(trainer)
        first = trainer.held_out_loss()
        assert trainer.held_out_loss() == first
        assert trainer.network.training
        for name, values in everything(trainer).items():
            assert torch.equal(values, before[name]), name

    def test_weights_that_fit_can_be_taken_from_another_run(self, data: Path, tmp_path: Path) -> None:
        luong = Trainer(recipe_for("luong-general"), data, tmp_path, "cpu")
        advance(luong, 2)
        luong.save()
        bahdanau = Trainer(recipe_for("bahdanau"), data, tmp_path, "cpu")
        own = bahdanau.network.state_dict()["cell.weight_hh"].clone()
        bahdanau.start_from(luong.folder / "average.safetensors")
        state = bahdanau.network.state_dict()
        assert torch.equal(state["embedding.weight"], luong.average["embedding.weight"])
        assert torch.equal(bahdanau.average["embedding.weight"], luong.average["embedding.weight"])
        assert torch.equal(state["cell.weight_hh"], own)

    def test_the_tokens_of_a_sibling_count_and_its_name_is_kept(
        self, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """From a run, through a save and a resumption, to the card; and from there, as a shipped one, once more."""
        sibling = Trainer(recipe_for("luong-general"), data, tmp_path, "cpu")
        advance(sibling, 2)
        sibling.save()
        seen = sibling.progress.tokens
        first = Trainer(recipe_for("luong-local-m"), data, tmp_path, "cpu")
        first.start_from(sibling.folder / "average.safetensors")
        assert first.start == ProgressStart("luong-general-en-fr", seen)
        assert (first.progress.step, first.progress.tokens) == (0, seen)
        logged = json.loads((first.folder / "log.jsonl").read_text())
        assert logged["start"] == {"key": "luong-general-en-fr", "target_tokens": seen}
        assert logged["fresh"] == []  # local-m has the parameters of the general score and no other
        own = sum(int((batch.labels != PAD).sum()) for batch, _ in zip(first.batches(), range(1), strict=False))
        first.progress.batch = 0
        advance(first, 1)
        assert first.progress.tokens == seen + own
        first.save()
        first.log({"held_out_loss": 1.5})
        again = Trainer(recipe_for("luong-local-m"), data, tmp_path, "cpu")
        again.resume()
        assert (again.start, again.progress.tokens) == (first.start, seen + own)
        card = publish(recipe_for("luong-local-m"), tmp_path, tmp_path / "weights")
        assert card["start"] == {"key": "luong-general-en-fr", "target_tokens": seen}
        assert card["target_tokens_seen"] == seen + own
        shipped = tmp_path / "weights" / "luong-local-m-en-fr" / "model.safetensors"
        third = Trainer(recipe_for("luong-local-p"), data, tmp_path, "cpu")
        third.start_from(shipped)
        assert third.start == ProgressStart("luong-local-m-en-fr", seen + own)
        stored = third.network.state_dict()["general_weight"]
        assert torch.equal(stored, first.average["general_weight"].half().float())
        monkeypatch.setattr("training.publish.WEIGHTS", tmp_path / "weights")
        onward = Trainer(recipe_for("luong-local-m"), data, tmp_path / "onward", "cpu")
        onward.start_from(shipped)
        onward.save()
        onward.log({"held_out_loss": 1.25})
        gone_on = publish(recipe_for("luong-local-m"), tmp_path / "onward", tmp_path / "weights")
        assert gone_on["start"] == card["start"], "a run from a model's own weights began where those did"

    def test_a_run_from_random_weights_names_no_sibling(self, data: Path, tmp_path: Path) -> None:
        trainer = Trainer(recipe_for("bahdanau"), data, tmp_path, "cpu")
        trainer.save()
        assert read_start(trainer.folder / "state.safetensors") is None
        assert "start" not in make_card(recipe_for("bahdanau"), Progress(), 0)

    def test_weights_of_another_pair_or_of_another_shape_are_no_start(self, data: Path, tmp_path: Path) -> None:
        sibling = Trainer(recipe_for("luong-general"), data, tmp_path, "cpu")
        sibling.save()
        path = sibling.folder / "average.safetensors"
        other = sibling.folder.with_name("luong-general-zh-en")
        sibling.folder.rename(other)
        trainer = Trainer(recipe_for("luong-general"), data, tmp_path / "new", "cpu")
        with pytest.raises(RecipeError, match="luong-general-en-fr can start from the pair en-fr only"):
            trainer.start_from(other / path.name)
        other.rename(sibling.folder)
        sizes = {"d_model": 4, "heads": 1, "layers": 1, "d_feedforward": 3}
        transformer = Trainer(recipe_for("transformer", network=sizes), data, tmp_path / "new", "cpu")
        path.with_name("few.safetensors").write_bytes(path.read_bytes())
        save_file({"embedding.weight": torch.zeros(3, 3)}, path, {"progress": json.dumps(asdict(Progress(tokens=5)))})
        with pytest.raises(RecipeError, match="no tensor has a name and shape of transformer-en-fr"):
            transformer.start_from(path)
        assert (transformer.start, transformer.progress) == (None, Progress())

    def test_a_state_saved_before_there_was_a_start_resumes(self, data: Path, tmp_path: Path) -> None:
        trainer = Trainer(recipe_for("bahdanau"), data, tmp_path, "cpu")
        advance(trainer, 1)
        trainer.save()
        path = trainer.folder / "state.safetensors"
        progress = {"step": 1, "tokens": trainer.progress.tokens, "epoch": 0, "batch": 1, "seconds": 0.0}
        save_file(load_file(path), path, {"progress": json.dumps(progress)})
        again = Trainer(recipe_for("bahdanau"), data, tmp_path, "cpu")
        again.resume()
        assert again.progress == Progress(**progress)  # type: ignore[arg-type]
        assert again.start is None

    def test_a_run_stops_at_its_tokens_and_logs(self, data: Path, tmp_path: Path) -> None:
        trainer = Trainer(recipe_for("bahdanau", target_tokens=3000), data, tmp_path, "cpu")
        trainer.run(math.inf)
        assert 3000 <= trainer.progress.tokens < 3000 + 600
        records = [json.loads(line) for line in (trainer.folder / "log.jsonl").read_text().splitlines()]
        assert records[-1]["held_out_loss"] > 0
        assert records[-1]["tokens"] == trainer.progress.tokens
        assert read_progress(trainer.folder / "average.safetensors") == trainer.progress

    def test_a_run_stops_at_its_time_and_saves(self, data: Path, tmp_path: Path) -> None:
        trainer = Trainer(recipe_for("bahdanau"), data, tmp_path, "cpu")
        trainer.run(0)
        assert trainer.progress.step == 1
        assert (trainer.folder / "state.safetensors").is_file()

    @keys
    def test_a_published_run_loads_and_attends(self, key: str, data: Path, tmp_path: Path, tokenizers: Path) -> None:
        recipe = recipe_for(key)
        trainer = Trainer(recipe, data, tmp_path / "runs", "cpu")
        advance(trainer, 2)
        trainer.save()
        trainer.log({"loss": 2.0})
        trainer.log({"held_out_loss": 1.5})
        card = publish(recipe, tmp_path / "runs", tmp_path / "weights")
        folder = tmp_path / "weights" / recipe.key
        (folder / TOKENIZER_FILE).write_bytes((tokenizers / "en-fr" / TOKENIZER_FILE).read_bytes())
        model = load(folder)
        assert read_card(folder) == json.loads(json.dumps(card)) == model.card
        for name, values in trainer.average.items():
            assert torch.equal(model.network.state_dict()[name], values.half().float()), name
        trace = model.attend("alpha beta", "gamma")
        assert (PLACE in trace) == mechanisms()[key].has_attention
        assert trace.provenance.checkpoint == f"{key}-en-fr"
        logged = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
        assert [line["held_out_loss"] for line in logged] == [1.5]

    def test_the_card_of_a_run_says_what_it_saw(self, data: Path, tmp_path: Path) -> None:
        recipe = recipe_for("bahdanau", seed=3)
        trainer = Trainer(recipe, data, tmp_path, "cpu")
        advance(trainer, 2)
        trainer.save()
        trainer.log({"held_out_loss": 1.5})
        card = publish(recipe, tmp_path, tmp_path / "weights")
        mechanism = mechanisms()["bahdanau"]
        assert (card["paper"], card["equation"]) == (mechanism.paper, mechanism.equation)
        assert card["departures"] == list(mechanism.departures)
        assert [each["name"][:8] for each in card["data"]] == ["Europarl", "Tatoeba "]
        assert (card["target_tokens_seen"], card["updates"], card["seed"]) == (trainer.progress.tokens, 2, 3)
        assert card["parameters"] == sum(values.numel() for values in trainer.network.parameters())
        assert {"vocabulary": VOCABULARY, **recipe.network}.items() <= card["network"].items()
        assert card["network"] == mechanisms()[recipe.mechanism].sizes(**card["network"])
        assert card["recipe"]["files"][0] == asdict(recipe.files[0])


@pytest.mark.usefixtures("tokenizers")
class TestData:
    def test_a_tokenizer_is_learned_once_and_then_kept(self, data: Path, tmp_path: Path) -> None:
        path = tmp_path / "en-fr" / TOKENIZER_FILE
        learned = load_tokenizer(recipe_for("bahdanau"), data, path)
        assert len(learned) == VOCABULARY
        before = path.read_bytes()
        load_tokenizer(recipe_for("bahdanau", seed=9), data, path)
        assert path.read_bytes() == before

    @pytest.mark.parametrize("vocabulary", [VOCABULARY - 1, 5000])
    def test_a_tokenizer_of_another_size_than_the_recipe_says_is_refused(
        self, vocabulary: int, data: Path, tmp_path: Path
    ) -> None:
        path = tmp_path / TOKENIZER_FILE
        load_tokenizer(recipe_for("bahdanau"), data, path)
        with pytest.raises(RecipeError, match=f"has {VOCABULARY} pieces; the recipe's vocabulary is {vocabulary}"):
            load_tokenizer(recipe_for("bahdanau", vocabulary=vocabulary), data, path)

    def test_pairs_are_encoded_as_they_stand_and_repeated_by_file(
        self, data: Path, tmp_path: Path, tokenizers: Path
    ) -> None:
        recipe = recipe_for("bahdanau", vary_share=0.0)
        path = tokenizers / "en-fr" / TOKENIZER_FILE
        pieces = load_tokenizer(recipe, data, path)
        pairs = load_pairs(recipe, data, path, tmp_path / "cache")
        texts = [pair for file in recipe.files for pair in read_pairs(data / file.path)]
        assert len(texts) == 300
        assert pairs.repeats.tolist() == [1] * 500  # each of the two showings of 200 is a pair of its own
        for index, text in ((0, 0), (1, 0), (57, 28), (499, 299)):
            assert pairs.source[index].tolist() == pieces.encode_batch([texts[text][0]])[0]
            assert pairs.target[index].tolist() == pieces.encode_batch([texts[text][1]])[0]

    def test_a_share_of_the_pairs_is_varied_on_both_sides(self, data: Path, tmp_path: Path, tokenizers: Path) -> None:
        path = tokenizers / "en-fr" / TOKENIZER_FILE
        load_tokenizer(recipe_for("bahdanau"), data, path)
        for pair in read_pairs(data / "en-fr" / "tatoeba.train.tsv.xz"):
            assert pair[0] == pair[1]
        pieces = PairTokenizer.load(path)
        pairs = load_pairs(recipe_for("bahdanau", vary_share=1.0), data, path, tmp_path)
        shown = [
            tuple(pieces.decode(side[index].tolist()) for side in (pairs.source, pairs.target)) for index in range(300)
        ]
        assert all(source.casefold() == target.casefold() for source, target in shown)
        shouted = [target for source, target in shown if source != target]
        assert 0 < len(shouted) < 100
        assert not any(target.isupper() for target in shouted)

    def test_encoded_pairs_are_kept_for_recipes_alike_in_them_and_for_no_others(
        self, data: Path, tmp_path: Path, tokenizers: Path
    ) -> None:
        path = tokenizers / "en-fr" / TOKENIZER_FILE
        recipe = recipe_for("bahdanau")
        load_tokenizer(recipe, data, path)
        for each in (recipe, recipe_for("transformer", learning_rate=1.0), recipe):
            load_pairs(each, data, path, tmp_path)
        assert len(list(tmp_path.iterdir())) == 1
        for change in ({"seed": 2}, {"longest": 3}, {"vary_share": 0.5}, {"files": recipe.files[:1]}):
            load_pairs(replace(recipe, **change), data, path, tmp_path)  # type: ignore[arg-type]
        assert len(list(tmp_path.iterdir())) == 5

    def test_pairs_that_cannot_be_translations_are_left_out(self, tmp_path: Path, tokenizers: Path, data: Path) -> None:
        path = tokenizers / "en-fr" / TOKENIZER_FILE
        load_tokenizer(recipe_for("bahdanau"), data, path)
        lines = [("alpha", "beta"), ("", "beta"), ("alpha", ""), ("alpha", "x" * 30), ("x" * 40, "y" * 40)]
        write_lines(tmp_path / "odd.tsv.xz", lines)
        recipe = recipe_for("bahdanau", files=(DataFile("odd.tsv.xz", repeat=4),), vary_share=0.0, longest=35)
        assert load_pairs(recipe, tmp_path, path, tmp_path / "cache").repeats.tolist() == [1] * 4 + [0] * 16

    def test_a_line_is_a_pair_and_more_columns_are_left(self, tmp_path: Path) -> None:
        write_lines(tmp_path / "a.tsv.xz", [("one", "un"), ("two ", "deux", "credit")])
        assert list(read_pairs(tmp_path / "a.tsv.xz")) == [("one", "un"), ("two ", "deux")]


# Evaluation.


class TestBleu:
    LINES = (
        ("the cat", "le chat dort bien ici"),
        ("a dog", "un chien aboie dans la rue"),
        ("the cat", "la chatte dort bien ici ce soir"),
        ("the cat", "le chat dort ici"),
        ("a house", "une maison est dans la rue"),
    )
    OUTPUTS = ("la chatte dort bien ici", "un chien dort dans la rue", "une maison est ici")

    @pytest.fixture
    def file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        path = tmp_path / "test.tsv.xz"
        write_lines(path, self.LINES)
        answers = dict(zip(("the cat", "a dog", "a house"), self.OUTPUTS, strict=True))
        monkeypatch.setattr(evaluate, "translate", lambda _, sources: [answers[source] for source in sources])
        return path

    def test_distinct_sources_are_scored_over_all_their_references(self, file: Path) -> None:
        found = evaluate.bleu(translator("bahdanau"), file)
        references = [
            [self.LINES[0][1], self.LINES[1][1], self.LINES[4][1]],
            [self.LINES[2][1], None, None],
            [self.LINES[3][1], None, None],
        ]
        want = sacrebleu.corpus_bleu(list(self.OUTPUTS), references)  # type: ignore[arg-type]
        single = sacrebleu.corpus_bleu(list(self.OUTPUTS), references[:1])  # type: ignore[arg-type]
        assert found["bleu"] == round(want.score, 2)
        assert found["bleu_first_reference"] == round(single.score, 2)
        assert 0 < found["bleu_first_reference"] < found["bleu"] < 100
        assert (found["sources"], found["references"]) == (3, 5)
        assert found["signature"].startswith("nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|version:")

    def test_the_brevity_penalty_is_that_of_the_definition(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """One sentence, all n-grams right, four words for five: BLEU is exp(1 - 5/4)."""
        path = tmp_path / "test.tsv.xz"
        write_lines(path, [("x", "un deux trois quatre cinq")])
        monkeypatch.setattr(evaluate, "translate", lambda *_: ["un deux trois quatre"])
        assert evaluate.bleu(translator("bahdanau"), path)["bleu"] == round(100 * math.exp(-0.25), 2)

    @keys
    def test_batches_translate_as_attend_does_and_keep_the_order(
        self, key: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(evaluate, "BATCH", 2)
        sentence = "The old cat drinks the milk."
        model = fluent(key, sentence)
        sources = [sentence, "a", "the cat", "the dog", "a house", "", sentence, "The new cat drinks the milk."]
        outputs = evaluate.translate(model, sources)
        for source, output in zip(sources, outputs, strict=True):
            if source:
                assert output == model.attend(source, sites=()).output_text


def gold(source: str, target: str, sure: str = "", possible: str = "") -> GoldSentence:
    links = [
        frozenset((int(a), int(b)) for a, b in (each.split("-") for each in text.split())) for text in (sure, possible)
    ]
    return GoldSentence(tuple(source.split(" ")), tuple(target.split(" ")), links[0], links[0] | links[1])


LINKS = st.frozensets(st.tuples(st.integers(0, 4), st.integers(0, 4)))


class TestErrorRate:
    def test_a_gold_file_is_read(self, tmp_path: Path) -> None:
        path = tmp_path / "gold.tsv.xz"
        write_lines(path, [("1", "the cat", "le chat", "0-0 1-1 0?1"), ("2", "yes", "oui", "")])
        first, second = read_gold(path)
        assert (first.source, first.target) == (("the", "cat"), ("le", "chat"))
        assert first.sure == {(0, 0), (1, 1)}
        assert first.possible == {(0, 0), (1, 1), (0, 1)}
        assert second.sure == second.possible == frozenset()

    def test_a_rate_computed_by_hand(self) -> None:
        """A = {0-0, 2-1, 2-2}, S = {0-0, 1-1}, P = S and 2-2: 1 - (1 + 2) / (3 + 2) = 0.4; a perfect one: 1 - 7 / 9."""
        counts = ErrorRate()
        counts.add(frozenset({(0, 0), (2, 1), (2, 2)}), gold("a b c", "x y z", "0-0 1-1", "2-2"))
        assert counts.value == pytest.approx(0.4)
        counts.add(frozenset({(0, 0), (1, 1)}), gold("a b", "x y", "0-0 1-1"))
        assert counts.value == pytest.approx(1 - 7 / 9)

    @given(st.lists(st.tuples(LINKS, LINKS, LINKS), min_size=1, max_size=5))
    def test_it_is_the_formula_of_och_and_ney_over_all_sentences(self, sentences: list[tuple[Any, Any, Any]]) -> None:
        counts = ErrorRate()
        a_and_s = a_and_p = a = s = 0
        for links, sure, more in sentences:
            counts.add(links, GoldSentence(("x",), ("y",), sure, sure | more))
            a_and_s += sum(link in sure for link in links)
            a_and_p += sum(link in sure or link in more for link in links)
            a, s = a + len(links), s + len(sure)
        if a + s:
            assert counts.value == pytest.approx(1 - (a_and_s + a_and_p) / (a + s))
            assert -1e-12 <= counts.value <= 1

    def test_every_sure_link_and_no_other_than_possible_ones_is_no_error(self) -> None:
        counts = ErrorRate()
        counts.add(frozenset({(0, 0), (1, 1)}), gold("a b", "x y", "0-0", "1-1"))
        assert counts.value == 0

    def test_the_lowest_rate_is_chosen(self) -> None:
        rates: dict[Choice, float] = {
            ("decoder.0.cross", 0, "written"): 0.5,
            ("decoder.1.cross", "mean", "input"): 0.3,
            ("decoder.1.cross", 2, "input"): 0.4,
        }
        assert choose(rates) == ("decoder.1.cross", "mean", "input")
        assert choose(rates, "written") == ("decoder.0.cross", 0, "written")
        rates["decoder.0.cross", 1, "written"] = 0.309  # as good, and easier to read
        assert choose(rates) == ("decoder.0.cross", 1, "written")
        rates["decoder.2.cross", 7, "written"] = 0.1
        assert choose(rates) == ("decoder.2.cross", 7, "written")


class TestHeadsTogether:
    """Of three words to three, head 0 knows the first two, head 1 the last, head 2 nothing; gold is the diagonal."""

    GOLD = gold("a b c", "x y z", "0-0 1-1 2-2")

    def sentences(self, *maps: NDArray[Any]) -> list[AlignedSentence]:
        named: dict[Choice, NDArray[Any]] = {
            ("decoder.0.cross", head, "written"): each for head, each in enumerate(maps)
        }
        named["decoder.0.cross", "mean", "written"] = np.eye(3)
        return [AlignedSentence(self.GOLD, named)]

    def test_a_head_joins_as_long_as_the_rate_falls(self) -> None:
        first = np.array([[0.9, 0.1, 0], [0.1, 0.9, 0], [0.4, 0.3, 0.3]])
        last = np.array([[0.5, 0.2, 0.3], [0.2, 0.5, 0.3], [0, 0, 1.0]])
        astray = np.array([[0.1, 0.1, 0.8], [0.8, 0.1, 0.1], [0.1, 0.8, 0.1]])
        found = choose_heads(self.sentences(first, astray, last), strongest_sources)
        assert [head for _, head, _ in found] == [2]  # all three right: nobody else is needed, and the mean is no head
        weaker = np.array([[0.3, 0.4, 0.3], [0.3, 0.4, 0.3], [0.0, 0.0, 1.0]])
        several = self.sentences(astray, weaker, first)
        found = choose_heads(several, strongest_sources)
        assert [head for _, head, _ in found] == [1, 2]
        assert error_rate(several, found, strongest_sources) == 0

    def test_never_more_heads_than_allowed_and_every_one_lowers_the_rate(self) -> None:
        rows = np.random.default_rng(5).dirichlet(np.full(3, 0.4), size=(9, 3))
        several = self.sentences(*rows)
        for most in (1, 2, 3):
            found = choose_heads(several, grown_links, most)
            rates = [error_rate(several, found[:count], grown_links) for count in range(1, len(found) + 1)]
            assert 1 <= len(found) <= most
            assert rates == sorted(rates, reverse=True)
            assert len(set(rates)) == len(rates)
            assert rates[0] == min(
                error_rate(several, [each], grown_links) for each in several[0].maps if each[1] != "mean"
            )


class TestGoldIndices:
    @pytest.mark.parametrize(
        ("tokens", "owners"),
        [
            ("the cat .", [0, 1, 2]),
            ("l'accord de l' Europe", [0, 0, 1, 2, 2, 3]),  # "l'" alone is a letter and a mark
            ("aujourd'hui , don't", [0, 1, 2]),
            ("1992-1993 U.S. ...", [0, 0, 0, 1, 1, 1, 1, 2, 2, 2]),
            ("我爱 自然语言 。", [0, 0, 1, 1, 1, 1, 2]),
            ("l\u2019eau e\u0301te\u0301", [0, 0, 1]),
        ],
    )
    def test_words_belong_to_the_gold_token_that_holds_them(self, tokens: str, owners: list[int]) -> None:
        sequence = tokenizer().source(tokens)
        found = gold_indices(sequence, tuple(tokens.split(" ")))
        of_words = {word: int(owner) for word, owner in zip(sequence.words, found, strict=False)}
        assert [of_words[word] for word in range(len(owners))] == owners
        assert len(found) == len(sequence) - 1

    @given(st.lists(st.text().filter(lambda text: normalise(text) and " " not in normalise(text)), min_size=1))
    def test_every_gold_token_has_its_pieces_in_order(self, texts: list[str]) -> None:
        found = gold_indices(tokenizer().source(" ".join(texts)), tuple(texts))
        assert found.tolist() == sorted(found)
        assert set(found.tolist()) == set(range(len(texts)))
        pieces = tokenizer().source(" ".join(texts)).ids[:-1]
        for index, text in enumerate(texts):
            own = [token for token, owner in zip(pieces, found, strict=True) if owner == index]
            assert tokenizer().decode(own) == normalise(text)

    def test_another_text_than_the_gold_tokens_is_an_error(self) -> None:
        with pytest.raises(ValueError, match="word 'dog' does not begin what is left of gold token 1: 'cat'"):
            gold_indices(tokenizer().source("the dog"), ("the", "cat"))


def hand_built(weights: NDArray[Any], source: str, target: str) -> AttentionTrace:
    """Return a trace with `weights` as its cross map, of the pieces of two texts."""
    read, written = tokenizer().source(source), tokenizer().source(target)
    cross = AttentionMap(Site("decoder", 0, "cross"), weights.astype(np.float32), written, read)
    return AttentionTrace(
        read,
        written,
        tokenizer().target_input(written),
        (cross,),
        tuple(Step(text, token, 0.0) for text, token in zip(written.texts, written.ids, strict=True)),
        source,
        target,
        Provenance("x", "X", 2015, "", "", "x-en-fr", "", (), "forced"),
    )


class TestWordMap:
    """The cat (source piece 1) drinks (2 and 3); boit (target pieces 0 and 1) le (2); columns end with ``</s>``."""

    SENTENCE = gold("the cat drinks", "boit le")
    ROWS = np.array(
        [
            [0.30, 0.10, 0.20, 0.20, 0.20],  # writes " bo": "the" is the best piece, "drinks" the best word
            [0.10, 0.45, 0.20, 0.20, 0.05],  # writes "it" after " bo"
            [0.15, 0.20, 0.00, 0.00, 0.65],  # writes " le" after "it": </s> is no word
            [0.40, 0.10, 0.10, 0.10, 0.30],  # writes </s> after " le"
        ]
    )

    def links(self, reading: Any, rows: NDArray[Any] | None = None) -> list[frozenset[tuple[int, int]]]:
        trace = hand_built(self.ROWS[None] if rows is None else rows, "the cat drinks", "boit le")
        assert trace.source.texts == (" the", " cat", " drink", "s", "</s>")
        assert trace.target.texts == (" bo", "it", " le", "</s>")
        return [strongest_sources(each) for each in word_map(trace.read(PLACE, reading), trace, self.SENTENCE)]

    def test_written_a_word_has_the_rows_of_the_steps_that_write_it(self) -> None:
        """Boit: mean of rows 0 and 1, the .2, cat .275, drinks .4. Le: row 2, the .15, cat .2, drinks 0."""
        assert self.links("written")[0] == {(2, 0), (1, 1)}

    def test_input_a_word_has_the_rows_of_the_steps_that_have_read_it_in(self) -> None:
        """Boit: mean of rows 1 and 2, the .125, cat .325, drinks .2. Le: row 3, the .4, cat .1, drinks .2."""
        assert self.links("input")[0] == {(1, 0), (0, 1)}

    def test_each_head_has_a_map(self) -> None:
        other = np.tile([0.05, 0.9, 0.05, 0, 0], (4, 1))
        assert self.links("written", np.stack([self.ROWS, other])) == [{(2, 0), (1, 1)}, {(1, 0), (1, 1)}]

    @pytest.mark.parametrize("key", ATTENTIVE)
    def test_a_model_is_rated_by_every_cross_map_head_and_reading(self, key: str) -> None:
        model = translator(key)
        sentences = [gold("the old cat", "le vieux chat", "0-0 1-1 2-2"), gold("yes .", "oui .", "0-0", "1-1")]
        found = aligned(model, sentences)
        rates = error_rates(found)
        trace = model.attend("the cat", "le chat")
        want = {
            (str(each.site), head, reading)
            for each in trace
            if each.site.kind == "cross"
            for head in (*range(len(each.head_names)), "mean")
            for reading in ("written", "input")
        }
        assert set(rates) == want
        each_way = {strongest_sources: ErrorRate(), grown_links: ErrorRate()}
        for sentence, own in zip(sentences, found, strict=True):
            trace = model.attend(" ".join(sentence.source), " ".join(sentence.target))
            assert trace.provenance.decoding == "forced"
            heads = word_map(trace[PLACE], trace, sentence)
            np.testing.assert_array_equal(own.maps[PLACE, 0, "written"], heads[0])
            np.testing.assert_allclose(own.maps[PLACE, "mean", "written"], heads.mean(axis=0), rtol=1e-6, atol=1e-7)
            for extractor, counts in each_way.items():
                counts.add(extractor(heads[0]), sentence)
        assert rates[PLACE, 0, "written"] == each_way[strongest_sources].value
        assert error_rates(found, grown_links)[PLACE, 0, "written"] == each_way[grown_links].value


class TestCommands:
    def test_training_publishing_and_measuring_by_command(
        self,
        data: Path,
        tmp_path: Path,
        tokenizers: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        threads = torch.get_num_threads()
        recipe_file = tmp_path / "recipe.toml"
        recipe = recipe_for("luong-general")
        sizes = ", ".join(f"{name} = {value}" for name, value in recipe.network.items())
        files = ", ".join(f'{{ path = "{file.path}" }}' for file in recipe.files)
        recipe_file.write_text(
            f'mechanism = "luong-general"\npair = "en-fr"\nfiles = [{files}]\nnetwork = {{ {sizes} }}\n'
            f"vocabulary = {VOCABULARY}\ntokens_per_batch = 600\ntarget_tokens = 1500\nwarmup_steps = 2\n"
        )
        runs = tmp_path / "runs"
        monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "1")
        command = [str(recipe_file), "--data", str(data), "--out", str(runs), "--device", "cpu"]
        try:
            assert exit_code(train.main, *command, "--threads", "1", "--minutes", "0") == 0
            assert read_progress(runs / recipe.key / "state.safetensors").step == 1
            assert exit_code(train.main, *command, "--threads", "1", "--resume") == 0
            assert read_progress(runs / recipe.key / "state.safetensors").tokens >= 1500

            weights = tmp_path / "weights"
            assert exit_code(publishing.main, str(recipe_file), f"--out={runs}", f"--weights={weights}") == 0
            folder = weights / recipe.key
            (folder / TOKENIZER_FILE).write_bytes((tokenizers / "en-fr" / TOKENIZER_FILE).read_bytes())
            before = read_card(folder)
            assert exit_code(evaluate.main, str(folder), "--data", str(data)) == 0
            assert read_card(folder) == before  # nothing is written unless it is asked for
            capsys.readouterr()
            assert exit_code(evaluate.main, str(folder), "--data", str(data), "--write") == 0
        finally:
            torch.set_num_threads(threads)
        card = read_card(folder)
        figures = json.loads(capsys.readouterr().out)
        assert card == before | figures
        assert card["examples_in_training"] == dict.fromkeys(EXAMPLES["en-fr"].values(), False)
        assert set(card["bleu"]) == {"tatoeba.test", "everyday.test", "europarl.test"}
        assert set(card["aer"]) == set(card["aer_grown"]) == {evaluate.TRIAL["en-fr"], *evaluate.GOLD["en-fr"]}
        assert "aer_heads" not in card  # it has one head
        assert card["alignment"]["chosen_on"] == evaluate.TRIAL["en-fr"]
        assert card["aer"][evaluate.TRIAL["en-fr"]] == min(card["alignment"]["trial_aer"].values())
        assert load(folder).attend("alpha").provenance.alignment.reading == card["alignment"]["reading"]

    @pytest.mark.parametrize("pair", evaluate.TRIAL)
    def test_the_choice_is_made_on_the_trial_set_and_only_reported_on_the_others(
        self, pair: str, data: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Head 0 is right on the trial set, head 1 on every other."""
        sentence = gold("a b", "x y", "0-0 1-1")

        def gold_sentences(_model: object, name: str, _data: Path) -> list[AlignedSentence]:
            right, wrong = np.eye(2), np.eye(2)[::-1]
            maps = (right, wrong) if name == evaluate.TRIAL[pair] else (wrong, right)
            named: dict[Choice, NDArray[Any]] = {(PLACE, head, "written"): each for head, each in enumerate(maps)}
            return [AlignedSentence(sentence, named)]

        model = translator("transformer")
        monkeypatch.setattr(model, "entry", replace(model.entry, pair=pair))
        monkeypatch.setattr(evaluate, "gold_sentences", gold_sentences)
        figures = evaluate.evaluate(model, data, ["alignment"])
        choice = {"site": PLACE, "head": 0, "reading": "written"}
        assert {name: figures["alignment"][name] for name in choice} == choice
        assert figures["alignment"]["heads"] == [choice]
        assert figures["alignment"]["chosen_on"] == evaluate.TRIAL[pair]
        expected = {evaluate.TRIAL[pair]: 0.0} | dict.fromkeys(evaluate.GOLD[pair], 1.0)
        assert figures["aer"] == figures["aer_grown"] == figures["aer_heads"] == expected
        ends = {name: [rate, rate] for name, rate in expected.items()}
        assert figures["aer_interval"] == dict.fromkeys(("aer", "aer_grown", "aer_heads"), ends)
        assert set(figures) == {"alignment", "aer", "aer_grown", "aer_heads", "aer_interval"}

    @pytest.mark.parametrize("key", sorted(set(KEYS) - set(ATTENTIVE)))
    def test_without_a_map_bleu_is_measured_and_no_alignment(
        self, key: str, data: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(evaluate, "translate", lambda _, sources: sources)
        figures = evaluate.evaluate(translator(key), data)
        assert set(figures) == {"bleu", "examples_in_training"}
        assert figures["bleu"]["tatoeba.test"]["bleu"] == 100  # a corpus to copy

        card = {"parameters": 10, "target_tokens_seen": 10, **figures}
        monkeypatch.setattr(report, "catalog", lambda: (f"{key}-en-fr",))
        monkeypatch.setattr(report, "describe", lambda _: translator(key, **card).entry)
        translations, alignments = tables().split("\n\n")
        cells = [cell.strip() for cell in translations.splitlines()[-1].strip("|").split("|")]
        assert [cell.partition(" ")[0] for cell in cells[4:]] == ["100.0"] * 3
        assert f"{key}-en-fr" in translations
        assert f"{key}-en-fr" not in alignments

    def test_the_command_explains_itself(self) -> None:
        command = [sys.executable, "-m", "training.train", "--help"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        assert "--resume" in done.stdout
        assert "RECIPE" in done.stdout

    def test_the_command_starts_again_with_the_allocator_settings_and_only_once(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        calls: list[Any] = []
        monkeypatch.setattr(os, "execve", lambda *call: calls.append(call))
        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.setattr(sys, "orig_argv", ["python", "-m", "training.train", "a.toml", "--data", "d"])
        monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
        train._restart_with_allocator_settings()
        program, command, environment = calls[0]
        assert program == sys.executable
        assert command[1:] == ["-m", "training.train", "a.toml", "--data", "d"]
        assert environment["MALLOC_TRIM_THRESHOLD_"] == environment["MALLOC_MMAP_THRESHOLD_"] == str(8 << 30)
        monkeypatch.setattr(os, "environ", environment)
        train._restart_with_allocator_settings()
        assert len(calls) == 1


def test_words_of_training_are_those_of_the_page() -> None:
    """Varied text is cut by the very function that cuts what a visitor types."""
    assert vary(("L'accord, oui.", "x"), Chosen(1))[0].split(" ") == [
        word.strip() for word in split_words("L'accord, oui.")
    ]


class TestExamplesInTraining:
    CARD: ClassVar[dict[str, Any]] = {
        "pair": "zh-en",
        "recipe": {"files": [{"path": "one.tsv.xz"}, {"path": "two.tsv.xz"}]},
    }

    def test_each_is_looked_for_among_the_sources_of_every_file(self, tmp_path: Path) -> None:
        wish, measure_word, tense, question, contrast = EXAMPLES["zh-en"].values()
        write_lines(tmp_path / "one.tsv.xz", [(measure_word.rstrip("。"), "I ate an apple."), ("x", wish)])
        write_lines(tmp_path / "two.tsv.xz", [(f"{question} ", "How are you?"), (f"我说{tense}", "no")])
        found = evaluate.known_examples("zh-en", training_sources([self.CARD], tmp_path))
        assert found == {wish: False, measure_word: True, tense: False, question: True, contrast: False}

    def test_capitals_and_closing_marks_do_not_count_words_do(self) -> None:
        seen = frozenset(map(bare, ["how ARE you", "I am here, and you?"]))
        pairs = [("How  are you ?", "1"), ("I am here", "2"), ("How are you, then?", "3")]
        assert unseen(pairs, seen) == pairs[1:]

    def test_a_card_that_names_no_files_says_nothing(self, tmp_path: Path) -> None:
        seen = training_sources([{}], tmp_path)
        assert evaluate.known_examples("zh-en", seen) == {}

    def test_bleu_leaves_out_what_was_trained_on(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        test, asked = tmp_path / "a.test.tsv.xz", []
        write_lines(tmp_path / "one.tsv.xz", [("the dog sleeps", "x")])
        write_lines(tmp_path / "two.tsv.xz", [("no", "x")])
        write_lines(test, [("The dog sleeps.", "a b c d"), ("A cat.", "le chat dort bien"), ("A cat.", "un chat")])

        def translate(_model: object, sources: list[str]) -> list[str]:
            asked.extend(sources)
            return ["le chat dort bien"] * len(sources)

        monkeypatch.setattr(evaluate, "translate", translate)
        found = evaluate.bleu(translator("bahdanau"), test, training_sources([self.CARD], tmp_path))
        assert asked == ["A cat."]
        assert (found["sources"], found["sources_left_out"], found["references"]) == (1, 1, 2)
        assert found["bleu"] == pytest.approx(100)


def test_each_pair_has_tables_with_its_own_test_sets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The figures of a card stand under the names of their sets, whatever the order of either."""
    heads = [{**CHOICE, "head": 4}, {**CHOICE, "head": 1, "reading": "input"}]
    cards: dict[str, dict[str, Any]] = {
        "bahdanau-en-fr": {"aer": {"alibi_en-fr": 0.53, "hansards_en-fr.odd": 0.43}},
        "bahdanau-zh-en": {
            "aer": {"tsinghua_zh-en.odd": 0.71},
            "aer_grown": {"tsinghua_zh-en.odd": 0.62},
            "aer_interval": {"aer_grown": {"tsinghua_zh-en.odd": [0.6, 0.65]}},
            "aer_heads": {"tsinghua_zh-en.odd": 0.5},
            "alignment": {**CHOICE, "head": "mean", "heads": heads},
        },
    }
    entries = {
        key: replace(translator("bahdanau", parameters=10, target_tokens_seen=10, **card).entry, key=key, pair=key[-5:])
        for key, card in cards.items()
    }
    monkeypatch.setattr(report, "catalog", lambda: tuple(entries))
    monkeypatch.setattr(report, "describe", entries.__getitem__)
    monkeypatch.setattr(report, "KEPT", tmp_path)
    measured = {"aer": {"alibi_en-fr": 0.082}, "interval": {"alibi_en-fr": [0.08, 0.084]}}
    (tmp_path / "en-fr").mkdir()
    (tmp_path / "en-fr" / report.FIGURES).write_text(json.dumps(measured), encoding="utf8")
    found = []
    for drawn in tables().split("\n\n"):
        names, _rule, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in drawn.splitlines())
        found.append([dict(zip(names, row, strict=True)) for row in rows])
    (french,), (aligner, aligned_french), (english,), aligned_english = found
    assert (aligner["model"], aligner["AER alibi"]) == ("eflomal, an aligner", "0.082 ± 0.002")
    assert (french["model"], french["BLEU everyday.test"]) == ("`bahdanau-en-fr`", UNKNOWN)
    assert english["BLEU 3am.test"] == UNKNOWN
    assert (aligned_french["AER hansards odd"], aligned_french["AER alibi"]) == ("0.430", "0.530")
    assert (aligned_french["links"], aligned_french["AER everyday"]) == ("strongest", UNKNOWN)
    assert aligned_french["read off"] == "not chosen"
    assert [(each["links"], each["AER tsinghua odd (news)"], each["read off"]) for each in aligned_english] == [
        ("strongest", "0.710", "decoder.0.cross, mean of heads, written"),
        ("grown", "0.620 ± 0.025", "decoder.0.cross, mean of heads, written"),
        ("grown", "0.500", "the mean of layer.head 0.4 written, 0.1 input"),
    ]
