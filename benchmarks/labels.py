"""How many heads have no label, on texts as people type them: `python -m benchmarks.labels`.

For each model, and each kind of its maps: on how many of the sentences more than a third of the heads have none, the
median share and the largest. The sentences are those that training kept aside (``training/*/typed-dev.tsv``),
many of them of a few words, and the examples of the pages. ``--which`` names the sentences over a third.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator
from typing import Any

import torch

import models
from benchmarks.measure import report
from benchmarks.serving import ROOT
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


def main() -> None:
    """Measure the models that come along."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("keys", nargs="*", choices=[*SHIPPED, []], help="models; all of them if none is named")
    parser.add_argument("--most", type=int, help="sentences of each kind; all if left out")
    parser.add_argument("--which", action="store_true", help="name the sentences too")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = [row for key in options.keys or SHIPPED for row in rows_of(key, SHIPPED[key], options.most)]
    if not options.which:
        rows = [{name: value for name, value in row.items() if name != "which"} for row in rows]
    report("heads without a label", rows, as_json=options.json)


if __name__ == "__main__":
    main()
