"""Bytes from outside, of any shape: 20 MB of them raise memory by less than 200 MB, and take less than a second.

Whoever sends them writes the directory of the archive, the description of each array and the header in JSON. So all
three lie here in every way that their formats know.
"""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import suppress
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.trace import AttentionTrace, TraceError
from models.trace.asked import read_asked
from models.trace.codec import _header
from models.trace.json_text import read_json
from scale.client.model import record_in
from scale.serve.wire import RefusedError, read_request
from tests.support import bounded
from tests.support.bounded import archive, array_file, assert_bounded, described_file, header_file, lying
from viz.lessons.document import document_of
from viz.lessons.lesson import LessonError
from viz.widgets.opened.reading import UploadError, read_upload

LARGEST = 20 * 10**6
JSON, PACKED = "json", "packed"
READERS = {
    "upload": (read_upload, PACKED),
    "record": (partial(lambda data: AttentionTrace.load(io.BytesIO(data), most_bytes=LARGEST)), PACKED),
    "reply": (record_in, PACKED),
    "provenance": (read_asked, JSON),
    "request": (partial(read_request, "attend"), JSON),
    "text of a reply": (partial(read_json, where="a reply"), JSON),
    "lesson": (partial(document_of, file="mine.yaml"), JSON),  # JSON is YAML
}
"""Everything that takes bytes from outside, and whether they are an archive."""


def try_all(text: bytes | None, packed: bytes) -> None:
    for read, kind in READERS.values():
        data = packed if kind is PACKED else text
        if data is not None:
            assert_bounded(partial(_refused, read, data[:LARGEST]))


def _refused(read: Any, data: bytes) -> None:
    with suppress(UploadError, TraceError, RefusedError, LessonError):
        read(data)


UNITS = {
    "lists": b"[],", "objects": b"{},", "named": b'{"a":{"a":0}},', "numbers": b"0,", "floats": b"1e308,",
    "texts": b'"",', "digits": b"1" * 4300 + b",", "endless": b"1" * 5000 + b",", "escapes": rb'"\ud83d\ude00",',
    "wide": '"😀",'.encode(), "commas": b'",,,,",', "broken": b'"\xff",', "fractions": b"1." + b"3" * 4000 + b",",
}  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("size", [LARGEST - 10**4, 3_900_000, 400_000])
def test_json_of_any_values(unit: str, size: int) -> None:
    text = b"[" + UNITS[unit] * ((size - 3) // len(UNITS[unit])) + b"0]"
    try_all(text, archive({"header": header_file(text)}))


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":', b"[[],"])
@pytest.mark.parametrize("size", [LARGEST - 10**4, 10**6, 5000])
def test_json_of_any_depth(opening: bytes, size: int) -> None:
    text = opening * (size // len(opening))
    try_all(text, archive({"header": header_file(text)}))


@pytest.mark.parametrize("text", [b"a" * 3_900_000 + "😀".encode(), rb"\ud83d\ude00" * 300_000, b"\\" * 10**6])
def test_one_long_text(text: bytes) -> None:
    quoted = b'"' + text + b'"'
    try_all(quoted, archive({"header": header_file(quoted)}))
    named = b"{" + quoted + b":0}"
    try_all(named, archive({"header": header_file(named)}))


def test_names_that_stand_many_times() -> None:
    text = b"{" + b",".join([b'"key":"bahdanau-en-fr"'] * 90_000) + b"}"
    try_all(text, archive({"header": header_file(text)}))


def bomb(method: int, megabytes: int = 60) -> bytes:
    return archive({"header": bytes(megabytes * 10**6)}, method)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("size", [100, 0, 2**32 - 1, None])
def test_an_archive_that_unpacks_to_more_than_it_says(method: int, size: int | None) -> None:
    data = bomb(method)
    try_all(None, data if size is None else lying(data, size=size))


def test_an_archive_that_is_too_large_says_so_whatever_its_directory_says() -> None:
    for data in (bomb(zipfile.ZIP_DEFLATED), lying(bomb(zipfile.ZIP_DEFLATED), size=100)):
        with pytest.raises(UploadError, match="The limit is 20 MB"):
            read_upload(data)


def test_members_that_share_their_bytes() -> None:
    """Each of 3,000 names stands for the same megabytes: together they would unpack to gigabytes."""
    data = archive({str(number): b"" for number in range(3000)})
    shared = bomb(zipfile.ZIP_DEFLATED, 19)
    place = shared.find(b"PK\x01\x02")
    packed = int.from_bytes(shared[place + 20 : place + 24], "little")
    try_all(None, lying(data, start=0, packed=packed, method=8, size=0))


def test_blocks_that_hold_nothing() -> None:
    try_all(None, bounded.tiny_blocks(12))


def test_long_directories() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for number in range(150):
            entry = zipfile.ZipInfo(f"{number}" + "n" * 60_000)
            entry.extra = b"\x99\x99\0\0" * 8000
            made.writestr(entry, b"")
    try_all(None, file.getvalue())
    try_all(None, archive({str(number): b"" for number in range(20_000)}, zipfile.ZIP_STORED))
    try_all(None, archive({str(number): array_file(np.zeros(1)) for number in range(2000)}, zipfile.ZIP_STORED))


@cache
def header() -> dict[str, Any]:
    weights = np.full((1, 4, 4), 0.25, dtype=np.float32)
    trace = AttentionTrace.from_arrays({"encoder.0.self": weights}, source=["a", "b", "c", "d"])
    return json.loads(json.dumps(_header(trace)))


def record(weights: bytes, maps: int = 1, arrays: dict[str, bytes] | None = None, **changes: Any) -> bytes:
    """Return an archive whose header says `maps` maps, each with the same array."""
    about = json.loads(json.dumps(header())) | {name: each for name, each in changes.items() if name in header()}
    layout = {name: each for name, each in changes.items() if name not in header()}
    kind = layout.pop("kind", "self")
    about["maps"] = [about["maps"][0] | {"site": f"encoder.{place}.{kind}", **layout} for place in range(maps)]
    members = {f"map.{place}.weights": weights for place in range(maps)}
    text = json.dumps(about).encode()
    return archive({"header": header_file(text), **members, **(arrays or {})}, zipfile.ZIP_STORED)


def tokens(count: int) -> dict[str, Any]:
    texts = [str(place) for place in range(count)]
    return {"texts": texts, "ids": [0] * count, "words": list(range(count)), "word_texts": texts,
            "specials": [], "segments": []}  # fmt: skip


def rows(heads: int, queries: int, keys: int) -> bytes:
    return array_file(np.full((heads, queries, keys), 1 / keys, dtype=np.float32))


@pytest.mark.parametrize(
    "data",
    [
        lambda: record(described_file("'<f4'", "(0, 1000000000, 4)"), kind="hops", head_names=[]),
        lambda: record(described_file("'<f4'", "(1, 1000000000, 0)"), kind="hops"),
        lambda: record(rows(1, 128, 4), 1000, kind="hops"),
        lambda: record(rows(1, 4, 4), 1500),
        lambda: record(rows(1, 46, 46), 512, source=tokens(46)),
        lambda: record(rows(2048, 46, 46), source=tokens(46), head_names=[str(head) for head in range(2048)]),
        lambda: record(described_file("'<f4'", "(0, 40000, 40000)"), 500, source=tokens(40_000), head_names=[]),
        lambda: record(rows(1, 4, 4), arrays={"vectors": array_file(np.zeros((4, 4 * 10**6), dtype=np.int8))}),
        lambda: record(rows(1, 4, 4), source_text="a" * 3_900_000),
    ],
)  # fmt: skip
def test_records_of_many_or_large_maps(data: Any) -> None:
    try_all(None, data())


@pytest.mark.parametrize("uses", [2, 10, 3000])
@pytest.mark.parametrize("depth", [1, 8])
def test_notes_that_grow(uses: int, depth: int) -> None:
    """A message that names another many times, which names another many times, is short until it is filled in."""
    note: Any = "x" * 1000
    for _ in range(depth):
        note = {"text": "{one}" * uses, "values": {"one": note}}
    for count in (1, 2000 // uses + 1):
        about = header()["provenance"] | {"notes": [note] * count}
        try_all(None, record(rows(1, 4, 4), provenance=about))


NUMBER = st.one_of(st.integers(0, 40), st.sampled_from([2**16 - 1, 2**31, 2**32 - 1]))
SHAPES = st.one_of(
    st.lists(st.sampled_from([0, 1, 4, 2**20, 2**31, 2**63, 10**30]), max_size=80).map(lambda each: f"({each})"),
    st.text("0123456789,() -LNoneTrue*'", max_size=40),
    st.just("(" * 3000),
)
TYPES = ("'<f4'", "'>f4'", "'|O'", "'<U9'", "'<f99'", "'|V4000000000'", "[('a', '<f4')]", "'" * 9000)
MADE = (
    np.array([{}], dtype=object),
    np.asfortranarray(np.ones((1, 4, 4), dtype=np.float32)),
    np.ones((1, 4, 4), dtype=">f4"),
    np.full((1, 4, 4), 0.25, dtype=np.float32),
)
ARRAYS = st.one_of(
    st.builds(described_file, st.sampled_from(TYPES), SHAPES, by_columns=st.booleans(), data=st.binary(max_size=40)),
    st.binary(max_size=80),
    st.builds(bytes, st.sampled_from([0, 10, 10**6, 10**7])),
    st.sampled_from([array_file(each) for each in MADE]),
)
NAMES = ("header", "map.0.weights", "vectors", "a/b", "中", "n" * 300)


@given(
    st.dictionaries(st.sampled_from(NAMES), ARRAYS, max_size=4),
    st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]),
    st.dictionaries(st.sampled_from(sorted(bounded.FIELDS)), NUMBER, max_size=3),
    st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_any_archive(members: dict[str, bytes], method: int, said: dict[str, int], whole: bool) -> None:
    if whole:
        members = {"header": header_file(json.dumps(header()).encode())} | members
    try_all(None, lying(archive(members, method), **said))


def test_a_whole_record_is_read_packed_or_not() -> None:
    """Numpy's own ways to write one are read: stored, deflated, and streamed, where sizes stand behind the data."""
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        whole = archive({"header": header_file(json.dumps(header()).encode()), "map.0.weights": rows(1, 4, 4)}, method)
        assert read_upload(whole).source.texts == ("a", "b", "c", "d")
        read = np.load(io.BytesIO(whole))
        for write in (np.savez, np.savez_compressed):
            file = io.BytesIO()
            write(file, **{name: read[name] for name in read.files})
            assert read_upload(file.getvalue()).source.texts == ("a", "b", "c", "d")
