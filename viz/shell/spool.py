"""Spool size of uploads: Streamlit parses them with Starlette's default, which would write large files to a disk.

A setting of Streamlit for it would replace this file.
"""

from __future__ import annotations

from starlette.formparsers import MultiPartParser

HELD_IN_MEMORY = 32 * 2**20
"""Bytes of a file that comes in: more than may be uploaded, so that none is put down on a disk."""


def hold_uploads_in_memory() -> None:
    """Write no upload to a disk, from now on."""
    MultiPartParser.spool_max_size = HELD_IN_MEMORY
