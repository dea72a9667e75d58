"""Uploaded traces: read once, kept for this visit."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from models.trace import AttentionTrace
from viz.text.language import _, say
from viz.text.markup import plain
from viz.widgets import session
from viz.widgets.frame import box_in_place_of
from viz.widgets.opened.reading import LARGEST, UploadError, read_upload, to_be_shown

MOST_FILES = 4
_READ, _LAST, _TIMES, _FILES = "read-files", "last-opened", "times-closed", "trace-files"
BOX = box_in_place_of("open")
_MB = LARGEST // 10**6


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A file that was opened."""

    name: str  # of the file
    trace: AttentionTrace  # as it was saved
    shown: AttentionTrace  # what pictures show of it
    identity: str  # the same for equal files


def take_files(box: Any, messages: DeltaGenerator) -> tuple[Opened, ...]:
    """Return what was opened in `box`; where a file cannot be shown that is said, and what was open before stays.

    While the box is closed and empty, its content is not sent with every run of the page.
    """
    key = f"{_FILES}-{session.recall(_TIMES, 0)}"
    last: tuple[Opened, ...] = session.recall(_LAST, ())
    if not box.open and not session.reported(key):
        session.keep(_LAST, ())
        return ()
    label = _("Saved traces (NPZ), at most {size} MB: only you see them, nothing is stored", size=_MB)
    with box:
        files = st.file_uploader(
            label,
            ["npz"],
            accept_multiple_files=True,
            max_upload_size=_MB,
            key=key,
            on_change=session.put_control,  # closes the box, which would lie over what is shown
            args=(BOX, False),
        )
    good = _read_each(files, messages)
    if not good and files and last:
        messages.caption(_("What was open before is still shown."))
        return last
    session.keep(_LAST, good)
    return good


def close_files() -> None:
    """Close all files; as a callback of a control. A box of another name holds none."""
    session.keep(_TIMES, session.recall(_TIMES, 0) + 1)


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
