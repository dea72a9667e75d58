"""What heads of real models are called on sentences that are no examples of ours: at most a third of them nothing."""

from __future__ import annotations

import pytest

from models import load
from models.measures.labels import NONE
from models.translation.examples import EXAMPLES
from viz.measures.head_profile import profiles_of
from viz.views.heads import views_at

MOST_UNCLEAR = 1 / 3
ENGLISH = (
    "My brother did not buy the red car because it was too expensive.",
    "She opened the window and listened to the rain.",
    "When will the next train to Paris leave?",
    "Our neighbours have two dogs, three cats and a very old parrot.",
    "The teacher asked the children to read the first page again.",
    "Nobody knew where the key was.",
)
CHINESE = (
    "我弟弟昨天买了一辆新自行车。",
    "老师请学生再读一遍第一页。",
    "他们明天早上去北京开会。",
    "这本书比那本书便宜得多。",
)
KINDS = ("encoder.*.self", "decoder.*.self", "decoder.*.cross")


def unclear(key: str, sites: str, sentence: str) -> float:
    """Return which share of the heads has no label."""
    profiles = profiles_of(views_at(load(key).attend(sentence), sites, "word"))
    return sum(each.label.key == NONE for each in profiles) / len(profiles)


def test_the_sentences_are_none_of_ours() -> None:
    ours = {sentence for pair in EXAMPLES.values() for sentence in pair.values()}
    assert ours.isdisjoint({*ENGLISH, *CHINESE})


@pytest.mark.parametrize("sentence", ENGLISH)
@pytest.mark.parametrize(
    ("key", "sites"), [("hf:minilm", KINDS[0]), *(("transformer-en-fr", sites) for sites in KINDS)]
)
def test_most_heads_have_a_label(key: str, sites: str, sentence: str) -> None:
    assert unclear(key, sites, sentence) <= MOST_UNCLEAR


@pytest.mark.parametrize("sites", KINDS)
def test_most_heads_that_read_chinese_have_a_label(sites: str) -> None:
    """Of short sentences chance gives a pattern often: the mean of several is held."""
    shares = [unclear("transformer-zh-en", sites, sentence) for sentence in CHINESE]
    assert sum(shares) / len(shares) <= MOST_UNCLEAR
