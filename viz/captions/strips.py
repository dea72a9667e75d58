"""Captions of a strip of numbers: symbol, name, shape and colour range."""

from __future__ import annotations

from viz.text.language import _
from viz.views.strips import Strip


def heading_of(strip: Strip) -> str:
    """Say what a strip shows: symbol, name, shape, and what its colours mean; plain text."""
    limit = f"{strip.limit:.3g}"
    colours = {
        "weights": _("colours from 0 to 1"),
        "mask": _("dark: 1, light: 0"),
        "signed": _("colours from -{limit} to {limit}", limit=limit),
    }[strip.kind]
    made = _("; made by this step") if strip.made else ""
    return f"{strip.symbol} {strip.name} {strip.shape}, {colours}{made}"
