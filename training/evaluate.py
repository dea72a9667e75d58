"""Measure a model: ``python -m training.evaluate KEY --data DIR [--write]``.

BLEU (sacrebleu, greedy decoding) on the pair's test files, over distinct sources that the training text does not hold
(`training.unseen`) with all their references, the single-reference figure beside it; AER
(`models.experiments.alignment`) of both extractors; its map, head and reading, and the heads read together, are chosen
on the trial set alone. It also tells which of the example sentences stand in the training text. ``--write`` puts all
that into the card; ``--part`` measures and writes one of the two. DIR holds the training text, too.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import torch
import typer
from sacrebleu.metrics.bleu import BLEU
from tqdm import tqdm

from models.command import Threads, run
from models.experiments.aligning_heads import gold_file
from models.experiments.alignment import (
    AlignedSentence,
    Choice,
    ErrorRate,
    Extractor,
    GoldSentence,
    aligned,
    choose,
    choose_heads,
    counted,
    error_rates,
    read_gold,
)
from models.experiments.links import grown_links, strongest_sources
from models.translation.checkpoints import write_card
from models.translation.decoding import translate_batch
from models.translation.examples import EXAMPLES
from models.translation.translator import Translator
from models.vocabulary import END
from training.data import read_pairs
from training.options import Data, Key, translator
from training.unseen import bare, training_sources, unseen

TESTS = {"en-fr": ("tatoeba", "everyday", "europarl"), "zh-en": ("tatoeba", "everyday", "3am")}
EVERYDAY = "everyday.gold"
"""The pairs aligned by hand beside the recipes."""
TRIAL = {"en-fr": "hansards_en-fr.trial37", "zh-en": EVERYDAY}
GOLD = {
    "en-fr": ("hansards_en-fr.odd", "golden-europarl_en-fr.100", "alibi_en-fr", EVERYDAY),
    "zh-en": ("tsinghua_zh-en.odd",),
}
EXTRACTORS = {"strongest": strongest_sources, "grown": grown_links}
"""How links are read off a map, by name: `models.experiments.links`."""
Part = Literal["translation", "alignment"]
PARTS = get_args(Part)
BATCH = 64


def translate(model: Translator, sources: list[str]) -> list[str]:
    """Translate greedily, in batches of one source length."""
    by_length: dict[int, list[int]] = defaultdict(list)
    encoded = model.tokenizer.encode_batch(sources)
    for index, ids in enumerate(encoded):
        by_length[len(ids)].append(index)
    outputs = [""] * len(sources)
    with tqdm(total=len(sources), desc="translate", unit="sentence", disable=None) as bar:
        for indices in by_length.values():
            for start in range(0, len(indices), BATCH):
                rows = indices[start : start + BATCH]
                source = torch.tensor([[*encoded[row], END] for row in rows])
                for row, ids in zip(rows, translate_batch(model.network, source), strict=True):
                    outputs[row] = model.tokenizer.decode(ids)
                bar.update(len(rows))
    return outputs


def bleu(model: Translator, path: Path, seen: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return BLEU over the distinct sources of a file, with all references and with the first one alone."""
    pairs = list(read_pairs(path))
    references: dict[str, list[str]] = defaultdict(list)
    for source, target in unseen(pairs, seen):
        references[source].append(target)
    outputs = translate(model, list(references))
    streams = [list(stream) for stream in zip_longest(*references.values())]
    metric = BLEU()
    score = metric.corpus_score(outputs, streams)
    signature = str(metric.get_signature())
    single = BLEU().corpus_score(outputs, [streams[0]])
    return {
        "sources": len(references),
        "sources_left_out": len({source for source, _ in pairs}) - len(references),
        "references": sum(map(len, references.values())),
        "bleu": round(score.score, 2),
        "bleu_first_reference": round(single.score, 2),
        "signature": signature,
    }


def known_examples(pair: str, seen: frozenset[str]) -> dict[str, bool]:
    """Return of each example sentence of `pair` whether it is among `seen`; empty if what was seen is unknown."""
    return {example: bare(example) in seen for example in EXAMPLES.get(pair, {}).values()} if seen else {}


def translation_figures(model: Translator, data: Path) -> dict[str, Any]:
    """Return BLEU on every test file of the model's pair, and which examples it was trained on."""
    pair = model.entry.pair
    seen = training_sources([model.card], data)
    return {
        "examples_in_training": known_examples(pair, seen),
        "bleu": {f"{name}.test": bleu(model, data / pair / f"{name}.test.tsv.xz", seen) for name in TESTS[pair]},
    }


def gold_pairs(pair: str, name: str, data: Path) -> Iterator[GoldSentence]:
    """Return a gold set."""
    return read_gold(gold_file(pair) if name == EVERYDAY else data / "gold" / f"{name}.tsv.xz")


def gold_sentences(model: Translator, name: str, data: Path) -> list[AlignedSentence]:
    """Return a gold set as `model` aligns it."""
    return aligned(model, tqdm(list(gold_pairs(model.entry.pair, name, data)), desc=name, disable=None))


def alignment_figures(model: Translator, data: Path) -> dict[str, Any]:
    """Return AER on the trial set and on every gold set, by both extractors; nothing where there is no map.

    ``aer`` is of the map that the trial set chose, of those whose rows are the words written, one link a target word:
    the map that pages show. ``aer_grown`` is of the same map, its links grown from both directions; ``aer_heads``, of a
    model of several heads, of the mean of a few, the links grown; ``aer_moved`` of what is moved on the map that pages
    show, by all its heads together, the links grown. ``aer_interval`` has the bootstrap's 95 % of each.
    """
    if not model.mechanism.has_attention:
        return {}
    pair = model.entry.pair
    trial = gold_sentences(model, TRIAL[pair], data)
    rates = error_rates(trial)
    chosen = choose(rates, "written")
    ways: dict[str, tuple[tuple[Choice, ...], Extractor]] = {
        "aer": ((chosen,), strongest_sources),
        "aer_grown": ((chosen,), grown_links),
    }
    figures: dict[str, Any] = {"alignment": _record(chosen) | {"chosen_on": TRIAL[pair]}}
    if any(head not in (0, "mean") for _, head, _ in rates):
        heads = choose_heads(trial, grown_links)
        figures["alignment"]["heads"] = [_record(each) for each in heads]
        ways["aer_heads"] = (heads, grown_links)
    figures["alignment"]["trial_aer"] = {
        ".".join(map(str, choice)): round(rate, 4) for choice, rate in sorted(rates.items(), key=str)
    }
    sets = {TRIAL[pair]: trial} | {name: gold_sentences(model, name, data) for name in GOLD[pair]}
    figures["aer_interval"] = {}
    for way, (choices, extractor) in ways.items():
        _add(figures, way, {name: counted(each, choices, extractor) for name, each in sets.items()})
    if trial[0].moved:
        lengths = {name: [replace(each, maps=each.moved) for each in own] for name, own in sets.items()}
        _add(figures, "aer_moved", {name: counted(each, (chosen,), grown_links) for name, each in lengths.items()})
    return figures


def _add(figures: dict[str, Any], way: str, counts: Mapping[str, ErrorRate]) -> None:
    """Add the rates of one way, and their intervals."""
    figures[way] = {name: round(each.value, 4) for name, each in counts.items()}
    figures["aer_interval"][way] = {name: [round(end, 4) for end in each.interval()] for name, each in counts.items()}


def _record(choice: Choice) -> dict[str, Any]:
    return dict(zip(("site", "head", "reading"), choice, strict=True))


def evaluate(model: Translator, data: Path, parts: Collection[str] = PARTS) -> dict[str, Any]:
    """Return the figures of a model, as they go into its card; of some of `PARTS` alone if they are named."""
    figures = translation_figures(model, data) if "translation" in parts else {}
    return figures | (alignment_figures(model, data) if "alignment" in parts else {})


def main(
    key: Key,
    *,
    data: Data,
    write: Annotated[bool, typer.Option("--write", help="Put the figures into the card.")] = False,
    part: Annotated[Part | None, typer.Option(help="The only part to measure; both if left out.")] = None,
    threads: Threads = 1,
) -> None:
    """Measure a model."""
    torch.set_num_threads(threads)
    model = translator(key)
    figures = evaluate(model, data, (part,) if part else PARTS)
    typer.echo(json.dumps(figures, indent=2, ensure_ascii=False))
    if write:
        write_card(model.entry.folder, {**model.card, **figures})


if __name__ == "__main__":
    run(main)
