"""Table of heads: labels with their scores, and measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import plotly.graph_objects as go

from models.measures.heads import Measure
from models.trace import AttentionTrace
from viz.captions.maps import common_notes
from viz.captions.measures import label_name, left_out, meaning_of, meaning_of_label, name_of
from viz.figures.drawing.grid import GLYPH_WIDTH, LINE_HEIGHT
from viz.figures.drawing.headline import LINE, headline, words_at, wrapped
from viz.figures.drawing.layout import bare_layout
from viz.figures.drawing.theme import (
    CLEAR,
    FONT_SIZE,
    NOTE_SIZE,
    SMALLEST_FONT,
    TEXT_COLOUR,
    TITLE_SIZE,
    text_on,
    weight_colour,
)
from viz.measures.head_profile import Profile, columns_of, ordered, profiles_of
from viz.text.language import _
from viz.text.tokens import escape, units
from viz.text.tokens import width as columns_taken
from viz.views.heads import HeadPlace, views_at
from viz.views.view import Unit

PADDING = 8  # pixels that Plotly leaves at either side of a cell's text
BOLD = 1.1  # times the width of plain text
GAP = 12  # pixels between the table and what stands above and below it


def head_profiles(
    trace: AttentionTrace,
    *,
    sites: str = "encoder.*.self",
    unit: Unit = "word",
    by: str = "place",
    picked: Sequence[HeadPlace] = (),
    width: float = 1320,
) -> go.Figure:
    """Show what every head does on this text: a label with its score, entropy, distance and shares, a row a head.

    Measured are whole maps, special tokens too. Cells of shares are coloured as weights are, from 0 to 1.

    Parameters
    ----------
    trace : AttentionTrace
    sites, unit : optional
        As in `head_comparison`.
    by : str, optional
        ``"place"``, by layer and head; ``"score"``, that of the label; or a measure: ``"entropy"``, ``"breadth"``,
        ``"distance"``, ``"aligned"``, ``"behind"``, ``"ahead"``, ``"previous"``, ``"same"``, ``"next"``, ``"near"``,
        ``"first"``, ``"last"``, ``"delimiter"``, ``"punctuation"``, ``"repeated"``, ``"unread"``, those that mean
        something for this map and text. The most comes first.
    picked : sequence of HeadPlace, optional
        Heads that are marked.
    width : float, optional
        Pixels at which the figure will be shown; it is wider where the columns find no room.

    Returns
    -------
    plotly.graph_objects.Figure
        A table; below it what each column says. Its cells hold the numbers unrounded.

    Raises
    ------
    KeyError
        If no map was captured at `sites`.
    ValueError
        If `sites` names several stacks or kinds, or a choice is not one that there is.

    Examples
    --------
    >>> from models import load
    >>> trace = load("transformer-en-fr").attend("The cat sleeps.")
    >>> (table,) = head_profiles(trace, by="score").data
    >>> len(table.cells.values[0])
    24
    """
    views = views_at(trace, sites, unit)
    profiles = ordered(profiles_of(views), by)
    measures = columns_of(profiles)
    columns = _columns(profiles, measures, picked)
    grid = _fit(columns, width)
    title = wrapped(_("Every head in numbers, on this text"), grid.across, TITLE_SIZE)
    coloured = _("scores and shares are coloured as weights are: 0 pale, 1 dark")
    note = wrapped("\u00a0· ".join((coloured, *common_notes(views[0]))), grid.across)
    said = [line for each in _meanings(measures, left_out(views[0].shown.site)) for line in wrapped(each, grid.across)]
    above = len(title) * TITLE_SIZE * LINE_HEIGHT + len(note) * LINE + GAP
    below = len(said) * LINE + GAP
    height = above + grid.header + grid.row * len(profiles) + GAP + below
    table = _table(columns, grid)
    table.domain = {"x": [0, 1 - 1 / grid.across], "y": [below / height, 1 - above / height]}
    layout = bare_layout(grid.across, height) | {"annotations": [*headline(title, note, height), _foot(said)]}
    return go.Figure([table], layout)


@dataclass(frozen=True, slots=True)
class _Column:
    """One column of the table."""

    name: str  # plain text
    values: Sequence[str | float]  # A text or a number a row
    decimals: bool = False  # whether the numbers are shown with two decimals
    is_share: bool = False  # whether they lie between 0 and 1, and are coloured so

    @property
    def is_text(self) -> bool:
        return any(isinstance(value, str) for value in self.values)

    @property
    def widest(self) -> int:
        """Columns of letters that its cells take."""
        return max((columns_taken(f"{each:.2f}" if self.decimals else str(each)) for each in self.values), default=0)


class _Sizes(NamedTuple):
    """The sizes of the table."""

    font: int  # pixels of its letters
    widths: tuple[float, ...]  # of its columns, in pixels
    names: tuple[tuple[str, ...], ...]  # of the columns, in lines that fit
    header: float  # heights in pixels
    row: float  # heights in pixels
    across: float  # of the whole figure


def _columns(profiles: Sequence[Profile], measures: Sequence[Measure], picked: Sequence[HeadPlace]) -> list[_Column]:
    marks = [_Column(_("picked"), ["✓" if each.place in picked else "" for each in profiles])] if picked else []
    values = [_Column(name_of(each), [p.values[each.key] for p in profiles], True, each.is_share) for each in measures]
    return [
        *marks,
        _Column(_("layer"), [each.place.layer for each in profiles]),
        _Column(_("head"), [each.place.head for each in profiles]),
        _Column(_("label"), [label_name(each.label, each.sink) for each in profiles]),
        _Column(_("score"), [each.label.score for each in profiles], decimals=True, is_share=True),
        *values,
    ]


def _fit(columns: Sequence[_Column], width: float) -> _Sizes:
    """Choose the largest letters with which each word of a name and each cell fit into its column on one line."""
    for font in range(FONT_SIZE - 1, SMALLEST_FONT - 1, -1):
        letter, bold = font * GLYPH_WIDTH, min(font, NOTE_SIZE) * GLYPH_WIDTH * BOLD
        least = [
            max(each.widest * letter, max(map(columns_taken, units(each.name))) * bold) + 2 * PADDING + 1
            for each in columns
        ]
        if sum(least) <= width:
            break
    across = max(width, sum(least))
    widths = tuple(each * across / sum(least) for each in least)
    small = min(font, NOTE_SIZE)
    names = tuple(
        wrapped(each.name, (room - 2 * PADDING) / BOLD, small) for each, room in zip(columns, widths, strict=True)
    )
    header = max(map(len, names)) * small * LINE_HEIGHT + 2 * PADDING
    return _Sizes(font, widths, names, header, font * LINE_HEIGHT + PADDING, across)


def _meanings(measures: Sequence[Measure], reason: str) -> list[str]:
    """Return what each column says, and which are left out: plain text."""
    score = _("For a pattern: its share of the attention. For a broad head: its entropy, as a share of the maximum.")
    said = [
        (_("label"), meaning_of_label()),
        (_("score"), score),
        *((name_of(measure), meaning_of(measure)) for measure in measures),
    ]
    lines = [_("{name}: {meaning}", name=name, meaning=meaning) for name, meaning in said]
    return [*lines, reason] if reason else lines


def _foot(lines: Sequence[str]) -> dict[str, Any]:
    text = "<br>".join(map(escape, lines))
    return words_at(text, 0, 0, size=NOTE_SIZE, yanchor="bottom", align="left", borderpad=0)


def _table(columns: Sequence[_Column], grid: _Sizes) -> go.Table:
    aligned = ["left" if each.is_text else "right" for each in columns]
    shades = [_shades(each) for each in columns]
    texts = [[text_on(shade) if shade != CLEAR else TEXT_COLOUR for shade in column] for column in shades]
    return go.Table(
        columnwidth=grid.widths,
        header={
            "values": [f"<b>{'<br>'.join(map(escape, lines))}</b>" for lines in grid.names],
            "height": grid.header,
            "align": aligned,
            "fill": {"color": CLEAR},
            "font": {"size": min(grid.font, NOTE_SIZE)},
        },
        cells={
            "values": [[escape(v) if isinstance(v, str) else v for v in each.values] for each in columns],
            "format": [".2f" if each.decimals else "" for each in columns],
            "height": grid.row,
            "align": aligned,
            "fill": {"color": shades},
            "font": {"size": grid.font, "color": texts},
        },
    )


def _shades(column: _Column) -> list[str]:
    """Return the colours of a column's cells: those of weights where the numbers are shares."""
    if not column.is_share:
        return [CLEAR] * len(column.values)
    return [weight_colour(min(max(float(value), 0.0), 1.0), "linear") for value in column.values]
