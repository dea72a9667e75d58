"""A classifier on [CLS] below the heads: three answers, rows of [CLS] before and after, heads that changed."""

from __future__ import annotations

import json

import numpy as np

import models
from models.huggingface.model import PretrainedModel
from models.readers.cls_classifier import classify
from models.readers.cls_table import classifier_figures
from tests.support.heads_page import opened, words

SENTENCE, BERT = "Two dogs are running on the beach.", "hf:bert-en"


def test_a_link_shows_three_answers_the_rows_of_cls_and_the_heads_that_changed() -> None:
    app = opened(sentence=SENTENCE, model=BERT, below="classifier")
    model, figures = models.load(BERT), classifier_figures()
    assert isinstance(model, PretrainedModel)
    assert figures is not None
    found = classify(model, SENTENCE)
    table = next(each.value for each in app.dataframe if "kind of text" in each.value.columns)
    assert list(table.columns)[1:] == ["fine-tuned BERT", "frozen BERT, linear layer", "Self-attentive, penalty"]
    assert np.isclose(table["fine-tuned BERT"].max(), max(share for _kind, share in found.after.classes))
    said = words(app)
    for name in ("before", "after", "self-attentive"):
        assert f"{figures['right'][name]['mean']:.1%}" in said
    changes = found.changes()
    layer, head = np.unravel_index(changes.argmax(), changes.shape)
    assert f"Changed most here: layer {layer}, head {head} ({changes.max():.0%})" in said
    assert "shuffled labels" in said
    specs = [json.loads(each.proto.spec) for each in app.get("plotly_chart")]
    rows = next(each["data"] for each in specs if "after fine-tuning" in str(each))
    assert [each["name"] for each in rows] == [
        "[CLS] before fine-tuning",
        "[CLS] after fine-tuning",
        "hops of the self-attentive reader",
    ]


def test_it_is_offered_of_one_text_of_its_own_model_alone() -> None:
    for link in ({"model": "hf:minilm"}, {"model": BERT, "pair": "It barks."}):
        app = opened(sentence=SENTENCE, below="classifier", **link)
        assert "A classifier on [CLS]" not in [each.value for each in app.header]
