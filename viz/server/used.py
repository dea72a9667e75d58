"""Record of the runs that a page has shown, for the provenance of what is saved."""

from __future__ import annotations

from contextvars import ContextVar

from models.trace import AttentionTrace, Provenance

_used: ContextVar[dict[Provenance, None] | None] = ContextVar("used", default=None)


def begin() -> None:
    """Note runs anew, for this run of a page."""
    _used.set({})


def note(trace: AttentionTrace) -> AttentionTrace:
    """Note a run that the page asked for, and return it."""
    used = _used.get()
    if used is not None:
        used[trace.provenance] = None
    return trace


def noted() -> tuple[Provenance, ...]:
    """Return where the runs come from that this run of the page has asked for, in order, each once."""
    return tuple(_used.get() or ())
