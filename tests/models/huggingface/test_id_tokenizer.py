"""Tokens by their ids: no mark of any tokenizer is left, bytes are characters again, pieces know their words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from models import AttentionTrace
from models.huggingface.marian import MarianText
from tests.support.huggingface_samples import tiny_pieces, tiny_tokenizer
from viz.notebook import model_view

MARKS = ("\u0120", "\u2581", "##", "@@", "</w>", "<0x")
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
SIGNS = ["the", "cat", "##sat", "##s", ",", "don", "'", "t", "[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]


def numbered(names: list[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


def fast(tokenizer: Tokenizer, **names: str) -> Any:
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", **names)


def byte_level(_folder: Path) -> Any:
    return tiny_tokenizer()


def bytes_without_decoder(_folder: Path) -> Any:
    return fast(Tokenizer(models.BPE(numbered(["The", "\u0120cat", "s", "\u00c3", "\u00a9", "\u0120a", "<unk>"]), [])))


def word_piece(_folder: Path) -> Any:
    made = Tokenizer(models.WordPiece(numbered(SIGNS), unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    names = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]"}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, unk_token="[UNK]", **names)


def word_piece_in_python(folder: Path) -> Any:
    (folder / "vocab.txt").write_text("\n".join(SIGNS))
    return transformers.BertTokenizerLegacy(str(folder / "vocab.txt"))


def sentence_piece(_folder: Path) -> Any:
    pieces = [("<unk>", 0.0), ("\u2581The", -1.0), ("\u2581cat", -1.0), ("sat", -1.0), ("\u2581", -2.0), ("##", -3.0)]
    made = Tokenizer(models.Unigram(pieces, unk_id=0))
    made.pre_tokenizer, made.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    return fast(made)


def byte_fallback(_folder: Path) -> Any:
    names = ["<unk>", "<s>", "</s>", "\u2581The", "\u2581cat", "sat", "\u2581", "h", "c", "t", *BYTES]
    made = Tokenizer(models.BPE(numbered(names), [], byte_fallback=True, unk_token="<unk>"))
    made.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()])
    return fast(made, bos_token="<s>", eos_token="</s>")


def sentence_piece_in_python(folder: Path) -> Any:
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes(tiny_pieces(("The cat sat.", "A dog ran after the cat.")))
    names = ["</s>", "<unk>", "\u2581The", "\u2581cat", "s", "\u2581", "##", "@@", "<pad>"]
    (folder / "vocab.json").write_text(json.dumps(numbered(names)))
    return MarianText(folder).tokenizer


def ends_of_words(_folder: Path) -> Any:
    names = ["t", "h", "e</w>", "c", "a", "t</w>", "<unk>"]
    made = Tokenizer(models.BPE(numbered(names), [], end_of_word_suffix="</w>", unk_token="<unk>"))
    made.decoder = decoders.BPEDecoder()
    return fast(made)


def continued_words(folder: Path) -> Any:
    (folder / "vocab.json").write_text(json.dumps(numbered(["<unk>", "The", "cat@@", "sat", "her@@", "e"])))
    (folder / "merges.txt").write_text("#version\n")
    return transformers.CTRLTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))


def bytes_alone(_folder: Path) -> Any:
    return transformers.ByT5Tokenizer()


def characters_alone(_folder: Path) -> Any:
    return transformers.CanineTokenizer()


CASES = [
    (byte_level, "été 🐈 cat", "été 🐈 cat"),
    (bytes_without_decoder, ["The", "\u0120cat", "s", "\u0120a", "\u00c3", "\u00a9"], "The cats aé"),
    (word_piece, "the catsats, don't", "the catsats , don ' t"),
    (word_piece_in_python, "the catsats, don't", "the catsats , don ' t"),
    (sentence_piece, ["\u2581The", "\u2581cat", "sat"], "The catsat"),
    (byte_fallback, ["<s>", "\u2581The", "\u2581cat", "sat", "\u2581", "<0xC3>", "<0xA9>", "</s>"], "The catsat é"),
    (sentence_piece_in_python, ["\u2581The", "\u2581cat", "s", "</s>"], "The cats"),
    (ends_of_words, ["t", "h", "e</w>", "c", "a", "t</w>"], "the cat"),
    (continued_words, ["The", "cat@@", "sat", "her@@", "e"], "The catsat here"),
    (bytes_alone, "The été 🐈!", "The été 🐈 !"),
    (characters_alone, "The été 🐈!", "The été 🐈 !"),
]


@pytest.mark.parametrize(("build", "given", "words"), CASES, ids=[case[0].__name__ for case in CASES])
def test_no_mark_is_left_and_pieces_know_their_words(build: Any, given: Any, words: str, tmp_path: Path) -> None:
    tokenizer = build(tmp_path)
    ids = tokenizer(given)["input_ids"] if isinstance(given, str) else tokenizer.convert_tokens_to_ids(given)
    even = np.full((1, 2, len(ids), len(ids)), 1 / len(ids), dtype=np.float32)
    source = AttentionTrace.from_transformers([even], tokenizer, ids).source
    assert source.ids == tuple(ids)
    plain = [text for place, text in enumerate(source.word_texts) if place not in source.to_words().specials]
    assert plain == words.split()
    shown = [text for place, text in enumerate(source.texts) if place not in source.specials]
    assert not [text for text in shown for mark in MARKS if mark in text]
    assert "".join(shown).split() or not words


@pytest.mark.parametrize(("build", "given", "words"), CASES, ids=[case[0].__name__ for case in CASES])
def test_names_of_tokens_alone_are_read_as_their_tokenizer_reads_them(
    build: Any, given: Any, words: str, tmp_path: Path
) -> None:
    tokenizer = build(tmp_path)
    ids = tokenizer(given)["input_ids"] if isinstance(given, str) else tokenizer.convert_tokens_to_ids(given)
    even = [np.full((1, 2, len(ids), len(ids)), 1 / len(ids), dtype=np.float32)]
    known = AttentionTrace.from_transformers(even, tokenizer, ids).source
    names = tokenizer.convert_ids_to_tokens(ids)
    alone = model_view(even, names).trace.source
    assert replace(alone, ids=known.ids) == known
    merged = AttentionTrace.from_arrays({"encoder.0.self": even[0]}, source=names, source_words=known.words).source
    assert merged.word_texts == known.word_texts


def test_signs_that_other_tokenizers_use_are_text_to_sentence_piece(tmp_path: Path) -> None:
    ids = sentence_piece_in_python(tmp_path).convert_tokens_to_ids(["\u2581", "##", "@@"])
    trace = AttentionTrace.from_transformers([np.full((1, 1, 3, 3), 1 / 3)], sentence_piece_in_python(tmp_path), ids)
    assert trace.source.texts == (" ", "##", "@@")
