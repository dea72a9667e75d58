"""The wheels: what is in them, and that they work beside anybody's files called as ours are."""

from __future__ import annotations

import ast
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections import Counter
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest

from models import cards
from tests.conftest import is_slow
from tests.support.browsing import ROOT
from tests.support.wheels import PROJECTS, fresh_environment, installed_app, wheels_of

WEIGHTS = ROOT / "models" / "weights"
LARGEST = 95_000_000  # bytes
OURS = {each.stem for each in ROOT.iterdir() if each.suffix == ".py" or (each / "__init__.py").is_file()} | {"tests"}
LIBRARY = ("models", "viz/figures", "viz/measures", "viz/views", "viz/canvas", "viz/notebook")
"""Folders of tests of what a notebook imports."""
OF_CLONE = re.compile(
    r"__file__|\bROOT\b|subprocess|sys\.modules|st_size|jsonl|streamlit|(?:from|import) (?:training|app|benchmarks)\b"
    r"|viz\.(?:server|pages|widgets|shell)"
)
"""In a test, or in what it imports of `tests/support`: a file of the clone, names of modules there, or the app."""
DOTTED = re.compile(r"[a-z_]+(\.\w+)+(:\w+)?")
TEN_LINES = """
import models, viz  # the reader's own
assert models.WHOSE == viz.WHOSE == "mine"
from attention_bench.models import load
from attention_bench.models.edits import mask_key
from attention_bench.viz.figures import alignment_heatmap
model = load("bahdanau-en-fr")
trace = model.attend("The cat sleeps.")
figure = alignment_heatmap(trace)
edited = model.attend("The cat sleeps.", edits=(mask_key("decoder.0.cross", 1),))
assert abs(trace["decoder.0.cross"].to_words().weights.sum(-1) - 1).max() < 1e-6
assert edited.output_text and figure.data
import sys
assert not [each for each in sys.modules if each.startswith(("models.", "viz.", "scale."))]
print(trace.output_text)
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return wheels_of(tmp_path_factory.getbasetemp())


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed_app(tmp_path_factory.getbasetemp())


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    """Return a folder of somebody who has a `models.py` and a `viz` too."""
    folder = tmp_path / "notebook"
    (folder / "viz").mkdir(parents=True)
    for path in (folder / "models.py", folder / "viz" / "__init__.py"):
        path.write_text('WHOSE = "mine"\n', encoding="utf8")
    return folder


def names_in(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as files:
        return files.namelist()


def test_no_wheel_is_too_large_and_each_brings_one_package(wheels: list[Path]) -> None:
    for wheel in wheels:
        assert wheel.stat().st_size <= LARGEST
        tops = {name.partition("/")[0] for name in names_in(wheel)}
        assert {each for each in tops if not each.endswith(".dist-info")} == {"attention_bench"}


def test_each_file_is_in_one_wheel_and_every_model_in_some(wheels: list[Path]) -> None:
    found = Counter(name for wheel in wheels for name in names_in(wheel) if ".dist-info/" not in name)
    assert set(found.values()) == {1}
    folders = ("models", "viz", "scale", "static")
    tree = {each.relative_to(ROOT) for name in folders for each in (ROOT / name).rglob("*") if each.is_file()}
    tree = {each for each in tree if each.name != "log.jsonl" and "__pycache__" not in each.parts}
    alone = {"app.py", ".streamlit/config.toml", "LICENSE", "NOTICE"}
    made = {"__init__.py", "__main__.py", "models/weights/packages.json"}
    names = {*(each.as_posix() for each in tree), *alone, *made}
    assert found.keys() == {f"attention_bench/{each}" for each in names}


def test_the_wheels_have_one_version() -> None:
    assert (
        len({tomllib.loads((each / "pyproject.toml").read_text("utf8"))["project"]["version"] for each in PROJECTS})
        == 1
    )


def tops_of(node: ast.AST) -> set[str]:
    """Return the top-level names of modules that a node imports or, as a text with dots, names."""
    names = []
    if isinstance(node, ast.Import):
        names = [each.name for each in node.names]
    elif isinstance(node, ast.ImportFrom) and not node.level:
        names = [str(node.module)]
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and DOTTED.fullmatch(node.value):
        place = node.value.partition(":")[0].replace(".", "/")
        names = [node.value] if (ROOT / f"{place}.py").is_file() or (ROOT / place).is_dir() else []
    return {each.partition(".")[0] for each in names}


def test_no_file_imports_ours_by_its_name_in_the_clone(wheels: list[Path]) -> None:
    with zipfile.ZipFile(wheels[0]) as files:
        sources = {name: files.read(name).decode() for name in files.namelist() if name.endswith(".py")}
    assert len(sources) > 400
    for name, source in sources.items():
        found = {top for node in ast.walk(ast.parse(source)) for top in tops_of(node)}
        found |= set(re.findall(r"\b(?:from|import) (\w+)[.{}\w]*(?: import|$)", source, re.MULTILINE))
        assert not found & OURS, name


def test_it_works_beside_a_file_and_a_folder_called_as_ours(programs: Path, notebook: Path) -> None:
    done = subprocess.run([programs / "python", "-c", TEN_LINES], cwd=notebook, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Le chat dort.\n"


ONCE = """
import pytest

@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    items[:] = {(each.path, each.cls): each for each in items}.values()
"""
"""A plugin of pytest: of each file and class one test runs, for what is tried is that its imports and files are found.

That every name is one of the package and every file is in a wheel, tests above hold of each.
"""

APART = {
    "luong-dot-en-fr": "attention-bench-translators",
    "bahdanau-en-fr@07": "attention-bench-training",
    "hf:gpt-en": "attention-bench-training",
}
LOADING = f"""
from attention_bench.models import load
for key in {list(APART)}:
    try:
        print(load(key).attend("A cat.").source_text)
    except Exception as error:
        print(error)
"""


def test_weights_that_are_not_there_are_named_with_the_command_that_brings_them(
    wheels: list[Path], tmp_path: Path
) -> None:
    folder = tmp_path / "all of them"
    folder.mkdir()
    main, *_weights = [folder / shutil.copy(each, folder) for each in wheels]
    python = fresh_environment(tmp_path / "fresh", main) / "python"

    def loaded() -> list[str]:
        done = subprocess.run([python, "-c", LOADING], cwd=tmp_path, capture_output=True, check=True, text=True)
        return done.stdout.splitlines()

    said = loaded()
    assert len(said) == len(APART)
    for line, package in zip(said, APART.values(), strict=True):
        told, _, command = line.partition(": ")
        assert told == "The weights are in a package of their own"
        assert package.replace("-", "_") in command
        pip, *arguments = shlex.split(command)
        assert pip == "pip"
        again = [sys.executable, "-m", "pip", "--python", python, *arguments, "--no-index"]
        subprocess.run(again, check=True, capture_output=True)
    assert loaded() == ["A cat."] * len(APART)


@pytest.mark.parametrize(
    ("came_from", "command"),
    [
        (None, '"git+ADDRESS#subdirectory=deploy/weights/training"'),
        ({"url": "file:///a/b%20c", "dir_info": {}}, '"/a/b c/deploy/weights/training"'),
        (
            {"url": "https://example.org/a.git", "vcs_info": {"vcs": "git", "commit_id": "12ab"}},
            '"git+https://example.org/a.git@12ab#subdirectory=deploy/weights/training"',
        ),
        (
            {"url": "file:///a/b%20c/attention_bench-1.0.0-py3-none-any.whl", "archive_info": {}},
            '"/a/b c/attention_bench_training-1.0.0-py3-none-any.whl"',
        ),
        (
            {"url": "https://example.org/attention_bench-1.0.0-py3-none-any.whl", "archive_info": {}},
            '"https://example.org/attention_bench_training-1.0.0-py3-none-any.whl"',
        ),
        (
            {"url": "https://example.org/a/archive/main.zip", "archive_info": {}},
            '"https://example.org/a/archive/main.zip#subdirectory=deploy/weights/training"',
        ),
    ],
    ids=["index", "folder", "git", "wheel", "wheel elsewhere", "archive"],
)
def test_weights_come_from_where_the_app_came(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, came_from: object, command: str
) -> None:
    told = {"direct_url.json": json.dumps(came_from) if came_from else None}
    monkeypatch.setattr(cards, "distribution", lambda name: SimpleNamespace(read_text=told.get))
    monkeypatch.setattr(cards, "WEIGHTS", tmp_path)
    (tmp_path / cards.PACKAGES_FILE).write_text(json.dumps({"training": "attention-bench-training"}), encoding="utf8")
    said = str(cards.lacking(tmp_path / "training" / "bahdanau-en-fr"))
    assert said.endswith(f": pip install {command}")
    assert cards.lacking(tmp_path / "bahdanau-en-fr") is None


def test_a_lesson_is_written_by_the_installed_command(programs: Path, tmp_path: Path) -> None:
    command = [programs / "attention-bench", "lesson", "export", "mask-a-word", "--out", "lesson.html"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "lesson.html").stat().st_size > 100_000


def with_support(path: Path, seen: set[Path]) -> set[Path]:
    """Return a file of tests and all that it imports of `tests/support`."""
    if path.is_file() and path not in seen:
        seen.add(path)
        for name in re.findall(r"(?:from|import) tests\.(support[.\w]*)", path.read_text("utf8")):
            with_support(ROOT / "tests" / f"{name.replace('.', '/')}.py", seen)
    return seen


def of_library() -> list[str]:
    """Return the files of quick tests that need the installed library alone."""
    files = [each for folder in LIBRARY for each in sorted((ROOT / "tests" / folder).rglob("test_*.py"))]
    return [
        each.relative_to(ROOT).as_posix()
        for each in files
        if not is_slow(each) and not any(OF_CLONE.search(one.read_text("utf8")) for one in with_support(each, set()))
    ]


def test_tests_of_the_library_pass_on_the_installed_copy(wheels: list[Path], tmp_path: Path) -> None:
    python = fresh_environment(tmp_path / "fresh", *wheels) / "python"
    rewritten = run_path(str(ROOT / "deploy" / "wheel.py"))["rewritten"]
    for path in (ROOT / "tests").rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            target = tmp_path / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            is_code = path.suffix == ".py"
            target.write_bytes(rewritten(path.read_text("utf8")).encode() if is_code else path.read_bytes())
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    (tmp_path / "once.py").write_text(ONCE, encoding="utf8")
    # What holds of random numbers is tried in the clone.
    command = [python, "-m", "pytest", "-q", "-p", "once", "-p", "no:cacheprovider", "-m", "not hypothesis"]
    done = subprocess.run([*command, *of_library()], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert int(re.findall(r"^(\d+) passed", done.stdout, re.MULTILINE)[0]) > 100
