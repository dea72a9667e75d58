"""Uploaded traces: read once, kept for this visit."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from models.trace import AttentionTrace
from viz.pages.open.reading import LARGEST, UploadError, read_upload, to_be_shown
from viz.text.language import _, say
from viz.text.markup import plain
from viz.widgets import session

MOST_FILES = 4
_READ, _LAST = "read-files", "last-opened"
_MB = LARGEST // 10**6


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A file that was opened."""

    name: str  # of the file
    trace: AttentionTrace  # as it was saved
    shown: AttentionTrace  # what pictures show of it
    identity: str  # the same for equal files


def take_files(messages: DeltaGenerator) -> tuple[Opened, ...]:
    """Return what was opened; where a file cannot be shown that is said, and what was open before stays."""
    label = _("Saved traces (NPZ), at most {size} MB: only you see them, nothing is stored", size=_MB)
    files = st.file_uploader(label, ["npz"], accept_multiple_files=True, max_upload_size=_MB, key="trace-files")
    good = _read_each(files, messages)
    last: tuple[Opened, ...] = session.recall(_LAST, ())
    if not good and files and last:
        messages.caption(_("What was open before is still shown."))
        return last
    session.keep(_LAST, good)
    return good


def _read_each(files: list[Any], messages: DeltaGenerator) -> tuple[Opened, ...]:
    """Read what was not read before, and say of each file that is left out why."""
    before: dict[str, Opened | UploadError] = session.recall(_READ, {})
    read: dict[str, Opened | UploadError] = {}
    for place, file in enumerate(files):
        if place >= MOST_FILES or sum(each.size for each in files[: place + 1]) > LARGEST:
            left_out = _("{file} is left out. At most {count} files are shown, {size} MB in total.",
                         file=file.name, count=MOST_FILES, size=_MB)  # fmt: skip
            messages.warning(plain(left_out))
            continue
        found = read[file.file_id] = before.get(file.file_id) or _read(file.name, file.getvalue())
        if isinstance(found, UploadError):
            text = _("{file} cannot be shown. {reason}", file=file.name, reason=say(found))
            messages.error(plain(text), icon=":material/edit_document:")
    session.keep(_READ, read)
    return tuple(each for each in read.values() if isinstance(each, Opened))


def _read(name: str, data: bytes) -> Opened | UploadError:
    try:
        trace = read_upload(data)
    except UploadError as error:
        return error
    return Opened(name, trace, to_be_shown(trace), sha256(data).hexdigest())
