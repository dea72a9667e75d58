"""The tree of a beam: every token is drawn once, in the row of its beginning, and no line crosses another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from models.translation.hypothesis import Hypothesis
from models.vocabulary import END
from viz.captions.beam import csv_of_beam, sentence_of_beam, table_of_beam
from viz.figures.beam_tree import beam_tree
from viz.views.beam_tree import GREEDY, branches, named

WORDS = {2: "</s>", 3: " le", 4: " chat", 5: "<b>"}
TEXTS = st.lists(st.integers(3, 5), max_size=5).map(lambda ids: (*ids, END))


def hypothesis_of(ids: tuple[int, ...]) -> Hypothesis:
    texts = tuple(WORDS[each] for each in ids)
    return Hypothesis(ids, texts, tuple(-each / 10 for each in ids), "".join(texts[:-1]).strip())


@given(st.lists(TEXTS, min_size=1, max_size=8, unique=True), TEXTS)
def test_tokens_are_drawn_once_and_ways_lead_through_their_beginnings(
    kept: list[tuple[int, ...]], own: tuple[int, ...]
) -> None:
    greedy = hypothesis_of(own)
    found = named([hypothesis_of(each) for each in kept], greedy)
    assert (GREEDY in found) == (own not in kept)
    rows = branches(found, greedy)
    assert {row.code: row.hypothesis for row in rows} == found
    drawn: dict[tuple[int, ...], int] = {}
    for place, row in enumerate(rows):
        ids = row.hypothesis.ids
        assert row.is_greedy == (ids == own)
        for at in range(row.first, len(ids)):
            assert ids[: at + 1] not in drawn
            drawn[ids[: at + 1]] = place
        if row.first:
            assert drawn[ids[: row.first]] == row.parent
            between = [each.first for each in rows[row.parent + 1 : place]]
            assert all(first >= row.first for first in between)  # no line lies where it comes down
    assert set(drawn) == {row.hypothesis.ids[:at] for row in rows for at in range(1, len(row) + 1)}


@given(st.lists(TEXTS, min_size=1, max_size=8, unique=True), TEXTS)
def test_the_figure_and_the_tables_have_every_hypothesis(kept: list[tuple[int, ...]], own: tuple[int, ...]) -> None:
    greedy = hypothesis_of(own)
    found = named([hypothesis_of(each) for each in kept], greedy)
    rows = branches(found, greedy)
    figure = beam_tree(rows, chosen=rows[-1].code, width=390)
    nodes = figure.data[-1]
    assert len(nodes.x) == len(set(zip(nodes.x, nodes.y, strict=True)))
    assert {each[0] for each in nodes.customdata} >= {row.code for row in rows if row.first < len(row)}
    assert not any("<b>" in text for text in nodes.text)
    way = next(line for line in figure.data if line.name and "map" in line.name)
    assert len(way.x) == len(rows[-1]) + 2  # the beginning, each token, and nothing behind it
    assert len(table_of_beam(found, greedy)) == len(found)
    assert csv_of_beam(found, greedy).count("\n") == 1 + sum(map(len, rows))
    assert "length normalisation" in sentence_of_beam(rows)
