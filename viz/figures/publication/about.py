"""What a saved figure says of itself: model, sentence, quantity."""

from __future__ import annotations

from collections.abc import Iterable
from html import unescape
from unicodedata import category

import plotly.graph_objects as go

from viz.captions.strips import heading_of
from viz.figures.drawing.colour_bar import title_lines
from viz.figures.drawing.heatmap import PanelFigure
from viz.figures.printable import Printed, PrintedHeads, PrintedLinks, PrintedStrips
from viz.figures.publication.charts import headings_of, plain
from viz.views.view import Subject

Said = dict[str, str]  # "Model", "Sentence" and "Quantity", where they are known


def about(shown: go.Figure | Printed) -> Said:
    """Return the model, the sentence and the quantity that a figure shows."""
    subjects, quantities = _of_printed(shown) if isinstance(shown, Printed) else _of_figure(shown)
    said = {
        "Model": _joined(each.model for each in subjects),
        "Sentence": _joined(each.sentence for each in subjects),
        "Quantity": _joined(quantities),
    }
    return {name: text for name, text in said.items() if text}


def _joined(texts: Iterable[str]) -> str:
    """Return each text once, on one line, without characters that no XML has."""
    clean = ("".join(" " if category(char) in ("Cc", "Cs", "Cn") else char for char in each) for each in texts)
    return "; ".join(dict.fromkeys(filter(None, (" ".join(each.split()) for each in clean))))


def _of_printed(shown: Printed) -> tuple[list[Subject], list[str]]:
    if isinstance(shown, PrintedHeads):
        return [shown.subject], [shown.meaning]
    if isinstance(shown, PrintedLinks):
        return [each.subject for each in shown.drawings], [each.note for each in shown.drawings]
    if isinstance(shown, PrintedStrips):
        named = next((strip.columns for strip in shown.strips if strip.columns), ())
        return [Subject(shown.title, " ".join(named))], [heading_of(each) for each in shown.strips]
    subjects = [
        Subject(each["title"], " ".join(column["text"] for column in each["columns"])) for each in shown.pictures
    ]
    return subjects, [row["title"] for each in shown.pictures for row in each["rows"]] or [
        each["vector"] for each in shown.pictures
    ]


def _of_figure(shown: go.Figure) -> tuple[list[Subject], list[str]]:
    if isinstance(shown, PanelFigure):
        subjects = [
            Subject(each.subject.model or each.title, each.subject.sentence or " ".join(each.keys.texts))
            for each in shown.panels
        ]
        return subjects, [unescape(" ".join(title_lines(dict(shown.colours))))]
    axis = shown.layout.coloraxis.to_plotly_json()
    title = " ".join(title_lines(axis)) if axis.get("colorbar") else shown.layout.yaxis.title.text
    return [Subject(**(shown.layout.meta or {}))], [plain(title) or " ".join(headings_of(shown))]
