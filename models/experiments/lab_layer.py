"""Several heads of the lab on the same inputs: projections, heads side by side, and the output matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.errors import InputError
from models.experiments.lab import NAMES, LabRun, Numbers, Score, Table, misfit, run_lab, table_of
from models.messages import CountMessage, Message


@dataclass(frozen=True, eq=False)
class LabLayer:
    """One or several heads on the same inputs.

    Parameters
    ----------
    query, key, value : float64 array
        Of all heads side by side: given, or the inputs times their matrices.
    runs : tuple of LabRun
        One a head.
    output : float64 array
        The heads' results side by side, times the output matrix if there is one.
    """

    query: Numbers
    key: Numbers
    value: Numbers
    runs: tuple[LabRun, ...]
    output: Numbers


def run_layer(
    tables: Mapping[str, Table],
    *,
    heads: int = 1,
    mask: Sequence[Sequence[bool]] | NDArray[np.bool_] | None = None,
    scaled: bool = True,
    temperature: float = 1.0,
    score: Score = "dot",
    hard: bool = False,
) -> LabLayer:
    """Let one or several heads read the same inputs.

    Parameters
    ----------
    tables : mapping of str to table
        query, key and value; or inputs with query_weight, key_weight and value_weight, and output_weight if the
        results go through one more matrix; and what `score` needs.
    heads : int, optional
        Each reads its part of the columns.
    mask, scaled, temperature, score, hard
        As of `run_lab`, alike for all heads.

    Returns
    -------
    LabLayer

    Raises
    ------
    InputError
        As of `run_lab`.
    """
    names = ("query", "key", "value")
    if "inputs" in tables:
        inputs = table_of(NAMES["inputs"], tables["inputs"])
        projected = tuple(_times(inputs, f"{name}_weight", tables) for name in names)
    else:
        projected = tuple(table_of(NAMES[name], tables[name]) for name in names)
    for name, values in zip(names, projected, strict=True):
        if values.shape[1] % heads:
            message = Message(
                "{name} have {columns}, which {heads} heads cannot share.",
                name=NAMES[name],
                columns=CountMessage("{count} column", "{count} columns", values.shape[1]),
                heads=heads,
            )
            raise InputError(message)
    runs = tuple(
        run_lab(*parts, mask=mask, scaled=scaled, temperature=temperature, score=score, parameters=tables, hard=hard)
        for parts in zip(*(np.split(each, heads, axis=1) for each in projected), strict=True)
    )
    joined = np.concatenate([run.result for run in runs], axis=1)
    output = _times(joined, "output_weight", tables) if "output_weight" in tables else joined
    query, key, value = projected
    return LabLayer(query, key, value, runs, output)


def _times(inputs: Numbers, name: str, tables: Mapping[str, Table]) -> Numbers:
    matrix = table_of(NAMES[name], tables[name])
    if len(matrix) != inputs.shape[1]:
        raise InputError(misfit(name, matrix, inputs.shape[1], matrix.shape[1]))
    return np.asarray(inputs @ matrix)
