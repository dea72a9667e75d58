"""What a picture leaves out stays in sight: hidden tokens as a column, small cells as a number."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.trace.tokens import word_positions
from tests.support.figure_samples import AWKWARD, pieces
from tests.support.head_samples import KINDS, transformer, weights_of
from viz.canvas.overview import code, small_maps
from viz.captions.heads import comparison_sentence, overview_note, overview_sentence
from viz.captions.maps import notes_of, sentence_of
from viz.figures.comparison import head_combination, head_comparison, head_difference
from viz.views.heads import HeadPlace, pick_views, views_at
from viz.views.hiding import Hiding, drawn, hide_specials, hide_tokens
from viz.views.view import choose_view, hide

TEXT = ("<s>", "the", "cat", "sleeps", "</s>")
ENDS = Hiding(source=(0, 4), target=(3,), target_input=(0,))


@given(st.data())
@settings(max_examples=30)
def test_no_weight_is_changed_and_every_row_keeps_its_sum(data: st.DataObject) -> None:
    trace = transformer(TEXT, layers=1, heads=2)
    queries = sorted(data.draw(st.sets(st.integers(0, 4))))
    keys = sorted(data.draw(st.sets(st.integers(0, 4))))
    whole = trace["encoder.0.self"]
    found = hide_tokens(whole, queries=queries, keys=keys)
    rows, columns = ([place for place in range(5) if place not in hidden] for hidden in (queries, keys))
    assert found.query_tokens.texts == tuple(TEXT[place] for place in rows)
    np.testing.assert_array_equal(found.weights[..., : len(columns)], whole.weights[:, rows][..., columns])
    np.testing.assert_allclose(found.weights.sum(axis=-1), whole.weights[:, rows].sum(axis=-1), atol=1e-6)
    if keys:
        assert found.key_tokens.texts[-1] == "⟨hidden⟩"
        for row, place in enumerate(rows):
            mass = sum(float(whole.weights[1, place, key]) for key in keys)
            assert found.weights[1, row, -1] == pytest.approx(mass, abs=1e-6)


def test_nothing_hidden_is_the_map_itself() -> None:
    whole = transformer(TEXT)["encoder.0.self"]
    assert hide_tokens(whole) is whole


def test_a_token_that_there_is_not_cannot_be_hidden() -> None:
    with pytest.raises(ValueError, match=r"encoder\.0\.self: no token at \[5\] to hide; there are 5"):
        hide_tokens(transformer(TEXT)["encoder.0.self"], keys=(5,))
    with pytest.raises(ValueError, match="from 0 to 1"):
        Hiding(threshold=1.5)


@pytest.mark.parametrize(
    ("sites", "queries", "keys"),
    [
        ("encoder.*.self", ["the", "cat", "sleeps"], ["the", "cat", "sleeps", "⟨hidden⟩"]),
        ("decoder.*.self", ["le", "chat", "dort"], ["le", "chat", "dort", "⟨hidden⟩"]),
        ("decoder.*.cross", ["le", "chat", "dort"], ["the", "cat", "sleeps", "⟨hidden⟩"]),
    ],
)
def test_each_map_hides_the_tokens_of_its_own_texts(sites: str, queries: list[str], keys: list[str]) -> None:
    trace = transformer(TEXT, ("le", "chat", "dort", "</s>"))
    shown = views_at(trace, sites, "word", ENDS)[1].shown
    assert (list(shown.query_tokens.texts), list(shown.key_tokens.texts)) == (queries, keys)


def test_rows_labelled_by_the_word_read_in_hide_that_word() -> None:
    trace = transformer(TEXT, ("le", "chat", "dort", "</s>"))
    view = hide(choose_view(trace, site="decoder.0.cross", head=0, reading="input"), ENDS)
    assert view.shown.query_tokens.texts == ("le", "chat", "dort")


def test_the_tokens_that_the_trace_calls_special_can_all_be_hidden_and_segments_stay() -> None:
    text = replace(pieces(("[CLS]", "a", "b", "[SEP]", "c")), specials=(0, 3), segments=(-1, 0, 0, -1, 1))
    trace = transformer(text)
    hiding = hide_specials(trace, threshold=0.25)
    assert (hiding.source, hiding.threshold) == ((0, 3), 0.25)
    shown = views_at(trace, "encoder.*.self", "word", hiding)[0].shown
    assert shown.query_tokens.segments == (0, 0, 1)
    assert shown.key_tokens.segments == (0, 0, 1, -1)
    assert shown.key_tokens.specials == ()
    left = hide_tokens(trace["encoder.0.self"], keys=(0, 1))
    assert [left.key_tokens.texts[place] for place in left.key_tokens.specials] == ["[SEP]"]


def test_a_word_is_hidden_if_all_its_pieces_are() -> None:
    text = pieces(("[CLS]", " un", "do", "[SEP]"), (0, 1, 1, 2))
    assert word_positions(text, (0, 1, 3)) == (0, 2)
    assert word_positions(text, ()) == ()
    view = views_at(transformer(text), "encoder.*.self", "word", Hiding(source=(0, 3)))[0]
    assert view.shown.query_tokens.texts == ("undo",)
    assert view.weights.sum() == pytest.approx(1, abs=1e-5)


def test_what_is_hidden_is_said_on_the_picture_and_never_named_as_strongest() -> None:
    sink = np.zeros((1, 5, 5), dtype=np.float32)
    sink[..., 4], sink[..., 1] = 0.9, 0.1
    trace = transformer(TEXT, layers=1, heads=1)
    own = trace["encoder.0.self"]
    trace = replace(trace, maps=(replace(own, weights=sink),))
    view = hide(choose_view(trace, site="encoder.0.self", head=0), ENDS)
    assert "special tokens hidden: 2; their weight: ⟨hidden⟩" in notes_of(view)
    for said in (
        overview_sentence(views_at(trace, "encoder.*.self", "word", ENDS)),
        comparison_sentence([HeadPlace(0, 0)], pick_views(trace, "encoder.*.self", "word", [HeadPlace(0, 0)], ENDS)),
        sentence_of(view),
    ):
        assert "attends to “the” (0.10)" in said or "attends most to “the” (0.10)" in said


@pytest.mark.parametrize("colour", ["linear", "root"])
def test_cells_below_the_threshold_are_empty_and_counted_in_every_figure_of_heads(colour: str) -> None:
    trace, hiding, options = transformer(TEXT), Hiding(threshold=0.1), {"colour": colour}
    weights = weights_of(trace, "encoder.*.self", 0, 3)
    other = weights_of(trace, "encoder.*.self", 2, 5)
    places = (HeadPlace(0, 3), HeadPlace(2, 5))
    cases = (
        (head_comparison(trace, heads=places[:1], hiding=hiding, **options), weights),  # type: ignore[arg-type]
        (head_difference(trace, first=places[0], second=places[1], hiding=hiding, **options), weights - other),  # type: ignore[arg-type]
        (head_combination(trace, heads=places, how="sum", hiding=hiding, **options), weights + other),  # type: ignore[arg-type]
    )
    for figure, values in cases:
        heatmap = figure.data[0]
        np.testing.assert_array_equal(np.isnan(heatmap.z), np.abs(values) < 0.1)
        exact = heatmap.customdata[..., 0]
        np.testing.assert_allclose(exact, values, atol=1e-6)  # the hover text still names it
        said = figure.layout.annotations[0].text.replace("<br>", " ")
        assert f"{(np.abs(values) < 0.1).sum()} of 25 cells below 0.1, left empty" in said
    every = np.concatenate([trace[f"encoder.{layer}.self"].weights for layer in range(3)])
    said = overview_note(views_at(trace, "encoder.*.self", "word", hiding))
    assert f"{(every < 0.1).sum()} of {every.size} cells below 0.1, left empty" in said


def test_without_a_threshold_nothing_is_empty() -> None:
    values = np.zeros((2, 2), dtype=np.float32)
    assert drawn(values, 0.0) is values


def test_an_overview_of_a_long_text_keeps_the_hidden_column_apart() -> None:
    words = [f"w{place}" for place in range(200)]
    trace = transformer(words, layers=1, heads=1)
    views = views_at(trace, "encoder.*.self", "word", Hiding(source=(0,)))
    assert views[0].shown.key_tokens.texts[-1] == "⟨hidden⟩"
    small = small_maps(views)
    weights = weights_of(trace, "encoder.*.self", 0, 0)[1:, 0]
    assert small.columns[-2] == small.columns[-1] - 1 == 199
    assert small.cells[0, 0, -1] == code(weights[: small.rows[1]].max())


@pytest.mark.parametrize("sites", KINDS)
@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("unit", ["word", "piece"])
def test_of_any_text_all_or_some_tokens_can_be_hidden(name: str, unit: str, sites: str) -> None:
    texts = AWKWARD[name]
    trace = transformer(texts, texts, layers=2, heads=2)
    for positions in (tuple(range(len(texts))), (len(texts) - 1,)):
        hiding = Hiding(positions, positions, positions, threshold=0.2)
        options = {"sites": sites, "unit": unit, "hiding": hiding}
        left = len(texts) - len(positions)
        views = views_at(trace, sites, unit, hiding)  # type: ignore[arg-type]
        assert views[0].weights.shape == (left, left + 1)
        figure = head_comparison(trace, heads=[HeadPlace(1, 1)], **options)  # type: ignore[arg-type]
        assert list(figure.layout.xaxis.ticktext)[-1] == "⟨hidden⟩"
        if left:
            assert overview_sentence(views)
