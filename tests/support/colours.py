"""What tests say of colours."""

from __future__ import annotations


def luminance(colour: str) -> float:
    """Return the relative luminance (WCAG 2) of a colour such as ``#1f3374``."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return sum(share * value for share, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
