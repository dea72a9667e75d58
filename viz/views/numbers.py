"""The numbers behind a picture, as a table to look at and as CSV to keep. No Streamlit."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from viz.text.language import _
from viz.text.tokens import visible
from viz.views.view import View


def numbered(texts: Sequence[str]) -> list[str]:
    """Return each token with its position, counted from 1: equal words stay apart.

    Examples
    --------
    >>> numbered(("the", "cat", "the"))
    ['1 the', '2 cat', '3 the']
    """
    return [f"{place} {visible(text)}" for place, text in enumerate(texts, start=1)]


def table_of(view: View) -> dict[str, list[str] | list[float]]:
    """Return the weights of `view` as columns: the queries, then one column a key.

    Parameters
    ----------
    view : View

    Returns
    -------
    dict
        Its keys are the columns' names.
    """
    keys = numbered(view.shown.key_tokens.texts)
    columns: dict[str, list[str] | list[float]] = {_("query"): list(numbered(view.shown.query_tokens.texts))}
    columns.update(zip(keys, view.weights.T.tolist(), strict=True))
    return columns


def csv_of(view: View) -> str:
    r"""Return the weights of `view` as CSV with a line a cell; positions are counted from 1.

    Parameters
    ----------
    view : View

    Returns
    -------
    str
        A heading, then ``query_position,query,key_position,key,weight``; weights are exact float32 numbers, and
        tokens are shown as on the axes, with nothing invisible in them.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("query_position", "query", "key_position", "key", "weight"))
    queries, keys = view.shown.query_tokens.texts, view.shown.key_tokens.texts
    for row, (query, weights) in enumerate(zip(queries, view.weights, strict=True), start=1):
        for column, (key, weight) in enumerate(zip(keys, weights, strict=True), start=1):
            writer.writerow((row, visible(query), column, visible(key), str(weight)))
    return out.getvalue()
