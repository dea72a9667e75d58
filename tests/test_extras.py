"""What is not installed with the app: each way in that needs it says what to install."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]["optional-dependencies"]
IN_EXTRA = {"notebook": "viz.notebook"}
"""The package that needs an extra, by its name."""

IMPORTS = """
import sys
from importlib import import_module
sys.modules[{blocked!r}] = None
for name in {names!r}:
    for each in [each for each in sys.modules if each.startswith({names!r}[0])]:
        del sys.modules[each]
    try:
        import_module(name)
        print(name, "was imported")
    except ModuleNotFoundError as error:
        print(error)
"""
RUNS = """
import sys
sys.modules[{blocked!r}] = None
sys.argv = ["attention-bench", *{words!r}]
from viz.command_line import main
main()
"""


def python(script: str, **values: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script.format(**values)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


def test_every_extra_is_tried() -> None:
    assert set(EXTRAS) == set(IN_EXTRA)


@pytest.mark.parametrize(
    ("extra", "needs"),
    [(name, each) for name, all_of_it in EXTRAS.items() for each in all_of_it],
    ids=lambda each: each.partition(">")[0],
)
def test_what_an_extra_lacks_is_named_with_what_brings_it(extra: str, needs: str) -> None:
    package, blocked = IN_EXTRA[extra], Requirement(needs).name
    found = find_spec(package)
    assert found is not None
    names = [package, *(f"{package}.{each.name}" for each in iter_modules(found.submodule_search_locations))]
    assert len(names) > 3
    said = python(IMPORTS, blocked=blocked, names=names).stdout.splitlines()
    all_of_it = " ".join(f'"{each}"' for each in EXTRAS[extra])
    assert said == [f"Widgets need {blocked}, which is not installed: pip install {all_of_it}"] * len(names)


@pytest.mark.parametrize(
    ("words", "blocked"),
    [
        (["serve"], "ray"),
        (["serve"], "psutil"),
        (["corpus", "hf:minilm", "README.md", "--no-gold", "--ray", "--out", "{}"], "ray"),
    ],
    ids=lambda each: each[0] if isinstance(each, list) else each,
)
def test_a_command_without_ray_says_how_to_install_it(words: list[str], blocked: str, tmp_path: Path) -> None:
    done = python(RUNS, blocked=blocked, words=[each.format(tmp_path / "out") for each in words])
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "Ray is not installed: pip install 'ray[serve]' psutil"
