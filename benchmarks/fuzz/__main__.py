"""Run one fuzzer for so many minutes: ``python -m benchmarks.fuzz NAME --minutes N``."""

from __future__ import annotations

import argparse
import sys
from contextlib import AbstractContextManager, nullcontext
from time import monotonic

from benchmarks.fuzz import edits, folders, identities, pages, threads
from benchmarks.fuzz.running import Check, Fuzz, run, run_for

FUZZERS: dict[str, tuple[Fuzz, AbstractContextManager[Check]]] = {
    "identities": (identities.FUZZ, nullcontext(identities.check)),
    "edits": (edits.FUZZ, nullcontext(edits.check)),
    "threads": (threads.FUZZ, nullcontext(threads.check)),
    "folders": (folders.FUZZ, nullcontext(folders.check)),
    "links": (pages.LINKS, pages.checking_links()),
    "payloads": (pages.PAYLOADS, pages.checking_payloads()),
}


def main() -> None:
    """Run the fuzzer that the command line names, and say how many examples it checked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("name", choices=FUZZERS)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--examples", type=int, help="so many, however long it takes")
    options = parser.parse_args()
    fuzz, opened = FUZZERS[options.name]
    began = monotonic()
    with opened as check:
        if options.examples:
            count = run(fuzz, check, examples=options.examples)
        else:
            count = run_for(fuzz, check, minutes=options.minutes)
    sys.stdout.write(f"{options.name}: {count} examples in {monotonic() - began:.0f} s, all as they should be\n")


if __name__ == "__main__":
    main()
