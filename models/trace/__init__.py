"""The record of one run: `AttentionTrace` and what it is made of. numpy only.

Every record is frozen, validated when it is made and again when it is unpickled, and its arrays are
read-only: traces are shared by all visitors of a server.

Axis order, everywhere: ``[head, query, key]``. A query row is what reads, a key column is what is read.
The identity of a token is its position; its text is a label, and labels may repeat.
"""

from __future__ import annotations

from models.trace.attention_map import AttentionMap, Quantity, merge_to_words
from models.trace.attention_trace import AttentionTrace
from models.trace.provenance import Alignment, Provenance, Reading
from models.trace.record import Array, TraceError, frozen_array
from models.trace.steps import Prediction, Step
from models.trace.tokens import TokenSequence

__all__ = [
    "Alignment",
    "Array",
    "AttentionMap",
    "AttentionTrace",
    "Prediction",
    "Provenance",
    "Quantity",
    "Reading",
    "Step",
    "TokenSequence",
    "TraceError",
    "frozen_array",
    "merge_to_words",
]
