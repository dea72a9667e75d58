"""Build hooks of the wheels: the app, models and weights inside one package, `attention_bench`.

In a clone `models`, `viz` and `scale` are at the top level. Nothing of these names may come to anybody's import path:
the wheel has copies whose imports begin with `attention_bench`. `deploy/weights/*` are wheels of weights alone that
lie beside the others once they are installed.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "attention_bench"
FOLDERS = ("models", "viz", "scale")
ALONE = ("app.py", "static", ".streamlit/config.toml", "LICENSE", "NOTICE")
CARD = "card.json"
_NAMES = "|".join(FOLDERS)
_REWRITTEN = (
    (re.compile(rf"\bfrom ({_NAMES})((?:\.[\w{{}}]+)*) import\b"), rf"from {PACKAGE}.\1\2 import"),
    (re.compile(rf"\bimport ({_NAMES})(?= as |  #|$)", re.MULTILINE), rf"from {PACKAGE} import \1"),
    (re.compile(rf"(?<=[\"'])({_NAMES})\.(?=[a-z_]+(?:[.:]\w+)*[\"']|\{{|[a-z_.]+\{{)"), rf"{PACKAGE}.\1."),
    (re.compile(rf"\bpython -m ({_NAMES})\b"), rf"python -m {PACKAGE}.\1"),
)
_MAIN = f"""from {PACKAGE}.viz.command_line import main

main()
"""
_INIT = '"""One sentence, every attention mechanism, side by side."""\n'


def rewritten(source: str) -> str:
    """Return Python source whose imports, and dotted names in strings, begin with the package."""
    for pattern, replacement in _REWRITTEN:
        source = pattern.sub(replacement, source)
    return source


def weight_packages() -> dict[str, list[str]]:
    """Return the folders of `models/weights` that each wheel of weights brings."""
    projects = [tomllib.loads(each.read_text(encoding="utf8")) for each in ROOT.glob("deploy/weights/*/pyproject.toml")]
    return {each["project"]["name"]: each["tool"]["attention-bench"]["folders"] for each in projects}


def requirements() -> list[str]:
    """Return what the app takes, as `requirements.txt` has it."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _is_shipped(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts and path.name != "log.jsonl"


def _copy(path: Path, folder: Path) -> None:
    """Copy a file of the clone into the package, its imports rewritten."""
    target = folder / path.relative_to(ROOT)
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".py":
        target.write_text(rewritten(path.read_text(encoding="utf8")), encoding="utf8")
    else:
        shutil.copy2(path, target)


def _files(apart: set[Path]) -> list[Path]:
    """Return the files of the main wheel: of weights that come apart their cards alone."""
    places = [ROOT / each for each in (*FOLDERS, *ALONE)]
    found = [each for place in places for each in ([place] if place.is_file() else sorted(place.rglob("*")))]
    return [each for each in found if _is_shipped(each) and (each.name == CARD or not apart & set(each.parents))]


class Packaged(BuildHookInterface[Any]):
    """Puts copies into the wheel: of everything, or of the weights that a project of `deploy/weights` names."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the copies, and name them to the builder."""
        self.made = tempfile.TemporaryDirectory()
        folder = Path(self.made.name) / PACKAGE
        weights = ROOT / "models" / "weights"
        packages = weight_packages()
        if self.metadata.name in packages:
            files = [each for name in packages[self.metadata.name] for each in (weights / name).rglob("*")]
            files = [each for each in files if _is_shipped(each) and each.name != CARD]
        else:
            files = _files({weights / name for names in packages.values() for name in names})
        for path in files:
            _copy(path, folder)
        if self.metadata.name not in packages:
            (folder / "__init__.py").write_text(_INIT, encoding="utf8")
            (folder / "__main__.py").write_text(_MAIN, encoding="utf8")
            apart = {name: package for package, names in packages.items() for name in names}
            (folder / "models" / "weights" / "packages.json").write_text(json.dumps(apart, indent=1), encoding="utf8")
        build_data["force_include"][str(folder)] = PACKAGE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the copies."""
        self.made.cleanup()


class Required(MetadataHookInterface):
    """Takes the dependencies from `requirements.txt`, which says why each is there."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the dependencies."""
        metadata["dependencies"] = requirements()
