"""Runs of the Bench: each model's own translation, or all forced on one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import models
from models.trace import AttentionTrace
from viz.server.runs import Run

if TYPE_CHECKING:
    from viz.server.runtime import Host


def own_translations(host: Host, keys: Sequence[str], source: str) -> dict[str, AttentionTrace]:
    """Return what each model of `keys` made of `source`."""
    return _each(host, keys, source, None)


def _each(host: Host, keys: Sequence[str], source: str, target: str | None) -> dict[str, AttentionTrace]:
    runs = [Run(key, source, target, {"sites": sites_of(key)}) for key in keys]
    return dict(zip(keys, host.attend_each(runs), strict=True))


def sites_of(key: str) -> tuple[str, ...]:
    """Return what is captured of the model `key`: its weights, and the windows of local attention."""
    if models.is_pretrained(key) or not (mechanism := models.describe(key).mechanism).windows:
        return ("*.weights",)
    return ("*.weights", "*.centre") if mechanism.rows_sum_to_one else ("*.weights", "*.centre", "*.raw_weights")


def forcible_translation(host: Host, key: str, source: str) -> AttentionTrace:
    """Return what the model `key` made of `source`, such that its text can be forced and gives the same tokens again.

    Where the tokens that a model chose are not those into which its text is cut, the text is forced once.
    """
    trace = host.attend(key, source, sites=sites_of(key))
    target = host.model(key).fit(trace.output_text)[0]
    if not target.strip():
        return trace
    forced = host.attend(key, trace.source_text, target, sites=sites_of(key))
    return trace if forced.target == trace.target else forced


def text_to_force(host: Host, key: str, trace: AttentionTrace) -> str | None:
    """Return what a model wrote, to be forced: later words are there, behind the mask; None where it would differ."""
    target = host.model(key).fit(trace.output_text)[0]
    if not target.strip() or host.attend(key, trace.source_text, target).target != trace.target:
        return None
    return target


def forced_translations(host: Host, keys: Sequence[str], source: str, target: str) -> dict[str, AttentionTrace]:
    """Return what each model of `keys` attends to while it writes `target`, whatever it would have written.

    A model that would have written `target` itself is left to do so: the same weights, and no word of force.
    """
    forced = _each(host, keys, source, target)
    own = own_translations(host, keys, source)
    return {key: own[key] if own[key].target == trace.target else trace for key, trace in forced.items()}


def milliseconds(host: Host, key: str, trace: AttentionTrace) -> float | None:
    """Return what the run that gave `trace` took on this server; None if that is no longer known."""
    target = None if trace.provenance.decoding == "greedy" else trace.output_text
    return host.traces.milliseconds(host.identify(key, trace.source_text, target, sites=sites_of(key)))
