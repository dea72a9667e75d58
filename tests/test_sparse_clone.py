"""`deploy/sparse-clone.sh` clones what runs with the named models, and fetches nothing else."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "deploy" / "sparse-clone.sh"
LEFT_OUT = {"benchmarks", "docs", "tests", "training"}
DEFAULT = set(re.search(r'models="([^$]*)\$\*"', SCRIPT.read_text(encoding="utf8"))[1].split())  # type: ignore[index]
PART = 20_000  # bytes of a file


def git(*arguments: str, at: Path) -> str:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    return subprocess.run(["git", *who, *arguments], cwd=at, capture_output=True, check=True, text=True).stdout


@pytest.fixture
def origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with the folders of this one, a file in each, that serves parts of itself as a host does."""
    settings = tmp_path / "gitconfig"
    settings.write_text("[uploadpack]\nallowFilter = true\n", encoding="utf8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_TERMINAL_PROMPT", "0")
    folder = tmp_path / "origin"
    weights = [each.relative_to(ROOT) for each in (ROOT / "models" / "weights").iterdir() if each.is_dir()]
    for place in (*map(Path, LEFT_OUT), Path("viz"), Path("scale"), Path("static"), Path("models"), *weights):
        (folder / place).mkdir(parents=True, exist_ok=True)
        (folder / place / "file").write_bytes(os.urandom(PART))
    for name in ("app.py", "LICENSE", "requirements.txt"):
        (folder / name).write_text(name, encoding="utf8")
    git("init", "--quiet", at=folder)
    git("add", ".", at=folder)
    git("commit", "--quiet", "--message", "All", at=folder)
    return folder


def clone(origin: Path, folder: Path, *models: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", str(SCRIPT), origin.as_uri(), str(folder), *models]
    return subprocess.run(command, capture_output=True, check=False, text=True)


def folders(place: Path) -> set[str]:
    return {each.name for each in place.iterdir() if each.is_dir() and each.name != ".git"}


@pytest.mark.parametrize("models", [(), ("luong-dot-en-fr", "readers")])
def test_what_runs_is_cloned_and_nothing_else_is_fetched(origin: Path, tmp_path: Path, models: tuple[str, ...]) -> None:
    folder = tmp_path / "class"
    done = clone(origin, folder, *models)
    assert done.returncode == 0, done.stderr
    assert folders(folder) == folders(origin) - LEFT_OUT
    assert folders(folder / "models" / "weights") == DEFAULT | set(models)
    assert {each.name for each in folder.iterdir() if each.is_file()} == {"app.py", "LICENSE", "requirements.txt"}
    assert (folder / "models" / "file").read_bytes() == (origin / "models" / "file").read_bytes()
    missing = git("rev-list", "--objects", "--missing=print", "HEAD", at=folder).count("\n?")
    assert missing == len(LEFT_OUT) + len(folders(origin / "models" / "weights") - DEFAULT - set(models))
    assert git("status", "--porcelain", at=folder) == ""


def test_a_model_is_added_later(origin: Path, tmp_path: Path) -> None:
    folder = tmp_path / "class"
    clone(origin, folder)
    git("sparse-checkout", "add", "/models/weights/hard-en-fr/", at=folder)
    assert folders(folder / "models" / "weights") == {*DEFAULT, "hard-en-fr"}


def test_a_model_that_does_not_exist_is_named(origin: Path, tmp_path: Path) -> None:
    done = clone(origin, tmp_path / "class", "hard-fr-en")
    assert done.returncode != 0
    assert "hard-fr-en" in done.stderr


def test_the_app_runs_from_what_is_cloned() -> None:
    """What the image of the server copies is not left out, and the default models exist."""
    copied = set(re.findall(r"^COPY (\w+) \./", (ROOT / "Dockerfile").read_text(encoding="utf8"), re.MULTILINE))
    assert {"models", "viz", "scale", "static"} <= copied
    assert not copied & LEFT_OUT
    assert folders(ROOT / "models" / "weights") >= DEFAULT
    assert all((ROOT / each).is_dir() for each in LEFT_OUT)
