"""BLEU of an encoder limited to a pattern of attention: ``python -m training.patterns KEYS --data DIR``.

The shipped weights, trained with full attention, translate sentences of a test file (`FILES`) that the training text
does not have (`training.unseen`), greedily, with each of `models.edits.PATTERNS` in every encoder layer. Nothing is
trained or chosen on the figures. Writes ``patterns.json`` in the folder of the language pair: BLEU with the 95%
interval of a bootstrap.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest
from typing import Annotated

import torch
import typer
from sacrebleu.metrics.bleu import BLEU
from tqdm import tqdm

from models.command import Threads, run
from models.edits import PATTERNS
from models.edits.patterns import keys_left
from models.hooks import capture
from models.translation.checkpoints import WEIGHTS
from models.translation.pattern_table import PATTERNS_FILE, PatternRow, PatternTable
from models.translation.translator import Translator
from training.data import read_pairs
from training.evaluate import translate
from training.options import Data, Keys, translator
from training.unseen import training_sources, unseen

FILES: Mapping[str, str] = {"en-fr": "europarl.test", "zh-en": "everyday.test"}
"""What each language pair is measured on."""

SITE = "encoder.*.self"
SIZES: Mapping[str, Sequence[int]] = {
    "near": (0, 1, 2, 3, 4, 6, 8, 12, 16),
    "stride": (2, 3, 4, 6),
    "block": (2, 4, 8, 16),
    "top_k": (1, 2, 3, 4, 8, 16),
}
SAMPLES = 1000
"""Of the bootstrap."""


def figures(model: Translator, references: Mapping[str, Sequence[str]]) -> PatternTable:
    """Return BLEU of `model` as it is, and under each pattern, over sources of its file with all their references."""
    sources = list(references)
    streams = [list(stream) for stream in zip_longest(*references.values())]
    lengths = [len(ids) + 1 for ids in model.tokenizer.encode_batch(sources)]  # the end is a token, too
    total = sum(lengths)
    rows = []
    for name, size in tqdm([("", 0), *((name, size) for name, sizes in SIZES.items() for size in sizes)], disable=None):
        edits = [PATTERNS[name](SITE, size)] if name else []
        keys = total and sum(count * (keys_left(edits[0], count) if edits else count) for count in lengths) / total
        with capture((), edits):
            outputs = translate(model, sources)
        score = BLEU().corpus_score(outputs, streams, n_bootstrap=SAMPLES)
        low, high = (round(score._mean + sign * score._ci, 2) for sign in (-1, 1))
        rows.append(PatternRow(name, size, round(keys, 2), round(score.score, 2), low, high))
    file, tokens = FILES[model.pair or ""], round(total / len(sources), 1)
    return PatternTable(model.sha256, file, len(sources), tokens, tuple(rows))


def main(
    keys: Keys,
    *,
    data: Data,
    lines: Annotated[int, typer.Option(help="Distinct sources of the test file, evenly spread.", min=1)] = 500,
    threads: Threads = 1,
) -> None:
    """Measure models, and write the table; those of others stay."""
    torch.set_num_threads(threads)
    for key in keys:
        model = translator(key)
        pair = model.pair or ""
        path = WEIGHTS / pair / PATTERNS_FILE
        table = json.loads(path.read_text(encoding="utf8")) if path.is_file() else {}
        known = training_sources([model.card], data)
        references: dict[str, list[str]] = defaultdict(list)
        for source, target in unseen(list(read_pairs(data / pair / f"{FILES[pair]}.tsv.xz")), known):
            references[source].append(target)
        sources = list(references)[:: max(1, len(references) // lines)][:lines]
        table[key] = asdict(figures(model, {source: references[source] for source in sources}))
        path.write_text(json.dumps(table, indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    run(main)
