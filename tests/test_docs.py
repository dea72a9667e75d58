"""README and docs: paths and links exist, the README is short, its Python runs, one command makes all pictures."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path
from runpy import run_path

import plotly.graph_objects as go
import pytest
import yaml

from benchmarks.pictures import PAGES
from tests.models.test_recipes import GIVEN

ROOT = Path(__file__).parents[1]
TEXTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
TOP = {each.name for each in ROOT.iterdir() if not each.name.startswith(".")}
_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*/?")
_FENCE = re.compile(r"^```\w*\n.*?^```", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"\.(?:py|js|md|toml|yaml|sh|css|html)$")
_OF_MANY = {"page.py", "settings.py"}
"""Files that each page has."""


def paths_in(text: str) -> set[str]:
    """Return what a text names as paths from the root: files and folders below one of the top level."""
    spans = re.findall(r"`([^`\n]+)`", _FENCE.sub("", text))
    return {each for each in spans if _PATH.fullmatch(each) and each.partition("/")[0] in TOP and "/" in each}


def links_in(text: str) -> set[str]:
    """Return the files that a text links to."""
    targets = re.findall(r"\]\(([^)\s]+)\)", _FENCE.sub("", text))
    return {each.partition("#")[0] for each in targets if not each.startswith(("http://", "https://", "#"))}


@pytest.mark.parametrize("page", TEXTS, ids=lambda each: each.stem)
def test_every_path_and_link_of_a_page_exists(page: Path) -> None:
    text = page.read_text(encoding="utf8")
    assert {each for each in paths_in(text) if not (ROOT / each).exists()} == set()
    assert {each for each in links_in(text) if not (page.parent / each).exists()} == set()


def test_the_architecture_names_files_by_their_paths_from_the_root() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf8")
    spans = {each for each in re.findall(r"`([^`\n]+)`", text) if _PATH.fullmatch(each)}
    named = {each for each in spans if _FILE.search(each) or "/" in each}
    assert named - paths_in(text) - _OF_MANY <= {"app.py", "pyproject.toml"}
    assert len(paths_in(text)) > 70
    for folder in ("models", "viz"):
        told = {each.split("/")[1].removesuffix(".py") for each in paths_in(text) if each.startswith(f"{folder}/")}
        packages = {each.name for each in (ROOT / folder).iterdir() if (each / "__init__.py").is_file()}
        assert packages <= told


def test_a_path_that_does_not_exist_is_seen() -> None:
    assert paths_in("`viz/no.py`, `models/trace/`, `a/b`, `python -m x`\n```\n`viz/x.py`\n```\n") == {
        "viz/no.py",
        "models/trace/",
    }
    assert links_in("[a](b.md#c) ![d](e.png) [f](https://g)") == {"b.md", "e.png"}


def test_readme_and_changelog_are_short() -> None:
    assert (ROOT / "README.md").stat().st_size <= 12 * 1024
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf8")
    newest, first = changes.split("\n## [1.0.0]")
    assert len(first.encode()) <= 4 * 1024
    for line in newest.partition("## [Unreleased]")[2].splitlines():
        assert not line or line.startswith(("### ", "- ")), f"one line a change: {line}"


def test_the_first_command_of_the_readme_is_a_shallow_clone() -> None:
    blocks = re.findall(r"```bash\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf8"), re.DOTALL)
    assert blocks[0].startswith("git clone --depth 1 ")


def test_the_python_of_the_readme_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    shown: list[go.Figure] = []
    monkeypatch.setattr(go.Figure, "show", lambda figure: shown.append(figure))
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf8"), re.DOTALL)
    assert len([line for line in code.splitlines() if line]) <= 10
    exec(compile(code, "README.md", "exec"), {})
    assert len(shown) == 1
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("page", TEXTS, ids=lambda each: each.stem)
def test_each_block_of_python_has_its_imports(page: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf8"), re.DOTALL)
    for code in blocks:
        is_recipe = "# transformers: " in code
        of_others = {"tokenizer", *chain(*(given() for given in GIVEN.values()))} if is_recipe else set()
        command = [sys.executable, *"-m ruff check --isolated --select F821 --output-format json -".split()]
        done = subprocess.run(command, input=code, capture_output=True, text=True)
        missing = {re.findall("`(.*)`", each["message"])[0] for each in json.loads(done.stdout)}
        assert missing <= of_others, code
    assert blocks or page.stem not in {"README", "python"}


def test_a_page_calls_the_service_in_one_way() -> None:
    for page in TEXTS:
        ways = re.findall(r"scale\.serve\b|attention-bench serve|viz serve", page.read_text(encoding="utf8"))
        assert len(set(ways)) <= 1, page


def test_the_usage_names_every_model_that_comes_in_a_package_of_its_own() -> None:
    text = (ROOT / "docs" / "usage.md").read_text(encoding="utf8")
    packages = run_path(str(ROOT / "deploy" / "wheel.py"))["weight_packages"]()
    for package, names in packages.items():
        (line,) = re.findall(rf"^- `{package}`: (.*)$", text, re.MULTILINE)
        assert re.findall("`([^`]+)`", line) == sorted(names)


def test_every_picture_of_the_docs_is_made_by_the_command() -> None:
    assert {each.stem for each in (ROOT / "docs").glob("*.png")} == {*PAGES, "reversal"}
    used = {Path(each).name for page in TEXTS for each in links_in(page.read_text(encoding="utf8"))}
    assert {f"{name}.png" for name in (*PAGES, "reversal")} <= used


def test_the_citation_says_what_the_project_says() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["cff-version"] == "1.2.0"
    assert citation["authors"] == [{"name": "Attention Bench developers"}]
    assert citation["license"] == project["license"]
    assert citation["version"] == project["version"]
    released = f"## [{citation['version']}] - {citation['date-released']}"
    assert released in (ROOT / "CHANGELOG.md").read_text(encoding="utf8")
    bibtex = dict(
        re.findall(r"^  (\w+) += \{+([^{}]+)\}+", (ROOT / "docs" / "usage.md").read_text("utf8"), re.MULTILINE)
    )
    year = citation["date-released"][:4]
    said = {
        "author": citation["authors"][0]["name"],
        "title": citation["title"],
        "version": citation["version"],
        "year": year,
    }
    assert bibtex == said
