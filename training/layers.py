"""How far the layers of a decoder look at other words: ``python -m training.layers KEY --data DIR``.

Gehring et al. 2017 show that each layer of ConvS2S attends on its own: on the gold alignments, the gold translation
forced, the share of the target words that two layers at least read another source word for (the one that a row weighs
most), and the alignment error rate of each layer by itself.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import typer

from models.command import Threads, run
from models.experiments.alignment import AlignedSentence, Choice, error_rate
from models.experiments.links import strongest_sources
from training.evaluate import GOLD, gold_sentences
from training.options import Data, Key, translator


def layers_of(sentence: AlignedSentence) -> list[Choice]:
    """Return the map of each layer, its heads as their mean, rows as the words written; lower layers first."""
    return [choice for choice in sentence.maps if choice[1:] == ("mean", "written")]


def share_read_apart(sentences: Sequence[AlignedSentence]) -> float:
    """Return the share of the target words whose most read source word is not the same in every layer."""
    apart, words = 0, 0
    for each in sentences:
        most = np.array([each.maps[choice].argmax(axis=1) for choice in layers_of(each)])  # [layer, target]
        apart += int((most != most[0]).any(axis=0).sum())
        words += most.shape[1]
    return apart / words


def figures(sentences: Sequence[AlignedSentence]) -> dict[str, Any]:
    """Return the share read apart, and the error rate of each layer by the address of its map."""
    rates = {
        choice[0]: round(error_rate(sentences, (choice,), strongest_sources), 4) for choice in layers_of(sentences[0])
    }
    return {"words_read_apart": round(share_read_apart(sentences), 4), "aer": rates}


def main(key: Key, *, data: Data, threads: Threads = 1) -> None:
    """Measure the layers of a decoder on each file of gold alignments."""
    torch.set_num_threads(threads)
    model = translator(key)
    for name in GOLD[model.entry.pair]:
        found = {"gold": name, **figures(gold_sentences(model, name, data))}
        typer.echo(json.dumps(found))


if __name__ == "__main__":
    run(main)
