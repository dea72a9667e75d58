"""Names of models of the hub: only those that are well formed pass, told apart by another rule than the app's."""

from __future__ import annotations

from contextlib import suppress
from random import Random

from huggingface_hub.utils import validate_repo_id
from hypothesis import strategies as st

from benchmarks.fuzz.running import Fuzz
from models.huggingface.hub_settings import HubError, HubSettings, check_identity

_PARTS = (
    "a",
    "B",
    "9",
    "_",
    "-",
    ".",
    "/",
    "..",
    "--",
    ".git",
    "x" * 95,
    "ab",
    "c/d",
    "\\",
    "%2f",
    ":",
    "~",
    "é",
    " ",
    "\n",
    "\0",
)

AT_ONCE = 100
"""Names of one example: drawn by its own generator, which is far faster."""

FUZZ = Fuzz(st.tuples(st.text(max_size=40), st.randoms(use_true_random=True)), 100)


def is_well_formed(text: str) -> bool:
    """Return whether `text` is the name of an owner and that of a model, as the hub gives them."""
    owner, slash, name = text.partition("/")
    letters = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    return (
        slash == "/"
        and all(part and len(part) <= 96 and part[0] in letters and "--" not in part for part in (owner, name))
        and set(owner) <= letters | set("_-")
        and set(name) <= letters | set("_-.")
        and ".." not in name
        and not owner.endswith("-")
        and not name.endswith((".", "-", ".git"))
    )


def check(example: tuple[str, Random]) -> None:
    """Raise AssertionError if what passes is not well formed, or what is does not pass."""
    text, random = example
    _check(text)
    for _each in range(AT_ONCE):
        _check("".join(random.choices(_PARTS, k=random.randrange(1, 9))))


def _check(text: str) -> None:
    passed = None
    with suppress(HubError):
        passed = check_identity(text, HubSettings())
    assert (passed is not None) == is_well_formed(text.strip()), repr(text)
    if passed is not None:
        assert passed == text.strip()
        validate_repo_id(passed)
