"""The wheels of this tree, built once a run of the tests, and a fresh environment that has them installed."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from filelock import FileLock

from tests.support.browsing import ROOT

PROJECTS = (ROOT, *sorted(each.parent for each in ROOT.glob("deploy/weights/*/pyproject.toml")))


def wheels_of(own: Path) -> list[Path]:
    """Return the wheels of the app and of weights, in that order, built once for all processes of the tests."""
    folder = shared(own)
    with FileLock(folder / "lock"):
        for project in PROJECTS:
            out = folder / project.name
            if not out.exists():
                command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "unfinished")]
                subprocess.run(command, cwd=project, check=True, capture_output=True)
                (folder / "unfinished").rename(out)
    return [next((folder / project.name).glob("*.whl")) for project in PROJECTS]


def shared(own: Path) -> Path:
    """Return the folder that all processes of the tests share; `own` is the one of this process."""
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "wheels"
    folder.mkdir(exist_ok=True)
    return folder


def installed_app(own: Path) -> Path:
    """Return the folder of programs of an environment with the wheel of the app alone, made once for all processes.

    Nothing may be installed into it.
    """
    wheel, folder = wheels_of(own)[0], shared(own) / "installed"
    with FileLock(f"{folder}.lock"):
        if not (folder / "whole").exists():
            fresh_environment(folder, wheel)
            (folder / "whole").touch()
    return folder / "bin"


def site_of(programs: Path) -> Path:
    """Return where an environment has its packages."""
    return next(programs.parent.glob("lib/*/site-packages"))


def fresh_environment(folder: Path, *wheels: Path) -> Path:
    """Return the folder of programs of a new environment with wheels; it sees what is installed beside the tests."""
    venv.create(folder, with_pip=False, symlinks=True)
    programs = folder / "bin"
    site = Path(sysconfig.get_path("purelib", "venv", vars={"base": str(folder)}))
    (site / "beside.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf8")
    command = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--no-deps", "--no-index"]
    subprocess.run([*command, "--quiet", *map(str, wheels)], check=True, capture_output=True)
    return programs
