"""Run one fuzzer for so many minutes: ``python -m benchmarks.fuzz NAME --minutes N``."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from time import monotonic
from typing import Annotated

import typer

from benchmarks.fuzz import edits, folders, identities, pages, threads
from benchmarks.fuzz.running import Check, Fuzz, run, run_for
from models import command

FUZZERS: dict[str, tuple[Fuzz, AbstractContextManager[Check]]] = {
    "identities": (identities.FUZZ, nullcontext(identities.check)),
    "edits": (edits.FUZZ, nullcontext(edits.check)),
    "threads": (threads.FUZZ, nullcontext(threads.check)),
    "folders": (folders.FUZZ, nullcontext(folders.check)),
    "links": (pages.LINKS, pages.checking_links()),
    "payloads": (pages.PAYLOADS, pages.checking_payloads()),
}


def main(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(FUZZERS)}.")],
    *,
    minutes: Annotated[float, typer.Option(help="How long.")] = 1.0,
    examples: Annotated[int | None, typer.Option(help="So many, however long it takes.", min=1)] = None,
) -> None:
    """Run the fuzzer that is named, and say how many examples it checked."""
    command.check_known([name], FUZZERS)
    fuzz, opened = FUZZERS[name]
    began = monotonic()
    with opened as check:
        count = run(fuzz, check, examples=examples) if examples else run_for(fuzz, check, minutes=minutes)
    typer.echo(f"{name}: {count} examples in {monotonic() - began:.0f} s, all as they should be")


if __name__ == "__main__":
    command.run(main)
