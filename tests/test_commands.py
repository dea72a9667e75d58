"""Every command that README and docs name is there, and takes what is written behind it: run up to its arguments."""

from __future__ import annotations

import argparse
import importlib
import inspect
import re
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from models import load
from models.experiments.contextual import compare_word

ROOT = Path(__file__).parents[1]
TEXTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b|\.\.\.")  # such as DIR or KEY: a value to fill in
_BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"`([^`]+)`")
_COMMAND = re.compile(r"(?:python3? -m )?\b((?:models|viz|training|scale|benchmarks)(?:\.\w+)+)(.*)")


class StoppedError(Exception):
    """Ends a command where it reads its arguments, with what reads them."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self.parser = parser


def commands_in(text: str) -> set[tuple[str, str]]:
    """Return the modules that a text runs, each with what is written behind it."""
    lines = [line.partition(" #")[0] for block in _BLOCK.findall(text) for line in block.splitlines()]
    lines += [" ".join(span.split()) for span in _SPAN.findall(_BLOCK.sub("", text))]
    runs = (_COMMAND.search(line) for line in lines if "-m " in line or line.startswith("benchmarks."))
    return {(command[1], command[2].strip()) for command in runs if command}


COMMANDS = sorted(set().union(*(commands_in(each.read_text(encoding="utf8")) for each in TEXTS)))


def parser_of(module: str, monkeypatch: pytest.MonkeyPatch) -> argparse.ArgumentParser | None:
    """Run a command as far as it reads its arguments; None where it takes none, and is not run."""
    spec = find_spec(module)
    assert spec is not None, module
    name = module if spec.submodule_search_locations is None else f"{module}.__main__"
    main = importlib.import_module(name).main
    if "ArgumentParser" not in inspect.getsource(sys.modules[name]):
        return None

    def stop(parser: argparse.ArgumentParser, *_args: object) -> None:
        raise StoppedError(parser)

    with monkeypatch.context() as patched:
        for method in ("parse_args", "parse_known_args"):
            patched.setattr(argparse.ArgumentParser, method, stop)
        patched.setattr("sys.argv", [module])
        with pytest.raises(StoppedError) as stopped:
            main()
    return stopped.value.parser


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    options = set(parser._option_string_actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            options |= set().union(*map(options_of, action.choices.values()))
    return options


def test_an_option_that_a_command_does_not_take_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = parser_of("viz.export_lesson", monkeypatch)
    assert parser is not None
    assert "--out" in options_of(parser)
    assert "--output-folder" not in options_of(parser)


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
def test_a_command_is_there_and_takes_what_is_written_behind_it(
    module: str, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = parser_of(module, monkeypatch)
    words = shlex.split(written)
    if parser is None:
        return
    assert {each.partition("=")[0] for each in words if each.startswith("--")} <= options_of(parser)
    assert parser.format_help()
    if words and not PLACEHOLDER.search(written):
        parser.parse_args(words)
