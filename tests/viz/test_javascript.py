"""JavaScript passes the gates that Python does: types checked strictly, a linter, unit tests."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support import node_tools
from tests.support.node_tools import ROOT, installed, run
from viz.canvas.bundle import bundled
from viz.canvas.parts import _FILES, parts_of

SCRIPTS = sorted((ROOT / "viz").rglob("*.js"))
WRONG = 'import { fill } from "./payload.js";\n\nexport const a = fill(1, { b: 2 });\nvar c = a == 3;\n'


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Return a copy of all that the tools look at, in which a script can be wrong."""
    installed()
    for path in (*ROOT.glob("*.json"), ROOT / ".oxlintrc.json", *SCRIPTS, *(ROOT / "viz").rglob("*.d.ts")):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    (tmp_path / "tests").mkdir()
    (tmp_path / "node_modules").symlink_to(node_tools.MODULES)
    return tmp_path


@pytest.mark.parametrize("script", ["check", "lint", "test"])
def test_the_scripts_pass(script: str) -> None:
    installed()
    told = run("npm", "run", "--silent", script)
    assert told.returncode == 0, told.stdout + told.stderr


def test_a_wrong_type_is_found(copied: Path) -> None:
    (copied / "viz" / "canvas" / "wrong.js").write_text(WRONG, encoding="utf8")
    told = run("npm", "run", "--silent", "check", cwd=copied)
    assert re.findall(r"(\S+)\(\d+,\d+\): error", told.stdout) == ["viz/canvas/wrong.js"] * 2


def test_the_linter_finds_what_is_not_used_and_what_is_loose(copied: Path) -> None:
    (copied / "viz" / "canvas" / "wrong.js").write_text(WRONG, encoding="utf8")
    told = run("npm", "run", "--silent", "lint", cwd=copied)
    assert told.returncode
    assert {"no-var", "no-unused-vars", "eqeqeq"} <= set(re.findall(r"eslint\(([\w-]+)\)", told.stdout))


def test_no_script_is_left_out_of_the_check() -> None:
    told = run(str(installed() / "tsc"), "--listFilesOnly")
    assert {Path(line) for line in told.stdout.split() if line.endswith(".js")} == set(SCRIPTS)


def test_no_gate_is_weakened() -> None:
    options = json.loads((ROOT / "tsconfig.json").read_text(encoding="utf8"))["compilerOptions"]
    assert options["strict"] is options["checkJs"] is options["noEmit"] is True
    assert [name for name, value in options.items() if value is False] == []
    texts = {path.name: path.read_text(encoding="utf8") for path in SCRIPTS}
    assert [name for name, text in texts.items() if re.search(r"@ts-|oxlint-disable|eslint-disable", text)] == []
    assert {
        name: count for name, text in texts.items() if (count := len(re.findall(r"\bany\b", code_types(text))))
    } == {
        "canvas.js": 1  # of a field that the first payload fills
    }


def code_types(text: str) -> str:
    """Return what a script says in JSDoc."""
    return "\n".join(re.findall(r"/\*\*.*?\*/", text, re.DOTALL))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_script_is_too_long_to_read(path: Path) -> None:
    assert len(path.read_text(encoding="utf8").splitlines()) < 300


def test_what_a_browser_gets_can_be_read_by_one(tmp_path: Path) -> None:
    made = {name: parts_of(name).script for name in _FILES} | {path.stem: bundled(path) for path in SCRIPTS}
    for name, text in made.items():
        (tmp_path / f"{name}.js").write_text(text, encoding="utf8")
    told = run(str(installed() / "oxlint"), "--allow", "all", str(tmp_path))
    assert told.returncode == 0, told.stdout
    (tmp_path / "twice.js").write_text("const a = 1;\nfunction a() {}\n", encoding="utf8")
    assert run(str(installed() / "oxlint"), "--allow", "all", str(tmp_path)).returncode


def test_the_tools_are_pinned_and_those_of_the_lock_file() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf8"))["packages"]
    for name, version in node_tools.PINNED.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version)
        assert lock[f"node_modules/{name}"]["version"] == version
    assert all("integrity" in each for path, each in lock.items() if path)


def test_without_npm_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    with pytest.raises(pytest.fail.Exception, match="npm is missing: install Node"):
        installed.__wrapped__()
