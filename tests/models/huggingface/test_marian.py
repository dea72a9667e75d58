"""Marian checkpoints as Helsinki-NLP/opus-mt-* come: two sentencepiece models, one vocabulary, no tokenizer.json."""

from __future__ import annotations

import json
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from hypothesis import example, given
from hypothesis import strategies as st
from safetensors.torch import load_file
from sentencepiece import SentencePieceProcessor

import models
from models.errors import InputError
from models.huggingface.files import WEIGHTS_FILE
from models.huggingface.layers import own_weights
from models.huggingface.marian import MarianText
from models.huggingface.tokens import clean
from models.translation.words import split_words
from tests.support.huggingface_samples import tiny_network, tiny_pieces

ENGLISH = (
    "The cat drank the milk because it was hungry.",
    "The cat sleeps on the mat near the fire.",
    "A small dog ran after the cat in the garden.",
)
FRENCH = (
    "Le chat a bu le lait parce qu'il avait faim.",
    "Le chat dort sur le tapis près du feu.",
    "Un petit chien courait après le chat dans le jardin.",
)
CODE, ABSENT = ">>fra<<", "ca"  # a piece of source.spm that vocab.json lacks
PARTS = [*"Thecat sl.,é猫🐈ﬁ²\u200b\u3000\n", CODE, ">>xyz<<", ">>", "<<", "</s>", "<unk>", "<pad>", " the cat"]
TEXT, TARGET = ">>fra<< The  café cat ﬁre 猫🐈 sleeps.", "Le chat dort près du  feu."


def vocabulary() -> dict[str, int]:
    """Return pieces numbered as in opus-mt: </s> and <unk> first, those of both languages together, <pad> last."""
    pieces = []
    for file in (FRENCH, ENGLISH):
        splitter = SentencePieceProcessor(model_proto=tiny_pieces(file))
        pieces += [splitter.id_to_piece(number) for number in range(3, splitter.get_piece_size())]
    names = ["</s>", "<unk>", *dict.fromkeys(pieces), CODE, ">>oci<<", "<pad>"]
    return {name: number for number, name in enumerate(name for name in names if name != ABSENT)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a checkpoint with the very files of opus-mt."""
    place, ids = tmp_path_factory.mktemp("marian") / "opus-mt-tiny", vocabulary()
    pad = {"pad_token_id": ids["<pad>"], "decoder_start_token_id": ids["<pad>"]}
    tiny_network("marian", vocab_size=len(ids), eos_token_id=0, bos_token_id=0, **pad).save_pretrained(place)
    (place / "source.spm").write_bytes(tiny_pieces(ENGLISH))
    (place / "target.spm").write_bytes(tiny_pieces(FRENCH))
    (place / "vocab.json").write_text(json.dumps(ids), encoding="utf8")
    (place / "tokenizer_config.json").write_text(json.dumps({"source_lang": "eng", "target_lang": "fra"}))
    return place


@pytest.fixture(scope="module")
def eager(folder: Path) -> Any:
    """Return the network of the checkpoint as transformers itself opens it."""
    return transformers.MarianMTModel.from_pretrained(folder, attn_implementation="eager")


@pytest.fixture(scope="module")
def reader(folder: Path) -> MarianText:
    return MarianText(folder)


@pytest.fixture(scope="module")
def own(folder: Path) -> Any:
    """Return what transformers itself makes of the files."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it advises a package that it never uses
        return transformers.MarianTokenizer.from_pretrained(folder)


@given(st.lists(st.sampled_from(PARTS), max_size=30).map("".join))
@example(TEXT)
@example(f"</s>{CODE} cat")
@example(f"the cat {CODE} the")
def test_ids_are_those_of_transformers_for_what_is_read_and_written(reader: MarianText, own: Any, text: str) -> None:
    read = reader.read(text).tokens
    assert list(read.ids) == own(clean(text)).input_ids
    assert reader.target(text) == own(text_target=clean(text)).input_ids
    assert reader.decode(read.ids) == own.decode(list(read.ids), skip_special_tokens=True)
    assert len(read.words) == len(read.ids)


def test_the_checkpoint_has_what_is_hard(reader: MarianText, own: Any) -> None:
    ids = vocabulary()
    assert own.tokenize("the cat").count(ABSENT) == reader.read("the cat").tokens.ids.count(ids["<unk>"]) == 1
    assert reader.read("Le chat dort").tokens.ids != tuple(reader.target("Le chat dort"))  # two ways to split
    assert list(reader.read(TEXT).tokens.ids).count(ids["<unk>"]) == 4  # ca, é, ca; two characters in one


def test_pieces_stand_in_their_words(reader: MarianText) -> None:
    tokens = reader.read(TEXT).tokens
    assert tokens.word_texts == (CODE, "The", "café", "cat", "ﬁre", "猫🐈", "sleeps", ".", "</s>")
    assert tokens.texts[0] == CODE
    assert tokens.specials == (0, len(tokens) - 1)  # which language to write is no word of the text
    pieces = {}
    for place, word in enumerate(tokens.words):
        pieces.setdefault(tokens.word_texts[word], []).append(tokens.texts[place])
    assert "".join(pieces["sleeps"]).strip() == "sleeps"
    assert "".join(pieces["ﬁre"]).strip() == "fire"
    assert [piece for piece in pieces["猫🐈"] if piece.strip()] == ["<unk>"]
    assert "".join(pieces["The"]).strip() == "The"
    assert reader.read("The</s>milk").tokens.word_texts == ("The", "</s>", "milk", "</s>")


@given(st.lists(st.sampled_from(["The", "milk", "sleeps", "on", "mat", "dog", "ran."]), min_size=1, max_size=12))
def test_each_piece_begins_where_its_letters_stand(reader: MarianText, words: list[str]) -> None:
    text = "  ".join(words)
    cut = reader._cut([text])
    for token, start, after in zip(cut.ids[:-1], cut.starts, cut.starts[1:], strict=False):
        assert text[start:after].split() == reader.piece(token).split()
    assert "".join(reader.read(text).tokens.word_texts[:-1]) == "".join(map(str.strip, split_words(text)))


def test_every_layer_and_head_equals_eager_attention(folder: Path, own: Any, eager: Any) -> None:
    model: Any = models.load(folder)
    trace = model.attend(TEXT, TARGET)
    read, written = own(TEXT).input_ids, own(text_target=TARGET).input_ids
    assert (list(trace.source.ids), list(trace.target.ids)) == (read, written)
    given = {"input_ids": torch.tensor([read]), "labels": torch.tensor([written])}
    with torch.inference_mode():
        output = eager(**given, output_attentions=True)
    found = own_weights(eager, output)
    assert sum(map(len, found.values())) == len(trace.maps) == 8
    for (stack, kind), layers in found.items():
        for layer, weights in enumerate(layers):
            np.testing.assert_allclose(trace[f"{stack}.{layer}.{kind}"].weights, weights[0].numpy(), atol=1e-5)
            assert weights.std() > 0.02
    values = output.logits[0].log_softmax(-1)
    for place, step in enumerate(trace.steps):
        assert step.log_probability == pytest.approx(float(values[place, step.id]), abs=1e-3)
    assert trace.output_text == "Le chat dort près du feu."
    assert trace.target_input.texts[0] == "<pad>"
    assert trace.target.word_texts == ("Le", "chat", "dort", "près", "du", "feu", ".", "</s>")


def test_its_own_translation_is_what_transformers_generates(folder: Path, own: Any, eager: Any) -> None:
    trace = models.load(folder).attend(TEXT)
    limit = len(trace.target)
    inputs = torch.tensor([own(TEXT).input_ids])
    ids = eager.generate(inputs, do_sample=False, num_beams=1, max_new_tokens=limit)[0].tolist()
    assert list(trace.target.ids) == ids[1:]
    assert trace.output_text == own.decode(ids, skip_special_tokens=True)


def test_positions_which_no_checkpoint_holds_are_worked_out(folder: Path) -> None:
    """Sines in the first half of a row, cosines in the second (Vaswani et al. 2017, section 3.5, in another order)."""
    assert not [name for name in load_file(folder / WEIGHTS_FILE) if "embed_positions" in name]
    model: Any = models.load(folder)
    angles = np.arange(128)[:, None] / 10000 ** (np.arange(0, 32, 2) / 32)
    expected = np.concatenate((np.sin(angles), np.cos(angles)), axis=1)
    for part in (model.network.get_encoder(), model.network.get_decoder()):
        np.testing.assert_allclose(part.embed_positions.weight.numpy(), expected, atol=1e-5)


def test_two_visitors_read_and_write_at_once(reader: MarianText) -> None:
    jobs = [lambda: list(reader.read("Le chat dort").tokens.ids), lambda: reader.target("Le chat dort")]
    alone = [job() for job in jobs]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda job: job(), jobs * 99))
    assert alone[0] != alone[1]
    assert together == alone * 99


def test_a_long_text_is_cut_to_fit(folder: Path) -> None:
    model: Any = models.load(folder)
    kept, left_out = model.fit("The cat sleeps on the mat. " * 40)
    assert left_out > 0
    assert len(model.attend(kept, "Le chat.").source) <= model.longest == 128


@pytest.mark.parametrize(
    ("damage", "match"),
    [
        (lambda folder: (folder / "target.spm").unlink(), "it has no tokenizer that is supported here. Supported"),
        (lambda folder: (folder / "target_vocab.json").write_text("{}"), "it has a separate output vocabulary"),
        (lambda folder: (folder / "source.spm").write_bytes(b"nothing"), "opus-mt-tiny cannot be opened"),
        (lambda folder: (folder / "vocab.json").write_text("[]"), "opus-mt-tiny cannot be opened"),
    ],
    ids=["a file less", "two vocabularies", "broken", "no ids"],
)
def test_what_is_wrong_with_its_files_is_said(folder: Path, tmp_path: Path, damage: Any, match: str) -> None:
    place = tmp_path / folder.name
    place.mkdir()
    for path in folder.iterdir():
        (place / path.name).write_bytes(path.read_bytes())
    damage(place)
    with pytest.raises(InputError, match=match) as caught:
        models.load(place)
    assert str(tmp_path) not in str(caught.value)
