"""Measure a reader on unseen lines: ``python -m training.readers.evaluate RECIPE --data DIR``.

Writes the figures into the card of the shipped model, as `Counts` and `measure_bert` say them.
"""

from __future__ import annotations

import json
import math
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor
from tqdm import tqdm

from models.cards import read_fields
from models.command import run
from models.huggingface.embedded import READERS, tokenizer_of
from models.translation.checkpoints import CARD_FILE, write_card
from training.options import Data, RecipeFile
from training.readers.batches import encode, epoch_batches, mask, read_batch
from training.readers.language import measure_reach
from training.readers.networks import bert_losses, gpt_loss, open_network
from training.readers.recipe import ReaderRecipe, read_reader_recipe
from training.readers.sentences import measure_sentences
from training.readers.texts import BERT_SPECIALS, read_lines

SEED = 2_000_000


@dataclass(frozen=True, slots=True)
class Counts:
    """What a model that writes the next token did on some lines."""

    lines: int = 0  # words of blanks; right are the tokens that were the likeliest
    tokens: int = 0  # words of blanks; right are the tokens that were the likeliest
    words: int = 0  # words of blanks; right are the tokens that were the likeliest
    right: int = 0  # words of blanks; right are the tokens that were the likeliest
    nats: float = 0.0  # the loss of all tokens

    def __add__(self, other: Counts) -> Counts:
        """Return what was done on the lines of both."""
        return Counts(*(own + theirs for own, theirs in zip(astuple(self), astuple(other), strict=True)))

    def figures(self) -> dict[str, float]:
        """Return a card's measures: perplexity per token and per word, the end of each line included."""
        return {
            "lines": self.lines,
            "tokens": self.tokens,
            "words": self.words,
            "perplexity_per_token": round(math.exp(self.nats / self.tokens), 2),
            "perplexity_per_word": round(math.exp(self.nats / self.words), 2),
            "next_token_right": round(self.right / self.tokens, 4),
        }


def count_gpt(network: Any, tokenizer: Tokenizer, lines: list[str], recipe: ReaderRecipe) -> Counts:
    """Return what a model that writes the next token does on `lines`, those left out that are too long for it."""
    corpus = encode(tokenizer, [(1.0, lines)], recipe.context - 2)
    kept = [line for line in lines if len(tokenizer.encode(line, add_special_tokens=False).ids) <= recipe.context - 2]
    total, tokens, right = 0.0, 0, 0
    for rows in tqdm(epoch_batches(corpus, replace(recipe, packed_share=0.0), 0), disable=None):
        loss, count = gpt_loss(network, rows)
        ids, _, _ = read_batch(rows)
        scores = network(ids[:, :-1])
        likeliest: Tensor = getattr(scores, "logits", scores).argmax(dim=-1)
        right += int((likeliest == ids[:, 1:]).sum())
        total, tokens = total + float(loss) * count, tokens + count
    return Counts(len(kept), tokens, sum(len(line.split()) for line in kept), right, total)


def measure_bert(network: Any, tokenizer: Tokenizer, lines: list[str], recipe: ReaderRecipe) -> dict[str, float]:
    """Return how often the masked token is the likeliest, and its perplexity."""
    corpus = encode(tokenizer, [(1.0, lines)], recipe.context - 3)
    total, masked, right, plain, plain_right = 0.0, 0, 0, 0, 0
    hidden = BERT_SPECIALS.index("[MASK]")
    for index, rows in enumerate(tqdm(epoch_batches(corpus, recipe, 0), disable=None)):
        words, count, _, _ = bert_losses(network, rows, SEED + index)
        if not count:
            continue
        ids, segments, _ = read_batch(rows)
        read, chosen = mask(ids, recipe.vocabulary, SEED + index)
        likeliest: Tensor = network(read, token_type_ids=segments).prediction_logits.argmax(dim=-1)
        hits = likeliest[chosen].eq(ids[chosen])
        by_mask = read[chosen].eq(hidden)
        total, masked, right = total + float(words) * count, masked + count, right + int(hits.sum())
        plain, plain_right = plain + int(by_mask.sum()), plain_right + int(hits[by_mask].sum())
    return {
        "masked": masked,
        "masked_right": round(right / masked, 4),
        "masked_perplexity": round(math.exp(total / masked), 2),
        "only_masked_right": round(plain_right / plain, 4),
    }


def measure_hops(network: Any, tokenizer: Tokenizer, recipe: ReaderRecipe, data: Path) -> dict[str, dict[str, float]]:
    """Return what `measure_sentences` gives of each class, and its mean over the classes beside what chance gives."""
    found: dict[str, dict[str, float]] = {}
    for file in recipe.test:
        corpus = encode(tokenizer, [(1.0, read_lines(file, data))], recipe.context - 2)
        found[file.label] = measure_sentences(network, epoch_batches(corpus, replace(recipe, files=(file,)), 0))
    names = ("right", "penalty", "overlap")
    means = {name: round(sum(each[name] for each in found.values()) / len(found), 4) for name in names}
    return found | {"mean": means | {"chance": round(1 / len(recipe.labels), 4)}}


@torch.no_grad()
def evaluate(recipe: ReaderRecipe, data: Path, folder: Path) -> dict[str, dict[str, Any]]:
    """Return the figures of the model in `folder` on each test file, by its name.

    Of a language model with a memory also on ``all`` together, with its ``reach``, as `measure_reach` gives it.
    """
    network = open_network(recipe, folder)
    tokenizer = Tokenizer.from_file(str(tokenizer_of(folder, read_fields(folder, {}))))
    if recipe.kind == "hops":
        return measure_hops(network, tokenizer, recipe, data)
    names = [file.path.rpartition("/")[2].removesuffix(".tsv.xz") for file in recipe.test]
    names = [name.replace(".train", ".held-out") for name in names]
    texts = {name: read_lines(file, data) for name, file in zip(names, recipe.test, strict=True)}
    if recipe.kind == "bert":
        return {name: measure_bert(network, tokenizer, lines, recipe) for name, lines in texts.items()}
    counted = {name: count_gpt(network, tokenizer, lines, recipe) for name, lines in texts.items()}
    found: dict[str, dict[str, Any]] = {name: each.figures() for name, each in counted.items()}
    if recipe.kind == "memory":
        found["all"] = sum(counted.values(), Counts()).figures()
    if recipe.kind == "memory" and network.heads:
        corpus = encode(tokenizer, [(1.0, [line for lines in texts.values() for line in lines])], recipe.context - 2)
        found["all"] |= {"reach": measure_reach(network, epoch_batches(corpus, recipe, 0))}
    return found


def main(recipe: RecipeFile, *, data: Data) -> None:
    """Measure a reader, and write its card."""
    torch.set_num_threads(1)
    read = read_reader_recipe(recipe)
    folder = READERS / read.key
    card = json.loads((folder / CARD_FILE).read_text(encoding="utf8"))
    write_card(folder, card | {"held_out": evaluate(read, data, folder)})


if __name__ == "__main__":
    run(main)
