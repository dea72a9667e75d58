"""In a language whose every message is marked, no page shows a word that is not: nothing escapes translation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from models import catalog, describe, load
from models.corpus.kept import SHIPPED as CORPORA
from models.corpus.kept import read
from models.edits import OPERATIONS, read_edit
from models.errors import InputError
from models.experiments.word_vectors import static_vectors
from models.huggingface import hub
from models.huggingface.papers import PAPERS, UNKNOWN
from models.mechanisms import mechanisms
from models.messages import CountMessage, Message
from models.trace import AttentionTrace
from models.trace.codec import to_bytes
from models.translation.examples import EXAMPLES, SIGHTS
from tests.support.catalogue import CLOSE, OPEN, pseudo, write_pseudo_language
from tests.support.lesson_pages import PAGES
from tests.support.readers import HOPS_READERS
from tests.support.visible import english_words, visible_texts
from training.publish import CREDITS
from viz.lessons.library import SHIPPED, library_of
from viz.pages.bench.page import USUAL
from viz.server.runtime import TraceCache
from viz.text import language
from viz.text.language import _, _n, say
from viz.widgets.frame import KNOWN
from viz.widgets.opened.taking import BOX

CODE = "qps"
PATIENCE = 200  # seconds: the first run loads the models
THERE = [key for key in mechanisms() if f"{key}-en-fr" in catalog()]
TEXT = "The cat drank the milk because it was hungry."
OTHER = "The dog drank the milk because it was sweet."
FOLDS = (
    "numbers-of-step",
    "numbers-of-words",
    "numbers-of-tokens",
    "after-every-token",
    "likeliest-words",
    "settings",
    "paper-alignment",
    *(f"fold-{each}" for each in USUAL),
)
EDITS = "~".join(
    (
        "zero_head(decoder.0.cross,2)",
        "keep_heads(encoder.1.self,0;1)",
        "scale_scores(encoder.*.self,2.0)",
        "mask_key(decoder.*.cross,3)",
        "mask_cell(decoder.0.cross,1,2)",
        "lift_mask(encoder.0.self)",
        "uniform_row(decoder.0.cross,*,2)",
        "zero_row(decoder.0.cross,*,0)",
        "diagonal(decoder.1.cross,0,*)",
        "harden(decoder.0.cross,*,3)",
        "sample(decoder.0.cross,*,4,7)",
        "set_row(decoder.1.cross,*,1,0.5;0.5,1.0)",
        "window(encoder.0.self,2,3,1)",
        "near(encoder.0.self,1)",
        "stride(encoder.1.self,2)",
        "block(encoder.2.self,3)",
        "top_k(encoder.*.self,4)",
        "no-edit",
    )
)
SHOWN = (
    ("bench", {"also": "hand", "links": "grown", "hand": "0-0"}),
    ("bench", {"mechanisms": " ".join(THERE), "also": "difference differences summary numbers window"}),
    ("bench", {"order": "agreement", "align": "text", "unit": "piece", "reading": "input", "nothing": "there"}),
    ("bench", {"sentence": " "}),
    ("heads", {"model": "hf:minilm", "compare": "difference", "below": "table similarity rollout", "heads0": "0 1"}),
    (
        "heads",
        {
            "model": "transformer-en-fr",
            "map": "cross",
            "compare": "text",
            "hide": "on",
            "heads0": "0 1",
            "against": "sentence",
            "other": OTHER,
            "only": "none",
            "order": "entropy",
        },
    ),
    (
        "heads",
        {
            "model": "hf:minilm",
            "pair": OTHER,
            "between": "ab",
            "compare": "lines",
            "heads0": "0 1",
            "against": "model",
            "second": "transformer-en-fr",
        },
    ),
    ("heads", {"compare": "sum", "heads0": "0 1", "map": "decoder", "colour": "root", "least": "0.1"}),
    ("heads", {"model": "hub"}),
    ("heads", {"model": "hf:somebody/other"}),
    ("steps", {"mechanism": "luong-local-p", "second": "seq2seq", "third": "transformer", "step": "gaussian"}),
    ("steps", {"mechanism": "transformer", "layer": "decoder.0.self", "unit": "piece"}),
    ("steps", {"mechanism": "luong-general-input-feeding", "second": "luong-concat", "third": "luong-location"}),
    *(("steps", {"show": "lab", "preset": preset}) for preset in ("causal", "permuted", "saturation", "heads")),
    ("steps", {"show": "lab", "preset": "projections", "score": "additive"}),
    ("steps", {"show": "lab", "preset": "written", "score": "general", "hard": "on", "lifted": "on"}),
    ("steps", {"show": "lab", "cells": '{"query": [[1, 2]], "key": [[1]], "value": [[1]]}'}),
    ("steps", {"show": "positions"}),
    ("surgery", {"model": "transformer", "edits": EDITS, "check": "heads"}),
    ("surgery", {"model": "hf:minilm", "edits": "zero_head(encoder.0.self,0)", "check": "words"}),
    ("surgery", {"model": "bahdanau", "check": "chance"}),
    ("surgery", {"model": "bahdanau", "edits": "~".join(f"mask_key(decoder.*.cross,{key})" for key in range(11))}),
    ("heads", {"model": HOPS_READERS[0], "other": OTHER}),
    ("heads", {"model": "hf:gpt-en", "against": "word", "other": OTHER, "same": "drank"}),
    ("surgery", {"model": HOPS_READERS[1], "check": "heads"}),
    ("surgery", {"model": HOPS_READERS[1], "check": "words"}),
    ("heads", {"model": "hf:key-value-predict-en"}),
    ("surgery", {"model": HOPS_READERS[0], "edits": "mask_cell(encoder.0.hops,1,2)~uniform_row(encoder.0.hops,*,*)"}),
    ("steps", {"mechanism": "self-attentive", "second": "self-attentive-free", "step": "spread"}),
    ("why", {}),
    ("training", {"point": "20", "align": "own"}),
    ("training", {"languages": "zh-en"}),
    ("scenes", {"edit": "even"}),
    ("lessons", {}),
    ("bench", {"also": "predict", "row": "3", "predicted": "transformer"}),
)
"""Links that together open every fold, way and message of the pages."""

NAMES = """
    He moved to New York
    Attention Bench MiniLM BERT GPT SHA MB hf huggingface co owner name google base uncased transformers somebody other
    nothing there no-edit png svg Europarl CC BY FR
    st QK QWK qK aV exp tanh cells English YAML KB yml https abs torch cpu numpy MIT HTML JSON NPZ PDF TEX
    SmolLM Instruct Apache BSD Clause MPL
"""
"""What is called the same in every language: models, files, units, symbols and what a link said."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("locale")
    write_pseudo_language(made, CODE)
    return made


@pytest.fixture
def marked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "CATALOGUES", folder)


@pytest.fixture
def traces(monkeypatch: pytest.MonkeyPatch) -> list[AttentionTrace]:
    """Return what the pages are given by the models: tokens are not the interface's."""
    given: list[AttentionTrace] = []
    get = TraceCache.get

    def note(self: TraceCache, *arguments: Any) -> AttentionTrace:
        given.append(get(self, *arguments))
        return given[-1]

    monkeypatch.setattr(TraceCache, "get", note)
    return given


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the hub out of reach, so that a page says so."""

    def fail(text: str, settings: object = None) -> None:
        raise hub.HubError(
            Message("{identity} needs to run its own code. This server never runs such code.", identity=text)
        )

    monkeypatch.setattr(hub, "look_up", fail)


def opened(page: str, **link: str) -> AppTest:
    def script(page: str) -> None:
        from importlib import import_module

        import_module(f"viz.pages.{page}.page").PAGE.show()

    app = AppTest.from_function(script, default_timeout=PATIENCE, kwargs={"page": page})
    app.context = {"locale": CODE}
    for name, value in {"sentence": TEXT, **link}.items():
        app.query_params[name] = value
    for fold in FOLDS:
        app.session_state[fold] = True
    app.session_state[KNOWN] = PAGES
    return app.run()


def words_of(*texts: object) -> set[str]:
    return {word.casefold() for text in texts for word in re.findall("[A-Za-z]{2,}", str(text))}


def words_of_trace(trace: AttentionTrace) -> Iterator[object]:
    yield from (trace.source.texts, trace.target.texts, trace.output_text, trace.source_text)
    yield from (text for step in trace.steps for text, _share in step.alternatives)
    yield from (text for each in trace.predictions for text, _share in each.alternatives)
    yield from (trace.provenance.checkpoint, trace.provenance.sha256)


def everybodys() -> set[str]:
    """Return the words of names: papers, data, checkpoints, sentences to start from."""
    papers = [each.paper for each in mechanisms().values()] + [paper for paper, _year in (UNKNOWN, *PAPERS.values())]
    cards = [describe(key).card for key in catalog() if not key.startswith("hf:")]
    measured = [name for card in cards for figures in ("bleu", "aer") for name in card.get(figures, ())]
    data = [each["credit"] for each in CREDITS.values()]
    lessons = [text for each in library_of((SHIPPED,), PAGES).lessons.values() for text in (each.title, each.about)]
    sentences = [each for named in EXAMPLES.values() for each in named.values()]
    sentences += [each.sentence for named in SIGHTS.values() for each in named.values()]
    return words_of(NAMES, TEXT, OTHER, *catalog(), *papers, *data, *measured, *sentences, *lessons, *of_corpora())


def of_corpora() -> Iterator[str]:
    """Yield what corpora are called, and the sentences and words on which a head fires most."""
    for card in CORPORA.glob("*/card.json"):
        kept = read(card.parent)
        yield f"{kept.card['corpus']} {kept.card.get('examples', '')}"
        for head in kept.heads.values():
            yield from (f"{each.source} {each.query} {each.key}" for found in head.examples.values() for each in found)


@pytest.mark.usefixtures("marked", "offline")
@pytest.mark.parametrize(("page", "link"), SHOWN)
def test_every_word_on_a_page_is_translated(page: str, link: dict[str, str], traces: list[AttentionTrace]) -> None:
    near = [word for word, _cosine in static_vectors().nearest(link["same"], 8)] if "same" in link else []
    check(opened(page, **link), traces, *link.values(), *near)


@pytest.mark.usefixtures("marked")
def test_every_word_of_an_opened_trace_is_translated(traces: list[AttentionTrace]) -> None:
    app = opened("heads")
    app.session_state[BOX] = True
    check(app.run(), traces)
    trace = load("transformer-en-fr").attend(TEXT)
    app.file_uploader[0].upload("mine.npz", to_bytes(trace)).run()
    for way in ("panels", "cross"):
        app.query_params["show"] = way
        check(app.run(), [trace], "mine npz", *map(str, trace.provenance.versions))


def check(app: AppTest, traces: Iterable[AttentionTrace], *given: str) -> None:
    """Check that no word escapes translation but those of the models, of names and of what was `given`."""
    assert not app.exception
    texts = list(visible_texts(app))
    assert sum(OPEN in text for text in texts) > 4
    known = everybodys() | words_of(*(text for trace in traces for text in words_of_trace(trace)), *given)
    escaped = {
        text[:200]: found for text in texts if (found := {w for w in english_words(text) if w.casefold() not in known})
    }
    assert escaped == {}


@pytest.mark.usefixtures("marked")
def test_every_edit_and_error_says_itself_in_the_language() -> None:
    language.use_language(CODE)
    try:
        edits = [read_edit(each) for each in (*EDITS.split("~")[:-1], "patch(decoder.0.cross,0,%E7%8C%AB)")]
        assert {each.name for each in edits} == set(OPERATIONS)
        for edit in edits:
            assert english_words(say(edit.describe())) == []
        error = InputError(CountMessage("sliding window of {count} token in layer {layers}", "", 1, layers="0, 1"))
        assert say(error) == pseudo("sliding window of {count} token in layer {layers}").format(count=1, layers="0, 1")
        assert _n("{count} word", "{count} words", 2) == "2 words"
        assert _("Bench").startswith(OPEN)
        assert _("Bench").endswith(CLOSE)
    finally:
        language.use_language(language.ENGLISH)
