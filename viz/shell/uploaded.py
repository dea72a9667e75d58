"""Accounting of Streamlit's uploaded files: bytes held, and release of abandoned ones.

Streamlit bounds one file, not all of a session; such a bound would replace this file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamlit import runtime

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFileRec

SMALLEST = 2**16
"""Bytes that a file counts at least: one of no bytes is kept, too."""


def held_by_session() -> dict[str, int]:
    """Return how many bytes of files are held for each session."""
    return {session: sum(map(_size, list(files.values()))) for session, files in list(_files().items())}


def let_go_of_the_left() -> None:
    """Let the files go of sessions whose browser has left: Streamlit keeps them until it may not come back."""
    for session in list(_files()):
        if not runtime.get_instance().is_active_session(session):
            runtime.get_instance().uploaded_file_mgr.remove_session_files(session)


def _size(file: UploadedFileRec) -> int:
    return max(len(file.data), SMALLEST)


def _files() -> dict[str, dict[str, UploadedFileRec]]:
    if not runtime.exists():
        return {}
    return getattr(runtime.get_instance().uploaded_file_mgr, "file_storage", {})
