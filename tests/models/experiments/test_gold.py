"""The everyday pairs that are aligned by hand: every link names two words, and every pair is linked nearly whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "models" / "experiments" / "gold"


@pytest.mark.parametrize("pair", ["en-fr", "zh-en"])
def test_links_are_inside_their_sentences_and_leave_few_words_out(pair: str) -> None:
    rows = [line.split("\t") for line in (FOLDER / f"{pair}.tsv").read_text(encoding="utf8").splitlines()]
    assert len(rows) == 30
    assert len({identity for identity, *_ in rows}) == len({source for _, source, *_ in rows}) == 30
    unlinked = 0
    for _, source, target, links in rows:
        found = [re.fullmatch(r"(\d+)([-?])(\d+)", link) for link in links.split()]
        assert all(found)
        places = {(int(link[1]), int(link[3])) for link in found if link}
        assert len(places) == len(found)  # no link twice, nor both sure and possible
        sources, targets = set(range(len(source.split(" ")))), set(range(len(target.split(" "))))
        assert {one for one, _ in places} <= sources
        assert {other for _, other in places} <= targets
        unlinked += len(sources - {one for one, _ in places}) + len(targets - {other for _, other in places})
    assert unlinked <= 3
