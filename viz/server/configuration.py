"""Settings of the server's owner: every environment variable, declared and read here alone.

A field of `Configuration` says which variable sets it and which kind of value that takes; `docs/configuration.md` tells
owners what each is for. All are checked when the server starts, and read again when they change, as in tests.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from models.huggingface.embedded import is_model
from models.huggingface.hub_settings import is_identity
from models.huggingface.placement import DEVICES, DTYPES
from models.translation.words import MOST_CHARACTERS
from viz.rooms.codes import ALPHABET

T = TypeVar("T")

PREFIX = "ATTENTION_BENCH_"
"""What the name of every variable begins with."""

_SITE = re.compile(r"https?://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:(?P<port>[0-9]{1,5}))?")


_TOKEN = re.compile(r"[!-~]{16,200}")


class ConfigurationError(ValueError):
    """Something that is set and cannot be; the message names each variable, and what it may be."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """What a variable may be."""

    allowed: str  # in words, after "is"
    parse: Callable[[str], T]  # takes the text, without white space around it; ValueError if it is not allowed


def whole_number(least: int, most: int, *, of: str = "", times: int = 1) -> Kind[int]:
    """Return the kind of a whole number."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 18 and least <= int(text) <= most):
            raise ValueError
        return int(text) * times

    return Kind(f"a whole number{of and ' of '}{of} from {least} to {most}", parse)


def one_of(words: Mapping[str, T]) -> Kind[T]:
    """Return the kind of a word, in capitals or not."""

    def parse(text: str) -> T:
        if text.lower() not in words:
            raise ValueError
        return words[text.lower()]

    return Kind(" or ".join(words), parse)


def _parse_hub(text: str) -> bool | tuple[str, ...]:
    if text.lower() in ("on", "off"):
        return text.lower() == "on"
    return _all(text, is_identity)


def _all(text: str, is_allowed: Callable[[str], Any]) -> tuple[str, ...]:
    """Return what stands between commas; ValueError if something is not allowed."""
    found = tuple(each.strip() for each in text.split(","))
    if not all(map(is_allowed, found)):
        raise ValueError
    return found


def _site(text: str) -> str:
    found = _SITE.fullmatch(text)
    if not found or not 0 < int(found["port"] or 1) < 2**16:
        raise ValueError
    return text


def _one(text: str, pattern: re.Pattern[str]) -> str:
    if not pattern.fullmatch(text):
        raise ValueError
    return text


def _paths(text: str) -> tuple[Path, ...]:
    try:
        return tuple(Path(each).expanduser() for each in text.split(os.pathsep) if each)
    except RuntimeError as error:  # the home of nobody
        raise ValueError from error


def _parse_folders(text: str) -> tuple[Path, ...]:
    found = _paths(text)
    if not all(each.is_dir() for each in found):
        raise ValueError
    return found


def _parse_models(text: str) -> tuple[Path, ...]:
    found = _paths(text)
    if not all(map(is_model, found)):
        raise ValueError
    return found


SWITCH = one_of({"on": True, "off": False})
MEGABYTES = whole_number(1, 10**9, of="megabytes", times=10**6)
HUB: Kind[bool | tuple[str, ...] | None] = Kind(
    "on, off, or names of models as owner/name, separated by commas", _parse_hub
)
SITES = Kind("sites such as https://school.example, separated by commas", lambda text: _all(text, _site))
FOLDERS = Kind(
    f"folders or GGUF files that are there, separated by {os.pathsep!r}, named with letters of English, digits, dots "
    "and hyphens",
    _parse_models,
)
LESSONS = Kind(f"folders that are there, separated by {os.pathsep!r}", _parse_folders)


def _parse_rooms(text: str) -> bool | Path:
    if text.lower() in ("on", "off"):
        return text.lower() == "on"
    (found,) = _parse_folders(text)
    return found


def _parse_letter(text: str) -> str:
    if len(text) != 1 or text.upper() not in ALPHABET:
        raise ValueError
    return text.upper()


ROOMS: Kind[bool | Path] = Kind("on, off, or a folder that is there", _parse_rooms)
SERVICE = Kind("an address such as https://models.school.example:8600", lambda text: _site(text).rstrip("/"))
TOKEN = Kind("at least 16 letters, digits and signs of ASCII, without spaces", lambda text: _one(text, _TOKEN))
LETTER = Kind(f"one of the letters {ALPHABET}", _parse_letter)


def _set_by(name: str, kind: Kind[T], usual: T, *, shown: bool = True) -> T:
    """Return a field that the variable `name` sets, behind the prefix; a secret is not `shown`."""
    found: T = field(default=usual, repr=shown, metadata={"variable": PREFIX + name, "kind": kind})
    return found


@dataclass(frozen=True, slots=True)
class Configuration:
    """How this server is set up."""

    # whether models of the hub are opened, or which; None leaves it to who reaches the server
    hub: bool | tuple[str, ...] | None = _set_by("HUB", HUB, None)
    # bytes of one model that is fetched, and of all
    hub_largest: int = _set_by("HUB_MEGABYTES", MEGABYTES, 1_500_000_000)
    # bytes of one model that is fetched, and of all
    hub_disk: int = _set_by("HUB_DISK_MEGABYTES", MEGABYTES, 6_000_000_000)
    folders: tuple[Path, ...] = _set_by("MODELS", FOLDERS, ())  # models on this machine that visitors may choose
    # folders of lessons that are added to those that come along
    lessons: tuple[Path, ...] = _set_by("LESSONS", LESSONS, ())
    # folders of tables that ``python -m scale.corpus`` wrote, beside those that come along
    corpora: tuple[Path, ...] = _set_by("CORPORA", LESSONS, ())
    # where those models compute, and the numbers of their weights
    device: str = _set_by("DEVICE", one_of({each: each for each in DEVICES}), "cpu")
    # where those models compute, and the numbers of their weights
    dtype: str = _set_by("DTYPE", one_of({each: each for each in DTYPES}), "float32")
    rooms: bool | Path = _set_by("ROOMS", ROOMS, True)  # noqa: RUF009
    # the letter of this server among several, with which the codes of its rooms begin; empty for a server alone
    replica: str = _set_by("REPLICA", LETTER, "")
    framed_by: tuple[str, ...] = _set_by("FRAMED_BY", SITES, ())  # sites that may show the app in a frame
    # whether this machine may ask for the server's figures, as monitoring does; nobody else ever may
    metrics: bool = _set_by("METRICS", SWITCH, False)
    links: bool = _set_by("LINKS", SWITCH, True)  # whether what a visitor types and chooses stands in the address bar
    # how many processes run the models beside that of the pages, where there is a core for each; 0 for none
    workers: int = _set_by("WORKERS", whole_number(0, 16), 2)
    # address of the service in which all models run, and the token that it asks for; empty where they run here
    serve: str = _set_by("SERVE", SERVICE, "")
    # address of the service in which all models run, and the token that it asks for; empty where they run here
    serve_token: str = _set_by("SERVE_TOKEN", TOKEN, "", shown=False)
    # what visitors may ask for: changes of one of them, characters of a text, sweeps of all
    edits_a_second: int = _set_by("EDITS_A_SECOND", whole_number(1, 1000), 10)
    # what visitors may ask for: changes of one of them, characters of a text, sweeps of all
    most_characters: int = _set_by("CHARACTERS", whole_number(20, MOST_CHARACTERS), MOST_CHARACTERS)
    # what visitors may ask for: changes of one of them, characters of a text, sweeps of all
    sweeps_at_once: int = _set_by("SWEEPS", whole_number(1, 1000), 2)


def variables() -> dict[str, tuple[str, Kind[Any], Any]]:
    """Return for each variable the field that it sets, its kind, and the value if it is not set."""
    found = {
        each.metadata["variable"]: (each.name, each.metadata["kind"], each.default) for each in fields(Configuration)
    }
    return found


def read_configuration(environment: Mapping[str, str]) -> Configuration:
    """Return what `environment` sets; a variable that is empty counts as not set."""
    known, values, wrong = variables(), {}, []
    for name, text in sorted(environment.items()):
        if not is_ours(name) or not text.strip():
            continue
        if name not in known:
            wrong.append(_unknown(name))
            continue
        field_name, kind, _usual = known[name]
        try:
            values[field_name] = kind.parse(text.strip())
        except ValueError:
            got = "" if field_name == "serve_token" else f"; got {text!r}"
            wrong.append(f"{name} is {kind.allowed}{got}.")
    if wrong:
        message = " ".join((*wrong, "docs/configuration.md tells of each."))
        raise ConfigurationError(message)
    return Configuration(**values)


def _unknown(name: str) -> str:
    """Return what is said of a variable that there is not."""
    known = [each.removeprefix(PREFIX) for each in variables()]
    if name.upper().removeprefix(PREFIX) in known:
        return f"{name} is written {name.upper()}."
    close = get_close_matches(name.upper().removeprefix(PREFIX), known, 1)
    return f"There is no {name}{f'; is {PREFIX}{close[0]} meant?' if close else '.'}"


def is_ours(name: str) -> bool:
    """Return whether a variable is meant for this app, in capitals or not."""
    return name.upper().startswith(PREFIX)


@lru_cache(maxsize=8)
def _read(environment: tuple[tuple[str, str], ...]) -> Configuration:
    return read_configuration(dict(environment))


_served: list[Configuration] = []


@contextmanager
def kept_while_served() -> Iterator[None]:
    """Read the environment once for as long as the block lasts: a server's does not change, and pages ask often."""
    _served.append(configuration())
    try:
        yield
    finally:
        _served.pop()


def configuration() -> Configuration:
    """Return how this server is set up; raises as `read_configuration` does."""
    if _served:
        return _served[-1]
    return _read(tuple(each for each in os.environ.items() if is_ours(each[0])))
