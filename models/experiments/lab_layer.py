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
    """One or several heads on the same inputs."""

    query: Numbers  # of all heads side by side: given, or the inputs times their matrices
    key: Numbers  # of all heads side by side: given, or the inputs times their matrices
    value: Numbers  # of all heads side by side: given, or the inputs times their matrices
    runs: tuple[LabRun, ...]  # one a head
    output: Numbers  # the heads' results side by side, times the output matrix if there is one


def run_layer(
    tables: Mapping[str, Table],
    *,
    heads: int = 1,
    mask: Sequence[Sequence[bool]] | NDArray[np.bool_] | None = None,
    scaled: bool = True,
    temperature: float = 1.0,
    score: Score = "dot",
    hard: bool = False,
    padding: int = 0,
    padding_mask: bool = True,
) -> LabLayer:
    """Let one or several heads read the same inputs.

    After the keys come `padding` more, whose vectors and values are zeros, as of a batch with a longer text; the
    `padding_mask` hides them from every query.
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
                "{name} have {columns}, which is not divisible by {heads} heads.",
                name=NAMES[name],
                columns=CountMessage("{count} column", "{count} columns", values.shape[1]),
                heads=heads,
            )
            raise InputError(message)
    if padding:
        query, *read = projected
        projected = (query, *(np.pad(each, ((0, padding), (0, 0))) for each in read))
        given = np.ones((len(query), len(read[0])), dtype=bool) if mask is None else np.asarray(mask, dtype=bool)
        mask = np.pad(given, ((0, 0), (0, padding)), constant_values=not padding_mask)
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
