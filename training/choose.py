"""The figures by which models are chosen: ``python -m training.choose KEY ... --data DIR``.

BLEU on the ``*.dev`` files, nats per character of their targets (which models of unlike tokenizers can be compared by),
AER on the trial set (one link a word; links grown, of up to four heads), and the share of the pair's own typed
sentences; none of it from a test set. A new model takes the place of the shipped one if it is better on everyday.dev,
in nats and on the trial set.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import torch
import typer
from tqdm import tqdm

from models.command import Threads, run
from models.experiments.alignment import choose_heads, error_rate, error_rates
from models.experiments.links import grown_links
from models.networks.base import TiedNetwork
from models.translation.translator import Translator
from models.vocabulary import PAD
from training.batches import epoch_batches, make_batch
from training.data import KEPT, encode_pairs, read_pairs
from training.evaluate import TRIAL, bleu, gold_sentences
from training.loss import output_loss
from training.options import Data, Keys, translator
from training.typed import outcomes, read_typed, share
from training.varying import Pair

TYPED_FILE = "typed-dev.tsv"


@torch.no_grad()
def nats_per_character(model: Translator, pairs: list[Pair]) -> float:
    """Return the cross entropy of the targets, ``</s>`` among them, over their characters."""
    encoded = encode_pairs(model.tokenizer, pairs)
    network, total = cast("TiedNetwork", model.network), 0.0
    for indices in epoch_batches(encoded, 3000, 0, 0):
        batch = make_batch(encoded, indices)
        states = network.decode_states(network.encode(batch.source), batch.inputs)
        loss = output_loss(states, network.embedding.weight, network.output_bias, batch.labels, ignore=PAD)
        total += float(loss) * int((batch.labels != PAD).sum())
    return total / sum(len(pair[1]) + 1 for pair in pairs if pair[0])


def figures(model: Translator, data: Path, lines: int = 400) -> dict[str, Any]:
    """Return the figures of a model; nats of `lines` lines of each file at most, evenly spread."""
    pair = model.entry.pair
    found: dict[str, Any] = {"key": model.key, "bleu": {}, "nats_per_character": {}}
    for path in sorted((data / pair).glob("*.dev.tsv.xz")):
        name = path.name.removesuffix(".tsv.xz")
        found["bleu"][name] = bleu(model, path)["bleu"]
        pairs = list(read_pairs(path))
        found["nats_per_character"][name] = round(nats_per_character(model, pairs[:: -(-len(pairs) // lines)]), 4)
    if model.mechanism.has_attention:
        trial = gold_sentences(model, TRIAL[pair], data)
        found["trial_aer"] = round(min(error_rates(trial).values()), 4)
        found["trial_aer_grown"] = round(error_rate(trial, choose_heads(trial, grown_links), grown_links), 4)
    found["typed"] = share(outcomes(model, read_typed(KEPT / pair / TYPED_FILE)))
    return found


def main(keys: Keys, *, data: Data, threads: Threads = 1) -> None:
    """Measure models."""
    torch.set_num_threads(threads)
    for key in tqdm(keys, disable=None):
        typer.echo(json.dumps(figures(translator(key), data), ensure_ascii=False))


if __name__ == "__main__":
    run(main)
