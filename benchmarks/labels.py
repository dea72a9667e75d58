"""How many heads have no label, on texts as people type them: `python -m benchmarks.labels`.

For each model, and each kind of its maps: on how many of the sentences more than a third of the heads have none, the
median share and the largest. The sentences are those that training kept aside (``training/*/typed-dev.tsv``),
many of them of a few words, and the examples of the pages. ``--which`` names the sentences over a third.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Annotated, Any

import torch
import typer
from tqdm import tqdm

import models
from benchmarks.measure import Json, Keys, report
from benchmarks.serving import ROOT
from models.command import check_known, run
from models.measures.labels import NONE
from models.translation.examples import EXAMPLES
from viz.measures.head_profile import profiles_of
from viz.views.heads import views_at

SHIPPED = {
    "transformer-en-fr": "en-fr",
    "transformer-post-ln-en-fr": "en-fr",
    "transformer-zh-en": "zh-en",
    "hf:minilm": "en-fr",
}
"""Models, and the pair whose sentences they read."""
THIRD = 1 / 3


def sentences_of(pair: str) -> dict[str, list[str]]:
    """Return the sentences of a pair: as typed, and the examples."""
    typed = (ROOT / "training" / pair / "typed-dev.tsv").read_text(encoding="utf8")
    return {
        "typed": [line.split("\t")[0] for line in typed.splitlines() if line.strip()],
        "examples": list(EXAMPLES[pair].values()),
    }


def unlabelled(model: Any, sentence: str) -> Iterator[tuple[str, float]]:
    """Return each kind of map with the share of its heads that have no label on `sentence`."""
    trace = model.attend(sentence)
    for stack, kind in dict.fromkeys((site.stack, site.kind) for site in trace.sites):
        labels = [each.label.key for each in profiles_of(views_at(trace, f"{stack}.*.{kind}", "word"))]
        yield f"{stack} {kind}", labels.count(NONE) / len(labels)


def rows_of(key: str, pair: str, most: int | None) -> Iterator[dict[str, Any]]:
    """Measure one model, on so many sentences of each kind."""
    model = models.load(key)
    for name, every in sentences_of(pair).items():
        sentences = every[:most]
        found: dict[str, list[float]] = {}
        for sentence in sentences:
            for kind, share in unlabelled(model, sentence):
                found.setdefault(kind, []).append(share)
        for kind, shares in found.items():
            many = [text for text, share in zip(sentences, shares, strict=True) if share > THIRD]
            yield {
                "model": key,
                "sentences": name,
                "maps": kind,
                "over a third without": f"{len(many)} of {len(shares)}",
                "median share": f"{statistics.median(shares):.2f}",
                "largest": f"{max(shares):.2f}",
                "which": " · ".join(many),
            }


def main(
    keys: Keys = None,
    *,
    most: Annotated[int | None, typer.Option(help="Sentences of each kind; all if left out.", min=1)] = None,
    which: Annotated[bool, typer.Option("--which", help="Name the sentences too.")] = False,
    json: Json = False,
) -> None:
    """Measure the models that come along."""
    check_known(keys or (), SHIPPED)
    torch.set_num_threads(1)
    rows = [row for key in tqdm(keys or SHIPPED, disable=None) for row in rows_of(key, SHIPPED[key], most)]
    if not which:
        rows = [{name: value for name, value in row.items() if name != "which"} for row in rows]
    report("heads without a label", rows, as_json=json)


if __name__ == "__main__":
    run(main)
