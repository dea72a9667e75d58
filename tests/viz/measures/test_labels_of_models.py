"""What heads of real models are called: hardly ever anything by chance, and what is said of one is true."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from models import load
from models.measures.heads import measure_heads
from models.measures.labels import ABOVE_CHANCE, LEAST_REST, PATTERNS, RESTS
from models.measures.reading import Reading
from models.measures.texts import OFFSETS, Texts
from models.translation.examples import EXAMPLES
from viz.measures.head_profile import profiles_of, sample_of
from viz.views.heads import views_at

MOST_BY_CHANCE = 0.05
DEALS = 6
ENGLISH = (  # 5 to 20 words, with and without a word or a mark that stands twice
    "Nobody found the old key.",
    "She never forgets a face.",
    "He said, no, not today, never.",
    "When will the next train to Paris leave?",
    "The dog saw the cat and the cat saw the dog.",
    "My brother did not buy the red car because it was too expensive.",
    "Our neighbours have two dogs, three cats and a very old parrot that never stops talking to us.",
)
CHINESE = ("我弟弟昨天买了一辆新自行车。", "老师请学生再读一遍第一页。", "这本书比那本书便宜得多。")
KINDS = ("encoder.*.self", "decoder.*.self", "decoder.*.cross")
EVERY = [
    *((key, KINDS[0], text) for key in ("hf:minilm", "hf:bert-en") for text in ENGLISH),
    *(("hf:gpt-en", KINDS[1], text) for text in ENGLISH),
    *(("transformer-en-fr", sites, text) for sites in KINDS for text in ENGLISH),
    *(("transformer-zh-en", sites, text) for sites in KINDS for text in CHINESE),
]


@cache
def views(key: str, sites: str, text: str) -> Any:
    return views_at(load(key).attend(text), sites, "word")


def test_the_sentences_are_none_of_ours() -> None:
    ours = {sentence for pair in EXAMPLES.values() for sentence in pair.values()}
    assert ours.isdisjoint({*ENGLISH, *CHINESE})


def named_by_chance(key: str, sites: str, text: str) -> list[bool]:
    """Return, of each deal of each head, whether it is called after a pattern."""
    generator, named = np.random.default_rng(3), []
    for view in views(key, sites, text):
        sample, site = sample_of(view), view.shown.site
        for _ in range(DEALS):
            dealt = view.shown.weights.astype(float)
            for row in dealt.reshape(-1, *dealt.shape[1:]):
                for query, weights in enumerate(row):
                    keys = query + 1 if sample.causal else len(weights)
                    weights[:keys] = generator.permutation(weights[:keys])
            labels = measure_heads(Reading.of(dealt, causal=sample.causal), Texts([sample]), site).labels
            named += [labels.at(0, head).key in PATTERNS for head in range(len(dealt))]
    return named


@pytest.mark.parametrize(("key", "sites", "text"), EVERY)
def test_weights_dealt_out_anew_are_called_after_a_pattern_in_one_of_twenty_deals_at_most(
    key: str, sites: str, text: str
) -> None:
    named = named_by_chance(key, sites, text)
    assert len(named) >= 24
    assert np.mean(named) <= MOST_BY_CHANCE


@pytest.mark.parametrize(("key", "sites", "text"), EVERY)
def test_a_head_called_after_where_it_rests_gives_three_quarters_there(key: str, sites: str, text: str) -> None:
    for profile in profiles_of(views(key, sites, text)):
        assert profile.label.key not in RESTS or profile.values[profile.label.key] >= LEAST_REST


@pytest.mark.parametrize("text", ENGLISH)
def test_the_heads_of_minilm_are_not_all_called_after_the_first_token(text: str) -> None:
    profiles = profiles_of(views("hf:minilm", KINDS[0], text))
    assert Counter(each.label.key for each in profiles)["first"] <= len(profiles) / 4


@pytest.mark.parametrize(("key", "sites"), sorted({(key, sites) for key, sites, _ in EVERY}))
def test_a_head_called_after_a_place_gives_it_more_than_its_rows_would_dealt_out(key: str, sites: str) -> None:
    """Of the keys that are neither first nor marks, by weights counted one by one; and some heads are called so."""
    found = 0
    for text in CHINESE if key.endswith("zh-en") else ENGLISH:
        layers = views(key, sites, text)
        for profile in profiles_of(layers):
            offsets = OFFSETS.get(profile.label.key)
            if offsets:
                view = next(each for each in layers if each.shown.site.layer == profile.place.layer)
                weights, keys = view.shown.weights[profile.place.head], sample_of(view).ordinary
                given = sum(row[k] for q, row in enumerate(weights) for k in keys if k - q in offsets)
                expected = 0.0
                for query, row in enumerate(weights):
                    may = [key for key in keys if key <= query or not view.shown.causal]
                    expected += sum(key - query in offsets for key in may) / max(len(may), 1) * row[may].sum()
                assert given > ABOVE_CHANCE * expected
                found += 1
    assert found or sites == KINDS[2]
