"""Sentences written by hand: which words they lack, and that what is measured is never trained on."""

from __future__ import annotations

import lzma
import pickle
from pathlib import Path
from zipfile import ZipFile

import pytest

from models.translation.examples import EXAMPLES
from training import byhand
from training.byhand import ENOUGH, SENTENCES, add, allowed, is_near, lacking, words_of
from training.data import KEPT, read_pairs
from training.dictionary import LINES, entries, glossed
from training.typed import read_typed
from training.unseen import bare


def test_words_are_those_of_a_sentence_and_characters_of_chinese() -> None:
    assert words_of("The cat's out, isn't it?") == {"the", "cat's", "out", "isn't", "it"}
    assert words_of("我爱iPhone！") == {"我", "爱", "iphone"}


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("Attention is all you need.", "attention is all you need", True),
        ("Love is all you need.", "Attention is all you need.", True),
        ("Love is all we want.", "Attention is all you need.", False),
        ("他比他哥哥高。", "他比他姐姐高。", True),
        ("", "Hello", False),
    ],
)
def test_sentences_that_share_most_words_are_near(one: str, other: str, near: bool) -> None:
    assert is_near(words_of(one), words_of(other)) is near


def test_a_word_lacks_where_fewer_than_enough_sentences_hold_it() -> None:
    sources = ["The cat sleeps."] * ENOUGH + ["A Cat's dog barks."] * (ENOUGH - 1)
    assert lacking(["cat", "dog", "mouse", "<s>"], sources) == {"dog": ENOUGH - 1, "mouse": 0}
    assert lacking(["苹果", "梨"], ["我爱吃苹果。"] * ENOUGH) == {"梨": 0}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name, text in (("a.dev", "He runs.\tIl court."), ("b.test", "She swims.\tElle nage.")):
        path = tmp_path / "en-fr" / f"{name}.tsv.xz"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(lzma.compress(f"{text}\n".encode()))
    (tmp_path / "typed").mkdir()
    (tmp_path / "typed" / "en-fr.tsv").write_text("where is the station\tgare\n", encoding="utf8")
    return tmp_path


def test_what_is_measured_is_left_out(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byhand, "KEPT", tmp_path / "kept")
    kept = tmp_path / "kept" / "en-fr"
    kept.mkdir(parents=True)
    (kept / "typed-dev.tsv").write_text("Hello\tbonjour\n", encoding="utf8")
    (kept / SENTENCES).write_text("We sing.\tNous chantons.\n", encoding="utf8")
    example = next(iter(EXAMPLES["en-fr"].values()))
    told = [
        "he runs",
        "She swims!",
        "Where is the station?",
        "Where's my hat?",
        "we sing",
        "hello",
        example,
        "Where's  my hat?",
    ]
    (tmp_path / "new.tsv").write_text("".join(f"{each}\tx\n" for each in told), encoding="utf8")
    assert add("en-fr", [tmp_path / "new.tsv"], data) == (1, 2)
    assert [source for source, _target in read_pairs(kept / SENTENCES)] == ["We sing.", "Where's my hat?"]


@pytest.mark.parametrize("pair", ["en-fr", "zh-en"])
def test_no_sentence_written_by_hand_is_near_a_typed_one_of_the_list_to_choose_by(pair: str) -> None:
    typed = [words_of(each.sentence) for each in read_typed(KEPT / pair / "typed-dev.tsv")]
    written = list(read_pairs(KEPT / pair / SENTENCES))
    assert len({bare(source) for source, _target in written}) == len(written) > 5_000
    assert len(list(allowed(written, (), typed))) == len(written)


def test_glosses_are_short_and_no_names(tmp_path: Path) -> None:
    lines = [
        "# CC-CEDICT",
        "蘋果 苹果 [ping2 guo3] /apple/CL:個|个[ge4]/",
        "王 王 [Wang2] /surname Wang/",
        "吃 吃 [chi1] /to eat/",
    ]
    with ZipFile(tmp_path / "cedict.whl", "w") as wheel:
        wheel.writestr(LINES, pickle.dumps(lines, protocol=3))
    assert list(entries(tmp_path / "cedict.whl")) == lines
    assert dict(glossed(["苹果", "王", "吃", "没有"], lines)) == {"苹果": "apple", "吃": "eat"}
