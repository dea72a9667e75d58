"""Data of the Bench's canvas: attention maps side by side, with the words and notes of each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from models.trace import AttentionTrace
from viz.canvas.payload import JOINT, MARKS, legend_of, pack
from viz.captions.asking import OFFER
from viz.captions.maps import axes_note, linking_note, masked_note, notes_of, scale_of, sentence_of, window_note
from viz.captions.telling import doubt_of, telling_of
from viz.captions.written import Written, written_words
from viz.figures.drawing.theme import NIGHT_SCALE, WEIGHT_SCALE, WINDOW_COLOUR, Colour
from viz.text.formula import math_of
from viz.text.language import _, _n, mark
from viz.text.tokens import isolated, runs_rightward, visible
from viz.views.aligned import Linking, aligned_cells
from viz.views.asked import asked_columns, asked_rows
from viz.views.view import View
from viz.views.windows import Windows, windows_of

_WORDS = {
    "reads": mark("“{word}” attends to {list}"),
    "after": mark("after “{word}” it attends to {list}"),
    "read_by": mark("“{word}” gets attention from {list}"),
    "item": mark("“{word}” {weight}"),
    "comma": mark(", "),
    "said": mark("{title}: {line}"),
    "unlike": mark("no matching word here"),
    "unread": mark("no word here attends to “{word}”"),
    "one_vector": mark("one vector: no attention to single words"),
    "kept": mark("kept: press Escape to release"),
    "sentence": mark("Sentence"),
    "brief": mark("attention weight"),
    "doubt": mark("unsure"),
    "translation": mark("{title}: translation"),
    "keys": mark(
        "Point at any word or cell, or tap it: every panel responds. Click to keep it, press Escape to release it. "
        "Keyboard: Tab to a line of words or a map, then use the arrow keys and Enter."
    ),
    "lines": mark("lines and shaded words: attention; thicker means more weight"),
    **MARKS,
    "unsure": mark("darker orange: the model was less sure of this word"),
    "mean": mark(
        "head: one attention with its own queries, keys and values. “Mean of 8 heads” is the average of their weights."
    ),
}

_ZEROED_WORDS = {
    "reads": mark("“{word}” turns without {list}"),
    "after": mark("after “{word}” it turns without {list}"),
    "read_by": mark("without “{word}”, these turn: {list}"),
    "unread": mark("no word here turns without “{word}”"),
}
"""Of a panel with value zeroing; others beside it can have weights."""

_ALL_ZEROED = {
    "brief": mark("value zeroing"),
    "lines": mark("lines and shaded words: what turns it; thicker means more"),
}
_ALSO_ZEROED = {
    "brief": mark("attention weight or value zeroing"),
    "lines": mark("lines and shaded words: weight, or what turns it; thicker means more"),
}

_MOVED_WORDS = {
    "reads": mark("“{word}” is moved by {list}"),
    "after": mark("after “{word}” it is moved by {list}"),
    "read_by": mark("“{word}” moves {list}"),
    "brief": mark("moved"),
    "unread": mark("no word here is moved by “{word}”"),
    "lines": mark("lines and shaded words: what moves it; thicker means more"),
}


@dataclass(frozen=True, slots=True)
class AlignmentView:
    """A mechanism as the Bench shows it."""

    trace: AttentionTrace
    view: View | None  # the map; None where there is no attention
    formula: str  # in LaTeX; empty where none is known
    # the codes of the languages that it reads and writes; empty where they are not known
    languages: tuple[str, str] = ("", "")
    name: str = ""  # what tells it from other panels of the same mechanism


def encode_alignment(
    shown: Sequence[AlignmentView], *, colour: Colour = "linear", linking: Linking = "none", asks: bool = False
) -> bytes:
    """Return all that the picture of the Bench shows: a panel a mechanism, on one scale from 0 to 1."""
    views = [each.view for each in shown if each.view]
    tokens = views[0].shown.key_tokens.texts if views else shown[0].trace.source.word_texts
    common = [note for note in _notes(views[0]) if all(note in _notes(view) for view in views)] if views else []
    rows = {view.query_title for view in views}
    row_title, key_title = rows.pop() if len(rows) == 1 else "", views[0].key_title if views else ""
    written = [written_words(each.trace) for each in shown]
    header = {
        "title": shown[0].trace.source_text,
        "code": shown[0].languages[0],
        "tokens": [isolated(visible(text)) for text in tokens],
        "leftward": not runs_rightward(tokens),
        "panels": [
            _panel(each, words, common, one_title=len(rows) < 2)
            | {"links": aligned_cells(each.view, linking) if each.view else []}
            | (_asked(each, words) if asks else {})
            for each, words in zip(shown, written, strict=True)
        ],
        "row_title": row_title,
        "key_title": key_title,
        **legend_of(JOINT.join((*axes_note(row_title, key_title), *common)), colour, scale_of(views)),
        **({} if views else {"legend": ""}),
        "night": NIGHT_SCALE,
        "window_colour": WINDOW_COLOUR,
        "links": linking_note(linking),
        "words": _words(
            {view.quantity for view in views},
            sure=any(not isnan(step.probability) for each in shown for step in each.trace.steps),
        ),
        "ask": _(OFFER) if asks else "",
        "put": _("Put another word in the place of {row}") if asks else "",
        "colour": colour,
        "palette": WEIGHT_SCALE,
    }
    weights = [np.asarray(view.weights, dtype="<f4").tobytes() for view in views]
    return pack(header, b"".join(weights))


def _notes(view: View) -> tuple[str, ...]:
    return (*notes_of(view), *masked_note(view.masked))


def _words(quantities: Collection[str], *, sure: bool) -> dict[str, str]:
    """Return what the picture says; where it is not known how sure the models were, nothing of that."""
    words = {**_WORDS, **(_MOVED_WORDS if "moved" in quantities else {})}
    if "zeroed" in quantities:
        words |= _ALSO_ZEROED if len(quantities) > 1 else _ALL_ZEROED
    left_out = () if sure else ("doubt", "unsure")
    return {key: "" if key in left_out else _(message) for key, message in words.items()}


def _panel(
    shown: AlignmentView, written: Sequence[Written], common: Sequence[str], *, one_title: bool
) -> dict[str, Any]:
    """Return what one panel says; notes that all have, and a title of rows that all share, are said once elsewhere."""
    trace, view = shown.trace, shown.view
    panel = {
        "title": ": ".join(filter(None, (_(trace.provenance.title), shown.name))),
        "year": str(trace.provenance.year or ""),
        "formula": math_of(shown.formula) if shown.formula else "",
        "code": shown.languages[1],
        "words": [{"text": each.text, "spaced": each.spaced, "says": each.says} for each in written],
        "leftward": not runs_rightward(each.text for each in written),
        "sure": [1 if isnan(each.probability) else round(each.probability, 4) for each in written],
        "nothing": "" if written else _("nothing written"),
    }
    if view is None:
        return panel | {
            "rows": [],
            "row_title": "",
            "vector": _one_vector(len(trace.source.word_texts)),
            "notes": [],
        }
    windows = windows_of(view)
    own, row_title = [note for note in _notes(view) if note not in common], "" if one_title else view.query_title
    told = {key: _(message) for key, message in _ZEROED_WORDS.items()} if view.quantity == "zeroed" else {}
    return panel | {
        "told": told,
        "rows": [isolated(visible(text)) for text in view.shown.query_tokens.texts],
        "row_title": row_title,
        "row_words": _words_of_rows(view, written),
        "reading": view.reading,
        "says": telling_of(view),
        "alt": sentence_of(view),
        "notes": [*own, *doubt_of(trace), *window_note(windows), *filter(None, (row_title,))],
        "windows": _lines_of(windows),
        "mean": view.head == "mean" and len(view.shown.head_names) > 1,
    }


def _asked(shown: AlignmentView, written: Sequence[Written]) -> dict[str, Any]:
    """Return what the cells of a panel can be asked as: text and code of the words of its rows and columns."""
    if shown.view is None:
        return {}
    axes = (asked_rows(shown.view), asked_columns(shown.view))
    rows, columns = ([each and [isolated(each.text), each.code] for each in words] for words in axes)
    words = [each.word for each in written] if shown.view.shown.site.kind == "cross" else []
    return {"asked": {"of": shown.trace.provenance.checkpoint, "rows": rows, "columns": columns, "written": words}}


def _words_of_rows(view: View, written: Sequence[Written]) -> list[int]:
    """Return for each row which written word it is of, counted among those that are shown; -1: of none."""
    places = {each.word: place for place, each in enumerate(written)}
    shift = int(view.reading == "input")  # the first word read in is <s>
    target = view.trace.target_input if shift else view.trace.target
    words = target.words if view.unit == "piece" else range(len(view.shown.query_tokens) + len(view.hidden_queries))
    shown = (word for row, word in enumerate(words) if row not in view.hidden_queries)
    return [places.get(word - shift, -1) for word in shown]


def _lines_of(windows: Windows | None) -> list[dict[str, Any]]:
    """Return the lines of local attention over a map, in columns, from 0 at the middle of the first: a place a row."""
    if windows is None:
        return []
    lines = [("solid", windows.left), ("solid", windows.right), ("point", windows.centre)]
    if windows.sigma_left is not None and windows.sigma_right is not None:
        lines += [("dotted", windows.sigma_left), ("dotted", windows.sigma_right)]
    return [{"style": style, "places": places.round(3).tolist()} for style, places in lines]


def _one_vector(words: int) -> list[str]:
    """Say what a decoder without attention gets of a sentence of so many words."""
    return [
        _n("{count} word or mark, including the end mark", "{count} words and marks, including the end mark", words),
        _("one vector"),
        _("No attention map: this decoder never looks back. It knows the sentence only through this one vector."),
    ]
