"""Tokens of every kind of vocabulary as records: marks, bytes, special tokens, pairs, and one set of words for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import CLIPTokenizer, OpenAIGPTTokenizer, PreTrainedTokenizerBase, PreTrainedTokenizerFast

from models.errors import InputError
from models.huggingface.tokens import TextTokenizer, clean
from models.translation.words import split_words
from tests.support.huggingface_samples import SPECIALS, tiny_model, tiny_tokenizer

TEXT = "The café 猫 drank 🐈 milk, don't."
WORDS = ("The", "café", "猫", "drank", "🐈", "milk", ",", "don't", ".")


def pieces_of_words() -> PreTrainedTokenizerFast:
    """Make a WordPiece tokenizer as BERT's: lower case, no accents, ``##`` inside words, [CLS] and [SEP]."""
    names = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "the",
        "caf",
        "##e",
        "drank",
        "milk",
        "don",
        "'",
        "t",
        ",",
        ".",
    ]
    names += [*"abcdefghijklmnopqrstuvwxyz", *(f"##{letter}" for letter in "abcdfghijklmnopqrstuvwxyz"), "猫"]
    vocabulary = {name: index for index, name in enumerate(dict.fromkeys(names))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    ends = [("[CLS]", 2), ("[SEP]", 3)]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ends
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        pad_token="[PAD]",
        mask_token="[MASK]",
    )


def marked_blanks() -> PreTrainedTokenizerFast:
    """Make a Unigram tokenizer as T5's or Llama's: ``▁`` before words, unknown characters as bytes ``<0xF0>``."""
    letters = "TheTcafédrnkmil,'.ot"
    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0), ("▁The", -1.0), ("▁dr", -1.5), ("ank", -1.5)]
    pieces += [(letter, -3.0) for letter in dict.fromkeys(letters)] + [(f"<0x{byte:02X}>", -9.0) for byte in range(256)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=2, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", pad_token="<pad>", eos_token="</s>")


KINDS: dict[str, Callable[[], PreTrainedTokenizerBase]] = {
    "bytes": tiny_tokenizer,
    "word pieces": pieces_of_words,
    "marked blanks": marked_blanks,
}


@pytest.fixture(params=KINDS)
def tokenizer(request: pytest.FixtureRequest) -> TextTokenizer:
    return TextTokenizer(KINDS[request.param]())


def test_one_sentence_has_the_same_words_in_every_vocabulary(tokenizer: TextTokenizer) -> None:
    tokens = tokenizer.read(TEXT).tokens
    plain = tokens.to_words()
    assert tuple(text for place, text in enumerate(plain.texts) if place not in plain.specials) == WORDS
    assert tokens.specials
    assert all(tokens.words.count(tokens.words[place]) == 1 for place in tokens.specials)


@pytest.mark.parametrize("kind", ["bytes", "word pieces"])
def test_each_han_character_is_a_word(kind: str) -> None:
    assert TextTokenizer(KINDS[kind]()).read("猫在milk").tokens.word_texts[1:-1] == ("猫", "在", "milk")


def test_marks_are_shown_as_what_they_stand_for() -> None:
    texts = {kind: TextTokenizer(make()).read("The drank").tokens.texts for kind, make in KINDS.items()}
    assert texts["bytes"] == ("<s>", *"The drank", "</s>")
    assert texts["word pieces"] == ("[CLS]", "the", "drank", "[SEP]")
    assert texts["marked blanks"] == (" The", " dr", "ank", "</s>")
    assert TextTokenizer(pieces_of_words()).read("café").tokens.texts == ("[CLS]", "caf", "##e", "[SEP]")


def test_what_a_tokenizer_leaves_out_is_named() -> None:
    reader = TextTokenizer(pieces_of_words())
    assert reader.read("the café drank").notes == ()
    (note,) = reader.read("the\u200b cat\ufffd\u200b").notes
    assert note == "left out by its tokenizer: U+200B, \ufffd"
    (note,) = reader.read("a\u200bcat").notes  # inside what becomes one token
    assert note.endswith("U+200B")


@given(st.text())
def test_a_vocabulary_of_bytes_leaves_nothing_out(text: str) -> None:
    if clean(text):
        assert TextTokenizer(tiny_tokenizer()).read(text).notes == ()


def test_the_mark_of_a_words_end_is_a_blank() -> None:
    names = ["<unk>", "c", "a", "t", "at</w>", "t</w>", "c</w>", ".</w>"]
    vocabulary = {name: index for index, name in enumerate(names)}
    own = OpenAIGPTTokenizer(vocab=vocabulary, merges=[("a", "t</w>")])
    tokens = TextTokenizer(own).read("Cat.").tokens
    assert tokens.texts == ("c", "at ", ". ")
    assert tokens.word_texts == ("Cat", ".")


def test_the_mark_of_a_words_end_is_a_blank_in_a_vocabulary_of_bytes_too() -> None:
    bytes_ = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("c", "a"), ("ca", "t</w>"), ("Ã", "©</w>")]
    names = [
        *bytes_,
        *(f"{each}</w>" for each in bytes_),
        "ca",
        "cat</w>",
        "Ã©</w>",
        "<|startoftext|>",
        "<|endoftext|>",
    ]
    vocabulary = {name: index for index, name in enumerate(names)}
    tokens = TextTokenizer(CLIPTokenizer(vocab=vocabulary, merges=merges)).read("a cat é 猫").tokens
    assert tokens.texts == ("<|startoftext|>", "a ", "cat ", "é ", "\\xe7", "\\x8c", "\\xab ", "<|endoftext|>")
    assert tokens.word_texts[1:-1] == ("a", "cat", "é", "猫")


@pytest.mark.parametrize(
    ("kind", "texts", "twice"),
    [
        ("bytes", ("<s>The cat",), ["<s>"]),
        ("bytes", ("The cat</s>",), ["</s>"]),
        ("bytes", (" <s>The cat</s> ",), ["<s>", "</s>"]),
        ("bytes", ("The", "cat</s>"), ["</s>"]),
        ("word pieces", ("[CLS]the cat",), ["[CLS]"]),
        ("marked blanks", ("The cat</s>",), ["</s>"]),
        ("bytes", ("The <s> cat",), []),
        ("bytes", ("aa <mask><mask>",), []),
    ],
)
def test_a_special_token_typed_beside_the_one_that_is_added_is_noted(
    kind: str, texts: tuple[str, ...], twice: list[str]
) -> None:
    reading = TextTokenizer(KINDS[kind]()).read(*texts)
    said = "{} appears twice: the text contains one, and the tokenizer adds one"
    assert list(map(str, reading.notes)) == [said.format(each) for each in twice]
    assert reading.left_out is None


def test_a_text_of_nothing_but_a_mark_that_is_added_too_is_no_error() -> None:
    assert tiny_model("bert").attend("<s>").source.texts == ("<s>", "<s>", "</s>")


@pytest.mark.parametrize("kind", ["bytes", "marked blanks"])
def test_the_bytes_of_an_emoji_are_shown_one_by_one_and_make_one_word(kind: str) -> None:
    tokens = TextTokenizer(KINDS[kind]()).read("🐈").tokens
    raw = [rf"\x{byte:02x}" for byte in "🐈".encode()]
    assert [text for text in tokens.texts if text.startswith("\\x")] == raw
    assert "🐈" in tokens.word_texts


def test_a_pair_is_told_apart() -> None:
    tokens = TextTokenizer(pieces_of_words()).read("the milk", "the milk.").tokens
    assert tokens.texts == ("[CLS]", "the", "milk", "[SEP]", "the", "milk", ".", "[SEP]")
    assert tokens.segments == (-1, 0, 0, -1, 1, 1, 1, -1)
    assert tokens.specials == (0, 3, 7)
    assert tokens.to_words().segments == tokens.segments
    assert TextTokenizer(pieces_of_words()).read("the milk").tokens.segments == ()


def test_a_typed_mask_and_an_unknown_word_are_words_and_not_special() -> None:
    reader = TextTokenizer(pieces_of_words())
    tokens = reader.read("the [MASK] 🐈 [SEP] milk").tokens
    assert tokens.texts == ("[CLS]", "the", "[MASK]", "[UNK]", "[SEP]", "milk", "[SEP]")
    assert tokens.word_texts == ("[CLS]", "the", "[MASK]", "🐈", "[SEP]", "milk", "[SEP]")
    assert tokens.specials == (0, 4, 6)
    assert reader.mask == 4


@given(st.text(min_size=1, max_size=60))
@example("a\n\n  b \u200b")
@example("\ud800 x")
@example("e\u0301\u0301 \u0645\u0631\u062d\u0628\u0627 <b>&amp;")
def test_any_text_becomes_a_record_of_its_words(text: str) -> None:
    reader = TextTokenizer(tiny_tokenizer())
    tokens = reader.read(text).tokens
    assert len(tokens) == len(clean(text).encode()) + 2
    assert "".join("".join(tokens.word_texts[1:-1]).split()) == "".join(clean(text).split())
    assert len(tokens.word_texts) == len(split_words(clean(text))) + 2
    assert tokens.specials == (0, len(tokens) - 1)


@given(st.text(alphabet="The cafédrank猫🐈,.'", min_size=1, max_size=40))
def test_what_a_model_writes_has_the_words_of_its_text(text: str) -> None:
    reader = TextTokenizer(tiny_tokenizer())
    ids = reader.target(text)
    written = reader.sequence(ids)
    assert written.ids == tuple(ids)
    assert "".join(written.word_texts[1:-1]) == "".join(clean(text).split())
    assert reader.decode(ids) == clean(text)


def test_pieces_written_without_their_text_still_make_words(tokenizer: TextTokenizer) -> None:
    ids = tokenizer.read("The drank").tokens.ids
    words = tokenizer.sequence(ids).to_words()
    plain = [text.lower() for place, text in enumerate(words.texts) if place not in words.specials]
    assert plain == ["the", "drank"]


def test_a_piece_of_special_tokens_reads_as_it_is_called() -> None:
    reader = TextTokenizer(tiny_tokenizer())
    assert [reader.piece(token) for token in range(len(SPECIALS))] == list(SPECIALS)


def test_a_token_that_begins_before_the_one_before_it_stays_in_its_word() -> None:
    reader = TextTokenizer(tiny_tokenizer())
    whole = reader.tokenizer

    class Turned:
        """Gives the places of a text that its normaliser has turned around."""

        model_input_names = ("input_ids",)

        def __call__(self, *texts: str, **settings: Any) -> Any:
            encoded = whole(*texts, **settings)
            inner = encoded["offset_mapping"][1:-1]
            encoded["offset_mapping"][1:-1] = [*inner[3:], *inner[:3]]
            return encoded

    reader.tokenizer = Turned()  # type: ignore[assignment]
    reader.piece = str  # type: ignore[assignment,method-assign]
    assert reader.read("ab cd").tokens.words == (0, 1, 1, 1, 1, 1, 2)


def test_a_tokenizer_that_knows_no_places_is_refused() -> None:
    class Slow(PreTrainedTokenizerBase):
        is_fast = False

    with pytest.raises(InputError, match="does not give the positions of its tokens in the text"):
        TextTokenizer(Slow())
