"""Reader of uploaded traces, with an error message for any other file."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from models.messages import CountMessage, Message
from models.trace import AttentionMap, AttentionTrace, TraceError
from models.trace.archive import ArchiveError, TooLargeError
from models.trace.codec import MOST_UPLOADED
from viz.captions.maps import notes_of
from viz.captions.provenance import facts_of
from viz.captions.written import written_words
from viz.views.view import choose_view
from viz.views.windows import CENTRE, windows_of

LARGEST = MOST_UPLOADED

MOST_TOKENS = 1024
"""Of a text: of a longer one no token could be told."""

MOST_HEADS = 2048
"""Of all layers together."""

MOST_LAYERS = 512
"""Layers of attention."""

LONGEST_TOKEN, LONGEST_TEXT = 200, 20_000
"""Characters of a token, and of any other text."""

_WINDOWS = (CENTRE, "raw_weights")  # the only companions that a picture shows


class UploadError(Exception):
    """A file that cannot be shown; raised with a message that says why."""


def read_upload(data: bytes) -> AttentionTrace:
    """Return the trace that a file holds, as it was saved."""
    if len(data) > LARGEST:
        raise UploadError(_too_large(len(data)))
    try:
        trace = AttentionTrace.load(io.BytesIO(data), most_bytes=LARGEST)
        _check(trace)
        _rehearse(trace)
    except UploadError:
        raise
    except ArchiveError as error:
        message = Message(
            "This is not a saved trace, or the file is incomplete. Save a trace with “Save as …” below a picture "
            "(NPZ), or with trace.save in Python."
        )
        raise UploadError(message) from error
    except TooLargeError as error:
        raise UploadError(_too_large(error.size)) from error
    except (TraceError, ValueError, LookupError, TypeError, ArithmeticError) as error:
        reason = str(error)[:400]
        raise UploadError(Message("Its contents do not fit together: {reason}", reason=reason)) from error
    return trace


def to_be_shown(trace: AttentionTrace) -> AttentionTrace:
    """Return `trace` with no more than pictures show of it: weights, and windows of local attention that fit them."""
    return replace(trace, maps=tuple(replace(each, companions=_windows(each)) for each in trace))


def _windows(each: AttentionMap) -> dict[str, np.ndarray]:
    found = {name: each.companions[name] for name in _WINDOWS if name in each.companions}
    centre = found.get(CENTRE)
    whole = centre is not None and centre.shape == (*each.weights.shape[:2], 2) and np.isfinite(centre).all()
    return found if whole else {}


def _too_large(size: int) -> Message:
    return Message(
        'It has {size} MB. The limit is {most} MB, both packed and unpacked. Save it with dtype="float16" or with '
        "fewer layers.",
        size=math.ceil(size / 10**6),
        most=f"{LARGEST / 10**6:.0f}",
    )


def _check(trace: AttentionTrace) -> None:
    """Raise UploadError where a trace is whole but cannot be shown."""
    most = max(len(trace.source), len(trace.target))
    heads = sum(len(each.head_names) for each in trace)
    if most > MOST_TOKENS:
        raise UploadError(
            Message("One of its texts has {count} tokens; at most {most} are shown.", count=most, most=MOST_TOKENS)
        )
    if heads > MOST_HEADS:
        raise UploadError(Message("It has {count} heads; at most {most} are shown.", count=heads, most=MOST_HEADS))
    if len(trace.maps) > MOST_LAYERS:
        message = Message(
            "It has {count} attention layers; at most {most} are shown.", count=len(trace.maps), most=MOST_LAYERS
        )
        raise UploadError(message)
    if not len(trace.source) or any(not each.weights.size for each in trace) or not (heads or trace.is_translation):
        raise UploadError(Message("It contains no attention: no text, no map, or a map without a head."))
    if any(each.weights.max() > 1 + 1e-4 for each in trace):
        raise UploadError(Message("It has weights above 1. Attention weights are between 0 and 1."))
    for text, longest in _texts(trace):
        if len(text) > longest:
            raise UploadError(
                CountMessage(
                    "One of its labels has {count} character; at most {most} are shown.",
                    "One of its labels has {count} characters; at most {most} are shown.",
                    len(text),
                    most=longest,
                )
            )
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise UploadError(Message("One of its texts contains incomplete characters, which cannot be shown."))


def _texts(trace: AttentionTrace) -> Iterator[tuple[str, int]]:
    """Return every text of a trace, with how long it may be."""
    for tokens in (trace.source, trace.target, trace.target_input):
        for text in (*tokens.texts, *tokens.word_texts):
            yield text, LONGEST_TOKEN
    for each in trace:
        for name in each.head_names:
            yield name, LONGEST_TOKEN
    for step in trace.steps:
        for text, _share in ((step.text, 0.0), *step.alternatives):
            yield text, LONGEST_TOKEN
    about = trace.provenance
    libraries = (part for pair in about.versions for part in pair)
    for text in (about.title, about.checkpoint, about.mechanism, *libraries):
        yield str(text), LONGEST_TOKEN
    for text in (trace.source_text, trace.output_text, about.paper, about.equation, about.sha256, *about.notes):
        yield str(text), LONGEST_TEXT


def _rehearse(trace: AttentionTrace) -> None:
    """Say once all that pictures say of a trace: what does not fit shows itself here."""
    shown = to_be_shown(trace)
    facts_of(shown)
    written_words(shown)
    for site in shown.sites:
        view = choose_view(shown, site=site)
        notes_of(view)
        windows_of(view)
    if shown.sites:
        choose_view(shown)
