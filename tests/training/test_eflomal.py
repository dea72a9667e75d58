"""The aligner that the alignment of attention is held against: its input, its links, its rates."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from models.experiments.alignment import ErrorRate, GoldSentence
from training.eflomal import links_of, rates

PROGRAM = """#!{python}
import sys
files = dict(zip(sys.argv[1::2], sys.argv[2::2]))
lengths = [len(line.split()) for line in open(files["--source"], encoding="utf8")]
assert len(lengths) == len(open(files["--target"], encoding="utf8").readlines())
for name in ("--forward-links", "--reverse-links"):
    with open(files[name], "w") as out:
        for length in lengths:
            print(*(f"{{place}}-{{place}}" for place in range(length)), file=out)
"""


def gold(*links: tuple[int, int]) -> GoldSentence:
    return GoldSentence(("the", "Cat"), ("le", "chat"), frozenset(links), frozenset(links))


def test_links_are_source_first() -> None:
    found = links_of("0-1 2-0", (2, 3))
    assert np.argwhere(found).tolist() == [[0, 2], [1, 0]]


def test_each_gold_set_has_its_rate_whatever_text_follows(tmp_path: Path) -> None:
    program = tmp_path / "eflomal-align"
    program.write_text(PROGRAM.format(python=sys.executable), encoding="utf8")
    program.chmod(0o755)
    sets = {"right": [gold((0, 0), (1, 1))], "crossed": [gold((0, 1), (1, 0))]}
    found = rates(program, [("a b c", "d e f")], sets)
    assert found["aer"] == {"right": 0.0, "crossed": 1.0}
    assert found["interval"] == {"right": [0.0, 0.0], "crossed": [1.0, 1.0]}


def test_an_interval_narrows_with_the_square_root_of_the_sentences() -> None:
    widths = []
    for count in (25, 400):
        rate = ErrorRate()
        for place in range(count):
            rate.add(frozenset({(0, 0)}), gold((0, 0)) if place % 2 else gold((1, 1)))
        low, high = rate.interval()
        assert low < rate.value < high
        widths.append(high - low)
    assert widths[0] / widths[1] == pytest.approx(4, rel=0.2)
