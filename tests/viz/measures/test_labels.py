"""What a head is called: heads made to do one thing, and heads that do none."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from models.measures.chance import Odds
from models.measures.heads import measure_heads, measures_for
from models.measures.labels import (
    ABOVE_CHANCE,
    HALF,
    LABELS,
    LEAST_BREADTH,
    LEAST_DEVIATIONS,
    LEAST_REST,
    LEAST_SHARE,
    MOST_SHARP,
    PATTERNS,
    RESTS,
    label_of,
)
from models.measures.reading import Reading as Maps
from models.measures.texts import Texts, TextSample
from models.sites import Site
from models.trace import Alignment, AttentionMap, AttentionTrace, Reading
from tests.support.figure_samples import pieces, provenance, translation
from tests.support.head_samples import transformer
from tests.support.measuring import odds_of
from viz.captions.measures import LABEL_NAMES, label_name
from viz.measures.head_profile import Profile, columns_of, ordered, profiles_of, sample_of
from viz.views.heads import HeadPlace, views_at
from viz.views.hiding import Hiding

WORDS = ("[CLS]", "the", "cat", "saw", "the", "big", "cat", "and", "the", "dog", "[SEP]")
SIZE = len(WORDS)
SPECIALS = (0, SIZE - 1)
SCATTERED = [5, 7, 8, 0, 9, 1, 10, 2, 4, 6, 3]
"""For each query a key of its own, which stands in no known place."""


def reading(
    weights: np.ndarray, words: Sequence[str] = WORDS, *, causal: bool = False, read: float = 1
) -> AttentionTrace:
    """Make the trace of one head that gives `read` of its reading to tokens."""
    text, nothing = pieces(words), pieces(())
    site = Site("decoder" if causal else "encoder", 0, "self")
    rows = read * weights / weights.sum(axis=-1, keepdims=True)
    map_ = AttentionMap(site, rows[None].astype(np.float32), text, text, causal=causal, rows_sum_to_one=read == 1)
    return AttentionTrace(text, nothing, nothing, (map_,), (), "", "", provenance(decoding="none"))


def profile_of(weights: np.ndarray, *, causal: bool = False, specials: Sequence[int] = SPECIALS) -> Profile:
    views = views_at(reading(weights, causal=causal), "decoder.*.self" if causal else "encoder.*.self", "word")
    (profile,) = profiles_of(views, specials)
    return profile


def at_offset(offset: int) -> np.ndarray:
    weights = np.full((SIZE, SIZE), 0.02)
    for query in range(SIZE):
        if 0 <= query + offset < SIZE:
            weights[query, query + offset] = 1
    return weights


def on_keys(*keys: int) -> np.ndarray:
    weights = np.full((SIZE, SIZE), 0.02)
    weights[:, list(keys)] = 1
    return weights


def on_repeated() -> np.ndarray:
    """Each token reads the same token elsewhere; one that stands alone reads all others alike."""
    same = np.array([[one == other for other in WORDS] for one in WORDS]) & ~np.eye(SIZE, dtype=bool)
    return np.where(same.any(axis=1)[:, None], same + 0.01, 1.0)


@pytest.mark.parametrize(
    ("weights", "label"),
    [
        (at_offset(-1), "previous token"),
        (at_offset(1), "next token"),
        (at_offset(0), "itself"),
        (at_offset(2) + at_offset(-2), "neighbours"),
        (on_keys(0), "first token"),
        (on_keys(SIZE - 1), "end or punctuation"),
        (on_repeated(), "same word elsewhere"),
        (np.ones((SIZE, SIZE)), "broad"),
        (on_keys(5), "one token for all queries"),
        (np.eye(SIZE)[SCATTERED] + 0.01, "sharp, no fixed position"),
        (np.eye(SIZE)[SCATTERED] + 0.05, "no clear pattern"),
    ],
    ids=lambda value: value.replace(" ", "-") if isinstance(value, str) else "",
)
def test_a_head_is_called_after_what_it_does(weights: np.ndarray, label: str) -> None:
    found = profile_of(weights).label
    assert label_name(found) == label
    assert 0 <= found.score <= 1
    assert (found.times >= ABOVE_CHANCE) == (found.key in PATTERNS)


def test_a_head_that_gives_nearly_all_to_its_sink_is_called_after_that() -> None:
    trace = reading(np.eye(SIZE)[np.zeros(SIZE, dtype=int)], read=0.01)
    (profile,) = profiles_of(views_at(trace, "encoder.*.self", "word"), SPECIALS)
    assert label_name(profile.label) == "no token"
    assert profile.label.score == profile.values["unread"] == pytest.approx(0.99)
    assert profile.values["first"] == pytest.approx(0.01)
    assert [each.key for each in columns_of([profile])][-1] == "unread"


def test_a_head_is_called_after_what_it_leaves_unread_from_half_on() -> None:
    for read, label in ((0.95, "first"), (0.75, "none"), (0.52, "none"), (0.5, "unread"), (0.4, "unread")):
        trace = reading(on_keys(0), read=read)
        (profile,) = profiles_of(views_at(trace, "encoder.*.self", "word"), SPECIALS)
        assert profile.label.key == label
        assert profile.values["first"] == pytest.approx(read / (1 + 0.02 * (SIZE - 1)))


def test_where_one_layer_leaves_something_unread_every_head_says_how_much() -> None:
    trace = transformer()
    maps = tuple(
        replace(each, weights=each.weights * 0.5, rows_sum_to_one=False) if each.site.layer == 1 else each
        for each in trace.maps
    )
    profiles = profiles_of(views_at(replace(trace, maps=maps), "encoder.*.self", "word"))
    assert [each.values["unread"] for each in profiles] == pytest.approx(
        [0.5 * (each.place.layer == 1) for each in profiles]
    )
    assert "unread" in {measure.key for measure in columns_of(profiles)}
    assert not any("unread" in each.values for each in profiles_of(views_at(trace, "encoder.*.self", "word")))


def test_the_score_is_the_share_in_the_table() -> None:
    profile = profile_of(at_offset(-1))
    assert profile.label.score == profile.values["previous"]
    profile = profile_of(np.ones((SIZE, SIZE)))
    assert profile.label.score == pytest.approx(profile.values["breadth"])
    assert profile.label.score >= LEAST_BREADTH


@pytest.mark.parametrize(("weights", "label"), [(at_offset(-1), "previous token"), (on_keys(0), "first token")])
def test_causal_heads_have_names_too(weights: np.ndarray, label: str) -> None:
    assert label_name(profile_of(np.tril(weights), causal=True).label) == label


def test_a_causal_head_that_reads_all_alike_is_broad() -> None:
    assert label_name(profile_of(np.tril(np.ones((SIZE, SIZE))), causal=True).label) == "broad"


def test_the_end_is_a_delimiter_only_if_it_is_said_to_be_one() -> None:
    profile = profile_of(on_keys(SIZE - 1), specials=())
    assert profile.label.key == "one"
    assert "delimiter" not in profile.values
    assert label_name(profile_of(on_keys(5), specials=(5,)).label) == "end or punctuation"


def test_punctuation_is_a_delimiter_and_a_special_token_of_letters_is_none_by_its_signs() -> None:
    view = views_at(transformer(("a", ",", "b", "[SEP]", "。")), "encoder.*.self", "word")[0]
    assert sample_of(view).delimiters == (1, 4)
    assert sample_of(view, (0, 3)).delimiters == (1, 3, 4)


def test_special_tokens_are_those_that_the_trace_names_unless_others_are_given() -> None:
    text = replace(pieces(("[CLS]", "a", "b", "[SEP]")), specials=(0, 3))
    view = views_at(transformer(text), "encoder.*.self", "word")[0]
    assert sample_of(view).delimiters == (3,)
    assert sample_of(view, ()).delimiters == ()


def test_of_a_short_text_chance_is_no_pattern() -> None:
    for causal in (False, True):
        weights = np.tril(np.ones((2, 2))) if causal else np.array([[0.6, 0.4], [0.6, 0.4]])
        views = views_at(reading(weights, ("a", "b"), causal=causal), "*.0.self", "word")
        assert profiles_of(views)[0].label.key not in ("first", "same", "previous")


SURE = Odds(5.0, 9.0)


def test_neighbours_and_a_repeated_token_count_where_no_other_pattern_is_clear() -> None:
    odds = dict.fromkeys(("previous", "repeated", "near"), SURE)
    assert label_of({"previous": 0.3, "repeated": 0.9, "near": 0.9, "breadth": 0.1}, odds).key == "previous"
    assert label_of({"previous": 0.2, "repeated": 0.9, "near": 0.8, "breadth": 0.1}, odds).key == "repeated"


def test_of_two_clear_patterns_the_one_farther_above_chance_counts() -> None:
    odds = {"next": Odds(1.3, 9.0), "previous": Odds(5.0, 9.0)}
    assert label_of({"next": 0.5, "previous": 0.4, "breadth": 0.1}, odds).key == "previous"


def test_a_share_just_at_the_thresholds_counts_and_one_just_below_does_not() -> None:
    def key(share: float, times: float = ABOVE_CHANCE, deviations: float = LEAST_DEVIATIONS) -> str:
        return label_of({"next": share, "breadth": 0.7}, {"next": Odds(times, deviations)}).key

    assert key(LEAST_SHARE) == "next"
    assert key(LEAST_SHARE - 1e-9) == "none"
    assert key(LEAST_SHARE, times=ABOVE_CHANCE - 1e-9) == "none"
    assert key(LEAST_SHARE, deviations=LEAST_DEVIATIONS - 1e-9) == "none"
    assert label_of({"next": 0.4, "breadth": LEAST_BREADTH}, {"next": SURE}).key == "broad"
    assert label_of({"next": 0.5, "breadth": LEAST_BREADTH}, {"next": SURE}).key == "next"
    for rest in RESTS:
        found = [label_of({rest: share, "breadth": 0.7}, {rest: SURE}).key for share in (LEAST_REST, LEAST_REST - 1e-9)]
        assert found == [rest, "none"]
        assert label_of({rest: HALF, "breadth": 0.1}, {rest: SURE}).key == "none"
        assert label_of({rest: HALF - 1e-9, "breadth": 0.1}, {rest: SURE}).key == "sharp"
    assert label_of({"breadth": 0.7}, {}).score == 0
    assert [label_of({"breadth": each}, {}).key for each in (0.0, MOST_SHARP, MOST_SHARP + 1e-9)] == [
        "none",  # a text without a choice
        "sharp",
        "none",
    ]


@pytest.mark.parametrize("causal", [False, True])
def test_chance_is_what_dealing_out_the_weights_of_each_row_gives(causal: bool) -> None:
    generator = np.random.default_rng(0)
    weights = generator.dirichlet(np.full(7, 0.3), size=7)
    weights = np.tril(weights) if causal else weights
    cells = generator.random((7, 7)) < 0.3
    deals = np.array([dealt(weights, generator, causal)[cells].sum() for _ in range(20000)])
    (odds,) = odds_of(weights[None], cells, causal=causal)
    given = weights[cells].sum()
    assert given / odds.times == pytest.approx(deals.mean(), rel=0.02)
    away = (deals - deals.mean()) / deals.std()
    skewed = (LEAST_DEVIATIONS**2 - 1) / 6 * max((away**3).mean(), 0)
    assert odds.deviations == pytest.approx((given - deals.mean()) / deals.std() - skewed, abs=0.03)


def dealt(weights: np.ndarray, generator: np.random.Generator, causal: bool) -> np.ndarray:
    """Return each row with its weights in another order among the keys that it may read."""
    found = np.zeros_like(weights)
    for query, row in enumerate(weights):
        keys = query + 1 if causal else len(row)
        found[query, :keys] = generator.permutation(row[:keys])
    return found


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("spread", [0.02, 0.5])
def test_weights_that_are_dealt_out_anew_meet_on_one_token_in_one_of_twenty_deals_by_the_number_of_patterns(
    causal: bool, spread: float
) -> None:
    """Whichever token that is: the largest of several is no wonder, nor are a few rows that meet."""
    generator = np.random.default_rng(1)
    rows = generator.dirichlet(np.full(SIZE, spread), size=SIZE)
    rows = np.tril(rows) + 1e-6 * np.tri(SIZE) if causal else rows
    rows /= rows.sum(axis=-1, keepdims=True)
    deals = np.stack([dealt(rows, generator, causal) for _ in range(2000)])
    text = Texts([TextSample.of(WORDS, queries=SIZE, specials=(0, SIZE - 1), causal=causal)])
    site = Site("decoder" if causal else "encoder", 0, "self")
    found = measure_heads(Maps.of(deals, causal=causal), text, site).clear["one"]
    assert 0 < (found >= LEAST_DEVIATIONS).mean() <= 0.06 / 4  # four patterns or more mean something here


def test_without_a_choice_there_are_no_odds() -> None:
    assert odds_of(np.ones((1, 3, 1)), np.ones((3, 1), dtype=bool)) == ((1.0, 0.0),)
    assert odds_of(np.zeros((1, 3, 3)), np.eye(3, dtype=bool)) == ((1.0, 0.0),)


@pytest.mark.parametrize(
    ("steps", "label"), [(0, "aligns"), (-1, "aligns one word back"), (1, "aligns one word ahead")]
)
@pytest.mark.parametrize("read", ["written", "input"])
def test_a_cross_head_is_called_after_the_word_whose_source_it_reads(steps: int, label: str, read: Reading) -> None:
    source, target = pieces((*"abcdef", "</s>")), pieces((*"uvwxyz", "</s>"))
    source, target = (replace(each, specials=(6,)) for each in (source, target))
    order = np.array([2, 0, 1, 5, 3, 4])  # the source word of each written one
    rows = np.full((2, 7, 7), 0.02)
    aligned = np.arange(6) + (read == "input")  # under that reading the row of a word is the one after
    rows[0, aligned, order] = 1
    for query in range(7):
        if 0 <= query + steps < 6:
            rows[1, query, order[query + steps]] = 1
    weights = (rows / rows.sum(axis=-1, keepdims=True)).astype(np.float32)
    made = translation(source, target, heads=2, alignment=Alignment(Site("decoder", 0, "cross"), 0, read))
    made = replace(made, maps=(replace(made.maps[0], weights=weights),))
    found = profiles_of(views_at(made, "decoder.*.cross", "word"))
    assert label_name(found[1].label) == label


def test_two_separators_are_delimiters_and_no_repetition() -> None:
    words = ("[CLS]", "a", "[SEP]", "b", "[SEP]")
    weights = np.full((5, 5), 0.01)
    weights[:, [2, 4]] = 1
    sample = sample_of(views_at(reading(weights, words), "encoder.*.self", "word")[0], (0, 2, 4))
    assert sample.delimiters == (2, 4)
    assert len(set(sample.names)) == 5
    keys = {measure.key for measure in measures_for(Site("encoder", 0, "self"), sample)}
    assert "delimiter" in keys
    assert "repeated" not in keys


def test_special_pieces_are_found_again_among_words() -> None:
    text = pieces(("[CLS]", " un", "do", "[SEP]"), (0, 1, 1, 2))
    view = views_at(transformer(text), "encoder.*.self", "word")[0]
    assert sample_of(view, (0, 3)).specials == (0, 2)


def test_a_map_with_hidden_tokens_is_not_measured() -> None:
    views = views_at(reading(at_offset(-1)), "encoder.*.self", "word", Hiding(source=(0,)))
    with pytest.raises(ValueError, match="the whole of a map"):
        profiles_of(views)
    with pytest.raises(ValueError, match="special tokens stand at 0 to 10"):
        profile_of(at_offset(-1), specials=(11,))


def test_heads_are_ordered_by_any_measure_by_score_and_by_place() -> None:
    profiles = profiles_of(views_at(transformer(("a", "b", "a", "c", "</s>")), "encoder.*.self", "word"), (4,))
    for by in ("previous", "repeated", "delimiter", "entropy"):
        values = [profile.values[by] for profile in ordered(profiles, by)]
        assert values == sorted(values, reverse=True)
    scores = [profile.label.score for profile in ordered(profiles, "score")]
    assert scores == sorted(scores, reverse=True)
    assert [profile.place for profile in ordered(profiles[::-1], "place")] == sorted(each.place for each in profiles)
    assert ordered((), "first") == ()
    with pytest.raises(ValueError, match=r"ordered by place, .*first.*; got 'beauty'"):
        ordered(profiles, "beauty")


def test_of_equals_the_earlier_head_comes_first() -> None:
    profiles = profiles_of(views_at(transformer(("a", "b", "</s>")), "encoder.*.self", "word"))
    flat = [Profile(each.place, {"first": 0.5}, each.label) for each in profiles]
    assert [each.place for each in ordered(flat, "first")] == [HeadPlace(*each.place) for each in profiles]


def test_each_label_has_a_name_of_its_own() -> None:
    assert set(LABEL_NAMES) == set(LABELS)
    assert len(set(LABEL_NAMES.values())) == len(LABELS) == 15
