"""Which head of which map is shown, and the words that go with it."""

import numpy as np
import pytest

from models import load
from models.edits import Edit, harden, sample, zero_head
from models.sites import Site
from models.trace import Alignment, AttentionTrace
from tests.support.figure_samples import bench, pieces, provenance, reader, translation
from viz.captions.maps import notes_of, sentence_of
from viz.views.view import choose_view


@pytest.fixture
def multi_head() -> AttentionTrace:
    alignment = Alignment(Site("decoder", 1, "cross"), 5, "input")
    source = pieces((" two", " pie", "ces", "</s>"), (0, 1, 1, 2))
    target = pieces((" deux", " mor", "ceaux", "</s>"), (0, 1, 1, 2))
    return translation(source, target, heads=8, layers=2, alignment=alignment)


def test_the_trace_says_what_is_shown(multi_head: AttentionTrace) -> None:
    view = choose_view(multi_head)
    assert (str(view.shown.site), view.head, view.reading) == ("decoder.1.cross", 5, "input")
    assert view.shown.query_tokens.texts == ("<s>", "deux", "morceaux")
    assert view.query_title == "query: the word just read in"
    assert view.merged


def test_pieces_are_shown_as_the_model_reads_them(multi_head: AttentionTrace) -> None:
    view = choose_view(multi_head, unit="piece", reading="written")
    assert view.shown.key_tokens.texts == (" two", " pie", "ces", "</s>")
    assert view.key_title == "key: the source subword attended to"
    assert not view.merged


def test_of_another_site_the_mean_over_heads(multi_head: AttentionTrace) -> None:
    assert choose_view(multi_head, site="decoder.0.cross").head == "mean"


def test_a_trace_without_its_alignment_site_shows_its_first_cross_map() -> None:
    trace = translation(("a", "</s>"), ("b", "</s>"), alignment=Alignment(Site("decoder", 7, "cross"), 0))
    assert choose_view(trace).shown.site == Site("decoder", 0, "cross")


@pytest.mark.parametrize("causal", [False, True])
def test_a_self_map_is_named_as_one(causal: bool) -> None:
    view = choose_view(reader(("the", "cat", "</s>"), causal=causal))
    assert (view.key_title, view.query_title) == ("key: the word attended to", "query: the word that attends")


@pytest.mark.parametrize(
    "choice", [{"unit": "letter"}, {"head": 8}, {"head": -1}, {"reading": "backwards"}], ids=lambda choice: str(choice)
)
def test_a_choice_that_there_is_not_is_an_error(multi_head: AttentionTrace, choice: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="got"):
        choose_view(multi_head, **choice)  # type: ignore[arg-type]


def test_a_site_that_was_not_captured_is_an_error(multi_head: AttentionTrace) -> None:
    with pytest.raises(KeyError, match=r"decoder\.5\.cross"):
        choose_view(multi_head, site="decoder.5.cross")


def test_a_trace_without_maps_is_an_error() -> None:
    nothing = pieces(())
    trace = AttentionTrace(nothing, nothing, nothing, (), (), "", "", provenance())
    with pytest.raises(ValueError, match="no map"):
        choose_view(trace)


def test_what_was_done_to_a_picture_is_said(multi_head: AttentionTrace) -> None:
    assert notes_of(choose_view(multi_head)) == (
        "cross-attention, layer 1, head 5, counted from 0",
        "subwords merged into words",
    )
    assert notes_of(choose_view(multi_head, head="mean"))[0] == "cross-attention, layer 1, mean of 8 heads"
    edited = translation(
        ("a", "</s>"),
        ("b", "</s>"),
        edits=(zero_head("decoder.0.cross", 3),),
        exact=False,
        decoding="forced",
        notes=("the input was cut",),
    )
    assert notes_of(choose_view(edited)) == (
        "edited: head 3 is ablated (decoder layer 0 cross-attention)",
        "the translation was given, not chosen by the model",
        "weights are approximate",
        "the input was cut",
    )


def test_one_head_needs_no_naming() -> None:
    assert notes_of(choose_view(bench()[0])) == ()


def test_the_sentence_names_words_before_marks() -> None:
    sentence = sentence_of(choose_view(translation(("cats", ".", "</s>"), ("chats", ".", "</s>"), seed=3)))
    assert sentence.startswith("Bahdanau (additive), 2015: “chats” attends most to “cats” (")
    assert "</s>" not in sentence


def test_a_sentence_of_marks_alone_still_has_one() -> None:
    assert "“</s>” attends most to “</s>” (1.00)" in sentence_of(choose_view(translation(("</s>",), ("</s>",))))


CROSS = "decoder.0.cross"
HARD_RUNS = [
    ("hard-en-fr", ()),
    ("bahdanau-en-fr", (harden(CROSS, None, None),)),
    ("bahdanau-en-fr", (sample(CROSS, None, None, 1),)),
]


@pytest.mark.parametrize(("key", "edits"), HARD_RUNS)
@pytest.mark.parametrize("sentence", ["The cat drank the milk.", "An unbelievable misunderstanding of biologists."])
def test_a_row_of_one_place_shows_one(key: str, edits: tuple[Edit, ...], sentence: str) -> None:
    """Subwords of a written word may each attend elsewhere; their word is shown where most of them attend."""
    view = choose_view(load(key).attend(sentence, edits=edits))
    assert view.merged
    assert set(np.unique(view.weights)) == {0, 1}
    np.testing.assert_array_equal(np.count_nonzero(view.weights, axis=-1), 1)
    means = view.trace.read(view.shown.site, view.reading).to_words()
    np.testing.assert_array_equal(view.weights.argmax(-1), means.head(view.head).argmax(-1))
    assert any("where most of its subwords do" in note for note in notes_of(view))


def test_a_soft_row_keeps_its_mean(multi_head: AttentionTrace) -> None:
    view = choose_view(multi_head)
    merged = multi_head.read(view.shown.site, "input").to_words()
    np.testing.assert_array_equal(view.weights, merged.head(view.head))
