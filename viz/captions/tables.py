"""Tables of numbers for the page and for CSV, with their column titles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from viz.measures.summary import Summary
from viz.text.cells import csv_of_rows
from viz.text.counting import FIRST_POSITION, numbered
from viz.text.language import _
from viz.text.tokens import visible
from viz.views.aligned import Linking, aligned_cells
from viz.views.strips import Strip
from viz.views.view import View


def table_of_summaries(summaries: Sequence[Summary]) -> list[dict[str, str | float | None]]:
    """Return the rows of a table, numbers rounded for the eye."""
    return [
        {
            _("mechanism"): each.title,
            _("translation"): each.translation,
            _("log-probability (nats)"): round(each.log_probability, 3),
            _("mean entropy (bits)"): _rounded(each.entropy),
            _("coverage"): _rounded(each.coverage),
            _("divergence from the chosen one (bits)"): _rounded(each.divergence),
            _("milliseconds"): _rounded(each.milliseconds, 1),
        }
        for each in summaries
    ]


def _rounded(value: float | None, digits: int = 3) -> float | None:
    return None if value is None else round(value, digits)


def csv_of_summaries(summaries: Sequence[Summary]) -> str:
    """Return the same as CSV with a line a mechanism, its key first, numbers exact, nothing where there is none."""
    names = ("log_probability", "entropy", "coverage", "divergence", "milliseconds")
    rows: list[tuple[object, ...]] = [("key", "mechanism", "translation", *names)]
    for each in summaries:
        numbers = ("" if getattr(each, name) is None else repr(getattr(each, name)) for name in names)
        rows.append((each.key, each.title, each.translation, *numbers))
    return csv_of_rows(rows)


def table_of(view: View) -> dict[str, list[str] | list[float]]:
    """Return the weights of `view` as columns: the queries, then one column a key."""
    keys = numbered(view.shown.key_tokens.texts)
    columns: dict[str, list[str] | list[float]] = {_("query"): list(numbered(view.shown.query_tokens.texts))}
    columns.update(zip(keys, view.weights.T.tolist(), strict=True))
    return columns


def csv_of(view: View) -> str:
    r"""Return the weights of `view` as CSV with a line a cell; positions are counted from 1."""
    return csv_of_rows([("query_position", "query", "key_position", "key", _column([view])), *_cells(view)])


def csv_of_views(views: Sequence[View], *, linking: Linking = "none") -> str:
    """Return the weights of several views as one CSV with a line a cell; positions are counted from 1."""
    of_view = ("mechanism", "year", "model", "map", "layer", "head", "decoding", "edits", "source", "translation")
    of_cell = ("rows", "query_position", "query", "key_position", "key", _column(views))
    rows: list[tuple[object, ...]] = [(*of_view, *of_cell, *([] if linking == "none" else ["link"]))]
    for view in views:
        links = {(row + FIRST_POSITION, key + FIRST_POSITION) for row, key in aligned_cells(view, linking)}
        provenance, site = view.trace.provenance, view.shown.site
        texts = (view.trace.source_text, view.trace.output_text)
        known = (provenance.title, provenance.year, provenance.checkpoint, site, site.layer, view.head)
        for cell in _cells(view):
            said = () if linking == "none" else (int((cell[0], cell[2]) in links),)
            rows.append((*known, provenance.decoding, len(provenance.edits), *texts, view.reading, *cell, *said))
    return csv_of_rows(rows)


def _column(views: Sequence[View]) -> str:
    found = {each.quantity for each in views}
    if found in ({"moved"}, {"zeroed"}):
        return found.pop()
    return "value" if "zeroed" in found else "weight"


def csv_of_walks(pictures: Sequence[Mapping[str, Any]]) -> str:
    """Return what stands in the columns of a walk as CSV with a line a bar, all mechanisms in one."""
    rows: list[tuple[object, ...]] = [("mechanism", "quantity", "key_position", "key", "value")]
    for picture in pictures:
        keys = [each["text"] for each in picture["columns"]]
        for row in picture["rows"]:
            for place, (key, value) in enumerate(zip(keys, row["values"], strict=True), start=FIRST_POSITION):
                rows.append((picture["title"], row["title"], place, key, "" if value is None else repr(value)))
    return csv_of_rows(rows)


def csv_of_strips(strips: Sequence[Strip]) -> str:
    """Return vectors and matrices as CSV with a line a number, all in one."""
    rows: list[tuple[object, ...]] = [("symbol", "name", "row", "row_name", "column", "column_name", "value")]
    for strip in strips:
        for (row, column), value in np.ndenumerate(strip.values):
            row_name, column_name = (
                visible(names[place]) if names else "" for names, place in ((strip.rows, row), (strip.columns, column))
            )
            places = row + FIRST_POSITION, row_name, column + FIRST_POSITION, column_name
            rows.append((strip.symbol, strip.name, *places, repr(float(value))))
    return csv_of_rows(rows)


def _cells(view: View) -> Iterator[tuple[object, ...]]:
    """Yield query and key of each cell with their positions, and its weight: float32, exact."""
    queries, keys = view.shown.query_tokens.texts, view.shown.key_tokens.texts
    for row, (query, weights) in enumerate(zip(queries, view.weights, strict=True), start=FIRST_POSITION):
        for column, (key, weight) in enumerate(zip(keys, weights, strict=True), start=FIRST_POSITION):
            yield row, visible(query), column, visible(key), str(weight)
