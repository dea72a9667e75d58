"""What went wrong in one process, told to another: the same class and the same words there, never an object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from models.errors import CaptureError, EditError, InputError, UnknownModelError
from models.trace.plain import fields_of, read_message, text, write_message


def tell(error: BaseException) -> dict[str, Any]:
    """Return an error as its kind and its words, which JSON can hold; a message stays what it is made of."""
    said = error.args[0] if error.args else str(error)
    return {"kind": type(error).__name__, "said": write_message(said)}


def error_of(told: Any) -> Exception:
    """Return the error that `tell` told of; one of no known class is a RuntimeError that names it."""
    from models.translation.checkpoints import CheckpointError

    kind, given = fields_of(told, "an error", "kind", "said")
    said = read_message(given, "an error")
    known: tuple[Callable[[Any], Exception], ...] = (
        InputError,
        EditError,
        UnknownModelError,
        CaptureError,
        CheckpointError,
        KeyError,
        ValueError,
    )
    kinds = {each.__name__: each for each in known}
    return kinds[kind](said) if kind in kinds else RuntimeError(f"{text(kind, 'an error')}: {said}")
