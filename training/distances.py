"""What learnt distances are worth: ``python -m training.distances KEY --data DIR``.

Shaw et al. 2018 train a Transformer for every k from 0 to 256 (table 3) and with vectors on keys or on values alone
(table 4). Here the trained weights stay, and at inference distances beyond a smaller k share one vector, or one of the
two tables is left out: BLEU of the greedy translation of held-out text. With k = 0 no order is known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated, cast

import torch
import typer
from sacrebleu.metrics.bleu import BLEU
from torch import nn
from tqdm import tqdm

from models.command import Threads, run
from models.networks.relative import RelativeAttention, RelativeTransformerNetwork
from models.translation.translator import Translator
from training.data import read_pairs
from training.evaluate import translate
from training.options import Data, Key, translator

REACHES = (0, 1, 2, 4, 8, 16)
"""Of table 3, as far as the shipped weights reach."""

TABLES = ("distance_key", "distance_value")


def relative_parts(network: nn.Module) -> list[RelativeAttention]:
    """Return the self-attention of every layer; TypeError if the network knows no distances."""
    if not isinstance(network, RelativeTransformerNetwork):
        message = f"{type(network).__name__} has no vectors by distance"
        raise TypeError(message)
    return [each for each in network.modules() if isinstance(each, RelativeAttention)]


@contextmanager
def changed(network: nn.Module, *, reach: int | None = None, without: tuple[str, ...] = ()) -> Iterator[None]:
    """Let distances beyond `reach` share its vectors, and put 0 in the place of tables, while the block runs."""
    parts = relative_parts(network)
    own = [(part.reach, [cast("nn.Embedding", getattr(part, name)).weight for name in TABLES]) for part in parts]
    if reach is not None and not 0 <= reach <= own[0][0]:
        message = f"reach is 0 to {own[0][0]}, the farthest distance learnt; got {reach}"
        raise ValueError(message)
    try:
        for part, (learnt, tables) in zip(parts, own, strict=True):
            part.reach = learnt if reach is None else reach
            for name, table in zip(TABLES, tables, strict=True):
                kept = table.detach()[learnt - part.reach : learnt + part.reach + 1]
                shown = torch.zeros_like(kept) if name in without else kept
                getattr(part, name).weight = nn.Parameter(shown, requires_grad=False)
        yield
    finally:
        for part, (learnt, tables) in zip(parts, own, strict=True):
            part.reach = learnt
            for name, table in zip(TABLES, tables, strict=True):
                getattr(part, name).weight = table


def held_out(path: Path, lines: int) -> dict[str, list[str]]:
    """Return distinct sources of a file with all their references."""
    references: dict[str, list[str]] = {}
    for source, target in read_pairs(path):
        references.setdefault(source, []).append(target)
    return dict(islice(references.items(), lines))


def score(model: Translator, references: dict[str, list[str]]) -> float:
    """Return BLEU of the greedy translations, the first reference of each source alone."""
    outputs = translate(model, list(references))
    return round(float(BLEU().corpus_score(outputs, [[each[0] for each in references.values()]]).score), 2)


def main(
    key: Key,
    *,
    data: Data,
    lines: Annotated[int, typer.Option(help="Sources of the held-out file.", min=1)] = 300,
    threads: Threads = 1,
) -> None:
    """Measure a model, with fewer distances and without a table."""
    torch.set_num_threads(threads)
    model = translator(key)
    references = held_out(data / model.entry.pair / "tatoeba.dev.tsv.xz", lines)
    learnt = relative_parts(model.network)[0].reach
    for reach in tqdm([each for each in REACHES if each <= learnt], disable=None):
        with changed(model.network, reach=reach):
            typer.echo(json.dumps({"reach": reach, "bleu": score(model, references)}))
    for without in ((TABLES[0],), (TABLES[1],), TABLES):
        with changed(model.network, without=without):
            typer.echo(json.dumps({"without": without, "bleu": score(model, references)}))


if __name__ == "__main__":
    run(main)
