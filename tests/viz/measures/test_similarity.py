"""How alike heads read: against scipy row by row, an order that brings like together, and the figure of it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.spatial.distance import jensenshannon

from models.measures import divergence
from models.measures.divergence import head_divergence
from tests.support.canvas_samples import encoder
from tests.support.figure_samples import AWKWARD
from tests.support.head_samples import KINDS, transformer, weights_of
from viz.captions.heads import similarity_sentence
from viz.figures.similarity import similarity_heatmap
from viz.measures.similarity import Similarity, head_similarity, similar_order
from viz.views.heads import HeadPlace

HEADS = st.builds(
    lambda weights, largest: weights * np.float32(largest),
    arrays(np.float32, array_shapes(min_dims=3, max_dims=3, max_side=5), elements=st.floats(0, 1, width=32)),
    st.sampled_from([1, 1 / 4, 1 / 64]),  # rows that sum to more than 1, and rows that leave much unread
)


def with_rest(row: np.ndarray) -> np.ndarray:
    """Return a row with what it gives to no token as one more key: nothing if it sums to 1 up to rounding."""
    rest = 1 - row.sum()
    return np.append(row, rest if rest > 1e-5 else 0.0)


def looped(weights: np.ndarray) -> np.ndarray:
    """Return the divergences by scipy, which takes rows relative to their sums, one row of two heads at a time."""
    found = np.zeros((len(weights), len(weights)))
    for one, first in enumerate(weights.astype(float)):
        for other, second in enumerate(weights.astype(float)):
            pairs = zip(first, second, strict=True)
            values = [jensenshannon(with_rest(p), with_rest(q), base=2) ** 2 for p, q in pairs]
            found[one, other] = np.mean(np.nan_to_num(values))
    return found


@given(HEADS)
def test_the_divergence_is_that_of_scipy(weights: np.ndarray) -> None:
    weights = np.where(weights < 1e-6, 0, weights)
    found = head_divergence(weights)
    np.testing.assert_allclose(found, looped(weights), atol=1e-5)
    np.testing.assert_array_equal(found, found.T)
    assert (np.diag(found) == 0).all()
    assert found.min() >= 0
    assert found.max() <= 1


def test_a_sentence_of_real_size_is_that_of_scipy_too() -> None:
    weights = np.concatenate([map_.weights for map_ in encoder(40, layers=2, heads=3)])
    np.testing.assert_allclose(head_divergence(weights), looped(weights), atol=1e-6)


def test_the_size_of_a_block_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.concatenate([map_.weights for map_ in encoder(30, layers=2, heads=3)])
    whole = head_divergence(weights)
    monkeypatch.setattr(divergence, "BLOCK_BYTES", 6 * 30 * 4 * 7)
    np.testing.assert_allclose(head_divergence(weights), whole, atol=1e-12)


def test_heads_that_share_no_key_are_as_far_apart_as_can_be() -> None:
    weights = np.array([[[1.0, 0.0]], [[0.0, 1.0]]])
    assert head_divergence(weights)[0, 1] == pytest.approx(1)


def test_a_head_that_reads_a_tenth_of_another_is_not_like_it() -> None:
    weights = np.array([[[0.5, 0.5]], [[0.05, 0.05]], [[0.0, 0.0]]])
    tenth = -2 * 0.05 * np.log2(0.05) - 0.9 * np.log2(0.9)
    middle = -2 * 0.275 * np.log2(0.275) - 0.45 * np.log2(0.45)
    found = head_divergence(weights)
    assert found[0, 1] == pytest.approx(middle - (1 + tenth) / 2, abs=1e-6)
    assert found[0, 2] == pytest.approx(1)


def test_rows_that_sum_to_one_are_compared_as_shares_of_their_sum_whatever_their_rounding() -> None:
    weights = np.concatenate([map_.weights for map_ in encoder(60, layers=2, heads=4)])
    assert 0 < np.abs(weights.sum(axis=-1, dtype=float) - 1).max() < 1e-5
    block = weights / weights.sum(axis=-1, keepdims=True)

    def information(shares: np.ndarray) -> np.ndarray:
        logarithms = np.log2(np.maximum(shares, np.finfo(np.float32).tiny))
        return np.einsum("...k,...k->...", shares, logarithms, dtype=float)

    own = -information(block)
    for one in range(8):
        for other in range(one):
            mixed = -information((block[one] + block[other]) * np.float32(0.5))
            expected = np.clip(mixed - (own[one] + own[other]) / 2, 0, 1).mean()
            assert head_divergence(weights)[one, other] == pytest.approx(expected, abs=1e-12)


def test_a_figure_of_heads_with_a_sink_says_that_it_counts() -> None:
    trace = transformer()
    said = "weight on no token counts as one more token"
    plain = similarity_heatmap(trace)
    assert said not in " ".join(note.text for note in plain.layout.annotations).replace("<br>", " ")
    part = tuple(
        replace(each, weights=each.weights * 0.5, rows_sum_to_one=False) if each.site.layer == 2 else each
        for each in trace.maps
    )
    figure = similarity_heatmap(replace(trace, maps=part))
    assert said in " ".join(note.text for note in figure.layout.annotations).replace("<br>", " ")


@given(st.permutations(range(9)), st.integers(0, 99))
@settings(max_examples=25)
def test_the_order_brings_groups_together_wherever_they_stood(order: list[int], seed: int) -> None:
    generator = np.random.default_rng(seed)
    group = np.repeat([0, 1, 2], 3)[order]
    divergence = np.where(group[:, None] == group[None, :], 0.05, 0.8) + generator.uniform(0, 0.02, (9, 9))
    divergence = np.tril(divergence, -1) + np.tril(divergence, -1).T
    found = similar_order(divergence)
    assert sorted(found) == list(range(9))
    assert np.count_nonzero(np.diff(group[list(found)])) == 2


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_heads_stay_as_they_are(count: int) -> None:
    assert similar_order(np.zeros((count, count))) == tuple(range(count))


def test_weights_of_another_rank_are_refused() -> None:
    with pytest.raises(ValueError, match="head, query, key"):
        head_divergence(np.zeros((2, 2)))


@pytest.mark.parametrize("sites", KINDS)
def test_the_figure_has_each_pair_where_its_axes_name_it(sites: str) -> None:
    trace = transformer(("a", "b", "c", "</s>"), ("d", "e", "</s>"))
    found = head_similarity(trace, sites=sites)
    figure = similarity_heatmap(trace, sites=sites, similarity=found, picked=[found.places[3]])
    heatmap, markers = figure.data
    assert sorted(found.places) == [(layer, head) for layer in range(3) for head in range(8)]
    titles = {"x": "column: the other head", "y": "row: one head"}
    for axis, title in titles.items():
        assert list(figure.layout[f"{axis}axis"].ticktext) == [place.title for place in found.places]
        assert figure.layout[f"{axis}axis"].title.text == title
    for row, column in ((0, 0), (5, 2), (23, 11)):
        pair = found.places[row], found.places[column]
        expected = looped(np.stack([weights_of(trace, sites, *place) for place in pair]))[0, 1]
        assert heatmap.z[row, column] == pytest.approx(expected, abs=1e-5)
    clicked = list(zip(markers.x, markers.y, markers.customdata, strict=True))
    assert len(clicked) == 24 * 23 // 2
    for x, y, value in clicked[:: len(clicked) // 7]:
        one, other = found.pair(x, y)
        assert (one, other) == (found.places[y], found.places[x])
        assert heatmap.z[y, x] == value
    frame = figure.layout.shapes[0]
    assert (frame.y0, frame.y1) == (2.5, 3.5)
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (0, 1)
    meaning = figure.layout.coloraxis.colorbar.title.text.replace("<br>", " ")
    assert "Jensen-Shannon divergence, mean over queries: 0 same attention, 1 no token in common" in meaning


def test_alike_is_dark() -> None:
    scale = similarity_heatmap(transformer()).layout.coloraxis.colorscale
    assert (scale[0][1], scale[-1][1]) == ("#131a4a", "#f6f6f1")


def test_the_nearest_head_is_the_one_of_least_divergence() -> None:
    found = head_similarity(transformer())
    place = HeadPlace(1, 4)
    row = found.divergence[found.places.index(place)].copy()
    row[found.places.index(place)] = np.inf
    assert found.nearest(place) == (found.places[int(row.argmin())],)
    assert len(found.nearest(place, 5)) == 5


@pytest.mark.parametrize(
    ("divergence", "said"),
    [
        (
            [[0, 0.5, 0.1], [0.5, 0, 0.9], [0.1, 0.9, 0]],
            "Most similar: layer 0, head 2 and layer 1, head 0 (divergence 0.10). Least similar: layer 0, head 2 "
            "and layer 0, head 3 (divergence 0.90).",
        ),
        (np.zeros((3, 3)), "Any two of the 3 heads are equally similar (divergence 0.00)."),
        ([[0, 0.25], [0.25, 0]], "There are two heads: layer 0, head 3 and layer 1, head 0 (divergence 0.25)."),
        ([[0]], "Only one head: nothing to compare."),
    ],
)
def test_a_sentence_names_the_most_and_the_least_alike(divergence: list[list[float]], said: str) -> None:
    places = (HeadPlace(1, 0), HeadPlace(0, 3), HeadPlace(0, 2))[: len(divergence)]
    assert similarity_sentence(Similarity(places, np.array(divergence, dtype=float))) == said


@pytest.mark.parametrize("width", [340, 800, 1320])
@pytest.mark.parametrize("heads", [1, 2, 12])
def test_the_figure_fits_its_width(width: int, heads: int) -> None:
    figure = similarity_heatmap(encoder(6, layers=6, heads=heads), width=width)
    assert figure.layout.width <= width
    assert 0 <= figure.layout.xaxis.domain[0] < figure.layout.xaxis.domain[1] <= 1
    assert 0 <= figure.layout.yaxis.domain[0] < figure.layout.yaxis.domain[1] <= 1


@pytest.mark.parametrize("name", AWKWARD)
def test_any_text_can_be_compared(name: str) -> None:
    similarity_heatmap(transformer(AWKWARD[name], AWKWARD[name], layers=2, heads=2)).to_json()
