"""The catalogue of mechanisms: one file each, exporting ``MECHANISM``. Importing it does not import torch."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from models.messages import mark

__all__ = ["INHERITED", "Mechanism", "mechanisms", "multi_head", "usual"]

INHERITED = mark("Initialised from another model here, where its weights fit (in the paper with random weights).")
"""A departure of those whose cards name another model as their start."""


@dataclass(frozen=True, slots=True)
class Mechanism:
    """What a mechanism is, in words and as a network.

    Parameters
    ----------
    key : str
        Short name in checkpoint keys, such as ``bahdanau``.
    title : str
        Name as people write it.
    year : int
        Year of the paper.
    formula : str
        The score or the weights in LaTeX.
    paper : str
        Authors, year, title.
    equation : str
        Where the paper gives the weights.
    departures : tuple of str
        Every way in which the network here differs from the paper's.
    network : str
        ``module:class`` of the network, imported when it is built.
    rows_sum_to_one : bool
        Whether each row of weights must sum to 1.
    has_attention : bool
        Whether the decoder reads the source through a cross map; False where one fixed vector is all that it gets.
    windows : bool
        Whether each row reads a window of its own (the quantity ``centre``), which a window edit takes the place of.
    draws : bool
        Whether it is trained to draw the place that it reads (the quantity ``probabilities``).
    pyramid : bool
        Whether convolutions fold the source into one vector, row by row (`models.networks.folding`).
    distances : bool
        Whether it has learnt a vector for each distance between two tokens.
    is_multi_head : bool
        Whether several heads read side by side in each layer.
    is_multi_step : bool
        Whether it attends at several places with one head each: each decoder layer reads the source anew, or a text
        reads itself, too.
    is_usual : bool
        Whether it is shown to somebody who chose nothing: it stands for those of its kind.
    is_small : bool
        Whether it stands beside the family, with a start and a budget of its own: in tables of its own, and loaded
        when somebody first asks for it.
    options : tuple of (str, value)
        What `build` passes to the network besides the sizes.
    order : int
        Place in lists among those of its year: older first.
    other_texts : tuple of str
        What printed texts get differently, named without a name, and what is right.
    stands_with : str
        Key of the mechanism of another paper with which it folds out on the timeline; empty for one of its own.
    """

    key: str
    title: str
    year: int
    formula: str
    paper: str
    equation: str
    departures: tuple[str, ...]
    network: str
    rows_sum_to_one: bool = True
    has_attention: bool = True
    windows: bool = False
    draws: bool = False
    pyramid: bool = False
    distances: bool = False
    is_multi_head: bool = False
    is_multi_step: bool = False
    is_usual: bool = False
    is_small: bool = False
    options: tuple[tuple[str, Any], ...] = ()
    order: int = 0
    other_texts: tuple[str, ...] = ()
    stands_with: str = ""

    def _network(self) -> type:
        module, _, name = self.network.partition(":")
        return cast("type", getattr(importlib.import_module(module), name))

    def build(self, **sizes: Any) -> Any:
        """Make the network (a `models.networks.base.TranslationNetwork`) with fresh weights; imports torch."""
        return self._network()(**{**dict(self.options), **sizes})

    def sizes(self, **given: Any) -> dict[str, Any]:
        """Return all that `build` takes, for a card to say: what is given, and else what the network itself says."""
        every: dict[str, Any] = {}
        for part in self._network().__mro__:
            made_by = vars(part).get("__init__")
            taken = inspect.signature(made_by).parameters.values() if made_by else ()
            for each in taken:
                if each.kind is each.KEYWORD_ONLY and each.default is not each.empty:
                    every.setdefault(each.name, each.default)
            if taken and not any(each.kind is each.VAR_KEYWORD for each in taken):
                break  # it hands nothing on to the class above it
        return {**every, **dict(self.options), **given}


@cache
def mechanisms() -> dict[str, Mechanism]:
    """Return every mechanism of this folder by its key, older papers first."""
    found = (
        cast("Mechanism", importlib.import_module(f"{__name__}.{each.name}").MECHANISM)
        for each in pkgutil.iter_modules(__path__)
    )
    ordered = sorted(found, key=lambda each: (each.year, each.order, each.key))
    return {each.key: each for each in ordered}


def usual() -> tuple[Mechanism, ...]:
    """Return the mechanisms that stand for those of their kind, older papers first."""
    return tuple(each for each in mechanisms().values() if each.is_usual)


def multi_head() -> Mechanism:
    """Return the mechanism that stands for those of several heads."""
    return next(each for each in usual() if each.is_multi_head)
