"""How long it takes to rank all shipped heads for one pair of words, and for each pattern."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from time import perf_counter
from typing import Any

from models.measures.asking import ASKABLE, Word, rank_pair, rank_pattern, word_maps
from viz.server.asking import ask_all, askable
from viz.server.runtime import Host, shared_host

ANIMAL = "The animal didn't cross the street because it was too {word}."
TIRED = ANIMAL.format(word="tired")
WORDS = "wide old long big small hot cold dark new high low bad good wet dry full young late slow weak".split()
PAIR = "en-fr"


def ask_rows(rounds: int) -> list[dict[str, Any]]:
    """Rank from traces that are there, and as for a visitor who has just typed another sentence."""
    host = shared_host()
    keys = askable(host, f"transformer-{PAIR}", PAIR, across=False)
    traces = {key: host.attend(key, TIRED) for key in keys}
    maps = {key: word_maps(trace) for key, trace in traces.items()}
    query, key = Word("it"), Word("animal")
    heads = len(rank_pair(maps, query, key))
    texts = (ANIMAL.format(word=word) for word in WORDS)
    rounds = min(rounds, len(WORDS) // 2 - 1)
    rows = [
        _row(
            f"{heads} heads of {len(keys)} models ranked for one pair, traces there",
            _times(lambda: rank_pair({each: word_maps(trace) for each, trace in traces.items()}, query, key), rounds),
        ),
        _row(
            "the same, all models run anew, from a translator",
            _times(lambda: _anew(host, keys, next(texts), writes=True), rounds),
        ),
        _row(
            "the same, from a model that translates nothing",
            _times(lambda: _anew(host, keys, next(texts), writes=False), rounds),
        ),
    ]
    for pattern in ASKABLE:
        rows.append(_row(f"ranked by pattern: {pattern}", _times(lambda: rank_pattern(maps, pattern), rounds)))  # noqa: B023
    return rows


def _anew(host: Host, keys: tuple[str, ...], text: str, *, writes: bool) -> None:
    """Ask on a page of a translator, which has written the sentence's translation, or of a model that writes none."""
    target = host.attend(keys[0], text).output_text if writes else None
    rank_pair(ask_all(host, keys, text, target).maps, Word("it"), Word("animal"))


def _times(act: Callable[[], object], rounds: int) -> list[float]:
    found = []
    for _round in range(rounds + 1):
        started = perf_counter()
        act()
        found.append(1000 * (perf_counter() - started))
    return found[1:]


def _row(figure: str, times: list[float]) -> dict[str, Any]:
    return {"figure": figure, "value": f"{statistics.median(times):.1f} ms", "note": f"median of {len(times)}"}
