"""The repository itself: what the README promises is what is run, and each dependency is declared with its reason."""

from __future__ import annotations

import ast
import json
import os
import platform
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, metadata, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from training.report import PAGE, with_tables

ROOT = Path(__file__).parents[1]
DISTRIBUTIONS = {
    "markdown_it": "markdown-it-py",
    "axe_playwright_python": "axe-playwright-python",
    "yaml": "pyyaml",
    "PIL": "pillow",
    "google": "protobuf",
    "fontTools": "fonttools",
    "IPython": "ipython",
}  # where the name to install is not the name to import
FOLDERS = {each.name for each in ROOT.iterdir() if each.is_dir()}
OWN = {"models", "viz", "training", "scale", "app", "pages", "tests", "benchmarks"}


def marked_block(text: str, marker: str) -> str:
    """Return the contents of the code block that follows ``<!-- marker -->``; ValueError if there is none."""
    found = re.search(rf"^<!-- {re.escape(marker)} -->\n```bash\n(.*?)\n```$", text, flags=re.DOTALL | re.MULTILINE)
    if found is None:
        message = f"no ```bash block follows <!-- {marker} -->"
        raise ValueError(message)
    return found[1]


def command_lines(script: str) -> list[str]:
    return [line for line in script.splitlines() if line.strip() and not line.startswith("#")]


def requirements(name: str) -> dict[str, str]:
    """Return each distribution that a requirements file names, with what it allows; the reason must stand above it."""
    lines = (ROOT / name).read_text(encoding="utf8").splitlines()
    found = {}
    for above, line in zip(["", *lines], lines, strict=False):
        if not line or line.startswith(("#", "-r")):
            continue
        assert above.startswith("# "), f"{name}: no reason stands above {line!r}"
        distribution, versions = re.fullmatch(r"([A-Za-z0-9_-]+)(?:\[\w+\])?(\S*)", line).groups()  # type: ignore[union-attr]
        found[distribution.lower()] = versions
    return found


def extra(name: str) -> set[str]:
    """Return the distributions of an extra, each with the bounds that requirements-dev.txt has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    declared = [re.split(r"(?=[><=])", each, maxsplit=1) for each in project["optional-dependencies"][name]]
    developed = requirements("requirements-dev.txt")
    assert all(developed[distribution] == versions for distribution, versions in declared)
    return {distribution for distribution, _ in declared}


def imported_libraries(paths: list[Path]) -> set[str]:
    """Return the distributions that files import from outside the standard library and the repository."""
    own = OWN | {path.stem for path in (ROOT / "tests").glob("*.py")}
    names = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    return {DISTRIBUTIONS.get(name, name) for name in names - own - sys.stdlib_module_names}


def test_ci_runs_exactly_the_test_command_of_the_readme() -> None:
    command = marked_block((ROOT / "README.md").read_text(encoding="utf8"), "test")
    script = (ROOT / ".ci" / "run").read_text(encoding="utf8")
    assert command_lines(script)[-1] == command
    assert script.count(".venv/bin/") == command.count(".venv/bin/")


def test_the_comparison_sees_another_command() -> None:
    readme = "<!-- test -->\n```bash\n.venv/bin/pytest\n```\n"
    assert marked_block(readme, "test") == ".venv/bin/pytest"
    assert command_lines("#!/bin/bash\n\n.venv/bin/pytest -x\n")[-1] != marked_block(readme, "test")
    with pytest.raises(ValueError, match="no ```bash block follows <!-- run -->"):
        marked_block(readme, "run")


def test_ci_stops_at_the_first_failure_and_can_be_executed() -> None:
    script = ROOT / ".ci" / "run"
    assert script.read_text(encoding="utf8").startswith("#!/usr/bin/env bash\n")
    assert "set -euo pipefail" in command_lines(script.read_text(encoding="utf8"))
    assert os.access(script, os.X_OK)


@pytest.mark.parametrize("marker", ["run", "test"])
def test_each_command_of_the_readme_is_one_line_and_names_what_is_there(marker: str) -> None:
    command = marked_block((ROOT / "README.md").read_text(encoding="utf8"), marker)
    assert "\n" not in command
    files = re.findall(r"\b[\w-]+\.(?:txt|py)\b", command)
    assert files
    for name in files:
        assert (ROOT / name).is_file()


def test_the_results_on_the_page_of_models_are_those_of_the_cards() -> None:
    page = PAGE.read_text(encoding="utf8")
    assert with_tables(page) == page, "run python -m training.report"


def test_the_server_tells_nobody_and_takes_and_sends_no_more_than_it_needs() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf8"))
    assert config["browser"]["gatherUsageStats"] is False
    assert 0 < config["server"]["maxUploadSize"] <= 21  # a saved trace of 20 MB, with what a browser puts around it
    assert 0 < config["server"]["maxMessageSize"] <= 50
    # none is called by its hash: the client may have forgotten it, and would end the visit
    assert config["global"]["minCachedMessageSize"] > config["server"]["maxMessageSize"] * 1_000_000


def test_what_the_app_imports_is_in_requirements() -> None:
    scale = [*(ROOT / "scale").rglob("*.py")]
    widgets = [*(ROOT / "viz" / "notebook").rglob("*.py")]
    paths = [path for folder in ("models", "viz") for path in (ROOT / folder).rglob("*.py") if path not in widgets]
    app = set(requirements("requirements.txt"))
    assert imported_libraries(widgets) <= app | extra("notebook") | {"ipython"}  # which every notebook has
    assert imported_libraries([*paths, *ROOT.glob("*.py")]) <= app
    assert imported_libraries(scale) <= app | set(requirements("requirements-scale.txt"))


def test_what_only_training_tests_and_benchmarks_import_is_in_requirements_dev() -> None:
    declared = set(requirements("requirements.txt")) | set(requirements("requirements-dev.txt"))
    folders = ("training", "tests", "benchmarks")
    assert imported_libraries([path for name in folders for path in (ROOT / name).rglob("*.py")]) <= declared


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt", "requirements-scale.txt"])
def test_each_dependency_is_bounded_on_both_sides(name: str) -> None:
    for distribution, versions in requirements(name).items():
        exact = versions.startswith("==")
        assert exact or re.fullmatch(r">=[\d.]+,<[\d.]+", versions), f"{distribution}{versions}"


def test_torch_is_pinned_and_the_development_tools_come_on_top_of_what_runs() -> None:
    assert requirements("requirements.txt")["torch"] == "==2.13.0"
    lines = (ROOT / "requirements-dev.txt").read_text(encoding="utf8").splitlines()
    assert {"-r requirements.txt", "-r requirements-scale.txt"} <= set(lines)
    for path in (ROOT / "tests").rglob("test_on_ray.py"):
        assert "importorskip" not in path.read_text(encoding="utf8")


def test_a_bar_of_progress_is_for_a_terminal_alone() -> None:
    bare, found = set[str](), 0
    for path in [*ROOT.glob("*.py"), *(each for name in sorted(OWN & FOLDERS) for each in (ROOT / name).rglob("*.py"))]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in {"tqdm", "trange"}:
                found += 1
                if not [each for each in node.keywords if each.arg == "disable" and ast.unparse(each.value) == "None"]:
                    bare.add(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert found > 30
    assert not bare


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))
PYTHONS = ("3.11", "3.12", "3.13")
LEFT_OUT = {re.split(r"\W*;", each)[0] for each in PROJECT["tool"]["uv"]["override-dependencies"]}
"""What packages ask for and nothing imports."""


def locked() -> dict[str, tuple[str, list[str]]]:
    """Return each package of the lock, with its version and its hashes."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf8")
    entry = re.compile(
        r"^([a-z0-9._-]+)==([^ ;]+)(?: ;.*)? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n?)+)", re.MULTILINE
    )
    found = {name: (version, re.findall(r"[0-9a-f]{64}", hashes)) for name, version, hashes in entry.findall(lock)}
    assert len(found) == len(re.findall(r"^[a-z0-9]", lock, flags=re.MULTILINE))
    return found


def test_the_lock_pins_by_hash_all_that_the_app_takes_within_its_ranges() -> None:
    pins = locked()
    for distribution, versions in requirements("requirements.txt").items():
        assert SpecifierSet(versions).contains(pins[distribution.replace("_", "-")][0]), distribution
    assert pins["torch"][0].endswith("+cpu")
    assert len(pins["torch"][1]) == len(PYTHONS)  # a wheel for each
    assert not [name for name in pins if name.startswith(("nvidia", "triton"))]


def test_the_lock_is_whole_and_leaves_out_what_nothing_imports() -> None:
    """It is installed with --no-deps: what a package asks for is in it, on each Python, or is left out on purpose."""
    pins = locked()
    assert not {*LEFT_OUT, "scikit-learn", "joblib", "threadpoolctl"} & set(pins)
    checked = [name for name, (version, _) in pins.items() if installed(name) == version]
    assert checked
    for name in checked:
        for wish in map(Requirement, metadata(name).get_all("Requires-Dist") or []):
            if any(wish.marker is None or wish.marker.evaluate(on_linux(each)) for each in PYTHONS):
                assert canonicalize_name(wish.name) in {*pins, *LEFT_OUT}, f"{name} asks for {wish}"


def installed(name: str) -> str:
    """Return the version of a package in this environment; empty if it is not there."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def on_linux(python: str) -> dict[str, str]:
    """Return what a marker sees of a Python on a server."""
    machine = {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64", "os_name": "posix"}
    return machine | {"python_version": python, "python_full_version": f"{python}.0", "extra": ""}


def test_each_text_names_the_same_pythons() -> None:
    wanted = PROJECT["project"]["requires-python"]
    assert [f"3.{minor}" for minor in range(30) if SpecifierSet(wanted).contains(f"3.{minor}.1")] == list(PYTHONS)
    assert SpecifierSet(wanted).contains(platform.python_version())
    assert PROJECT["project"]["classifiers"] == [f"Programming Language :: Python :: {each}" for each in PYTHONS]
    for path in ROOT.glob("deploy/weights/*/pyproject.toml"):
        assert tomllib.loads(path.read_text(encoding="utf8"))["project"]["requires-python"] == wanted
    first, last = PYTHONS[0], PYTHONS[-1]
    assert f"Python {first} to {last}" in (ROOT / "requirements.lock").read_text(encoding="utf8").partition("\n")[0]
    assert f"With Python {first} to {last}" in (ROOT / "README.md").read_text(encoding="utf8")
    assert PROJECT["tool"]["mypy"]["python_version"] == first
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py{first.replace('.', '')}"


def test_the_notice_credits_all_data_that_a_card_names() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf8")
    cards = [json.loads(path.read_text(encoding="utf8")) for path in ROOT.glob("models/weights/**/card.json")]
    assert cards
    for each in (data for card in cards for data in card["data"]):
        assert f"- {each['name']} ({each['licence']}): {each['credit']}" in notice


def test_the_licence_is_the_one_that_the_project_declares() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    text = (ROOT / "LICENSE").read_text(encoding="utf8")
    assert project["license"] == "Apache-2.0"
    assert "Apache License\n                           Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text
