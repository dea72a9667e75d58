"""Provenance of a trace as names and texts, for a list below a picture."""

from __future__ import annotations

from collections import Counter

from models.trace import AttentionTrace
from viz.captions.edits import all_in_words
from viz.captions.maps import map_title, way_of_writing, written_notes
from viz.text.language import SEMICOLON, _, _n, listed, mark, say

_DECODINGS = {
    "greedy": mark("chosen by the model, word by word"),
    "forced": mark("given, not chosen by the model"),
}

_BATCHED = mark("batched: in one pass with other sentences; each number within 0.00001 of that of a run alone")
_DRAFTED = mark(
    "drafted: an earlier translation, checked in parallel; each number within 0.00001 of decoding step by step"
)


def facts_of(trace: AttentionTrace) -> tuple[tuple[str, str], ...]:
    """Say where `trace` comes from: plain text, a name and a text each; what is not known is left out."""
    about = trace.provenance
    year = f", {about.year}" if about.year else ""
    said = (
        (_("Mechanism"), _(about.title) + year),
        (_("Paper"), listed(filter(None, (about.paper, about.equation and _(about.equation))))),
        (_("Text that was read"), trace.source_text),
        (_("Text that was written"), trace.output_text),
        (_("How it was written"), _how(trace)),
        (_("Run"), _(_BATCHED) if about.batched else _(_DRAFTED) if about.drafted else ""),
        (_("Edits"), all_in_words(trace)),
        (_("Maps"), listed(_maps(trace), SEMICOLON)),
        (_("What to know"), listed((say(note) for note in about.notes), SEMICOLON)),
        (_("Model"), about.checkpoint),
        (_("SHA-256 of its weights"), about.sha256),
        (_("Libraries"), listed(" ".join(each) for each in about.versions)),
    )
    return tuple((name, text) for name, text in said if text)


def _how(trace: AttentionTrace) -> str:
    """Say how the text was written, if one was."""
    if trace.written is not None:
        return written_notes(trace)[0] if trace.is_translation else way_of_writing(trace.written.asked)
    return _(_DECODINGS.get(trace.provenance.decoding, ""))


def _maps(trace: AttentionTrace) -> list[str]:
    """Say how many heads of each kind there are."""
    heads: Counter[str] = Counter()
    for each in trace:
        heads[map_title(each.site)] += len(each.head_names)
    return [_n("{kind} ({count} head)", "{kind} ({count} heads)", count, kind=kind) for kind, count in heads.items()]
