"""A run that a page saved as JSON is made again, equal to the last bit; what is no such JSON is refused in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import models
from models.capture import CaptureAgainError, capture_again, main
from models.edits import mask_key, set_row
from models.trace import AttentionTrace, TraceError
from models.trace.asked import asked_of, fingerprint, read_asked, write_asked
from tests.support.commands import exit_code

TEXT = "The small dog waits at the door."


def asked(**changes: Any) -> bytes:
    """Return the JSON of a run of which some fields are others."""
    said = json.loads(write_asked(models.load("bahdanau-en-fr").attend(TEXT)))
    return json.dumps({**said, **changes}).encode()


@pytest.mark.parametrize(
    ("key", "options"),
    [
        ("luong-general-en-fr", {"edits": (mask_key("decoder.0.cross", 2),)}),
        (
            "transformer-en-fr",
            {
                "target": "Le petit chien attend.",
                "edits": (set_row("decoder.1.cross", 3, 1, [1.0, 0, 0, 0, 0, 0, 0, 0, 0], 1.0),),
            },
        ),
        ("luong-local-p-en-fr", {"sites": ("*",)}),
        ("seq2seq-en-fr", {}),
        ("transformer-en-fr@09", {}),
        ("hf:minilm", {}),
        ("hf:minilm", {"pair": "It is cold."}),
    ],
)
def test_a_saved_run_is_made_again_bit_for_bit(
    key: str, options: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = torch.get_num_threads()
    torch.set_num_threads(1)
    trace = models.load(key).attend(TEXT, **options)
    said, out = tmp_path / "provenance.json", tmp_path / "trace.npz"
    said.write_text(write_asked(trace), encoding="utf8")
    assert exit_code(main, "--from", str(said), "--out", str(out)) == 0
    torch.set_num_threads(usual)
    assert "equal" in capsys.readouterr().out
    again = AttentionTrace.load(out)
    assert fingerprint(again) == fingerprint(trace)
    assert asked_of(again) == read_asked(said.read_bytes())


def test_a_run_that_is_not_equal_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = tmp_path / "provenance.json"
    said.write_bytes(asked(source="Another text.", versions={"torch": "0.1"}))
    assert exit_code(main, "--from", str(said)) == 1
    assert "It was made with torch 0.1." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"model": "../../etc/passwd"}, "no such name"),
        ({"model": "/tmp/model"}, "no such name"),
        ({"model": "hf:../x"}, "no such name"),
        ({"model": "hf:owner/name/more"}, "no such name"),
        ({"model": "hf:file://x"}, "no such name"),
        ({"sha256": "0"}, "no such name"),
        ({"source": ["a"]}, "a text"),
        ({"source": "a" * 20_001}, "20,001 characters"),
        ({"edits": ["__import__('os')"]}, "provenance, edits"),
        ({"edits": "zero_head"}, "a list"),
        ({"versions": []}, "versions"),
        ({"more": 1}, "an object of"),
        ({"version": 2}, "version 1"),
        ({"target": 3}, "a text"),
    ],
)
def test_untrusted_provenance_is_refused_in_words(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(TraceError, match=says):
        read_asked(asked(**changes))


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b"[" * 100_000, b"1" * 6000, b" " * 300_000])
def test_what_is_no_provenance_is_refused(data: bytes) -> None:
    with pytest.raises(TraceError, match="provenance"):
        read_asked(data)


@given(
    st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5), lambda some: st.lists(some, max_size=3))
)
def test_any_value_of_any_field_is_read_or_refused(value: Any) -> None:
    header = {"format": "attention-provenance", "version": 1, "model": "a", "sha256": "0" * 64, "source": "a"}
    header |= {"second": None, "target": None, "edits": [], "sites": [], "versions": {}, "record": "0" * 64}
    for name in header:
        try:
            assert read_asked(json.dumps(header | {name: value}).encode())
        except TraceError:
            continue


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"model": "nobody-en-fr"}, "cannot be opened"),
        ({"sha256": "0" * 64}, "are others"),
        ({"source": "  "}, "cannot be run so"),
        ({"second": "Another."}, "cannot be run so"),
        ({"sites": ["decoder.7.cross.weights"]}, "cannot be run so"),
        ({"sites": ["nonsense"]}, "cannot be run so"),
        ({"edits": ["mask_key(decoder.9.cross,1)"]}, "cannot be run so"),
    ],
)
def test_what_cannot_be_asked_here_says_why(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(CaptureAgainError, match=says):
        capture_again(read_asked(asked(**changes)))


def test_a_record_of_no_model_cannot_be_asked_again() -> None:
    trace = AttentionTrace.from_arrays({"encoder.0.self": [[1.0]]}, source=["a"])
    with pytest.raises(TraceError, match="names no model"):
        asked_of(trace)
