"""What all records share: their error, arrays that nobody writes to, and how they are unpickled."""

from __future__ import annotations

from dataclasses import fields
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.sites import Site

Array = NDArray[Any]


class TraceError(ValueError):
    """A record that would show something false: names the site, what came, what fits and what to check."""


def problem(site: Site, got: object, expected: object, remedy: str) -> TraceError:
    """Return what a record of `site` says that it refuses."""
    return TraceError(f"{site}: got {got}; expected {expected}. {remedy}")


def frozen_array(values: Array) -> Array:
    """Return a read-only copy of `values`; or `values` itself if it is read-only and nobody else can write there.

    That is so if it owns its memory. If something else than an array does, such as a tensor, the caller vouches for it
    by having made `values` read-only: nobody writes there any more.
    """
    if not values.flags.writeable and not isinstance(values.base, np.ndarray):
        return values
    copy: Array = np.array(values)
    copy.setflags(write=False)
    return copy


class Record:
    """Rebuild a frozen record through its constructor when it is unpickled (pickling makes arrays writable)."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        values = (getattr(self, each.name) for each in fields(self))  # type: ignore[arg-type]
        return type(self), tuple(dict(value) if isinstance(value, MappingProxyType) else value for value in values)
