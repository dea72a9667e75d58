"""A run of a model of one stack: a text is read, and what the model predicts of it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from models.edits import Edit
from models.hooks import Session
from models.huggingface.observed_pass import Observed, observed_pass
from models.huggingface.predictions import predictions_of
from models.huggingface.run import PretrainedRun
from models.huggingface.tokens import TokenizedText
from models.model import Predicts
from models.trace import AttentionTrace, Prediction, TokenSequence
from models.trace.tokens import RecordedTexts

LOGITS = 2**22
"""How many logits are held at once; of a longer causal text only the last positions predict."""


def read_only(
    model: Observed,
    reading: TokenizedText,
    text: str,
    *,
    predicts: Predicts,
    edits: tuple[Edit, ...],
    patterns: tuple[str, ...],
) -> AttentionTrace:
    """Run a model of one stack."""
    tokens, reader = reading.tokens, model.reader
    inputs: dict[str, Any] = dict(reader.inputs(reading))
    hidden = reader.tokenizer.mask if predicts == "masked" else None
    masks = [position for position, token in enumerate(tokens.ids) if token == hidden]
    whole = bool(masks) or predicts == "causal"
    if predicts == "causal" and reader.takes("logits_to_keep"):
        inputs["logits_to_keep"] = predictions_kept(model, len(tokens))
    done = observed_pass(model.network, model.layers, inputs, patterns=patterns, edits=edits, whole=whole)
    logits = done.logits[0] if whole else None
    return recorded(model, reading, text, done.session, edits, logits=logits, masks=masks, vectors=_vectors(done.run))


def predictions_kept(model: Observed, tokens: int) -> int:
    """Return after how many of the last tokens of a text its network is to predict."""
    vocabulary: int = model.network.config.get_text_config().vocab_size
    return min(tokens, max(1, LOGITS // vocabulary))


def _vectors(run: PretrainedRun) -> Tensor | None:
    return None if run.vectors is None else run.vectors[0]


def recorded(
    model: Observed,
    reading: TokenizedText,
    text: str,
    session: Session,
    edits: tuple[Edit, ...],
    *,
    logits: Tensor | None,
    vectors: Tensor | None,
    masks: Sequence[int] = (),
) -> AttentionTrace:
    """Return the record of a text that was read.

    Shapes: `logits` [position, vocabulary], of the last positions; `vectors` [token, d_model].
    """
    tokens, nothing = reading.tokens, TokenSequence((), (), (), ())
    predictions: tuple[Prediction, ...] = ()
    if logits is not None:
        predictions = predictions_of(logits, tokens, masks, model.reader.tokenizer.piece)
    return AttentionTrace(
        source=tokens,
        target=nothing,
        target_input=nothing,
        maps=model.recorder.maps(session, RecordedTexts(tokens, tokens, nothing), edits),
        steps=(),
        source_text=text,
        output_text="",
        provenance=model.recorder.provenance(
            session, edits, "none", notes=(*model.layers.notes(len(tokens)), *reading.notes, *model.reader.notes)
        ),
        predictions=predictions,
        vectors=None if vectors is None else vectors.numpy(),
    )
