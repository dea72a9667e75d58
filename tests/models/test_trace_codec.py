"""The record as a file: what is read is what was written, and whatever else comes is refused in words."""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import models
from models.edits import set_row, window, zero_head
from models.messages import CountMessage, Message
from models.trace import AttentionTrace, TraceError
from models.trace.plain import read_message, write_message

TEXT = "The cat sleeps because it is tired."


@cache
def recorded(key: str = "bahdanau-en-fr", text: str = TEXT) -> AttentionTrace:
    trace: AttentionTrace = models.load(key).attend(
        text, sites=("*",) if key.startswith("luong-local") else ("*.weights",)
    )
    return trace


@cache
def saved() -> bytes:
    file = io.BytesIO()
    recorded().save(file)
    return file.getvalue()


def opened(data: bytes, **options: Any) -> AttentionTrace:
    return AttentionTrace.load(io.BytesIO(data), **options)


def assert_same(one: AttentionTrace, other: AttentionTrace) -> None:
    """Every bit of every array, and every word."""
    for mine, its in zip(one, other, strict=True):
        assert (mine.site, mine.head_names, mine.rows_sum_to_one, mine.causal) == (
            its.site,
            its.head_names,
            its.rows_sum_to_one,
            its.causal,
        )
        arrays = {"weights": mine.weights, **mine.companions}, {"weights": its.weights, **its.companions}
        assert arrays[0].keys() == arrays[1].keys()
        for name, values in arrays[0].items():
            assert values.dtype == arrays[1][name].dtype
            assert values.tobytes() == arrays[1][name].tobytes()
            assert not arrays[1][name].flags.writeable
    for name in (
        "source",
        "target",
        "target_input",
        "steps",
        "predictions",
        "source_text",
        "output_text",
        "provenance",
    ):
        assert getattr(one, name) == getattr(other, name)
    assert (one.vectors is None) == (other.vectors is None)
    assert one.vectors is None or other.vectors is None or one.vectors.tobytes() == other.vectors.tobytes()


@pytest.mark.parametrize("key", ["bahdanau-en-fr", "transformer-en-fr", "luong-local-p-en-fr", "seq2seq-en-fr"])
@pytest.mark.parametrize("text", [TEXT, "a", "\U0001f600 “x”\u200b!"])
def test_what_is_read_is_what_was_written(key: str, text: str, tmp_path: Path) -> None:
    trace = recorded(key, text)
    trace.save(tmp_path / "record.npz")
    read = AttentionTrace.load(tmp_path / "record.npz")
    assert_same(trace, read)
    read.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "record.npz").read_bytes()


def test_edits_and_notes_stay_what_they_are_made_of() -> None:
    """A note is said in another language from its text and values; an edit can be made again."""
    edits = (
        zero_head("decoder.0.cross", 0),
        set_row("decoder.0.cross", 0, 1, (0.25, 0.75), 0.5),
        window("*.*.cross", None, 3, 1),
    )
    edited = models.load("bahdanau-en-fr").attend(TEXT, edits=(*edits, zero_head("decoder.0.cross", 0)))
    file = io.BytesIO()
    edited.save(file)
    read = opened(file.getvalue()).provenance
    assert read == edited.provenance
    assert [note.values for note in read.notes] == [note.values for note in edited.provenance.notes]  # type: ignore[attr-defined]


@given(
    st.recursive(
        st.one_of(st.text(), st.integers(-(2**40), 2**40), st.booleans(), st.none()),
        lambda inner: st.one_of(
            st.builds(lambda value: Message("say {one} and {two}", one=value, two="x"), inner),
            st.builds(
                lambda count, value: CountMessage("{count} of {one}", "{count} {one}", count, one=value),
                st.integers(0, 9),
                inner,
            ),
        ),
        max_leaves=4,
    )
)
def test_any_message_comes_back(said: Any) -> None:
    read = read_message(json.loads(json.dumps(write_message(said))), "note")
    assert read == said
    assert type(read) is type(said)


@pytest.mark.parametrize("text", ["{one.__class__}", "{one:>99999999}", "{one!r}", "{other}", "{", "{0}"])
def test_the_text_of_a_message_may_name_its_values_and_no_more(text: str) -> None:
    with pytest.raises(TraceError, match="note"):
        read_message({"text": text, "values": {"one": "x"}}, "note")


def changed(**changes: Any) -> bytes:
    """Return the file with some fields of its header, or arrays, replaced; None takes an array out."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved())) as before, zipfile.ZipFile(file, "w") as after:
        arrays = {name: np.load(io.BytesIO(before.read(name)), allow_pickle=False) for name in before.namelist()}
        header = json.loads(arrays["header.npy"].tobytes()) | {
            n: v for n, v in changes.items() if not n.endswith("npy")
        }
        arrays["header.npy"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
        arrays |= {name: value for name, value in changes.items() if name.endswith("npy")}
        for name, values in arrays.items():
            if values is not None:
                member = io.BytesIO()
                np.lib.format.write_array(member, values, allow_pickle=True)
                after.writestr(name, member.getvalue())
    return file.getvalue()


WEIGHTS = "map.0.weights.npy"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"version": 2}, "this version of the bench reads"),
        ({"format": "npz"}, "this version of the bench reads"),
        ({"more": 1}, "an object of"),
        ({"source_text": 3}, "source_text"),
        ({"steps": [["le", 1, float("nan"), []]]}, "a number"),
        ({"steps": []}, "expected as many"),
        ({"maps": []}, "no map names the arrays"),
        ({"source": {"texts": []}}, "texts, ids"),
        ({"target": {"texts": 1, "ids": [], "words": [], "word_texts": [], "specials": [], "segments": []}}, "a list"),
        ({"provenance": {}}, "mechanism"),
        ({WEIGHTS: None}, "map.0.weights is missing"),
        ({WEIGHTS: np.zeros((1, 2, 3), dtype=np.float32)}, "expected"),
        ({WEIGHTS: np.zeros((1, 2, 3))}, "float32"),
        ({WEIGHTS: np.array([{}], dtype=object)}, "numbers that fit"),
        ({WEIGHTS: np.zeros(3, dtype=">f4")}, "numbers that fit"),
        ({"other.npy": np.zeros(3)}, "no map names the arrays other"),
    ],
)
def test_what_cannot_be_is_named(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(TraceError, match=said):
        opened(changed(**changes))
    assert_same(opened(changed()), recorded())


def test_sizes_are_counted_before_anything_is_unpacked() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", bytes(64 * 2**20))
    assert len(file.getvalue()) < 2**20
    with pytest.raises(TraceError, match="at most 1,048,576"):
        opened(file.getvalue(), most_bytes=2**20)


def test_an_array_that_says_that_it_is_large_is_not_made() -> None:
    member = io.BytesIO()
    np.lib.format.write_array_header_1_0(member, {"descr": "<f4", "fortran_order": False, "shape": (10**6, 10**6)})
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("header.npy", member.getvalue())
    with pytest.raises(TraceError, match="numbers that fit"):
        opened(file.getvalue())


@given(st.data())
@settings(max_examples=300)
def test_no_damage_breaks_the_reader(data: st.DataObject) -> None:
    """A damaged file is refused with a TraceError, or gives a record: nothing else is raised."""
    damaged = bytearray(saved())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    with suppress(TraceError):
        opened(bytes(damaged))


ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=8,
)


@cache
def zipfile_header() -> bytes:
    with zipfile.ZipFile(io.BytesIO(saved())) as archive:
        return bytes(np.load(io.BytesIO(archive.read("header.npy"))).tobytes())


def places_of(value: Any) -> list[tuple[Any, Any]]:
    """Return every place of a header at which something else could stand: what holds it, and its name there."""
    names: list[Any] = (
        list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    )
    return [(value, name) for name in names] + [place for name in names for place in places_of(value[name])]


@given(st.data(), ANYTHING)
@settings(max_examples=300)
def test_anything_in_any_field_is_refused_or_read(data: st.DataObject, other: Any) -> None:
    header = json.loads(zipfile_header())
    holder, name = data.draw(st.sampled_from(places_of(header)))
    holder[name] = other
    with suppress(TraceError):
        opened(changed(**header))


@pytest.mark.parametrize("data", [b"", b"PK", b"not a zip", bytes(1000)])
def test_what_is_no_record_is_refused(data: bytes) -> None:
    with pytest.raises(TraceError, match="no record of attention"):
        opened(data)
    with pytest.raises(OSError, match="nowhere"):
        AttentionTrace.load("nowhere.npz")


def large(tokens: int) -> AttentionTrace:
    rows = np.random.default_rng(3).random((8, tokens, tokens), dtype=np.float32)
    maps = {f"decoder.{layer}.self": np.tril(rows) / np.tril(rows).sum(-1, keepdims=True) for layer in range(2)}
    return AttentionTrace.from_arrays(maps, source=["a"] * tokens)


def test_half_precision_halves_the_file_and_is_said_once() -> None:
    trace, whole, half, again = large(100), io.BytesIO(), io.BytesIO(), io.BytesIO()
    trace.save(whole)
    trace.save(half, dtype="float16")
    assert half.tell() < 0.55 * whole.tell()
    read = AttentionTrace.load(half)
    for each in read:
        assert each.causal
        assert each.rows_sum_to_one
        np.testing.assert_allclose(each.weights, trace[each.site].weights, rtol=2e-3, atol=1e-6)
    assert [str(note) for note in read.provenance.notes] == ["weights saved in float16: rounded to three digits"]
    read.save(again, dtype="float16")
    assert AttentionTrace.load(again).provenance == read.provenance
    with pytest.raises(ValueError, match="'float32' or 'float16'; got 'int8'"):
        trace.save(half, dtype="int8")  # type: ignore[arg-type]


def test_rows_that_need_not_sum_to_one_keep_their_sums_in_half_precision() -> None:
    weights = np.array([[[0.2, 0.3], [0, 0]]], dtype=np.float32)
    trace, file = (
        AttentionTrace.from_arrays({"encoder.0.self": weights}, source="ab c".split(), rows_sum_to_one=False),
        io.BytesIO(),
    )
    trace.save(file, dtype="float16")
    np.testing.assert_allclose(AttentionTrace.load(file)["encoder.0.self"].weights, weights, rtol=1e-3)


def test_a_file_that_the_page_does_not_take_is_warned_of_with_what_makes_it_smaller(tmp_path: Path) -> None:
    trace = large(600)
    with pytest.warns(UserWarning, match=r"23 MB.* takes 20: dtype='float16' halves it; .*layers="):
        trace.save(tmp_path / "large.npz")
    trace.save(tmp_path / "half.npz", dtype="float16")
    assert (tmp_path / "half.npz").stat().st_size < 20 * 10**6 < (tmp_path / "large.npz").stat().st_size
