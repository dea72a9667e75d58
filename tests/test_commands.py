"""Every command that README and docs name is there, and takes what is written behind it: run up to its arguments."""

from __future__ import annotations

import importlib
import re
import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperGroup

from models import load
from models.command import Command, command_of
from models.experiments.contextual import compare_word
from viz.command_line import all_commands

ROOT = Path(__file__).parents[1]
TEXTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b|\.\.\.")  # such as DIR or KEY: a value to fill in
_BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"`([^`]+)`")
_WHOLE = re.compile(r"(?:python3? -m viz|bin/attention-bench|^attention-bench)(?= |$)(.*)")
_COMMAND = re.compile(r"(?:python3? -m )?\b((?:models|viz|training|scale|benchmarks)(?:\.\w+)+)(.*)")


def code_lines(text: str) -> list[str]:
    """Return the lines of code of a text, in blocks and in sentences, without remarks."""
    written = [line.partition(" #")[0] for block in _BLOCK.findall(text) for line in block.splitlines()]
    lines = [each for line in written for each in line.split(" && ")]
    return lines + [" ".join(span.split()) for span in _SPAN.findall(_BLOCK.sub("", text))]


def commands_in(text: str) -> set[tuple[str, str]]:
    """Return the modules that a text runs, each with what is written behind it."""
    runs = (_COMMAND.search(line) for line in code_lines(text) if "-m " in line or line.startswith("benchmarks."))
    return {(command[1], command[2].strip()) for command in runs if command}


def whole_commands(text: str) -> set[str]:
    """Return what a text writes behind the one command line."""
    return {found[1].strip() for line in code_lines(text) if (found := _WHOLE.search(line))}


COMMANDS = sorted(set().union(*(commands_in(each.read_text(encoding="utf8")) for each in TEXTS)))


def command_in(module: str) -> Command:
    """Return the command that `python -m` runs."""
    spec = find_spec(module)
    assert spec is not None, module
    name = module if spec.submodule_search_locations is None else f"{module}.__main__"
    return command_of(importlib.import_module(name).main)


def options_of(command: Command) -> set[str]:
    return {name for each in command.params for name in each.opts}


def test_an_option_that_a_command_does_not_take_is_seen() -> None:
    options = options_of(command_in("viz.export_lesson"))
    assert "--out" in options
    assert "--output-folder" not in options


def test_what_the_docs_say_of_a_word_in_two_sentences_is_what_is_computed() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf8")
    found = compare_word(load("hf:minilm"), "He bought new shoes.", "He moved to New York.", "new")
    for name, values in (("cosines", found.cosines), ("baseline", found.baseline)):
        (said,) = re.findall(rf"^found\.{name}  # (.*)$", page, re.MULTILINE)
        assert said == " ".join(f"{each:.2f}" for each in values)


def test_the_commands_are_found() -> None:
    text = "Run `python -m scale.corpus\nKEY --out X`, or `benchmarks.page`; `models.edits` is no command.\n"
    block = "```bash\nA=1 .venv/bin/python -m viz.export_lesson many-heads   # a remark\n```\n"
    assert commands_in(text) == {("scale.corpus", "KEY --out X"), ("benchmarks.page", "")}
    assert commands_in(block) == {("viz.export_lesson", "many-heads")}
    assert len(COMMANDS) > 40


@pytest.mark.parametrize(("module", "written"), COMMANDS, ids=lambda each: each or "alone")
def test_a_command_is_there_and_takes_what_is_written_behind_it(module: str, written: str) -> None:
    command = command_in(module)
    words = shlex.split(written)
    assert {each.partition("=")[0] for each in words if each.startswith("--")} <= options_of(command)
    if words and not PLACEHOLDER.search(written):
        command.make_context(module, words)


WHOLE = sorted({written for text in TEXTS for written in whole_commands(text.read_text(encoding="utf8"))})


@pytest.mark.parametrize("written", WHOLE, ids=lambda each: each or "alone")
def test_the_one_command_line_takes_what_is_written_behind_it(written: str) -> None:
    command: Any = all_commands()
    words = shlex.split(written)
    while isinstance(command, TyperGroup) and words and not words[0].startswith("-"):
        command = command.commands[words.pop(0)]
    if words and not PLACEHOLDER.search(written):
        command.make_context("attention-bench", words)


def test_the_one_command_line_is_documented() -> None:
    assert len(WHOLE) >= 5
