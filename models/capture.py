"""Make a record again: ``python -m models.capture --from provenance.json [--out trace.npz]``.

The pages save a run as JSON: model, texts, edits, places (`models.trace.asked`). Here the model is run as it was, and
whether the record is the same to the last bit is said. Weights are known by their hash, never by a path.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import typer

from models.command import Threads, run
from models.errors import CaptureError, InputError
from models.loading import load
from models.trace import AttentionTrace
from models.trace.asked import LARGEST, Asked, fingerprint, read_asked


class CaptureAgainError(ValueError):
    """What was asked cannot be asked again here; the message says why."""


def capture_again(asked: Asked) -> AttentionTrace:
    """Run a model as it was asked before."""
    from models.translation.checkpoints import CheckpointError

    try:
        model = load(asked.model)
    except (KeyError, InputError, CheckpointError) as error:
        message = f"the model {asked.model} cannot be opened: {error.args[0]}"
        raise CaptureAgainError(message) from error
    if model.sha256 != asked.sha256:
        message = f"the weights of {asked.model} are others: {model.sha256}, and not {asked.sha256}"
        raise CaptureAgainError(message)
    try:
        return model.attend(
            asked.source, asked.target, pair=asked.second, edits=asked.edits, sites=asked.sites, write=asked.write
        )
    except (InputError, CaptureError, ValueError) as error:
        message = f"{asked.model} cannot be run so: {error}"
        raise CaptureAgainError(message) from error


def is_equal(asked: Asked, trace: AttentionTrace) -> bool:
    """Return whether `trace` is the record that was saved, to the last bit."""
    return fingerprint(trace) == asked.record


def main(
    *,
    provenance: Annotated[Path, typer.Option("--from", help="JSON that a page saved.")],
    out: Annotated[Path | None, typer.Option(help="Where the record is written, such as trace.npz.")] = None,
    threads: Threads = 1,
) -> None:
    """Compare a saved record with a new run; exit 1 if they differ."""
    with provenance.open("rb") as file:
        asked = read_asked(file.read(LARGEST + 1))
    _use_threads(threads)
    trace = capture_again(asked)
    if out is not None:
        trace.save(out)
    if is_equal(asked, trace):
        typer.echo(f"{asked.model}: the record is equal, {asked.record}")
        return
    others = ", ".join(f"{name} {its}" for name, its in asked.versions if _installed(name) != its)
    why = f" It was made with {others}." if others else ""
    typer.echo(f"{asked.model}: the record is not equal to the one that was saved.{why}", err=True)
    raise typer.Exit(1)


def _use_threads(count: int) -> None:
    import torch

    torch.set_num_threads(count)


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


if __name__ == "__main__":
    run(main)
