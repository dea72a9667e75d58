"""The benchmarks that need no browser run, and return a figure for each thing that they name."""

from argparse import Namespace

import pytest

from benchmarks import attend, capture, heads


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
