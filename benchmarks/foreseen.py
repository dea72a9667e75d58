"""Where forced alignments go wrong: at words that surprised the model? `python -m benchmarks.foreseen`.

AER forces the gold translation, and the heaviest source word of a row stands for the target word that the row writes.
A mechanism whose query has not read the target word before (Bahdanau's: the PREVIOUS decoder state) cannot know where
a translation that surprises it has got to; one whose query has read it (Luong's, the Transformer's) can. Of the target
words that have a gold link, this counts those whose heaviest source word is one, apart for words that the model itself
would have written or not, after a word that it would have written or not.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from tqdm import tqdm

import models
from benchmarks.measure import Json, Keys, report
from models.command import run
from models.experiments.alignment import GoldSentence, gold_indices, read_gold, word_map
from models.experiments.links import strongest_sources
from models.trace import AttentionTrace
from models.translation.checkpoints import alignment_of
from models.translation.translator import Translator

FILE = "gold/{name}.tsv.xz"
CASES = {
    (True, True): "both expected",
    (True, False): "only the word before expected",
    (False, True): "only the word itself expected",
    (False, False): "neither expected",
}


def expected_words(trace: AttentionTrace, gold: GoldSentence) -> list[bool]:
    """Return for each gold target word whether every piece of it was the likeliest one at its step."""
    expected = [True] * len(gold.target)
    for step, word in zip(trace.steps, gold_indices(trace.target, gold.target), strict=False):
        if step.alternatives[0][0] != step.text:
            expected[word] = False
    return expected


def counts(model: Translator, sentences: list[GoldSentence]) -> tuple[Counter[Any], Counter[Any]]:
    """Return per case of `CASES` the target words with a gold link, and those whose heaviest source word is one."""
    chosen = alignment_of(model.card)
    if chosen is None:
        message = f"{model.key}: its card names no alignment; run training.evaluate --write"
        raise ValueError(message)
    every: Counter[Any] = Counter()
    found: Counter[Any] = Counter()
    for gold in sentences:
        trace = model.attend(" ".join(gold.source), " ".join(gold.target), sites=(chosen.site,))
        heads = word_map(trace.read(chosen.site, chosen.reading), trace, gold)
        links = strongest_sources(heads.mean(axis=0) if chosen.head == "mean" else heads[chosen.head])
        expected = expected_words(trace, gold)
        linked = {target for _, target in gold.possible}
        for source, target in links:
            if target in linked:
                case = (target == 0 or expected[target - 1], expected[target])
                every[case] += 1
                found[case] += (source, target) in gold.possible
    return every, found


def main(
    keys: Keys = None,
    *,
    data: Annotated[Path, typer.Option(help="Folder of the parallel text.", exists=True, file_okay=False)],
    gold: Annotated[str, typer.Option(help="A file of its gold alignments.")] = "hansards_en-fr.odd",
    json: Json = False,
) -> None:
    """Count for every model of English to French and write a table."""
    torch.set_num_threads(1)
    sentences = list(read_gold(data / FILE.format(name=gold)))
    rows = []
    for key in tqdm(keys or models.catalog(), disable=None):
        model = models.load(key)
        if not (isinstance(model, Translator) and model.mechanism.has_attention):
            continue
        every, found = counts(model, sentences)
        row: dict[str, Any] = {"model": key}
        row |= {name: f"{found[case] / max(every[case], 1):.3f} of {every[case]}" for case, name in CASES.items()}
        rows.append(row)
    report(f"Share of target words whose heaviest source word is a gold link, {gold}", rows, as_json=json)


if __name__ == "__main__":
    run(main)
