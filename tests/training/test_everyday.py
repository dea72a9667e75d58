"""What people type, in training: text shown a part of the time, whole characters, Muon, typed sentences."""

from __future__ import annotations

import json
import lzma
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import nn

from models.mechanisms import mechanisms
from models.trace.marks import byte_characters
from models.translation.checkpoints import TOKENIZER_FILE, WEIGHTS, CheckpointError, file_hash, find_tokenizer
from models.translation.examples import EXAMPLES
from models.translation.tokenizer import SPECIAL_TOKENS, PairTokenizer
from models.translation.words import normalise
from models.vocabulary import BEGIN, END, PAD
from tests.support.commands import exit_code
from tests.support.small_models import KEYS, SIZES, tokenizer, translator
from training import choose, typed
from training.batches import make_batch, shown_in
from training.characters import OFTEN, learn, with_pieces
from training.data import KEPT, load_pairs, locate, read_pairs
from training.optimizers import build_optimizers, hidden_matrices
from training.pieces import in_pieces, rows_for
from training.progress import Progress, kept_points, learning_rate
from training.recipes import DataFile, Recipe, RecipeError, read_recipe
from training.trainer import Trainer
from training.typed import Typed, TypedOutcome, read_typed, share
from training.unseen import bare

PAIRS = ("en-fr", "zh-en")
TEXTS = ["我爱你，你好吗？", "the cat sat on the mat", "L'été, ici.", "鱻 a 鱻"]
WORDS = "alpha beta gamma delta epsilon zeta".split()


SMALL = learn(TEXTS * OFTEN, 290)


def write_lines(path: Path, lines: Sequence[tuple[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(path, "wt", encoding="utf8") as file:
        file.writelines("\t".join(line) + "\n" for line in lines)


class TestCharacters:
    """`learn` gives a piece to what is common, and begins no Chinese text with a space."""

    def test_every_character_that_is_there_often_is_a_piece(self) -> None:
        assert len(SMALL) == 290
        for character in set("".join(TEXTS)) - {" "}:
            assert len(SMALL.parts("".join(byte_characters(character)))) == 1, character

    def test_a_chinese_text_begins_with_its_first_character(self) -> None:
        assert SMALL.source("我爱你").texts == ("我", "爱", "你", "</s>")
        assert SMALL.source("the cat").texts[0].startswith(" ")
        old = PairTokenizer.train(TEXTS * OFTEN, 330)
        assert old.source("我爱你").texts[0] != "我"

    @given(st.text(alphabet=st.sampled_from("我爱 the\u00e9鱻🔥'.,\u3002")))
    def test_what_is_decoded_is_what_was_encoded(self, text: str) -> None:
        for each in (SMALL, PairTokenizer.train(TEXTS, 300)):
            assert each.decode(each.encode_batch([text])[0]) == normalise(text)

    def test_the_file_says_that_there_is_no_space(self, tmp_path: Path) -> None:
        SMALL.save(tmp_path / "own.json")
        again = PairTokenizer.load(tmp_path / "own.json")
        assert not again.leading_space
        assert again.encode_batch(TEXTS) == SMALL.encode_batch(TEXTS)

    def test_other_text_keeps_its_pieces(self) -> None:
        """Merges that are added come last: as long as no merge had to go, nothing else is read in another way."""
        plain = PairTokenizer.train(TEXTS, 300)
        more = with_pieces(plain, ["é", "鱻", "龍"], len(plain) + 8)
        for text in ("the cat sat", "爱你", "mat, mat"):
            assert [plain.piece(token) for token in plain.encode_batch([text])[0]] == [
                more.piece(token) for token in more.encode_batch([text])[0]
            ]
        assert len(more.parts("".join(byte_characters("龍")))) == 1

    def test_an_old_file_is_read_as_the_library_reads_it(self) -> None:
        path = WEIGHTS / "en-fr" / TOKENIZER_FILE
        loaded, raw = PairTokenizer.load(path), Tokenizer.from_file(str(path))
        assert loaded.leading_space
        assert [loaded.token(index) for index in range(len(loaded))] == [
            raw.id_to_token(index) for index in range(raw.get_vocab_size())
        ]
        assert loaded.source("我 the").texts[0][0] in " \\"

    @pytest.mark.parametrize("pair", PAIRS)
    def test_every_character_of_the_phrases_is_a_piece_of_the_shipped_tokenizer(self, pair: str) -> None:
        shipped = PairTokenizer.load(WEIGHTS / pair / "everyday.json")
        assert not shipped.leading_space
        held = "".join(text for both in read_pairs(KEPT / pair / "phrases.tsv") for text in both)
        for character in set(normalise(held)) - {" "}:
            assert len(shipped.parts("".join(byte_characters(character)))) == 1, character


class TestShowing:
    @given(st.lists(st.floats(0, 3), min_size=1, max_size=20), st.integers(0, 5))
    def test_over_the_epochs_each_pair_is_shown_as_often_as_it_should(self, repeats: list[float], seed: int) -> None:
        shown = np.array([shown_in(np.array(repeats), epoch, seed) for epoch in range(40)])
        assert (abs(shown.sum(axis=0) - 40 * np.array(repeats)) <= 1).all()
        assert (abs(shown - np.array(repeats)) < 1 + 1e-9).all()

    def test_whole_numbers_are_the_same_in_every_epoch(self) -> None:
        for epoch in (0, 1, 7, 1000):
            assert shown_in(np.array([0.0, 1, 2, 3] * 50), epoch, 4).tolist() == [0, 1, 2, 3] * 50

    def test_a_half_shows_one_half_and_then_the_other(self) -> None:
        first, second = (shown_in(np.full(1000, 0.5), epoch, 1) for epoch in (0, 1))
        assert (first + second == 1).all()
        assert 430 < first.sum() < 570
        assert first.tolist() == shown_in(np.full(1000, 0.5), 2, 1).tolist()
        assert first.tolist() != shown_in(np.full(1000, 0.5), 0, 2).tolist()


def recipe_for(**changes: object) -> Recipe:
    own = Recipe(
        "transformer",
        "en-fr",
        (DataFile("en-fr/lines.tsv.xz"),),
        network={**SIZES["transformer"], "dropout": 0.0},
        vocabulary=272,
        tokens_per_batch=50,
        warmup_steps=2,
        target_tokens=4000,
    )
    return replace(own, **changes)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    choice = random.Random(3)
    texts = [" ".join(choice.choices(WORDS, k=choice.randint(1, 4))) for _ in range(120)]
    write_lines(folder / "en-fr" / "lines.tsv.xz", [(text, text) for text in texts[:100]])
    write_lines(folder / "en-fr" / "lines.dev.tsv.xz", [(text, text) for text in texts[100:]])
    return folder


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("training.trainer.TOKENIZERS", tmp_path / "weights")
    return tmp_path / "weights"


class TestFiles:
    def test_what_is_written_by_hand_is_found_beside_the_recipes(self, tmp_path: Path) -> None:
        assert locate("en-fr/phrases.tsv", tmp_path) == KEPT / "en-fr" / "phrases.tsv"
        assert locate("en-fr/tatoeba.train.tsv.xz", tmp_path) == tmp_path / "en-fr" / "tatoeba.train.tsv.xz"

    def test_only_lines_that_contain_what_the_recipe_says(self, data: Path, tmp_path: Path, shared: Path) -> None:
        Trainer(recipe_for(), data, tmp_path / "runs", "cpu")
        file = DataFile("en-fr/lines.tsv.xz", repeat=1.5, containing="alpha")
        recipe = recipe_for(files=(file,), vary_share=0.0)
        pairs = load_pairs(recipe, data, shared / "en-fr" / TOKENIZER_FILE, tmp_path)
        lines = [line for line in read_pairs(data / file.path) if "alpha" in line[0]]
        assert 0 < len(lines) < 100
        assert pairs.repeats.tolist() == [0.75] * (2 * len(lines))

    @pytest.mark.parametrize("path", sorted(KEPT.glob("*/phrases*.tsv")), ids=lambda path: path.stem)
    def test_a_phrase_and_its_translation_on_each_line(self, path: Path) -> None:
        lines = path.read_text(encoding="utf8").splitlines()
        assert len(lines) >= 300
        assert len(set(lines)) == len(lines)
        for line in lines:
            assert [text == normalise(text) != "" for text in line.split("\t")] == [True, True], line

    @pytest.mark.parametrize("pair", PAIRS)
    def test_no_sentence_that_is_measured_or_shown_as_an_example_is_written_by_hand(self, pair: str) -> None:
        lines = read_typed(KEPT / pair / "typed-dev.tsv")
        measured = {bare(each.sentence) for each in lines} | {*map(bare, EXAMPLES[pair].values())}
        held = {bare(source) for source, _ in read_pairs(KEPT / pair / "phrases-sentences.tsv")}
        assert len(held) > 5_000
        assert not measured & held

    def test_an_unknown_optimizer_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "one.toml"
        path.write_text('mechanism = "bahdanau"\npair = "en-fr"\nfiles = []\noptimizer = "sgd"')
        with pytest.raises(RecipeError, match="optimizer 'sgd' not known; there are adam, muon"):
            read_recipe(path)


class TestOptimizers:
    @pytest.mark.parametrize("key", KEYS)
    def test_each_parameter_has_one_and_the_tables_have_adam(self, key: str) -> None:
        network = mechanisms()[key].build(vocabulary=30, **SIZES.get(key, {}))
        built = build_optimizers(network, recipe_for(optimizer="muon"))
        held = {name: [p for group in each.param_groups for p in group["params"]] for name, each in built.items()}
        every = [id(parameter) for each in held.values() for parameter in each]
        assert sorted(every) == sorted(map(id, network.parameters()))
        assert id(network.embedding.weight) in map(id, held["adam"])
        matrices = [parameter for name, each in held.items() if name != "adam" for parameter in each]
        assert {id(each) for each in matrices} == {id(each) for each in hidden_matrices(network)}
        assert all(each.ndim == 2 for each in matrices)
        assert len(matrices) >= 2
        assert list(build_optimizers(network, recipe_for())) == ["adam"]

    def test_a_step_of_muon_takes_all_directions_alike(self) -> None:
        """Singular values of 0.2 rate times the root of the longer side: the size of Adam's steps (Liu et al. 2025)."""
        layer = nn.Linear(40, 20)
        before = layer.weight.detach().clone()
        for optimizer in build_optimizers(layer, recipe_for(optimizer="muon")).values():
            for group in optimizer.param_groups:
                group["lr"] = 0.1
            layer.weight.grad = torch.randn(20, 40, generator=torch.Generator().manual_seed(1))
            layer.bias.grad = torch.zeros(20)
            optimizer.step()
        sizes = torch.linalg.svdvals(before - layer.weight.detach()) / (0.1 * 0.2 * 40**0.5)
        assert 0.6 < sizes.min() <= sizes.max() < 1.3


class TestRuns:
    def test_two_workers_make_the_update_of_their_batches_together(
        self, data: Path, tmp_path: Path, shared: Path
    ) -> None:
        one, two = (
            Trainer(recipe_for(), data, tmp_path / str(n), "cpu", workers=n, precision=torch.float32) for n in (1, 2)
        )
        lengths = one.pairs.source.lengths
        indices = np.flatnonzero(lengths == np.bincount(lengths).argmax())[:9]
        loss = one.update(make_batch(one.pairs, indices))
        parts = [make_batch(two.pairs, part) for part in (indices[:2], indices[2:])]
        assert two.update(*parts) == pytest.approx(loss, rel=1e-5)
        assert one.progress == two.progress
        for name, values in one.network.state_dict().items():
            torch.testing.assert_close(two.network.state_dict()[name], values, atol=2e-4, rtol=0)

    def test_copies_are_kept_evenly_in_the_logarithm_of_the_tokens(
        self, data: Path, tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        points = kept_points(8_000_000)
        assert len(points) == 20
        assert (points[0], points[-1]) == (20_000, 8_000_000)
        assert np.diff(np.log(points)) == pytest.approx([np.log(400) / 19] * 19, rel=1e-3)
        monkeypatch.setattr("training.trainer.kept_points", lambda target: kept_points(target, 3, 100))
        trainer = Trainer(recipe_for(target_tokens=400), data, tmp_path, "cpu", precision=torch.float32)
        trainer.run(1000)
        kept = sorted((trainer.folder / "kept").iterdir())
        points = kept_points(400, 3, 100)
        assert all(int(path.stem) >= point for path, point in zip(kept, points, strict=True))
        last = load_file(kept[-1])
        assert {values.dtype for values in last.values()} == {torch.float16}
        for name, values in trainer.average.items():
            assert torch.equal(last[name], values.half())

    def test_weights_are_turned_to_the_pieces_of_another_tokenizer(self) -> None:
        table = torch.arange(len(SMALL) * 2.0).view(-1, 2)
        assert torch.equal(in_pieces(table, rows_for(SMALL, SMALL)), table)
        other = PairTokenizer.train(["the mat, the mat", "cat"] * 9, 280)
        rows = rows_for(SMALL, other)
        assert rows[:3] == [[0], [1], [2]]
        assert len(SPECIAL_TOKENS) == 3
        for index, row in enumerate(rows[3:], start=3):
            assert "".join(SMALL.token(part) for part in row) == other.token(index)
            assert torch.equal(in_pieces(table, rows)[index], table[row].mean(dim=0))

    def test_a_start_from_a_checkpoint_of_another_tokenizer(self, data: Path, tmp_path: Path, shared: Path) -> None:
        old = Trainer(recipe_for(), data, tmp_path / "old", "cpu")
        card = {"key": "transformer-en-fr", "mechanism": "transformer", "pair": "en-fr", "network": {}, "sha256": ""}
        (old.folder / "card.json").write_text(json.dumps({**card, "target_tokens_seen": 7}))
        (old.folder / TOKENIZER_FILE).write_bytes((shared / "en-fr" / TOKENIZER_FILE).read_bytes())
        old.save()
        new = Trainer(recipe_for(tokenizer="other", vocabulary=280), data, tmp_path / "new", "cpu")
        new.start_from(old.folder / "average.safetensors")
        assert new.progress.tokens == 7
        theirs, own = (PairTokenizer.load(shared / "en-fr" / name) for name in (TOKENIZER_FILE, "other.json"))
        assert torch.equal(
            new.network.embedding.weight, in_pieces(old.average["embedding.weight"], rows_for(theirs, own))
        )

    def test_half_of_what_is_left_decays_after_a_start(self) -> None:
        recipe = recipe_for(target_tokens=1000, decay_share=0.1, learning_rate=1.0)
        assert learning_rate(recipe, Progress(step=9, tokens=899)) == 1.0
        assert learning_rate(recipe, Progress(step=9, tokens=950)) == pytest.approx(0.5)


class TestTokenizersOfCards:
    @pytest.fixture
    def weights(self, tmp_path: Path) -> Path:
        (tmp_path / "weights" / "en-fr").mkdir(parents=True)
        for name in (TOKENIZER_FILE, "new.json"):
            (tmp_path / "weights" / "en-fr" / name).write_text(name)
        return tmp_path / "weights"

    def test_a_card_names_its_tokenizer(self, weights: Path, tmp_path: Path) -> None:
        own = weights / "en-fr"
        assert find_tokenizer(tmp_path, {"pair": "en-fr"}, weights) == own / TOKENIZER_FILE
        card = {"pair": "en-fr", "tokenizer": "new.json", "tokenizer_sha256": file_hash(own / "new.json")}
        assert find_tokenizer(tmp_path, card, weights) == own / "new.json"
        (tmp_path / TOKENIZER_FILE).write_text("new.json")
        assert find_tokenizer(tmp_path, card, weights) == tmp_path / TOKENIZER_FILE

    @pytest.mark.parametrize(
        ("card", "problem"),
        [
            ({"pair": "en-fr", "tokenizer": "old.json"}, "no old.json is included for the pair 'en-fr'"),
            ({"pair": "en-fr", "tokenizer": "../../secret.json"}, "no secret.json is included"),
            ({"pair": "en-fr", "tokenizer_sha256": "00"}, r"the SHA-256 of tokenizer.json differs .* \(00\)"),
        ],
    )
    def test_one_that_is_not_there_or_another_is_refused(
        self, card: dict[str, str], problem: str, weights: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "secret.json").write_text("")
        with pytest.raises(CheckpointError, match=problem):
            find_tokenizer(tmp_path, card, weights)


class TestTyped:
    def test_all_needs_must_be_met_whatever_the_case(self) -> None:
        each = Typed("Thank you very much!", ("merci", "beaucoup|infiniment"))
        assert each.lacks("MERCI beaucoup !") == ()
        assert each.lacks("beaucoup") == ("merci",)
        found = [TypedOutcome(each, "Merci infiniment."), TypedOutcome(each, "Merci."), TypedOutcome(each, "")]
        assert [outcome.lacking for outcome in found] == [(), ("beaucoup|infiniment",), each.needs]
        assert share(found) == "1 of 3 (33%)"
        assert share([]) == "none"

    @pytest.mark.parametrize("line", ["Hello", "Hello\t", "\tbonjour", "Hello bonjour"])
    def test_a_line_without_needs_is_named(self, line: str, tmp_path: Path) -> None:
        (tmp_path / "list.tsv").write_text(f"Hi\tsalut\n{line}\n")
        with pytest.raises(ValueError, match=r"list\.tsv, line 2: expected a sentence, a tab"):
            read_typed(tmp_path / "list.tsv")

    @pytest.mark.parametrize("pair", PAIRS)
    def test_the_lists_to_choose_by_can_be_read(self, pair: str) -> None:
        sentences = read_typed(KEPT / pair / choose.TYPED_FILE)
        assert len(sentences) >= 40
        assert len({each.sentence for each in sentences}) == len(sentences)
        for each in sentences:
            for need in each.needs:
                assert not re.search(need, "", re.IGNORECASE), need

    def test_capitals_are_read_in_lower_case(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(typed, "translate", lambda model, texts: list(texts))
        sentences = [Typed("PLEASE STOP, ANNA.", ("x",)), Typed("NATO is old.", ("x",))]
        read = typed.outcomes(translator("transformer"), sentences)
        assert [each.translation for each in read] == ["Please stop, anna.", "NATO is old."]

    def test_the_command_tells_what_is_new_from_what_was_seen(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        model = translator("transformer")
        write_lines(tmp_path / "seen.tsv.xz", [("the cat", "le chat")])
        model.card["recipe"] = {"files": [{"path": "seen.tsv.xz"}]}
        monkeypatch.setattr(typed, "translator", lambda key: model)
        monkeypatch.setattr(typed, "translate", lambda model, texts: [f"<{text}>" for text in texts])
        (tmp_path / "list.tsv").write_text("The cat!\tcat\nthe dog\tchien & dog\nTHE OLD CAT\tThe old cat\n")
        assert exit_code(typed.main, "x", str(tmp_path / "list.tsv"), "--data", str(tmp_path)) == 0
        assert capsys.readouterr().out.splitlines() == [
            "the dog -> <the dog>   lacks chien",
            "2 of 3 (67%)",
            "not in the training text: 1 of 2 (50%)",
        ]


@pytest.fixture
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("one_thread")
def test_nats_per_character_are_the_surprise_over_what_is_read() -> None:
    model = translator("transformer")
    pairs = [("the cat", "le chat"), ("the dog sleeps", "le chien dort."), ("a", "un chat"), ("", "x")]
    surprise = 0.0
    for source, target in pairs[:3]:
        (read,), (written,) = tokenizer().encode_batch([source]), tokenizer().encode_batch([target])
        memory = model.network.encode(torch.tensor([[*read, END]]))
        logits = model.network.decode(memory, torch.tensor([[BEGIN, *written]]))[0]
        labels = torch.tensor([*written, END])
        surprise += float(nn.functional.cross_entropy(logits, labels, reduction="sum", ignore_index=PAD))
    characters = sum(len(target) + 1 for _, target in pairs[:3])
    assert choose.nats_per_character(model, pairs) == pytest.approx(surprise / characters, rel=1e-3)
