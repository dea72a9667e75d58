"""What is said of heads: which measures where, and which sentences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.measures.entropy import mean_entropy
from models.measures.heads import MEASURES, measures_for
from models.trace import AttentionTrace
from tests.support.figure_samples import AWKWARD
from tests.support.head_samples import KINDS, transformer, weights_of
from tests.support.huggingface_samples import tiny_model
from tests.support.measuring import key_share, mean_distance, offset_share, relative_entropy
from viz.captions.heads import combination_sentence, comparison_sentence, difference_sentence, overview_sentence
from viz.captions.measures import left_out, meaning_of, name_of, remark_of
from viz.measures.head_profile import profiles_of
from viz.views.heads import HeadPlace, pick_views, views_at

WORDS = st.lists(st.text(st.characters(), max_size=12), min_size=1, max_size=5)
OF_SOME_TEXTS = {"induction", "punctuation", "aligned", "behind", "ahead", "delimiter", "repeated", "unread", "one"}
TWO = (HeadPlace(0, 1), HeadPlace(2, 6))


@pytest.mark.parametrize("sites", KINDS)
def test_every_head_is_measured_by_layer_and_head(sites: str) -> None:
    trace = transformer(("a", "b", "c", "d", "</s>"))
    profiles = profiles_of(views_at(trace, sites, "word"))
    assert [profile.place for profile in profiles] == [(layer, head) for layer in range(3) for head in range(8)]
    causal = sites == "decoder.*.self"
    for profile in profiles:
        weights, values = weights_of(trace, sites, *profile.place), profile.values
        assert values["entropy"] == pytest.approx(float(mean_entropy(weights)))
        assert values["breadth"] == pytest.approx(float(relative_entropy(weights, causal=causal)))
        assert values["first"] == pytest.approx(float(key_share(weights, 0)))
        if "distance" in values:
            assert values["distance"] == pytest.approx(float(mean_distance(weights)))
            assert values["previous"] == pytest.approx(float(offset_share(weights, -1)))
            assert values["same"] == pytest.approx(float(offset_share(weights, 0)))
        if "next" in values:
            assert values["next"] == pytest.approx(float(offset_share(weights, 1)))
        if "last" in values:
            assert values["last"] == pytest.approx(float(key_share(weights, -1)))


def test_what_a_model_gives_to_its_sink_stands_in_the_profile() -> None:
    trace = tiny_model("gpt_oss").attend("the cat sleeps in the house")
    profiles = profiles_of(views_at(trace, "decoder.*.self", "piece"))
    assert any(profile.values["unread"] > 0.1 for profile in profiles)
    for profile in profiles:
        weights, values = trace[f"decoder.{profile.place.layer}.self"].weights[profile.place.head], profile.values
        size = len(weights)
        assert values["first"] == pytest.approx(weights[:, 0].sum() / size, abs=1e-5)
        assert values["same"] == pytest.approx(np.trace(weights) / size, abs=1e-5)
        assert values["unread"] == pytest.approx(1 - weights.sum() / size, abs=1e-5)
        whole = np.column_stack((weights, 1 - weights.sum(axis=1)))
        bits = -(whole * np.log2(np.where(whole > 0, whole, 1))).sum(axis=1)
        assert values["entropy"] == pytest.approx(bits.mean(), abs=1e-4)
        assert values["breadth"] == pytest.approx(bits.sum() / np.log2(np.arange(2, size + 2)).sum(), abs=1e-4)


@pytest.mark.parametrize(
    ("sites", "absent"),
    [
        ("encoder.*.self", set()),
        ("decoder.*.self", {"next", "last"}),
        ("decoder.*.cross", {"distance", "previous", "same", "next", "near"}),
    ],
)
def test_measures_that_mean_nothing_are_left_out_and_the_reason_is_said(sites: str, absent: set[str]) -> None:
    site = views_at(transformer(), sites, "word")[0].shown.site
    assert {measure.key for measure in MEASURES} - {
        measure.key for measure in measures_for(site)
    } == absent | OF_SOME_TEXTS
    assert bool(left_out(site)) == bool(absent)


def test_each_measure_is_explained_in_one_sentence() -> None:
    for measure in MEASURES:
        assert meaning_of(measure).endswith(".")
        assert meaning_of(measure).replace(" et al. ", " ").count(". ") == 0
    assert "bits" in name_of(MEASURES[0])


@pytest.mark.parametrize("sites", KINDS)
def test_the_overview_names_the_head_with_the_largest_weight(sites: str) -> None:
    trace = transformer(("a", "b", "c", "d", "</s>"), ("e", "f", "g", "</s>"))
    views = views_at(trace, sites, "word")
    said = overview_sentence(views)
    rows = slice(1 if sites == "decoder.*.self" else 0, None if sites == "decoder.*.self" else -1)
    stack = np.stack([weights_of(trace, sites, layer, head)[rows] for layer in range(3) for head in range(8)])
    place, query, key = np.unravel_index(stack.argmax(), stack.shape)
    shown = views[0].shown
    query_text, key_text = shown.query_tokens.texts[query + (rows.start or 0)], shown.key_tokens.texts[key]
    assert said == (
        f"Sharpest of 24 heads: layer {place // 8}, head {place % 8}. "
        f"“{query_text}” attends to “{key_text}” ({stack.max():.2f})."
    )


def test_a_comparison_names_each_head() -> None:
    trace = transformer()
    said = comparison_sentence(TWO, pick_views(trace, "encoder.*.self", "word", TWO))
    assert said.startswith("layer 0, head 1: “")
    assert "; layer 2, head 6: “" in said
    assert said.count(" attends most to ") == said.count("” (0.") + said.count("” (1.") == 2


def test_a_difference_names_the_largest_gap_either_way() -> None:
    trace = transformer()
    one, other = (weights_of(trace, "encoder.*.self", *place) for place in TWO)
    said = difference_sentence(TWO, pick_views(trace, "encoder.*.self", "word", TWO))
    at = np.unravel_index((one - other).argmax(), one.shape)
    texts = trace.source.texts
    first = (
        f"in layer 0, head 1 “{texts[at[0]]}” attends more to “{texts[at[1]]}” ({one[at]:.2f} against {other[at]:.2f})"
    )
    assert said.startswith(first)
    assert "; in layer 2, head 6 “" in said


def test_a_head_does_not_differ_from_itself() -> None:
    same = (TWO[0], TWO[0])
    views = pick_views(transformer(), "encoder.*.self", "word", same)
    assert difference_sentence(same, views) == "The two heads are the same: no weight differs."


def test_a_sum_says_of_how_many() -> None:
    views = pick_views(transformer(), "encoder.*.self", "word", TWO)
    assert combination_sentence("sum", views).endswith(" of 2).")
    assert combination_sentence("mean", views).startswith("On average")


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("sites", KINDS)
def test_awkward_tokens_can_be_spoken_of(name: str, sites: str) -> None:
    said = overview_sentence(views_at(transformer(AWKWARD[name], AWKWARD[name]), sites, "word"))
    assert said.startswith("Sharpest of 24 heads: layer ")
    assert "\x00" not in said


@given(WORDS, WORDS, st.sampled_from(list(KINDS)))
@settings(max_examples=30)
def test_any_text_has_its_numbers_and_its_sentences(source: list[str], target: list[str], sites: str) -> None:
    trace = transformer(source, target, layers=2, heads=2)
    views, places = views_at(trace, sites, "word"), (HeadPlace(0, 0), HeadPlace(1, 1))
    for profile in profiles_of(views):
        for measure in measures_for(views[0].shown.site):
            value = profile.values[measure.key]
            assert value >= 0
            assert value <= 1 + 1e-9 or not measure.is_share
    picked = pick_views(trace, sites, "word", places)
    assert overview_sentence(views)
    assert comparison_sentence(places, picked)
    assert difference_sentence(places, picked)
    assert combination_sentence("sum", picked)


def test_a_head_that_rests_names_the_token_where_it_does() -> None:
    words = ("The", "cat", ",", "which", "slept", ",", "woke", ".")
    weights = np.full((2, 8, 8), 0.01, dtype=np.float32)
    weights[0, :, 2], weights[1, :, 0] = 0.93, 0.93
    trace = AttentionTrace.from_arrays({"encoder.0.self": weights}, source=words)
    found = profiles_of(views_at(trace, "encoder.*.self", "word"))
    assert [(each.label.key, each.sink) for each in found] == [("delimiter", ","), ("first", "The")]
    assert remark_of(found[0].label, found[0].sink).startswith("end or punctuation: “,”")
