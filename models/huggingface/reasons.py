"""What is wrong with the files of strangers, in words for a person: what libraries raise is for programmers."""

from __future__ import annotations

import re

from models.messages import Message

LONGEST_REASON = 300
"""Characters of what a library says that are repeated in a message."""

_MISSING = re.compile(r"missing \d+ required [\w -]+: (.+)")
_INPUTS = re.compile(r"\b(?:pixel_values|image_embeds|input_features|input_values|\w+_embeddings)\b")
"""Inputs of models of pictures and sounds, where a library asks for them in words of its own."""

_PYTHON = re.compile(
    r"<[a-z]|NoneType|\w+Error\b|__\w+__|\w\(|\[\d|\bself\b|\bargument|\battribute|\bkeyword|\bsubscript|\biterable"
    r"|\bobject\b|\bunpack|\btensors?\b|\bdtype|\bshape|\bsplit_|out of range|of type|\binstance|\bunsupported operand"
    r"|\b\w+\.\w+\.\w+|\w+_\w+"
)
"""What tells that a message is about Python."""

UNFIT = Message("its files do not fit together, or this version of transformers cannot run them")
"""What is said where the libraries have no words for it."""


def in_words(error: BaseException, hidden: str = "", title: str = "") -> str:
    """Return what went wrong, in words: those of the library if they are for a person."""
    said = next(iter(str(error).strip().splitlines()), "")
    if hidden:
        said = said.replace(hidden, title)
    if missing := _MISSING.search(said):
        names = ", ".join(re.findall(r"'(\w+)'", missing[1]))
        return Message("it needs more than text: {names}", names=names)
    if isinstance(error, ValueError) and (asked := _INPUTS.findall(said)):
        return Message("it needs more than text: {names}", names=", ".join(dict.fromkeys(asked)))
    plain = isinstance(error, OSError | ValueError | ImportError) and said and not _PYTHON.search(said)
    if not plain:
        return UNFIT
    said = said.rstrip(".")
    return said if len(said) <= LONGEST_REASON else f"{said[:LONGEST_REASON]}…"
