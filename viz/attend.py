"""Run a model on a text, and save its attention or show a table of it.

The table has a row for each query of the map that the Bench shows, with the three keys that it attends to most.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from models.command import run
from models.loading import load
from models.mechanisms import usual
from models.trace import AttentionTrace
from models.writing import read_writing
from viz.text.tokens import visible
from viz.views.view import choose_view

FIRST = next(each.key for each in usual() if each.has_attention)
KEYS_SHOWN = 3


def main(
    text: Annotated[str, typer.Argument(help="A sentence.")],
    *,
    model: Annotated[
        str,
        typer.Option(
            metavar="KEY", help="A model: a key, hf:owner/name, a folder or a GGUF file; Bahdanau's if left out."
        ),
    ] = f"{FIRST}-en-fr",
    target: Annotated[str | None, typer.Option(help="A translation that the model is made to write.")] = None,
    write: Annotated[
        str | None,
        typer.Option(
            metavar="TOKENS",
            help="How many tokens a causal model goes on with, 1 to 40; settings behind it: "
            "'20 temperature=0.8 top_k=50 top_p=0.9 seed=7 chat=on'.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Save the whole trace here, such as trace.npz.")] = None,
) -> None:
    """Run a model on a text."""
    writing = None if write is None else read_writing(write)
    trace = load(Path(model) if Path(model).exists() else model).attend(text, target, write=writing)
    if out is None:
        typer.echo(table(trace))
        return
    trace.save(out)
    typer.echo(f"{out}: {len(trace.maps)} maps, {out.stat().st_size / 1e6:.1f} MB")


def table(trace: AttentionTrace) -> str:
    """Return the output, and each query of one map with the keys that it attends to most."""
    if not trace.maps:
        return f"{trace.output_text}\nThis model has no attention."
    view = choose_view(trace)
    queries, keys = (
        [visible(each) for each in tokens.texts] for tokens in (view.shown.query_tokens, view.shown.key_tokens)
    )
    lines = [
        *filter(None, [trace.output_text]),
        f"{view.title} ({view.shown.site}): the keys attended to most",
    ]
    for query, row in zip(queries, view.weights, strict=True):
        most = np.argsort(-row, kind="stable")[:KEYS_SHOWN]
        lines.append(f"{query:{max(map(len, queries))}}  " + "  ".join(f"{row[key]:.2f} {keys[key]}" for key in most))
    return "\n".join(lines)


if __name__ == "__main__":
    run(main)
