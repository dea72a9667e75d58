"""What an owner may set: read in one place, told in one place, and named where it cannot be."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.server.configuration import (
    PREFIX,
    Configuration,
    ConfigurationError,
    configuration,
    kept_while_served,
    read_configuration,
    variables,
)

ROOT = Path(__file__).parents[3]
OWN = re.compile(rf"{PREFIX}[A-Z_]+[A-Z]")


@pytest.mark.parametrize(
    ("name", "text", "field", "value"),
    [
        ("HUB", "on", "hub", True),
        ("HUB", " OFF ", "hub", False),
        ("HUB", "a/b, c/d", "hub", ("a/b", "c/d")),
        ("HUB", "", "hub", None),
        ("HUB_MEGABYTES", "200", "hub_largest", 200_000_000),
        ("HUB_DISK_MEGABYTES", "900", "hub_disk", 900_000_000),
        ("MODELS", str(ROOT / "docs"), "folders", (ROOT / "docs",)),
    ],
)
def test_a_variable_sets_its_field(name: str, text: str, field: str, value: object) -> None:
    assert getattr(read_configuration({PREFIX + name: text, "HOME": "x"}), field) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("HUB", "no"),
        ("HUB", "a/b,,"),
        ("HUB_MEGABYTES", "0"),
        ("HUB_MEGABYTES", "1 GB"),
        ("HUB_MEGABYTES", "\uff19"),
        ("HUB_DISK_MEGABYTES", "-1"),
        ("HUB_DISK_MEGABYTES", "9" * 5000),
        ("MODELS", "/no/such/folder"),
    ],
)
def test_what_cannot_be_is_named_with_what_may_be(name: str, text: str) -> None:
    allowed = variables()[PREFIX + name][1].allowed
    with pytest.raises(ConfigurationError, match=re.escape(f"{PREFIX}{name} is {allowed}; got {text!r}")):
        read_configuration({PREFIX + name: text})


def test_every_mistake_is_named_at_once_a_name_that_there_is_not_among_them() -> None:
    with pytest.raises(ConfigurationError) as raised:
        read_configuration({f"{PREFIX}HUB": "no", f"{PREFIX}HUB_MEGABYTE": "5", f"{PREFIX}QUITE_ELSE": "5"})
    for said in (f"{PREFIX}HUB is on", f"is {PREFIX}HUB_MEGABYTES meant?", f"There is no {PREFIX}QUITE_ELSE."):
        assert said in str(raised.value)


@pytest.mark.parametrize("name", sorted(variables()))
@pytest.mark.parametrize("written", [str.lower, str.title, str.capitalize])
def test_a_variable_that_is_not_in_capitals_is_named(name: str, written: Callable[[str], str]) -> None:
    with pytest.raises(ConfigurationError, match=f"{written(name)} is written {name}"):
        read_configuration({written(name): "off"})
    with pytest.raises(ConfigurationError, match=f"There is no {written(name)}x; is {name} meant"):
        read_configuration({f"{written(name)}x": "off"})


@pytest.mark.parametrize("port", [0, 65536, 99999])
@pytest.mark.parametrize("variable", ["SERVE", "FRAMED_BY"])
def test_a_port_that_there_is_not_is_refused(variable: str, port: int) -> None:
    for right in (1, 65535):
        read_configuration({f"{PREFIX}{variable}": f"https://school.example:{right}"})
    with pytest.raises(ConfigurationError, match=f"{PREFIX}{variable} is"):
        read_configuration({f"{PREFIX}{variable}": f"https://school.example:{port}"})


@given(st.dictionaries(st.sampled_from(sorted(variables())), st.text(max_size=30)))
def test_any_text_is_read_or_named(environment: dict[str, str]) -> None:
    try:
        read_configuration(environment)
    except ConfigurationError as error:
        assert any(name in str(error) for name in environment)  # noqa: PT017


def test_a_change_of_the_environment_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{PREFIX}HUB", "off")
    assert configuration().hub is False
    monkeypatch.delenv(f"{PREFIX}HUB")
    monkeypatch.delenv(f"{PREFIX}WORKERS", raising=False)  # as all tests set it
    assert configuration() == Configuration()


def test_owners_are_told_of_each_variable_as_it_is_read() -> None:
    told = (ROOT / "docs" / "configuration.md").read_text(encoding="utf8")
    rows = dict(re.findall(rf"^\| `({PREFIX}\w+)` \| ([^|]+) \|", told, flags=re.MULTILINE))
    assert rows == {name: kind.allowed for name, (_field, kind, _usual) in variables().items()}


def test_no_file_names_a_variable_that_there_is_not() -> None:
    files = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*.py")]
    files += [path for folder in ("models", "viz", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    named = {name for path in files for name in OWN.findall(path.read_text(encoding="utf8"))}
    assert named <= set(variables())


def test_nothing_else_reads_the_environment() -> None:
    """Training and what starts a process of models, strangers' or ours, hand theirs on whole and read nothing of it.

    What starts Ray sets Ray's own, and a replica looks whether they were set. The command line sets what it was given,
    and looks whether there is a screen.
    """
    may = {"viz/server/configuration.py", "models/huggingface/apart.py", "training/train.py"}
    may |= {
        "viz/command_line.py",
        "viz/server/worker.py",
        "scale/serve/__main__.py",
        "scale/serve/on_ray.py",
        "scale/on_ray.py",
    }
    reading = set()
    for path in (path for folder in ("models", "viz") for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv"):
                reading.add(path.relative_to(ROOT).as_posix())
    assert reading <= may


def test_the_usual_values_are_allowed_ones() -> None:
    assert read_configuration({}) == Configuration()
    assert os.pathsep == ":"  # as docs/configuration.md says


def test_a_server_reads_its_environment_once_and_tests_read_it_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_BENCH_CHARACTERS", "30")
    with kept_while_served():
        monkeypatch.setenv("ATTENTION_BENCH_CHARACTERS", "40")
        assert configuration().most_characters == 30
    assert configuration().most_characters == 40
