"""Captions of a head's behaviour over a corpus."""

from __future__ import annotations

from models.corpus.kept import KeptHead
from viz.captions.measures import LABEL_NAMES
from viz.text.language import _

MOST_LABELS = 3
LEAST_SHARE = 0.01


def corpus_labels(kept: KeptHead) -> str:
    """Say in which share of the sentences a head has which label."""
    shown = [(label, share) for label, share in kept.labels if share >= LEAST_SHARE][:MOST_LABELS]
    parts = [
        _("{label} in {share} of 100", label=_(LABEL_NAMES[label]), share=f"{100 * share:.0f}")
        for label, share in shown
    ]
    return " · ".join(parts)


def corpus_breadth(kept: KeptHead, breadth: float) -> str:
    """Say how the breadth of a head on this sentence compares with that on others; empty if it is not known."""
    share = kept.share_below("breadth", breadth)
    if share is None:
        return ""
    if share >= 0.5:
        return _("more diffuse here than in {share} of 100 sentences", share=f"{100 * share:.0f}")
    return _("sharper here than in {share} of 100 sentences", share=f"{100 * (1 - share):.0f}")
