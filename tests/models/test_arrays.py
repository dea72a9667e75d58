"""Attention that was captured anywhere, as a record: what is given is what is kept, what does not fit is refused."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pytest
import torch

from models.trace import AttentionTrace, TraceError
from models.trace.asked import fingerprint

ENGLISH, FRENCH = "the old cat </s>".split(), "le vieux chat </s>".split()
WEIGHTS = np.full((2, 4, 4), 0.25)


def test_arrays_become_a_record_that_is_saved_and_opened_equal() -> None:
    trace = AttentionTrace.from_arrays(
        {"encoder.0.self": WEIGHTS, "decoder.0.self": np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None],
         "decoder.3.cross": WEIGHTS},
        source=ENGLISH, target=FRENCH, title="Mine", year=2026, probabilities=[0.5, 0, 1, 0.25], notes=["by hand"],
    )  # fmt: skip
    assert [len(each.head_names) for each in trace] == [2, 1, 2]
    assert (trace["decoder.0.self"].causal, trace["encoder.0.self"].causal) == (True, False)
    assert (trace.source_text, trace.output_text) == ("the old cat", "le vieux chat")
    assert trace.target_input.texts == ("<s>", "le", "vieux", "chat")
    assert trace.source.specials == (3,)
    assert trace.provenance.alignment.site == trace["decoder.3.cross"].site
    assert [step.probability for step in trace.steps] == pytest.approx([0.5, 0, 1, 0.25])
    file = io.BytesIO()
    trace.save(file)
    again = AttentionTrace.load(io.BytesIO(file.getvalue()))
    assert fingerprint(again) == fingerprint(trace)
    assert again.provenance == trace.provenance


def test_pieces_belong_to_words_and_unknown_probabilities_stay_unknown() -> None:
    trace = AttentionTrace.from_arrays(
        {"decoder.0.cross": np.full((3, 2), 0.5)},
        source=["un", "happy"],
        source_words=[0, 0],
        target=["mal", "heureux", "</s>"],
        target_words=[0, 0, 1],
    )
    assert (trace.source.word_texts, trace.target.word_texts) == (("unhappy",), ("malheureux", "</s>"))
    assert trace["decoder.0.cross"].to_words().weights.shape == (1, 2, 1)
    assert trace.target_input.words == (0, 1, 1)
    assert all(math.isnan(step.probability) for step in trace.steps)
    file = io.BytesIO()
    trace.save(file)
    again = AttentionTrace.load(io.BytesIO(file.getvalue()))
    assert all(math.isnan(step.log_probability) for step in again.steps)


ROUNDED = np.random.default_rng(2).dirichlet(np.ones(4), (2, 4))


@pytest.mark.parametrize(
    "given",
    [
        ROUNDED[None],
        ROUNDED.tolist(),
        ROUNDED.astype(np.float16),
        torch.from_numpy(ROUNDED).bfloat16(),
        torch.from_numpy(ROUNDED[None]).half(),
        torch.from_numpy(ROUNDED).requires_grad_(),
    ],
    ids=["batch of one", "lists", "float16", "bfloat16", "half, batch of one", "gradients"],
)
def test_weights_of_every_kind_are_taken_as_they_are(given: Any) -> None:
    trace = AttentionTrace.from_arrays({"encoder.0.self": given}, source=ENGLISH)
    values = given.detach().float().numpy() if isinstance(given, torch.Tensor) else np.asarray(given, dtype=np.float32)
    assert np.array_equal(trace["encoder.0.self"].weights, values.reshape(2, 4, 4))
    kind = next((name for name in ("bfloat16", "float16") if name in str(getattr(given, "dtype", ""))), "")
    said = [str(each) for each in trace.provenance.notes]
    assert said == ([f"{kind} weights: a row sums to 1 only within rounding"] if kind else [])


@pytest.mark.parametrize(
    ("pieces", "words", "merged"),
    [
        (["[CLS]", "sat", "##s", "[SEP]"], [0, 1, 1, 2], ("[CLS]", "sats", "[SEP]")),
        (["[CLS]", "sat", "##s", "[SEP]"], [None, 0, 0, None], ("[CLS]", "sats", "[SEP]")),
        (["\u2581sat", "s", "\u2581a", "</s>"], [0, 0, 1, 2], ("sats", "a", "</s>")),
        (["sat@@", "s", "a</w>", "</s>"], [0, 0, 1, None], ("sats", "a", "</s>")),
        ([" sat", "s", " \u0120or\u0121", "</s>"], [5, 5, 6, None], ("sats", "\u0120or\u0121", "</s>")),
        (["[CLS]", "[SEP]", "##a", "b"], [None, None, 0, 1], ("[CLS]", "[SEP]", "a", "b")),
    ],
)
def test_marks_of_pieces_are_not_in_words(pieces: list[str], words: list[int | None], merged: tuple[str, ...]) -> None:
    trace = AttentionTrace.from_arrays({"encoder.0.self": WEIGHTS}, source=pieces, source_words=words)
    assert trace.source.word_texts == merged


@pytest.mark.parametrize(
    ("maps", "about", "says"),
    [
        ({"encoder.0.self": WEIGHTS[:, :3]}, {}, r"expected \(2, 4, 4\)"),
        ({"encoder.0.self": WEIGHTS * 2}, {}, r"sums to 2.*rows_sum_to_one=False"),
        ({"encoder.0.self": np.stack([WEIGHTS] * 3)}, {}, r"\(3, 2, 4, 4\) of a batch.*weights\[0\]"),
        ({"encoder.0.self": torch.from_numpy(WEIGHTS).bfloat16() * 2}, {}, "sums to 2"),
        ({"encoder.0.self": torch.from_numpy(WEIGHTS).bfloat16() * 0.95}, {}, "sums to 0.9"),
        ({"encoder.0.self": WEIGHTS * math.nan}, {}, "NaN"),
        ({"encoder.0.self": WEIGHTS - 0.5}, {}, "0 or more"),
        ({"encoder.0.self": [["a"]]}, {}, "no numbers"),
        ({"encoder.0.self": WEIGHTS[0, 0]}, {}, "head, query, key"),
        ({"encoder.0.self": WEIGHTS}, {"source": "cats"}, "a list of texts"),
        ({"encoder.0.self": WEIGHTS}, {"source_words": [0]}, "expected those of 4"),
        ({"encoder.0.self": WEIGHTS}, {"source_words": [0, 2, 3, 4]}, "skip or go back"),
        ({}, {"target": FRENCH, "probabilities": [2, 0, 0, 0]}, "from 0 to 1"),
        ({}, {"target": FRENCH, "probabilities": [1]}, "expected 4"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(maps: Any, about: dict[str, Any], says: str) -> None:
    with pytest.raises(TraceError, match=says):
        AttentionTrace.from_arrays(maps, **{"source": ENGLISH, **about})


def test_a_place_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="nowhere"):
        AttentionTrace.from_arrays({"nowhere": WEIGHTS}, source=ENGLISH)
