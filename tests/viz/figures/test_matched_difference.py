"""The difference of two heads on the words that two texts have in common: against cells written out one by one."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.sites import Site
from models.trace import AttentionMap, TokenSequence
from tests.support.figure_samples import AWKWARD, pieces, rows
from tests.support.head_samples import KINDS, transformer, weights_of
from viz.figures import HeadPlace, matched_difference
from viz.text import tokens
from viz.views.heads import pick_views
from viz.views.hiding import Hiding
from viz.views.matching import Matching, match_tokens
from viz.views.view import View

HUNGRY = "the cat drank , for it was hungry . </s>".split()
SWEET = "for milk the cat drank , for it was sweet . </s>".split()
COMMON = ((0, 2), (1, 3), (2, 4), (3, 5), (4, 6), (5, 7), (6, 8), (8, 10), (9, 11))
NAMES = ("hungry, layer 1, head 3", "sweet, layer 2, head 5")
FIRST, SECOND = HeadPlace(1, 3), HeadPlace(2, 5)


def views(
    first: list[str] | TokenSequence,
    second: list[str] | TokenSequence,
    *,
    sites: str = "encoder.*.self",
    **hiding: float,
) -> tuple[View, View]:
    """Return a head of each of two texts, of different weights."""
    traces = transformer(first, seed=1), transformer(second, seed=50)
    found = (
        pick_views(trace, sites, "word", [place], Hiding(**hiding))[0]  # type: ignore[arg-type]
        for trace, place in zip(traces, (FIRST, SECOND), strict=True)
    )
    one, other = found
    return one, other


def drawn(one: View, other: View, **choices: object) -> go.Figure:
    matching = Matching.of_maps(one.shown, other.shown)
    return matched_difference(one, other, matching=matching, names=NAMES, **choices)  # type: ignore[arg-type]


def said_on(figure: go.Figure) -> str:
    return " ".join(each.text for each in figure.layout.annotations).replace("<br>", " ")


def test_each_cell_is_the_weight_of_the_first_less_that_of_the_second() -> None:
    one, other = views(HUNGRY, SWEET)
    (heatmap,) = (figure := drawn(one, other)).data
    a, b = one.weights, other.weights
    np.testing.assert_array_equal(a, weights_of(one.trace, "encoder.*.self", *FIRST))
    assert heatmap.z.shape == (len(COMMON), len(COMMON) + 1)
    for row, (query, other_query) in enumerate(COMMON):
        for column, (key, other_key) in enumerate(COMMON):
            assert heatmap.z[row, column] == pytest.approx(a[query, key] - b[other_query, other_key], abs=1e-6)
            numbers = heatmap.customdata[row, column, :3].astype(float)
            assert numbers.tolist() == pytest.approx([heatmap.z[row, column], a[query, key], b[other_query, other_key]])
        alone = float(a[query, 7]), float(sum(b[other_query, key] for key in (0, 1, 9)))
        assert heatmap.z[row, -1] == pytest.approx(alone[0] - alone[1], abs=1e-6)
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-1, 1)
    words = [HUNGRY[one] for one, _other in COMMON]
    assert list(figure.layout.yaxis.ticktext) == [tokens.escape(word) for word in words]
    assert list(figure.layout.xaxis.ticktext) == [*map(tokens.escape, words), "⟨elsewhere⟩"]
    assert f"{NAMES[0]} minus {NAMES[1]}" in said_on(figure)
    root = drawn(one, other, colour="root").data[0]
    np.testing.assert_allclose(root.z, np.sign(heatmap.z) * np.sqrt(np.abs(heatmap.z)), atol=1e-6)


def test_cross_maps_match_what_is_written_and_what_is_read_apart() -> None:
    one, _other = views(HUNGRY, SWEET, sites="decoder.*.cross")
    trace = transformer(SWEET, ("le", "chien", "dort", "</s>"), seed=50)
    (other,) = pick_views(trace, "decoder.*.cross", "word", [SECOND])
    matching = Matching.of_maps(one.shown, other.shown)
    assert matching.queries == ((0, 0), (2, 2), (3, 3))
    assert matching.keys == COMMON
    z = matched_difference(one, other, matching=matching, names=NAMES).data[0].z
    expected = [[one.weights[q, k] - other.weights[p, m] for k, m in COMMON] for q, p in matching.queries]
    np.testing.assert_allclose(z[:, :-1], expected, atol=1e-6)


def test_small_differences_are_drawn_empty_and_counted() -> None:
    plain = drawn(*views(HUNGRY, SWEET)).data[0].z
    least = float(np.median(np.abs(plain)))
    figure = drawn(*views(HUNGRY, SWEET, threshold=least))
    empty = np.isnan(figure.data[0].z)
    np.testing.assert_array_equal(empty, np.abs(plain) < least)
    assert 0 < empty.sum() < empty.size
    assert f"{empty.sum()} of {empty.size} cells below {least:g}, left empty" in said_on(figure)


def test_notes_of_both_are_said_once() -> None:
    one, other = views(HUNGRY, SWEET)
    changed = replace(other.trace.provenance, notes=("some of the weight goes to a sink",))
    other = replace(other, trace=replace(other.trace, provenance=changed))
    said = said_on(drawn(one, other, notes=("special tokens hidden",)))
    assert said.count("some of the weight goes to a sink") == 1
    assert "special tokens hidden" in said


@pytest.mark.parametrize("sites", KINDS)
@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_tokens_keep_their_places_and_are_shown_as_text(name: str, sites: str) -> None:
    texts = AWKWARD[name]
    one, other = views(pieces(texts), pieces((*texts, "more")), sites=sites)
    matching = Matching.of_maps(one.shown, other.shown)
    figure = matched_difference(one, other, matching=matching, names=NAMES)
    heatmap = figure.data[0]
    assert heatmap.z.shape == (len(matching.queries), len(matching.keys) + 1)
    np.testing.assert_allclose(heatmap.z, matching.first(one.weights) - matching.second(other.weights), atol=1e-6)
    labels = list(figure.layout.xaxis.ticktext)[:-1]
    assert labels == [tokens.label(one.shown.key_tokens.texts[place]) for place, _ in matching.keys]
    if sites != "decoder.*.self":
        assert len(labels) == len(texts)
    written = json.dumps(figure.to_plotly_json(), default=str)
    assert "<" not in "".join(labels)
    assert "\\ud800" not in written


def test_nothing_in_common_is_refused() -> None:
    one, other = views(["a", "</s>"], ["b", "."])
    with pytest.raises(ValueError, match="no word is matched"):
        drawn(one, other)


WORDS = st.lists(st.sampled_from(["the", "cat", "."]), min_size=1, max_size=5)


def record(texts: list[list[str]]) -> TokenSequence:
    """Return what an encoder reads of one text or of a pair."""
    words, segments = ["[CLS]"], [-1]
    for number, text in enumerate(texts):
        words += [*text, "[SEP]"]
        segments += [*(number for _word in text), -1]
    specials = tuple(place for place, each in enumerate(segments) if each < 0)
    pair = tuple(segments) if len(texts) > 1 else ()
    return replace(TokenSequence.from_words(words), specials=specials, segments=pair)


@given(st.lists(WORDS, min_size=1, max_size=2), st.lists(WORDS, min_size=1, max_size=2), st.booleans())
def test_words_of_a_pair_are_matched_with_words_of_the_same_text(
    first: list[list[str]], second: list[list[str]], specials: bool
) -> None:
    one, other = record(first), record(second)
    found = match_tokens(one, other, specials=specials)
    owners = [
        [number for number, text in enumerate(each) for _ in range(len(text) + 1)] for each in (first, second)
    ]  # of each token after [CLS]: the text that it stands in or ends
    for a, b in found:
        assert one.texts[a] == other.texts[b]
        assert (a in one.specials) == (b in other.specials)
        if a and a not in one.specials and (one.segments or other.segments):
            assert owners[0][a - 1] == owners[1][b - 1]
        assert specials or a not in one.specials
    for text in (0, 1):
        alone = match_tokens(one, other, text=text)
        assert alone == tuple(pair for pair in match_tokens(one, other) if pair in alone)
        assert all(a and owners[0][a - 1] == text for a, _b in alone)
        assert all(a not in one.specials for a, _b in alone)


def test_the_second_of_two_texts_is_not_taken_for_the_first_alone() -> None:
    pair = replace(TokenSequence.from_words("a dog . the cat .".split()), segments=(0, 0, 0, 1, 1, 1))
    alone = TokenSequence.from_words("the cat .".split())
    assert match_tokens(pair, alone) == ((2, 2),)
    assert match_tokens(alone, pair) == ((2, 2),)
    assert match_tokens(pair, alone, text=1) == ()
    assert match_tokens(pair, pair, text=1) == ((3, 3), (4, 4), (5, 5))


def test_rows_and_columns_of_a_pair_are_cut_apart() -> None:
    tokens_of = record([["it", "was", "hungry"], ["the", "cat"]])
    one, other = (
        AttentionMap(Site("encoder", 0, "self"), rows(2, 8, 8, seed=seed), tokens_of, tokens_of) for seed in (1, 2)
    )
    matching = Matching.of_maps(one, other, between=(0, 1))
    assert matching == Matching(((1, 1), (2, 2), (3, 3)), ((5, 5), (6, 6)))
    first = matching.first(one.weights)
    np.testing.assert_allclose(first[..., -1], 1 - one.weights[:, 1:4, 5:7].sum(axis=-1), atol=1e-6)
    whole = Matching.of_maps(one, other)
    assert whole.queries == tuple((place, place) for place in range(8))
    assert [a for a, _ in Matching.of_maps(one, other, specials=False).keys] == [1, 2, 3, 5, 6]
