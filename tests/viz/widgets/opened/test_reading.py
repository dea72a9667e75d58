"""Files that strangers bring: a trace is read as it was saved; whatever else comes is refused in words."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.trace import AttentionTrace
from models.trace.asked import fingerprint
from tests.support.npz_files import aligned, changed, encoder, member, saved, shares
from viz.canvas.alignment import AlignmentView, encode_alignment
from viz.canvas.overview import encode_overview
from viz.captions.provenance import facts_of
from viz.text.language import say
from viz.views.heads import KINDS, kinds_of, views_at
from viz.views.view import choose_view
from viz.widgets.opened.reading import LARGEST, UploadError, read_upload, to_be_shown

WHOLE = saved(aligned())
HTML = "<img src=x onerror=alert(1)>"


def show(trace: AttentionTrace) -> None:
    """Make all that the page shows of a trace."""
    shown = to_be_shown(trace)
    facts_of(trace)
    if shown.is_translation:
        encode_alignment([AlignmentView(shown, choose_view(shown) if shown.sites else None, "")])
    for kind in kinds_of(shown.sites):
        encode_overview(views_at(shown, KINDS[kind][0], "word"))


@pytest.mark.parametrize("trace", [aligned(), encoder(), aligned(title=HTML, paper=HTML, notes=[HTML])], ids=str)
def test_a_trace_is_read_as_it_was_saved(trace: AttentionTrace) -> None:
    again = read_upload(saved(trace))
    assert fingerprint(again) == fingerprint(trace)
    show(again)


def bomb() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", bytes(60 * 10**6))
    return file.getvalue()


def many() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(20_001):
            archive.writestr(str(number), b"")
    return file.getvalue()


def vast() -> bytes:
    """Return a file that says that it has ten thousand million cells, and brings none."""
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 100000, 100000), }"
    said = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    return changed(WHOLE, lambda header: None, map_0_weights=said)


def with_weights(values: np.ndarray, **about: Any) -> bytes:
    def change(header: dict[str, Any]) -> None:
        header["maps"][0] |= about

    return changed(WHOLE, change, map_0_weights=member(values))


def with_text(where: str, text: str) -> bytes:
    def change(header: dict[str, Any]) -> None:
        if where == "token":
            header["source"]["texts"][0] = header["source"]["word_texts"][0] = text
        else:
            header["provenance"][where] = text

    return changed(WHOLE, change)


def test_weights_of_half_precision_are_opened_and_said() -> None:
    file = io.BytesIO()
    encoder(heads=2, layers=1, tokens=5).save(file, dtype="float16")
    trace = read_upload(file.getvalue())
    assert trace["encoder.0.self"].weights.dtype == np.float32
    assert any("float16" in value for _name, value in facts_of(trace))


OVER = np.full((1, 4, 4), 0.5, dtype=np.float32) * np.array([1, 1, 1, 3], dtype=np.float32)
FILES = {
    "empty": (b"", "This is not a saved trace, or the file is incomplete"),
    "text": (b"token,weight\ncat,0.5\n", "This is not a saved trace, or the file is incomplete"),
    "pickle": (pickle.dumps({"weights": [1.0]}), "This is not a saved trace, or the file is incomplete"),
    "truncated": (WHOLE[: len(WHOLE) // 2], "This is not a saved trace, or the file is incomplete"),
    "another zip": (changed(WHOLE, lambda header: {"a": 1}), "do not fit together"),
    "zip bomb": (bomb(), "60 MB. The limit is 20 MB"),
    "too large": (bytes(LARGEST + 10**6), "21 MB. The limit is 20 MB"),
    "too many members": (many(), "do not fit together"),
    "ten thousand million cells": (vast(), "do not fit together"),
    "objects": (
        changed(WHOLE, lambda header: None, map_0_weights=member(np.array([[[{}]]], dtype=object), allow_pickle=True)),
        "do not fit together",
    ),
    "wrong shape": (with_weights(shares(1, 3, 4)), "do not fit together"),
    "float64": (with_weights(np.full((1, 4, 4), 0.25)), "do not fit together"),
    "NaN": (with_weights(shares(1, 4, 4) * np.float32(np.nan)), "NaN"),
    "negative": (with_weights(shares(1, 4, 4) - np.float32(0.5)), "0 or more"),
    "rows": (with_weights(shares(1, 4, 4) / np.float32(2)), "sums to"),
    "above 1": (with_weights(OVER, rows_sum_to_one=False), "above 1"),
    "no head": (with_weights(shares(0, 4, 4), head_names=[]), "no attention"),
    "long token": (with_text("token", "a" * 201), "201 characters"),
    "long title": (with_text("title", "a" * 20_001), "20001 characters"),
    "halves": (with_text("title", "\ud83d"), "One of its texts contains incomplete characters, which"),
    "many heads": (saved(encoder(heads=2049, layers=1, tokens=2)), "2049 heads"),
    "many tokens": (saved(encoder(heads=1, layers=1, tokens=1025)), "1025 tokens"),
    "digits": (changed(WHOLE, lambda header: header | {"version": 10**4000}), "do not fit together"),
}


@pytest.mark.parametrize("name", FILES)
def test_what_cannot_be_shown_is_refused_in_words(name: str) -> None:
    data, says = FILES[name]
    with pytest.raises(UploadError) as refused:
        read_upload(data)
    assert says in say(refused.value)


def test_companions_that_do_not_fit_are_not_shown_and_an_edit_of_no_row_is_survived() -> None:
    def change(header: dict[str, Any]) -> None:
        header["maps"][0]["companions"] = ["centre"]
        header["provenance"]["edits"] = ["uniform_row(decoder.0.cross,0,99)"]

    wrong = member(np.zeros((1, 2, 1), dtype=np.float32))
    data = changed(WHOLE, change, **{"map.0.centre": wrong})
    try:
        trace = read_upload(data)
    except UploadError:
        return
    assert not to_be_shown(trace).maps[0].companions
    show(trace)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda some: st.lists(some, max_size=3) | st.dictionaries(st.text(max_size=3), some, max_size=2),
    max_leaves=6,
)
HEADER = json.loads(np.load(io.BytesIO(WHOLE))["header"].tobytes())
PLACES = [(name,) for name in HEADER] + [("provenance", name) for name in HEADER["provenance"]]
PLACES += [("source", name) for name in HEADER["source"]] + [("maps", 0, name) for name in HEADER["maps"][0]]


@given(place=st.sampled_from(PLACES), value=JSON)
@settings(max_examples=150)
def test_any_value_anywhere_is_refused_or_can_be_shown(place: tuple[Any, ...], value: Any) -> None:
    def change(header: dict[str, Any]) -> None:
        at: Any = header
        for each in place[:-1]:
            at = at[each]
        at[place[-1]] = value

    survives(changed(WHOLE, change))


@given(at=st.integers(0, len(WHOLE) - 1), value=st.binary(min_size=1, max_size=4))
def test_any_broken_byte_is_refused_or_can_be_shown(at: int, value: bytes) -> None:
    survives(WHOLE[:at] + value + WHOLE[at + len(value) :])


def survives(data: bytes) -> None:
    try:
        trace = read_upload(data)
    except UploadError:
        return
    show(trace)
