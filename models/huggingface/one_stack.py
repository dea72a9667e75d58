"""A run of a model of one stack: a text is read, and what the model predicts of it is kept."""

from __future__ import annotations

from typing import Any

from models.edits import Edit
from models.huggingface.observed_pass import Observed, final_vectors, observed_pass
from models.huggingface.predictions import predictions_of
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
        kept = min(len(tokens), max(1, LOGITS // model.network.config.get_text_config().vocab_size))
        inputs["logits_to_keep"] = kept
    done = observed_pass(model.network, model.layers, inputs, patterns=patterns, edits=edits, whole=whole)
    predictions: tuple[Prediction, ...] = ()
    if whole:
        predictions = predictions_of(done.logits[0], tokens, masks, reader.tokenizer.piece)
    nothing = TokenSequence((), (), (), ())
    return AttentionTrace(
        source=tokens,
        target=nothing,
        target_input=nothing,
        maps=model.recorder.maps(done.session, RecordedTexts(tokens, tokens, nothing), edits),
        steps=(),
        source_text=text,
        output_text="",
        provenance=model.recorder.provenance(
            done.session, edits, "none", notes=(*model.layers.notes(len(tokens)), *reading.notes, *model.reader.notes)
        ),
        predictions=predictions,
        vectors=final_vectors(done.run),
    )
