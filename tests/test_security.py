"""Every claim of docs/security.md names tests that hold it; here are those of its claims that belong to no one part."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any

import models
from viz.server.runtime import Host

ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "docs" / "security.md").read_text(encoding="utf8")
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


def claims(text: str) -> list[str]:
    """Return the parts of a document that claim something: its paragraphs, entries of lists, and tables.

    A paragraph, a table or a block of code goes on to the tests that are named below it.
    """
    parts = re.split(r"\n(?=- )|\n\n(?=## )|(?<=`)\n\n|\n\n(?=- )", text)
    return [part for part in parts if re.sub(r"(?m)^#.*", "", part).strip()]


def test_every_claim_names_a_test_and_each_test_is_there() -> None:
    assert len(claims(DOCUMENT)) > 30
    for claim in claims(DOCUMENT):
        assert NAMED.search(claim), f"no test is named for: {claim}"
    for file, name in NAMED.findall(DOCUMENT):
        functions = {each.name for each in _functions(ROOT / "tests" / file)}
        assert name in functions, f"{file}::{name}"


def test_a_claim_without_a_test_is_seen() -> None:
    text = "# A\n\nOne.\n`a.py::test_a`\n\n## B\n\n- One.\n  `a.py::test_a`\n- Another.\n- Third.\n  `a.py::test_a`\n"
    assert [bool(NAMED.search(each)) for each in claims(text)] == [True, True, False, True]


def _functions(path: Path) -> list[ast.FunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf8"))
    return [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]


def test_nothing_that_comes_over_a_line_is_unpickled() -> None:
    """What Python would run while it reads is imported nowhere between server and service, nor where files are read."""
    folders = (ROOT / "scale", ROOT / "models" / "trace", ROOT / "viz")
    for path in (path for folder in folders for path in folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {"pickle", "marshal", "shelve", "dill"} & set(names), path
            allows = isinstance(node, ast.keyword) and node.arg == "allow_pickle"
            assert not (allows and getattr(node.value, "value", True)), path


def test_there_is_no_other_cookie_of_ours() -> None:
    told = set(re.findall(r"`(attention-bench[a-z-]*)`", DOCUMENT))
    places = [ROOT / "viz" / "widgets" / each for each in ("room/who.py", "lesson/place.py", "greeting.py")]
    ours = {name for path in places for name in re.findall(r'"(attention-bench-[a-z]+)"', path.read_text())}
    caddyfile = (ROOT / "deploy" / "Caddyfile").read_text()
    proxys = set(re.findall(r'Set-Cookie "([\w-]+)=|lb_policy cookie ([\w-]+)', caddyfile))
    assert told == ours | {one or other for one, other in proxys}
    assert len(ours) == 4
    setting = {path.name for path in (ROOT / "viz").rglob("*.js") if "document.cookie" in path.read_text()}
    assert setting == {"bar.js", "greeting.js", "room.js"}


WRITTEN: list[str] = []
WATCHING: list[bool] = []


def _watch(event: str, given: tuple[Any, ...]) -> None:
    if WATCHING and event == "open" and isinstance(given[1], str) and set(given[1]) & set("wax+"):
        WRITTEN.append(str(given[0]))


def test_a_sentence_is_written_to_no_file(tmp_path: Path) -> None:
    """Nor is any other file written while models attend to it."""
    host = Host(lambda key, _progress: models.load(key))
    host.attend("bahdanau-en-fr", "Loaded.")
    sys.addaudithook(_watch)
    WATCHING.append(True)
    try:
        (tmp_path / "seen").write_text("")
        host.attend("bahdanau-en-fr", "Nobody writes this sentence down.")
    finally:
        WATCHING.clear()
    assert [Path(each).name for each in WRITTEN] == ["seen"]  # as the watch sees what is written
