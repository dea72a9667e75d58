"""From text to the tokens of a transformers model and back, as the records that every view reads.

The words are those of `models.translation.words.split_words`, for every vocabulary: one sentence has the same
words in two models, however each cuts them into pieces.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from operator import itemgetter

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from models.errors import InputError, check_text
from models.huggingface.chat import in_chat
from models.messages import Message
from models.trace import TokenSequence
from models.trace.marks import Marks, show_bytes
from models.translation.pieces import assign_words, token_sequence
from models.translation.words import beginning, split_words

_NAMED = 10


@dataclass(frozen=True, slots=True)
class TokenizedText:
    """A text as a model takes it."""

    tokens: TokenSequence
    inputs: dict[str, Tensor]  # [1, token] ``input_ids`` and what else the tokenizer gives
    notes: tuple[Message, ...] = ()  # what of the text no token stands for, and which special tokens are there twice

    @property
    def left_out(self) -> object:
        """The characters that no token stands for, as a person can tell them apart; None if there are none."""
        return next((note.values["characters"] for note in self.notes if "characters" in note.values), None)


@dataclass(frozen=True, slots=True)
class Cut:
    """Texts cut into tokens."""

    ids: list[int]
    owners: list[int | None]  # the text, 0 or 1, that each token stands in; None for what stands around the texts
    starts: list[int]  # where in its text each token begins and ends, in characters
    ends: list[int]  # where in its text each token begins and ends, in characters
    inputs: dict[str, list[int]]  # what the model takes


class TextTokenizer:
    """A tokenizer of transformers that knows where in the text each token stands."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        if not getattr(tokenizer, "is_fast", False):
            message = Message(
                "The tokenizer of this model ({kind}) does not give the positions of its tokens in the text.",
                kind=type(tokenizer).__name__,
            )
            raise InputError(message)
        decoder = tokenizer.backend_tokenizer.decoder
        self._prepare(tokenizer, decoder=b"" if decoder is None else decoder.__getstate__())

    def _prepare(self, tokenizer: PreTrainedTokenizerBase, *, decoder: bytes) -> None:
        """Take `tokenizer`; `decoder` says how its pieces become text."""
        self.tokenizer = tokenizer
        model = getattr(getattr(tokenizer, "backend_tokenizer", None), "model", None)
        self._marks = Marks(
            byte_level=b"ByteLevel" in decoder,
            word_pieces=b"WordPiece" in decoder,
            word_end=getattr(model, "end_of_word_suffix", None) or "",
        )
        typed = {tokenizer.mask_token_id, tokenizer.unk_token_id}
        ends = (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.sep_token_id, tokenizer.cls_token_id)
        # A mask, and what stands for an unknown word, are words of the text; one token may serve for several.
        self._specials = frozenset(tokenizer.all_special_ids) - (typed - {*ends, tokenizer.pad_token_id})

    @property
    def mask(self) -> int | None:
        """The id of the token that stands for a masked word, if there is one."""
        token: int | None = self.tokenizer.mask_token_id
        return token

    @property
    def longest(self) -> int:
        """How many tokens a text may have, special ones included, as far as the tokenizer knows."""
        return int(min(self.tokenizer.model_max_length, 10**9))

    def read(self, text: str, pair: str | None = None) -> TokenizedText:
        """Return `text`, or a pair of texts, with the special tokens that the model wants around them."""
        texts = [clean(text)] if pair is None else [clean(text), clean(pair)]
        return self._reading(texts, self._cut(texts), pair=pair is not None)

    def read_chat(self, text: str) -> tuple[TokenizedText, tuple[int, int]]:
        """Return `text` in the chat template, ready for an answer, and the first and last place of the user's words."""
        said = clean(text)
        whole = in_chat(self.tokenizer, said)
        cut = self._cut([whole], specials=False)  # the template has them
        start = whole.find(said)
        spans = enumerate(zip(cut.starts, cut.ends, strict=True))
        inside = [place for place, (begin, end) in spans if begin < start + len(said) and end > start]
        spoken = (inside[0], inside[-1] + 1) if start >= 0 and inside else (0, 0)
        return self._reading([whole], cut), spoken

    def _reading(self, texts: Sequence[str], cut: Cut, *, pair: bool = False) -> TokenizedText:
        ids, owners, dropped = cut.ids, cut.owners, self._left_out(texts, cut)
        words: list[int] = []
        word_texts: list[str] = []
        for owner, run in groupby(range(len(ids)), key=lambda position: owners[position]):
            positions = list(run)
            if owner is None:
                indices, new = list(range(len(positions))), [self.piece(ids[position]) for position in positions]
            else:
                indices, new = _words_of(texts[owner], [cut.starts[position] for position in positions])
            words.extend(len(word_texts) + index for index in indices)
            word_texts.extend(new)
        specials = [p for p, token in enumerate(ids) if owners[p] is None or token in self._specials]
        segments = () if not pair else tuple(-1 if owner is None else owner for owner in owners)
        pieces = tuple(self.piece(token) for token in ids)
        tokens = TokenSequence(pieces, tuple(ids), tuple(words), tuple(word_texts), tuple(specials), segments)
        notes = [Message("left out by its tokenizer: {characters}", characters=_named(dropped))] if dropped else []
        notes.extend(
            Message("{token} appears twice: the text contains one, and the tokenizer adds one", token=self._name(token))
            for token in self._doubled(cut)
        )
        return TokenizedText(
            tokens, {name: torch.tensor([values]) for name, values in cut.inputs.items()}, tuple(notes)
        )

    def beyond(self, rows: int) -> list[str]:
        """Return the tokens of the vocabulary, added ones included, whose ids are `rows` or more, in their order."""
        return [name for name, token in sorted(self.tokenizer.get_vocab().items(), key=itemgetter(1)) if token >= rows]

    def target(self, text: str) -> list[int]:
        """Return the ids of a text to write, with the special tokens that close it."""
        return list(self.tokenizer(text_target=clean(text), verbose=False)["input_ids"])

    def sequence(self, ids: Sequence[int]) -> TokenSequence:
        """Return `ids` that a model wrote as a record: the words are those of their text."""
        raws = [None if token in self._specials else self._raw(token) for token in ids]
        return token_sequence(ids, [self.piece(token) for token in ids], raws)

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of `ids`, special tokens left out."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True))

    def piece(self, token: int) -> str:
        r"""Return what one token reads: a blank for the mark of one, ``##`` kept, bytes of no character as ``\xe2``."""
        if token in self._specials or self._marks.word_pieces:
            return self._name(token)
        return show_bytes(self._raw(token))

    def fit(self, text: str, longest: int, *, pair: str | None = None) -> tuple[str, int]:
        """Return the beginning of `text` that has at most `longest` tokens, and how many words are left out.

        It is cut after a word, or inside the first one if that alone is too long; not at all if `pair`, which is
        counted in, leaves no room for anything.
        """
        text, unseen = beginning(text)
        words, others = split_words(clean(text)), [] if pair is None else [beginning(clean(pair))[0]]
        whole = self._fitting(words, others, longest)
        if whole == len(words):
            return text, unseen
        parts = words if whole else list(words[0])
        end = whole or self._fitting(parts, others, longest)
        return ("".join(parts[:end]), len(words) - whole + unseen) if end else (text, unseen)

    def _cut(self, texts: Sequence[str], *, specials: bool = True) -> Cut:
        """Cut a text, or a pair of texts, into tokens, with the special ones around them."""
        asked = {"return_offsets_mapping": True, "return_special_tokens_mask": True, "truncation": False}
        encoded = self.tokenizer(*texts, **asked, add_special_tokens=specials, verbose=False)
        names = [name for name in self.tokenizer.model_input_names if name in encoded]
        return Cut(
            ids=list(encoded["input_ids"]),
            owners=list(encoded.sequence_ids(0)),
            starts=[start for start, _ in encoded["offset_mapping"]],
            ends=[end for _, end in encoded["offset_mapping"]],
            inputs={name: list(encoded[name]) for name in names},
        )

    def _doubled(self, cut: Cut) -> list[int]:
        """Return the special tokens, each once, that are typed right beside the same one that the tokenizer adds."""
        beside = pairwise(zip(cut.ids, cut.owners, strict=True))
        twice = (one for (one, owner), (other, near) in beside if one == other and (owner is None) != (near is None))
        return list(dict.fromkeys(twice))

    def _left_out(self, texts: Sequence[str], cut: Cut) -> str:
        """Return the characters of `texts`, each once, that no token stands for, white space aside."""
        unread = [set(range(len(text))) for text in texts]
        for owner, start, end in zip(cut.owners, cut.starts, cut.ends, strict=True):
            if owner is not None:
                unread[owner].difference_update(range(start, end))
        lost = {text[place] for text, places in zip(texts, unread, strict=True) for place in places}
        normaliser = getattr(getattr(self.tokenizer, "backend_tokenizer", None), "normalizer", None)
        if normaliser is not None:  # what it takes out may stand inside the span of a token
            lost |= {each for each in set("".join(texts)) if not each.isalnum() and not normaliser.normalize_str(each)}
        return "".join(each for each in dict.fromkeys("".join(texts)) if each in lost and not each.isspace())

    def _fitting(self, parts: Sequence[str], others: Sequence[str], longest: int) -> int:
        """Return how many of `parts`, from the first, have at most `longest` tokens together, `others` counted in."""
        counts = range(1, len(parts) + 1)
        return bisect_right(counts, longest, key=lambda count: self._count(["".join(parts[:count]), *others]))

    def _count(self, texts: Sequence[str]) -> int:
        return len(self.tokenizer(*texts, truncation=False, verbose=False)["input_ids"])

    def _name(self, token: int) -> str:
        return str(self.tokenizer.convert_ids_to_tokens(token))

    def _raw(self, token: int) -> bytes:
        """Return what a token that is not special adds to the text, in UTF-8."""
        return self._marks.raw(self._name(token))


def clean(text: str) -> str:
    """Return `text` without white space at its ends; a lone surrogate, which UTF-8 cannot hold, becomes U+FFFD."""
    check_text(text)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip()


def _named(characters: str) -> str:
    """Return characters as a person can tell them apart: those that show nothing by their numbers; ten at most."""
    shown = (each if unicodedata.category(each)[0] in "LNPS" else f"U+{ord(each):04X}" for each in characters[:_NAMED])
    return ", ".join(shown) + (", …" if len(characters) > _NAMED else "")


def _words_of(text: str, starts: Sequence[int]) -> tuple[list[int], list[str]]:
    """Return, for tokens that begin at `starts` of `text`, the index of each one's word and the words' texts."""
    words = split_words(text)
    ends = [0, *accumulate(map(len, words))]
    forward = accumulate((min(start, len(text) - 1) for start in starts), max)
    indices, bounds = assign_words(list(forward), [len(word) for word in words])
    return indices, [text[ends[a] : ends[b]].strip() for a, b in bounds]
