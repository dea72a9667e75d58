"""A recipe: everything that a training run depends on, in one TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from models.mechanisms import mechanisms

OPTIMIZERS = ("adam", "muon")


class RecipeError(ValueError):
    """A recipe that says something that is not known, or leaves out what is needed."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """One training file."""

    path: str  # below the data folder, or beside the recipes: what is written by hand is kept with them
    # how often an epoch shows it. A half shows each line in every second epoch, which ones the seed says. Each showing
    # is varied on its own (``vary_share``).
    repeat: float = 1
    # how often the tokenizer's training sees a line of it, on average: pieces follow the everyday text, which is what
    # people type, more than its share of all lines
    tokenizer_share: float = 1.0
    containing: str = ""  # only the lines whose source has this in it; all of them if it is empty
    lines: int = 0  # only so many from the start of the file; 0 for all
    # key of the model whose translations of the sources stand in for the references (`training.teach`); empty
    # for the references
    teacher: str = ""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to train, on what, and how."""

    mechanism: str  # key of the mechanism
    pair: str  # language pair, such as ``en-fr``
    files: tuple[DataFile, ...]
    network: dict[str, Any] = field(default_factory=dict)  # sizes, passed to the mechanism's network
    vocabulary: int = 8000  # pieces of the tokenizer
    # name of the file that holds it, ``weights/<pair>/<name>.json``: models that share it can be compared piece by
    # piece. Learned from the recipe's files if it is not there.
    tokenizer: str = "tokenizer"
    # whether the tokenizer has a piece for every character of its text that occurs 5 times, and puts no space before a
    # text that begins in Chinese; so does every tokenizer that is learned anew
    whole_characters: bool = False
    target_tokens: int = 100_000_000  # when to stop: target tokens seen, padding not counted
    optimizer: str = "adam"  # muon for the matrices inside the network and Adam for all else, or Adam for everything
    tokens_per_batch: int = 3000  # target tokens of a batch, padding counted
    # peak, reached after `warmup_steps`, then held; falls to 0 as a cosine over the last `decay_share` of the tokens
    learning_rate: float = 1e-3
    warmup_steps: int = 1000
    decay_share: float = 0.2
    label_smoothing: float = 0.1
    clip_norm: float = 1.0
    weight_decay: float = 0.0
    average_decay: float = 0.999  # of the exponential average of the weights, which is what is evaluated and shipped
    longest: int = 64  # pairs with more pieces than this on a side are left out
    vary_share: float = 0.12  # share of the pairs that are shown as people also type them (`training.varying`)
    typo_share: float = 0.0  # share of the pairs whose source has a slip of the hand
    seed: int = 1

    @property
    def key(self) -> str:
        """The key that `models.load` takes."""
        return f"{self.mechanism}-{self.pair}"


def read_recipe(path: Path) -> Recipe:
    """Read a TOML recipe; RecipeError names what is wrong in it."""
    needed = ("mechanism", "pair", "files")
    values = read_values(path, Recipe, needed, {"mechanism": mechanisms(), "optimizer": OPTIMIZERS})
    try:
        values["files"] = tuple(DataFile(**each) for each in values["files"])
    except TypeError as error:
        message = f"{path.name}: files: {error}"
        raise RecipeError(message) from error
    return Recipe(**values)


def read_values(
    path: Path, kind: type[Any], needed: Iterable[str], choices: Mapping[str, Collection[str]]
) -> dict[str, Any]:
    """Return what a TOML file says of the fields of a recipe; RecipeError names what is wrong in it."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        message = f"{path.name} is no TOML file: {error}"
        raise RecipeError(message) from error
    known = {each.name for each in fields(kind)}
    if unknown := sorted(set(values) - known):
        message = f"{path.name}: {', '.join(unknown)} not known; a recipe has {', '.join(sorted(known))}"
        raise RecipeError(message)
    for name, there in choices.items():
        if name in values and values[name] not in there:
            message = f"{path.name}: {name} {values[name]!r} not known; there are {', '.join(there)}"
            raise RecipeError(message)
    if missing := sorted(set(needed) - set(values)):
        message = f"{path.name}: {', '.join(missing)} missing"
        raise RecipeError(message)
    return values
