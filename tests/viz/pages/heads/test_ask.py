"""Which heads do this most: from a link, by pattern, and to the head that was found."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from models.corpus.kept import find
from models.corpus.patterns import rate_of
from models.measures.asking import Word, rank_pair, word_maps
from tests.support.heads_page import fine, opened, parameter, trace_of, words
from viz.pages.heads.settings import SETTINGS
from viz.server.runtime import shared_host
from viz.widgets.asked_heads import ASKED, entry_of

ANIMAL = "The animal didn't cross the street because it was too tired."


def asked(**link: str) -> AppTest:
    return opened(sentence=ANIMAL, below=ASKED, **link)


def numbers_in(told: Any) -> Any:
    """Return numbers as a figure's JSON has them: a list, or the bytes of an array."""
    return np.frombuffer(base64.b64decode(told["bdata"]), told["dtype"]) if isinstance(told, dict) else told


def cards(app: AppTest) -> list[str]:
    return [each.label.replace("\\", "") for each in app.button if each.key and each.key.startswith("open-asked-")]


def test_a_link_asks_all_models_and_the_first_is_the_head_with_the_most_weight() -> None:
    app = asked(query="it", key="animal")
    assert cards(app)[:1] == ["layer 2, head 2"]
    said = words(app)
    (count,) = re.findall(r"(\d+) heads of \d+ models", said)
    assert int(count) >= 200
    maps = {key: word_maps(trace_of(key, ANIMAL)) for key in ("hf:gpt-en", "hf:minilm", "transformer-en-fr")}
    best = rank_pair(maps, Word("it"), Word("animal"))[0]
    assert best.model == "hf:gpt-en"
    assert f"{best.score:.2f} (chance {best.chance:.2f})" in said
    assert "Small GPT" in said


def test_a_pattern_that_the_sentence_lacks_is_said_and_one_that_it_has_is_ranked() -> None:
    app = asked(asked="comma")
    assert "No words in this sentence fit “" in words(app)
    assert not cards(app)
    app.selectbox(key="asked").set_value("induction")
    fine(app.run())
    assert cards(app)
    assert "Olsson" in words(app)
    assert parameter(app, "asked") == "induction"


def test_a_word_of_the_translation_is_asked_of_translators_alone() -> None:
    app = asked(query=".animal", key="animal")
    assert cards(app)
    assert "Small GPT" not in words(app)
    assert "MiniLM" not in words(app)


def test_a_word_that_is_gone_from_the_sentence_leaves_the_link_without_a_message() -> None:
    app = asked(query="tired", key="animal")
    app.text_input(key="sentence").set_value("The dog did not sleep because it was hungry.")
    fine(app.run())
    assert parameter(app, "query") is None
    assert not app.warning


def test_what_a_card_opens_is_declared_by_the_settings_of_heads() -> None:
    found = rank_pair({"hf:gpt-en": word_maps(trace_of("hf:gpt-en", ANIMAL))}, Word("it"), Word("animal"))[0]
    entry = {name: text for name, text in _entry(found).items()}
    assert entry == {"model": "hf:gpt-en", "map": "decoder", "heads2": "2", "below": ASKED}
    assert all(any(each.covers(name) for each in SETTINGS) for name in entry)


def _entry(found: object) -> dict[str, str]:
    from unittest.mock import patch

    with patch("viz.widgets.asked_heads.link.all_said", return_value={}):
        return entry_of(found)  # type: ignore[arg-type]


@pytest.mark.parametrize(("key", "says"), [("hf:bert-en", "layer"), ("transformer-zh-en", "")])
def test_models_of_every_kind_are_asked(key: str, says: str) -> None:
    text = "我喜欢这只猫，因为它很小。" if key.endswith("zh-en") else ANIMAL
    app = opened(sentence=text, model=key, below=ASKED)
    assert cards(app)
    assert says in cards(app)[0]


def test_heads_as_points_open_from_a_link_with_any_three_measures() -> None:
    app = opened(sentence=ANIMAL, below="scatter", across="distance", hue="previous")
    boxes = {name: app.selectbox(key=name).value for name in ("across", "upward", "hue")}
    assert boxes == {"across": "distance", "upward": "previous", "hue": "previous"}
    assert "Each point is a head" in words(app)


@pytest.mark.parametrize(("key", "across"), [("hf:minilm", "breadth"), ("hf:gpt-en", "often-previous")])
def test_heads_as_points_over_a_corpus_have_the_numbers_of_its_tables(key: str, across: str) -> None:
    app = opened(sentence=ANIMAL, model=key, below="scatter", over="corpus", across=across)
    assert not app.warning
    assert app.selectbox(key="across").value == across
    assert "Small maps are of this text." in words(app)
    spec = json.loads(next(each.proto.spec for each in app.get("plotly_chart") if "lasso" in each.proto.spec))
    trace, sha256 = trace_of(key, ANIMAL), shared_host().model(key).sha256
    heads = [(each.site, head) for each in trace for head in range(len(each.weights))]
    kept = find(sha256)
    if kept is None:
        wanted = [rate_of(sha256, site, head, "previous").share for site, head in heads]  # type: ignore[union-attr]
    else:
        wanted = [kept.heads["encoder.self", site.layer, head].means[across] for site, head in heads]
    np.testing.assert_allclose(numbers_in(spec["data"][0]["x"]), wanted, rtol=1e-6)


def test_a_model_that_was_measured_over_no_corpus_says_so() -> None:
    app = opened(sentence="我喜欢这只猫，因为它很小。", model="transformer-zh-en", below="scatter", over="corpus")
    assert any("not measured over a corpus" in each.value for each in app.info)
    assert parameter(app, "over") == "corpus"


def test_what_a_key_moves_is_ranked_where_the_page_shows_it() -> None:
    app = asked(query="it", key="animal", quantity="moved")
    said = words(app)
    assert "Ranked by norm-weighted attention (what a key moves)." in said
    assert "This pair's pattern" not in said
    maps = {"hf:gpt-en": word_maps(trace_of("hf:gpt-en", ANIMAL).moved())}
    best = rank_pair(maps, Word("it"), Word("animal"))[0]
    assert f"{best.score:.2f} (chance" in said
