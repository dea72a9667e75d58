"""What a teacher writes: sound translations of a file's sources, made once, and what a recipe takes of it."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from models import load
from models.translation.checkpoints import WEIGHTS
from models.translation.tokenizer import PairTokenizer
from models.translation.translator import Translator
from training import teach
from training.data import load_pairs, read_pairs, taught_path
from training.recipes import DataFile, Recipe, RecipeError
from training.teach import MOST_WORDS, looks_broken, scored, taught, write_taught

TEACHER = "luong-dot-en-fr"
LINES = [("The cat is hungry.", "Le chat a faim."), ("I am happy.", "Je suis heureux."), ("Thank you.", "Merci.")]
FILE = DataFile("en-fr/few.train.tsv.xz", teacher=TEACHER)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data" / FILE.path
    path.parent.mkdir(parents=True)
    with lzma.open(path, "wt", encoding="utf8") as file:
        file.writelines("\t".join(line) + "\n" for line in LINES)
    return tmp_path / "data"


def recipe(*files: DataFile, pair: str = "en-fr") -> Recipe:
    return Recipe(mechanism="bahdanau", pair=pair, files=files, vary_share=0.0)


@pytest.mark.parametrize(
    ("translation", "broken"),
    [
        ("Le chat dort.", False),
        ("", True),
        ("très très bien", False),
        ("très très très bien", True),
        ("un deux trois quatre cinq six sept huit neuf dix", True),
    ],
)
def test_what_is_no_translation_is_seen(translation: str, broken: bool) -> None:
    assert looks_broken(translation, "le chat dort") is broken


def test_long_sources_are_left_out() -> None:
    model = load(TEACHER)
    assert isinstance(model, Translator)
    long = "very " * MOST_WORDS + "big"
    assert [source for source, _ in taught(model, {long: "très grand", "Thank you.": "Merci."})] == ["Thank you."]


def test_a_run_has_its_teacher_write_once_and_takes_what_it_wrote(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    write_taught(recipe(FILE), data, cache)
    written = list(read_pairs(taught_path(FILE, cache)))
    model = load(TEACHER)
    assert isinstance(model, Translator)
    sources = [source for source, _ in LINES]
    found = dict(zip(sources, scored(model, sources), strict=True))
    unsure = min(found, key=lambda source: found[source][1])
    assert written == [(source, found[source][0]) for source in sources if source != unsure]
    monkeypatch.setattr(teach, "load", lambda key: pytest.fail(f"{key} writes again"))
    write_taught(recipe(FILE), data, cache)
    path = WEIGHTS / "en-fr" / "everyday.json"
    pairs = load_pairs(recipe(FILE, DataFile(FILE.path, lines=1)), data, path, cache)
    tokenizer = PairTokenizer.load(path)
    shown = [tokenizer.decode(pairs.target[row].tolist()) for row in range(len(pairs.repeats))]
    assert shown == [translation for _, translation in written] + [LINES[0][1]]


def test_a_model_of_another_pair_cannot_teach(data: Path, tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="cannot teach zh-en"):
        write_taught(recipe(FILE, pair="zh-en"), data, tmp_path / "cache")
