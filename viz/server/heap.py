"""Memory that the C library holds though nothing uses it."""

from __future__ import annotations

import ctypes


def give_back_memory() -> bool:
    """Return what threads have freed, but the C library still holds, back to the system; False where it cannot be told.

    What is free lies scattered, so that the next large value would find no place in it and take as much again
    (`benchmarks.heads page` gives the most memory that a server ever had).
    """
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError, TypeError):  # not glibc
        return False
    return True
