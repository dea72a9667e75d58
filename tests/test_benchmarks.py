"""The benchmarks that need no browser run, and return a figure for each thing that they name."""

from argparse import Namespace

import pytest
from streamlit.proto.BidiComponent_pb2 import BidiComponent
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks import attend, capture, classroom, heads, visitor
from viz.canvas.payload import pack


def test_capture_of_a_pretrained_model_is_compared_with_the_bare_network() -> None:
    rows = heads.capture_rows(Namespace(capture_rounds=2))
    assert [row["figure"].rpartition(": ")[2] for row in rows] == [
        "sdpa again / sdpa",
        "attend / sdpa",
        "observed pass / sdpa",
    ]
    assert all("128 tokens" in row["figure"] and float(row["value"]) > 0 for row in rows)


@pytest.mark.parametrize("module", [attend, capture])
def test_our_own_models_are_timed(
    module: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["benchmark", "luong-general-en-fr", "--rounds", "3"])
    module.main()  # type: ignore[attr-defined]
    said = capsys.readouterr().out
    assert "luong-general-en-fr" in said
    assert "|" in said


def test_a_class_is_summed_up() -> None:
    """Half of the replies take no longer than the median, and what went wrong is counted."""
    visitors = [visitor.Visitor(number, 0) for number in range(2)]
    for each, times in zip(visitors, ((10, 20, 30), (40, 500)), strict=True):
        each.replies = [visitor.Reply(time, 2000, 0) for time in times]
    visitors[1].errors = ["visitor 1: TimeoutError"]
    lesson = classroom.Lesson(visitors, let_in=1.5, seconds=10, memory=[1.0, 2.0], cpu=0.5)
    row = classroom.row_of(classroom.Target("Bench"), lesson)
    assert (row["median ms"], row["p95 ms"], row["worst ms"]) == (30, 500, 500)
    assert (row["errors"], row["KB a reply"], row["edits"]) == (1, 2.0, "5 (0.5 a second)")
    assert classroom.row_of(classroom.Target("Bench"), classroom.Lesson([], 0, 1, [], 0))["median ms"] == "none"


def test_a_visitor_finds_its_word_in_a_picture() -> None:
    """In the compressed bytes of a canvas as in the figure of a chart; and an error on the page is no reply."""
    canvas = BidiComponent(bytes=pack({"tokens": ["garden"]}, b""))
    assert "garden" in visitor.text_of(canvas)
    message = ForwardMsg()
    message.delta.new_element.exception.message = "it broke"
    with pytest.raises(visitor.PageError, match="it broke"):
        visitor.Visitor(0, 0)._take(message, "garden")
