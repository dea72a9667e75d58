"""Streamlit holds uploaded files as it did: by session and file, in a manager that lets a session's files go."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streamlit import runtime
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from viz.shell.uploaded import SMALLEST, held_by_session, let_go_of_the_left


def test_bytes_are_counted_by_session_and_those_of_the_left_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    assert callable(Runtime.is_active_session)
    assert isinstance(Runtime.uploaded_file_mgr, property)
    files = MemoryUploadedFileManager("/files")
    for session, file, size in (("a", "1", SMALLEST * 2), ("a", "2", 0), ("b", "1", 5)):
        files.add_file(session, UploadedFileRec(file, "a.npz", "", bytes(size)))
    instance = SimpleNamespace(uploaded_file_mgr=files, is_active_session=lambda name: name == "b")
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: instance)
    assert held_by_session() == {"a": 3 * SMALLEST, "b": SMALLEST}
    let_go_of_the_left()
    assert held_by_session() == {"b": SMALLEST}
