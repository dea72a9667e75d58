"""The tokenizer of Marian checkpoints (Helsinki-NLP/opus-mt-*): sentencepiece itself, with ids of its own.

A Marian checkpoint has no ``tokenizer.json``. One sentencepiece model (Kudo and Richardson 2018) splits what is read,
another what is written, and one vocabulary of both languages numbers the pieces. What `MarianTokenizer` of
transformers makes of a text is followed token by token; added is where in the text each begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transformers import MarianTokenizer

from models.huggingface.tokens import Cut, TextTokenizer, clean


class _Unnormalised(MarianTokenizer):
    """`MarianTokenizer`, which would advise a package for a normaliser of punctuation that it never calls."""

    def _setup_normalizer(self) -> None:
        self.punc_normalizer = str


class MarianText(TextTokenizer):
    """A Marian tokenizer that knows where in the text each token stands. Safe to share between threads."""

    tokenizer: Any

    def __init__(self, folder: Path, **options: Any) -> None:
        self._prepare(_Unnormalised.from_pretrained(folder, **options), decoder=b"")
        # A code such as >>fra<< says which language to write: it stands in the vocabulary, and is no word of the text.
        self._specials |= {self.tokenizer.encoder[code] for code in self.tokenizer.supported_language_codes}

    def target(self, text: str) -> list[int]:
        """Return the ids of a text to write, closed by ``</s>``."""
        return self._pieces(clean(text), self.tokenizer.spm_target)[0]

    def _cut(self, texts: Sequence[str], *, specials: bool = True) -> Cut:
        (text,) = texts
        ids, starts, ends = self._pieces(text, self.tokenizer.spm_source)
        inside: list[int | None] = [0] * (len(ids) - 1)
        return Cut(ids, [*inside, None], starts, ends, {"input_ids": ids, "attention_mask": [1] * len(ids)})

    def _count(self, texts: Sequence[str]) -> int:
        return len(self._cut(texts).ids)

    def _pieces(self, text: str, splitter: Any) -> tuple[list[int], list[int], list[int]]:
        """Return id, beginning and end of each piece that `splitter` makes of `text`, and of ``</s>``."""
        own, place = self.tokenizer, 0
        ids: list[int] = []
        starts: list[int] = []
        ends: list[int] = []
        for part in own.tokens_trie.split(text):  # special tokens that are typed stay whole
            if part in own.added_tokens_encoder:
                ids.append(own.added_tokens_encoder[part])
                starts.append(place)
                ends.append(place + len(part))
            else:
                codes, rest = own.remove_language_code(part)
                begin = place + len(part) - len(rest)
                found = splitter.encode(rest, return_type="offset_mapping")
                ids.extend(own.encoder.get(piece, own.unk_token_id) for piece in (*codes, *found["pieces"]))
                starts.extend([place] * len(codes) + [begin + start for start, _ in found["offsets"]])
                ends.extend([begin] * len(codes) + [begin + end for _, end in found["offsets"]])
            place += len(part)
        return [*ids, own.eos_token_id], [*starts, len(text)], [*ends, len(text)]
