"""Measure a model: ``python -m models.training.evaluate KEY --data DIR [--write]``.

BLEU (sacrebleu, greedy decoding) on the pair's test files, over distinct sources that the training text does not hold
(`models.training.unseen`) with all their references, the single-reference figure beside it; AER
(`models.training.alignment`), its map, head and reading chosen on the trial set alone. It also tells which of the
example sentences stand in the training text. ``--write`` puts all that into the card. DIR holds the training text, too.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

import torch
from sacrebleu.metrics.bleu import BLEU
from tqdm import tqdm

from models.registry import catalog, describe, load
from models.sites import Site
from models.trace import Alignment, Reading
from models.training.alignment import choose, error_rates, read_gold
from models.training.data import read_pairs
from models.training.unseen import bare, training_sources, unseen
from models.translation.checkpoints import alignment_of, write_card
from models.translation.decoding import translate_batch
from models.translation.examples import EXAMPLES
from models.translation.translator import Translator
from models.vocabulary import END

TESTS = {"en-fr": ("tatoeba", "europarl"), "zh-en": ("tatoeba", "3am")}
TRIAL = {"en-fr": "hansards_en-fr.trial37"}
GOLD = {
    "en-fr": ("hansards_en-fr.odd", "golden-europarl_en-fr.100", "alibi_en-fr"),
    "zh-en": ("tsinghua_zh-en.odd",),
}
BATCH = 64


def translate(model: Translator, sources: list[str]) -> list[str]:
    """Translate greedily, in batches of one source length."""
    by_length: dict[int, list[int]] = defaultdict(list)
    encoded = model.tokenizer.encode_batch(sources)
    for index, ids in enumerate(encoded):
        by_length[len(ids)].append(index)
    outputs = [""] * len(sources)
    with tqdm(total=len(sources), desc="translate", unit="sentence") as bar:
        for indices in by_length.values():
            for start in range(0, len(indices), BATCH):
                rows = indices[start : start + BATCH]
                source = torch.tensor([[*encoded[row], END] for row in rows])
                for row, ids in zip(rows, translate_batch(model.network, source), strict=True):
                    outputs[row] = model.tokenizer.decode(ids)
                bar.update(len(rows))
    return outputs


def bleu(model: Translator, path: Path, seen: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return BLEU over the distinct sources of a file, with all references and with the first one alone.

    Parameters
    ----------
    model : Translator
    path : Path
        A ``.tsv.xz`` file.
    seen : frozenset of str, optional
        Sources, bare, that are left out, and counted as such.
    """
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


def evaluate(model: Translator, data: Path) -> dict[str, Any]:
    """Return all figures of a model, as they go into its card: BLEU alone where there is no map to align by."""
    pair = model.entry.pair
    seen = training_sources([model.card], data)
    figures: dict[str, Any] = {"examples_in_training": known_examples(pair, seen), "bleu": {}}
    for name in TESTS[pair]:
        figures["bleu"][f"{name}.test"] = bleu(model, data / pair / f"{name}.test.tsv.xz", seen)
    if not model.mechanism.has_attention:
        return figures
    figures["aer"] = {}
    if pair in TRIAL:
        trial = error_rates(model, list(read_gold(data / "gold" / f"{TRIAL[pair]}.tsv.xz")))
        figures["alignment"] = _record(choose(trial), TRIAL[pair]) | {
            "trial_aer": {
                ".".join(map(str, choice)): round(rate, 4) for choice, rate in sorted(trial.items(), key=str)
            },
        }
        figures["aer"][TRIAL[pair]] = round(trial[_choice(figures["alignment"])], 4)
    else:
        figures["alignment"] = borrowed_choice(model)
    for name in GOLD[pair]:
        rates = error_rates(model, list(read_gold(data / "gold" / f"{name}.tsv.xz")))
        figures["aer"][name] = round(rates[_choice(figures["alignment"])], 4)
    return figures


def _record(chosen: Alignment, chosen_on: str) -> dict[str, Any]:
    return {"site": str(chosen.site), "head": chosen.head, "reading": chosen.reading, "chosen_on": chosen_on}


def _choice(record: dict[str, Any]) -> tuple[str, int | str, Reading]:
    return record["site"], record["head"], record["reading"]


def borrowed_choice(model: Translator) -> dict[str, Any]:
    """Return the map, head and reading of a pair without a trial set: those of the same mechanism in one that has it.

    No gold alignment of the pair itself is looked at, so that its figures stay those of a test set. Without such a
    model it is the first cross map, its mean over heads, as it is written.
    """
    for pair, trial in TRIAL.items():
        key = f"{model.mechanism.key}-{pair}"
        if key in catalog():
            return _record(alignment_of(describe(key).card), f"{trial}, by {key}")
    cross = next(iter(model.attend("a", "a")))
    head: int | Literal["mean"] = "mean" if len(cross.weights) > 1 else 0
    return _record(Alignment(Site("decoder", 0, "cross"), head), "nothing: there is no trial set")


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("key", help="what models.load takes: a key such as bahdanau-en-fr, or a folder with a card")
    parser.add_argument("--data", type=Path, required=True, help="folder of the parallel text and the gold alignments")
    parser.add_argument("--write", action="store_true", help="put the figures into the card")
    parser.add_argument("--threads", type=int, default=1)
    choices = parser.parse_args()
    torch.set_num_threads(choices.threads)
    model = load(Path(choices.key) if Path(choices.key).is_dir() else choices.key)
    if not isinstance(model, Translator):
        parser.error(f"{choices.key} is not a translation model of this project")
    figures = evaluate(model, choices.data)
    sys.stdout.write(json.dumps(figures, indent=2, ensure_ascii=False) + "\n")
    if choices.write:
        write_card(model.entry.folder, {**model.card, **figures})


if __name__ == "__main__":
    main()
