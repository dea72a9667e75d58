"""The English of the corpora, line by line, and the tokenizers learned from it."""

from __future__ import annotations

import lzma
import random
import re
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Protocol

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from models.huggingface.embedded import READERS
from models.huggingface.files import TOKENIZER_FILE
from training.readers.recipe import ReaderRecipe, TextFile

BOUNDARY = "<|endoftext|>"
"""Before and after every text that a GPT reads."""

GPT_TOKENIZER = READERS / "gpt-en" / "tokenizer.json"
"""That of the small GPT, which the language models with a memory share."""

BERT_SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
HOPS_SPECIALS = ("[PAD]", "[UNK]")
RAREST, ALPHABET = 2, 200
TELLING = 4  # words of a sentence that is one text's own

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')»”]*\s+(?=[\"'(«“—-]*\s*[A-Z])")
_ABBREVIATION = re.compile(r"\b(Mr|Mrs|Ms|Dr|St|Messrs|No|M|Mme|Mlle|Prof|[A-Z])\.$")


class Files(Protocol):
    """What a recipe says of its text; see `ReaderRecipe`."""

    @property
    def files(self) -> tuple[TextFile, ...]:
        """To train on."""

    @property
    def held_out(self) -> tuple[TextFile, ...]:
        """To measure the run by."""

    @property
    def test(self) -> tuple[TextFile, ...]:
        """To measure what came of it by."""


def read_lines(file: TextFile, data: Path) -> list[str]:
    """Return the distinct lines of a file, those that the recipe takes, in its order."""
    with lzma.open(data / file.path, "rt", encoding="utf8") as packed:
        found = list(dict.fromkeys(line.rstrip("\n").split("\t")[file.column] for line in packed))
    return found[file.begin :][: file.lines or None]


def training_lines(recipe: Files, data: Path) -> Iterator[tuple[TextFile, list[str]]]:
    """Give the lines of each training file: none that is held out or tested on, none that a file before it has."""
    seen = {line for file in (*recipe.held_out, *recipe.test) for line in read_lines(file, data)}
    apart = {each for line in seen for each in sentences_of(line) if len(each.split()) >= TELLING}
    for file in recipe.files:
        fresh = [line for line in read_lines(file, data) if line not in seen]
        if file.pairs:
            cut = {line: sentences_of(line) for line in fresh}
            fresh = [line for line in fresh if len(cut[line]) > 1 and apart.isdisjoint(cut[line])]
        seen.update(fresh)
        yield file, fresh


def sentences_of(line: str) -> list[str]:
    """Return the sentences of a line: cut after a stop before a capital, unless the stop is that of a short form."""
    found, start = [], 0
    for cut in _SENTENCE_END.finditer(line):
        part = line[start : cut.end()].strip()
        if len(part.split()) > 1 and not _ABBREVIATION.search(part):
            found.append(part)
            start = cut.end()
    rest = line[start:].strip()
    if len(rest.split()) < 2 and found:
        return [*found[:-1], f"{found[-1]} {rest}".strip()]
    return [*found, rest]


def learn_tokenizer(kind: str, lines: Collection[str], vocabulary: int) -> Tokenizer:
    """Return a tokenizer learned from `lines`: pairs of bytes for a GPT, else pieces of words."""
    if kind == "gpt":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=vocabulary,
            special_tokens=[BOUNDARY],
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        )
        tokenizer.train_from_iterator(lines, trainer)
        tokenizer.post_processor = processors.Sequence(
            [
                processors.ByteLevel(trim_offsets=True),
                processors.TemplateProcessing(
                    single=f"{BOUNDARY} $A", pair=f"{BOUNDARY} $A {BOUNDARY} $B", special_tokens=[(BOUNDARY, 0)]
                ),
            ]
        )
        return tokenizer
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    specials = list(BERT_SPECIALS if kind == "bert" else HOPS_SPECIALS)
    word_pieces = trainers.WordPieceTrainer(
        vocab_size=vocabulary, special_tokens=specials, limit_alphabet=ALPHABET, show_progress=False
    )
    tokenizer.train_from_iterator(lines, word_pieces)
    if kind == "hops":
        return tokenizer
    separator, first = (tokenizer.token_to_id(each) for each in ("[SEP]", "[CLS]"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", first), ("[SEP]", separator)],
    )
    return tokenizer


def tokenizer_for(recipe: ReaderRecipe, data: Path, path: Path) -> Tokenizer:
    """Return the tokenizer that lies at `path`; if there is none, learned and put there, or the GPT's."""
    if not path.is_file() and (recipe.kind == "memory" or recipe.start):
        shutil.copyfile(READERS / recipe.start / TOKENIZER_FILE if recipe.start else GPT_TOKENIZER, path)
    if not path.is_file():
        chance = random.Random(recipe.seed)
        lines = [
            line
            for file, own in training_lines(recipe, data)
            for line in own
            if file.tokenizer_share >= 1 or chance.random() < file.tokenizer_share
        ]
        learn_tokenizer(recipe.kind, lines, recipe.vocabulary).save(str(path))
    return Tokenizer.from_file(str(path))
