"""Errors that are for the person who typed."""

from __future__ import annotations


class InputError(ValueError):
    """A text that a model cannot take; the message says in the reader's words what to change."""
