"""The benchmarks that need no browser run, and return a figure for each thing that they name."""

import lzma
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import psutil
import pytest
from streamlit.proto.BidiComponent_pb2 import BidiComponent
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks import classroom, heads, visitor
from scale.corpus.ship import SENTENCES
from tests.support.commands import exit_code
from tests.support.coroutines import run_apart
from tests.support.forking import Forks, forks_of
from viz.canvas.payload import pack

ROOT = Path(__file__).parent.parent


def test_capture_of_a_pretrained_model_is_compared_with_the_bare_network() -> None:
    rows = heads.capture_rows(2)
    assert [row["figure"].rpartition(": ")[2] for row in rows] == [
        "sdpa again / sdpa",
        "attend / sdpa",
        "observed pass / sdpa",
    ]
    assert all("128 tokens" in row["figure"] and float(row["value"]) > 0 for row in rows)


ONE_OF_EACH_KIND = (
    *("rctm-en-fr", "seq2seq-en-fr", "bahdanau-en-fr", "luong-general-en-fr", "luong-local-m-en-fr"),
    *("luong-local-p-en-fr", "hard-en-fr", "lstmn-deep-en-fr", "convs2s-en-fr", "transformer-relative-en-fr"),
)
SMALL: dict[str, tuple[tuple[str, ...], str]] = {
    "attend": ((*ONE_OF_EACH_KIND, "--rounds", "2"), "hard-en-fr"),
    "capture": (("luong-local-p-en-fr", "transformer-relative-en-fr", "--rounds", "2"), "luong-local-p-en-fr"),
    "classroom": (("heads", "1", "2", "--pause", "0.1"), "Heads"),
    "corpus": ((str(SENTENCES), "--sentences", "8"), "ratio"),
    "foreseen": (("bahdanau-en-fr", "--data", "{folder}", "--gold", "small"), "of 3"),
    "fuzz": (("edits", "--examples", "2"), "2 examples"),
    "labels": (("transformer-en-fr", "--most", "1"), "decoder cross"),
    "length": (("transformer-en-fr", "--rounds", "1"), "2048, ms"),
    "lesson_files": (("additive-by-hand", "--out", "{folder}"), "MB in"),
    "opening": (("bahdanau-en-fr", "--here"), "{"),
    "served": (("hop", "--rounds", "2"), "hf:minilm"),
}
"""Each command of `benchmarks` that needs neither a browser nor Ray, in a small form, with what it says."""
WITH_A_BROWSER = {"edits", "heads", "installing", "languages", "long_text", "page", "pictures"}
WITH_RAY = {"scaling"}
OF_MINUTES = {"damage", "families", "written"}
"""Their parts run in the tests of damaged files, of families and of written rows."""


def commands() -> set[str]:
    """Return what `python -m benchmarks.NAME` may be."""
    files = (ROOT / "benchmarks").rglob("*.py")
    found = [each for each in files if 'if __name__ == "__main__"' in each.read_text(encoding="utf8")]
    return {each.parent.name if each.stem == "__main__" else each.stem for each in found}


def test_every_command_is_known_and_every_command_of_the_texts_is_there() -> None:
    assert commands() == {*SMALL, *WITH_A_BROWSER, *WITH_RAY, *OF_MINUTES}
    texts = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "benchmarks").rglob("*.py")]
    named = {name for each in texts for name in re.findall(r"-m benchmarks\.(\w+)", each.read_text(encoding="utf8"))}
    assert named - {"NAME"} <= commands()


@pytest.mark.parametrize("name", sorted({*WITH_A_BROWSER, *WITH_RAY, *OF_MINUTES}))
def test_a_command_that_needs_more_says_what_it_takes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    module = import_module(f"benchmarks.{name}")
    assert f"python -m benchmarks.{name}" in (module.__doc__ or "")
    assert exit_code(module.main, "--help") == 0
    assert "Usage" in capsys.readouterr().out


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    """Return a way to run them with what others wrote imported already; each imports what is ours."""
    with forks_of("torch", "transformers", "streamlit.testing.v1", "plotly.graph_objects") as forks:
        yield forks


@pytest.mark.parametrize("name", SMALL)
def test_a_command_runs_in_a_small_form(name: str, forks: Forks, tmp_path: Path) -> None:
    arguments, expected = SMALL[name]
    gold = tmp_path / "gold" / "small.tsv.xz"
    gold.parent.mkdir()
    with lzma.open(gold, "wt", encoding="utf8") as lines:
        lines.write("1\tthe cat sleeps\tle chat dort\t0-0 1-1 2-2\n")
    command = [sys.executable, "-m", f"benchmarks.{name}", *(each.format(folder=tmp_path) for each in arguments)]
    ran = forks.run(command)
    assert ran.returncode == 0, ran.stderr.decode()[-2000:]
    assert expected in ran.stdout.decode()


def test_a_class_is_summed_up() -> None:
    """Half of the replies take no longer than the median, and what went wrong is counted."""
    visitors = [visitor.Visitor(number, 0) for number in range(2)]
    for each, times in zip(visitors, ((10, 20, 30), (40, 500)), strict=True):
        each.replies = [visitor.Reply(time, 2000, 0) for time in times]
    visitors[1].errors = ["visitor 1: TimeoutError"]
    lesson = classroom.Lesson(visitors, let_in=1.5, seconds=10, memory=[1.0, 2.0], cpu=(0.5, 0.7))
    row = classroom.row_of(classroom.Target("Bench"), lesson)
    assert (row["median ms"], row["p95 ms"], row["worst ms"]) == (30, 500, 500)
    assert (row["errors"], row["KB a reply"], row["edits"]) == (1, 2.0, "5 (0.5 a second)")
    assert classroom.row_of(classroom.Target("Bench"), classroom.Lesson([], 0, 1, [], (0, 0)))["median ms"] == "none"


def test_a_pause_is_spread_around_its_mean_and_none_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each visitor waits between 3 and 7 seconds where the mean is 5, and not at all where it is 0."""
    met: list[tuple[float, float]] = []

    async def visit(self: visitor.Visitor, begin: object, end: float, pause: tuple[float, float]) -> None:
        self.opened = 1.0
        met.append(pause)

    monkeypatch.setattr(visitor.Visitor, "visit", visit)
    for pause in (classroom.PAUSE, 0.0):
        here = psutil.Process()
        run_apart(classroom.hold(classroom.Target("Bench"), 1, 0.01, 1, here, first=0, pause=pause))
    assert met == [(3.0, 7.0), (0.0, 0.0)]


def test_a_visitor_finds_its_word_in_a_picture() -> None:
    """In the compressed bytes of a canvas as in the figure of a chart; and an error on the page is no reply."""
    canvas = BidiComponent(bytes=pack({"tokens": ["garden"]}, b""))
    assert "garden" in visitor.text_of(canvas)
    message = ForwardMsg()
    message.delta.new_element.exception.message = "it broke"
    with pytest.raises(visitor.PageError, match="it broke"):
        visitor.Visitor(0, 0)._take(message, "garden")
