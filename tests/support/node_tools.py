"""TypeScript's checker, the linter and Node's tests: installed once from the lock file, run as `npm run` runs them."""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = ROOT / "node_modules"
PINNED = json.loads((ROOT / "package.json").read_text(encoding="utf8"))["devDependencies"]


def run(*command: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a command and return what it said."""
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@cache
def installed() -> Path:
    """Return the folder of the tools, which are fetched where they are missing or of another version."""
    if not shutil.which("npm"):
        pytest.fail("npm is missing: install Node 20.19 or later (apt-get install nodejs npm)")
    with (ROOT / "package-lock.json").open(encoding="utf8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one process of pytest installs, the others wait
        if any(_version(name) != version for name, version in PINNED.items()):
            told = run("npm", "ci", "--no-audit", "--no-fund")
            if told.returncode:
                pytest.fail(f"npm ci could not fetch the tools that check JavaScript:\n{told.stdout}{told.stderr}")
    return MODULES / ".bin"


def _version(name: str) -> str | None:
    path = MODULES / name / "package.json"
    return str(json.loads(path.read_text(encoding="utf8"))["version"]) if path.is_file() else None
