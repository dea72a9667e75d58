"""Text to pieces and back: nothing lost, no typed special token, pieces inside words, any ids a valid record."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from models.registry import catalog, describe
from models.trace import TokenSequence
from models.translation.checkpoints import find_tokenizer
from models.translation.tokenizer import SPECIAL_TOKENS, PairTokenizer
from models.translation.words import is_mark, normalise, split_words
from tests.support.small_models import SHIPPED_TOKENIZER, tokenizer
from training.recipes import read_recipe

RECIPES = SHIPPED_TOKENIZER.parents[3] / "training"

ANY_CHARACTER = st.characters(exclude_categories=())  # control characters, NUL and lone surrogates among them
CURIOUS = st.sampled_from(
    [*"'\u2019 -.,<>/&aeént\x00\n\u00a0\u3000\u200d\ufeff\u0301\ud83d\ude00🔥我。々אي", "l'", "<s>", "</s>", "<pad>"]
)
TEXTS = st.text(ANY_CHARACTER) | st.lists(CURIOUS).map("".join)
IDS = st.lists(st.integers(0, 7999) | st.integers(0, 2) | st.integers(3, 258))  # specials and single bytes are likely


def stripped(text: str) -> list[str]:
    return [word.strip() for word in split_words(text)]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> PairTokenizer:
    """Learn a tokenizer from four lines and read it back from its file."""
    lines = ["the cat drinks the milk .", "the dog's milk", "le chat boit le lait .", "l'eau du chat"]
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    PairTokenizer.train(lines, 300).save(path)
    return PairTokenizer.load(path)


class TestNothingIsLost:
    @given(TEXTS)
    @example("\ufeff\ufeffle")
    @example(" \u0301a\x00\u0301")
    @example("👩\u200d👩\u200d👧 🇫🇷 我爱\u3000自然语言。 \ud83d\ude00 \ud83d")
    def test_decoding_what_was_encoded_gives_the_normalised_text(self, text: str) -> None:
        assert tokenizer().decode(tokenizer().encode_batch([text])[0]) == normalise(text)

    @given(TEXTS)
    def test_a_tokenizer_of_four_lines_loses_nothing_either(self, small: PairTokenizer, text: str) -> None:
        assert small.decode(small.encode_batch([text])[0]) == normalise(text)

    @given(st.lists(TEXTS, max_size=4))
    def test_texts_of_a_batch_do_not_meet(self, texts: list[str]) -> None:
        assert tokenizer().encode_batch(texts) == [tokenizer().encode_batch([text])[0] for text in texts]

    @given(TEXTS)
    def test_no_text_gives_a_special_id(self, text: str) -> None:
        assert not {0, 1, 2}.intersection(tokenizer().encode_batch([text])[0])

    @pytest.mark.parametrize("typed", SPECIAL_TOKENS)
    @pytest.mark.parametrize("text", ["{}", "le {} chat", "{}{}", "le{}chat"])
    def test_a_typed_special_token_is_text(self, typed: str, text: str) -> None:
        typed_text = text.replace("{}", typed)
        ids = tokenizer().encode_batch([typed_text])[0]
        assert min(ids) > 2
        assert tokenizer().decode(ids) == typed_text

    def test_special_tokens_are_left_out_of_decoded_text(self) -> None:
        ids = tokenizer().encode_batch(["le chat"])[0]
        assert tokenizer().decode([1, *ids[:1], 0, *ids[1:], 2]) == "le chat"


class TestNormalising:
    @given(TEXTS)
    def test_twice_is_once(self, text: str) -> None:
        assert normalise(normalise(text)) == normalise(text)

    @given(TEXTS)
    def test_single_spaces_are_the_only_white_space_and_no_end_has_one(self, text: str) -> None:
        normal = normalise(text)
        assert normal == " ".join(normal.split())
        assert {unicodedata.category(each) for each in normal}.isdisjoint(("Cc", "Cs", "Zl", "Zp"))
        assert unicodedata.is_normalized("NFC", normal)
        normal.encode("utf-8")

    @pytest.mark.parametrize(
        ("text", "normal"),
        [
            ("", ""),
            (" \t\x00\u2028\u00a0 ", ""),
            ("l\u2019accord", "l'accord"),
            ("e\u0301te\u0301", "été"),
            ("1\u00a0000\u202f€", "1 000 €"),
            ("a\x00b\x1fc\x85d", "a b c d"),
            ("\ud800a\udfff", "\ufffda\ufffd"),
            ("\ud83d\ude00", "😀"),  # a pair of surrogates, as a browser may send an emoji
        ],
    )
    def test_what_models_see(self, text: str, normal: str) -> None:
        assert normalise(text) == normal


class TestWords:
    @given(TEXTS)
    def test_words_joined_give_the_text_back(self, text: str) -> None:
        assert "".join(split_words(text)) == text
        assert "".join(split_words(normalise(text))) == normalise(text)

    @given(TEXTS)
    def test_white_space_stands_only_before_a_word(self, text: str) -> None:
        for word in split_words(normalise(text)):
            assert word.strip()
            assert not any(each.isspace() for each in word.strip())
            assert word.removeprefix(" ") == word.strip()

    @given(TEXTS)
    def test_a_mark_is_a_word_but_for_an_apostrophe_after_a_letter(self, text: str) -> None:
        for word in stripped(normalise(text)):
            for place, character in enumerate(word):
                if is_mark(character) and len(word) > 1:
                    assert character == "'"
                    assert word[place - 1].isalpha()
                    assert place > 0

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("The cat sleeps", "The|cat|sleeps"),
            ("(Yes), no... 5%!", "(|Yes|)|,|no|.|.|.|5|%|!"),
            ("3+4=7 $5 €6", "3|+|4|=|7|$|5|€|6"),
            ("well-known", "well|-|known"),
            ("L'accord de l'Espace", "L'|accord|de|l'|Espace"),
            ("c'est qu'il n'a jusqu'ici", "c'|est|qu'|il|n'|a|jusqu'|ici"),
            ("Lorsqu'on, puisqu'elle, d'aujourd'hui", "Lorsqu'|on|,|puisqu'|elle|,|d'|aujourd'hui"),
            ("aujourd'hui quelqu'un", "aujourd'hui|quelqu'un"),
            ("don't can't I'm it's O'Neill", "don't|can't|I'm|it's|O'Neill"),
            ("the dogs' 'word' rock'", "the|dogs|'|'|word|'|rock|'"),
            ("l''eau l' eau", "l|'|'|eau|l|'|eau"),
            ("我爱自然语言。", "我|爱|自|然|语|言|。"),
            ("我love你", "我|love|你"),
            ("人々 \u3007 𠀀", "人|々|\u3007|𠀀"),
            ("👩\u200d👧 🔥!", "👩\u200d👧|🔥|!"),
            ("<s>", "<|s|>"),
        ],
    )
    def test_where_text_is_cut(self, text: str, words: str) -> None:
        assert stripped(text) == words.split("|")

    @pytest.mark.parametrize("start", "c d j l m n s t qu jusqu lorsqu puisqu quoiqu".split())
    def test_every_french_elision_ends_after_its_apostrophe(self, start: str) -> None:
        for before in (start, start.upper(), start.title()):
            assert stripped(f"a {before}'un") == ["a", f"{before}'", "un"]
            assert stripped(f"a x{before}'un") == ["a", f"x{before}'un"]

    def test_every_han_character_is_a_word(self) -> None:
        for first, last in ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF)):
            block = "".join(map(chr, range(first, last, 97)))
            assert split_words(block) == list(block)


class TestSequences:
    @given(TEXTS)
    def test_the_words_of_a_source_are_those_of_its_text_and_the_end(self, text: str) -> None:
        sequence = tokenizer().source(text)
        assert list(sequence.word_texts) == [*stripped(normalise(text)), "</s>"]
        assert sequence.ids[-1] == 2
        assert sequence.texts[-1] == "</s>"

    @given(TEXTS)
    def test_pieces_never_cross_words(self, text: str) -> None:
        sequence = tokenizer().source(text)
        for word, text_of_word in enumerate(sequence.word_texts[:-1]):
            ids = [token for token, own in zip(sequence.ids, sequence.words, strict=True) if own == word]
            assert tokenizer().decode(ids).strip() == text_of_word

    @given(IDS)
    @example([2, 2, 1, 0, 2])
    @example(tokenizer().encode_batch(["👩\u200d👧"])[0][:-1])
    def test_any_ids_give_a_valid_record(self, ids: list[int]) -> None:
        sequence = tokenizer().sequence(ids)
        assert isinstance(sequence, TokenSequence)
        assert sequence.ids == tuple(ids)
        assert len(sequence.texts) == len(sequence.words) == len(ids)
        for text in (*sequence.texts, *sequence.word_texts):
            text.encode("utf-8")

    @given(IDS)
    def test_a_special_token_is_a_word_of_its_own(self, ids: list[int]) -> None:
        sequence = tokenizer().sequence(ids)
        for token, word in zip(ids, sequence.words, strict=True):
            if token < 3:
                assert sequence.words.count(word) == 1
                assert sequence.word_texts[word] == SPECIAL_TOKENS[token]

    @given(IDS)
    def test_the_words_of_any_ids_read_as_their_decoded_text(self, ids: list[int]) -> None:
        ids = [token for token in ids if token > 2]
        joined = "".join("".join(tokenizer().sequence(ids).word_texts).split())
        decoded = "".join(tokenizer().decode(ids).split())
        # A lone byte reads as U+FFFD in both; where a word ends inside a character they may count it differently.
        assert joined.replace("\ufffd", "") == decoded.replace("\ufffd", "")

    def test_a_character_in_several_pieces_is_one_word(self) -> None:
        sequence = tokenizer().source("🔥!")
        assert sequence.word_texts == ("🔥", "!", "</s>")
        assert sequence.words.count(0) > 1

    def test_pieces_show_their_white_space_and_stray_bytes_their_value(self) -> None:
        assert tokenizer().source("the cat").texts == (" the", " cat", "</s>")
        assert tokenizer().source("🔥").texts[-2] == r"\xa5"

    def test_a_decoder_reads_in_the_beginning_and_all_but_the_last_token(self) -> None:
        written = tokenizer().source("le chat")
        assert tokenizer().target_input(written).ids == (1, *written.ids[:-1])
        assert tokenizer().target_input(written).texts == ("<s>", " le", " chat")

    @pytest.mark.parametrize("token", [8000, 10**6])
    def test_an_id_that_there_is_not_is_an_error(self, token: int) -> None:
        with pytest.raises(IndexError, match=f"no piece has the id {token}; there are 8000"):
            tokenizer().piece(token)


class TestFiles:
    def test_the_file_does_not_hold_the_setting_that_loading_makes(self, tmp_path: Path) -> None:
        raw = Tokenizer.from_file(str(SHIPPED_TOKENIZER))
        assert raw.encode("</s>", add_special_tokens=False).ids == [2]
        for _ in range(2):  # load, save, load again
            loaded = PairTokenizer.load(SHIPPED_TOKENIZER)
            assert loaded._tokenizer.encode_special_tokens
            assert 2 not in loaded._tokenizer.encode("</s>", add_special_tokens=False).ids
            loaded.save(tmp_path / "tokenizer.json")
            again = PairTokenizer.load(tmp_path / "tokenizer.json")
            assert again._tokenizer.encode_special_tokens
            assert again.source("le </s> chat").ids == loaded.source("le </s> chat").ids
            assert again.source("le </s> chat").ids.count(2) == 1

    def test_saving_what_was_loaded_changes_no_id(self, small: PairTokenizer, tmp_path: Path) -> None:
        small.save(tmp_path / "again.json")
        again = PairTokenizer.load(tmp_path / "again.json")
        assert again.encode_batch(["the cat's 我"]) == small.encode_batch(["the cat's 我"])

    @pytest.mark.parametrize("specials", [(), ("<s>", "<pad>", "</s>"), ("<pad>", "<s>"), ("[PAD]", "[BOS]", "[EOS]")])
    def test_other_special_ids_are_refused(self, specials: tuple[str, ...], tmp_path: Path) -> None:
        raw = Tokenizer(models.BPE())
        raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        raw.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=270,
            special_tokens=[AddedToken(token, special=True) for token in specials],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        raw.train_from_iterator(["a b"], trainer)
        raw.save(str(tmp_path / "tokenizer.json"))
        with pytest.raises(ValueError, match=r"have ids .*; expected \(0, 1, 2\)"):
            PairTokenizer.load(tmp_path / "tokenizer.json")

    def test_a_learned_vocabulary_holds_specials_every_byte_and_frequent_pieces(self, small: PairTokenizer) -> None:
        assert [small.piece(token) for token in range(3)] == list(SPECIAL_TOKENS)
        assert {small._raw(token) for token in range(3, len(small))} >= {bytes([byte]) for byte in range(256)}
        assert len(small) <= 300
        assert small.source("the").texts == (" the", "</s>")


SHIPPED = sorted(
    path for name in ("tokenizer", "everyday") for path in SHIPPED_TOKENIZER.parents[1].glob(f"*/{name}.json")
)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}-{path.stem}")
class TestShipped:
    def test_it_has_the_pieces_that_recipes_and_models_that_use_it_name_specials_first(self, path: Path) -> None:
        loaded = PairTokenizer.load(path)
        recipes = [read_recipe(each) for each in (RECIPES / path.parent.name).glob("*.toml")]
        models = [describe(key) for key in catalog()]
        sizes = {each.vocabulary for each in recipes if each.tokenizer == path.stem}
        sizes |= {
            each.card["network"]["vocabulary"] for each in models if find_tokenizer(each.folder, each.card) == path
        }
        assert sizes == {len(loaded)}
        assert [loaded.piece(token) for token in range(3)] == list(SPECIAL_TOKENS)

    def test_it_has_the_whole_byte_alphabet(self, path: Path) -> None:
        loaded = PairTokenizer.load(path)
        pieces = [loaded._raw(token) for token in range(3, len(loaded))]
        assert {bytes([byte]) for byte in range(256)} <= set(pieces)
        assert len(set(pieces)) == len(pieces)

    def test_no_piece_crosses_words(self, path: Path) -> None:
        """Where a word ends depends on its neighbours: a piece lies inside one word alone, after or before a letter."""
        loaded = PairTokenizer.load(path)
        for token in range(3, len(loaded)):
            text = loaded._raw(token).decode("utf-8", "surrogateescape")
            around = (f"{before}{text}{after}" for before in ("", "e") for after in ("", "e"))
            assert any(text in word for whole in around for word in split_words(whole))

    def test_it_is_byte_level_and_drops_nothing(self, path: Path) -> None:
        settings = json.loads(path.read_text(encoding="utf8"))
        assert settings["model"]["type"] == "BPE"
        assert settings["model"]["unk_token"] is None
        assert settings["model"]["dropout"] is None
        assert settings["pre_tokenizer"]["type"] == settings["decoder"]["type"] == "ByteLevel"
