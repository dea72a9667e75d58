"""Controls that build an edit: operation, site, heads, rows and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from models.edits import (
    PATTERNS,
    diagonal,
    harden,
    keep_heads,
    mask_cell,
    mask_key,
    patch,
    sample,
    scale_scores,
    set_row,
    uniform_row,
    window,
    zero_head,
)
from models.trace import AttentionMap, AttentionTrace
from viz.text.counting import FIRST_POSITION, numbered, position_number
from viz.text.language import _, mark
from viz.views.windows import CENTRE
from viz.widgets import session
from viz.widgets.edits.history import Action
from viz.widgets.edits.where import (
    KEY,
    ROW,
    SITE,
    Field,
    choose_field,
    choose_heads,
    choose_keys,
    choose_one_head,
    choose_rows,
    control_of,
)
from viz.widgets.patterns import PATTERN_TITLES, SIZE_TITLES, SIZES
from viz.widgets.settings import select

OPERATION = "surgery-operation"
NOTHING = "nothing"
OPERATIONS: Mapping[str, str] = {
    NOTHING: mark("choose an edit"),
    "off": mark("ablate heads"),
    "keep": mark("keep only some heads"),
    "even": mark("spread a row evenly"),
    "hard": mark("keep only the strongest word (hard attention)"),
    "diagonal": mark("set rows to the diagonal (no content)"),
    "draw": mark("sample one word, with a seed (hard attention)"),
    "force": mark("make a row attend to one word"),
    "row": mark("set a row by hand"),
    "temperature": mark("sharpen or flatten (temperature)"),
    "window": mark("limit a row to a window"),
    "pattern": mark("limit all rows to a pattern (sparse attention)"),
    "forbid": mark("hide a word"),
    "patch": mark("patch heads from another sentence"),
}
OF_HEADS = ("off", "keep", "diagonal", "window", "pattern", "patch")
"""What says nothing of hops, which are rows of one map, and have no place in the text."""

MOST_PATCHED = 1000
"""Characters of the sentence from which heads are patched."""

MOST_SEED = 9999
"""The highest seed that the control offers."""

TEMPERATURES = (0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)


def build_edit(trace: AttentionTrace, table: DeltaGenerator) -> Action:
    """Show the controls of one edit, and return it; nothing while no operation is chosen."""
    hops = any(each.site.kind == "hops" for each in trace)
    with st.container(width=230):
        labels = {each: _(text) for each, text in OPERATIONS.items() if not hops or each not in OF_HEADS}
        operation = select(_("Edit"), labels, key=OPERATION, label_visibility="collapsed")
    if operation == NOTHING:
        return ()
    field = choose_field(trace)
    return _row(field, table) if operation == "row" else _BUILDERS[operation](field)


def fill_in(operation: str, site: str, row: int | None, key: int | None) -> None:
    """Let the controls of an edit say that `operation` is done at `site`; before they are shown."""
    session.put_control(OPERATION, operation)
    session.put_control(SITE, site)
    if row is not None:
        session.put_control(control_of(ROW, every=operation == "even"), row)
    if key is not None:
        session.put_control(control_of(KEY, every=False), key)


def _off(field: Field) -> Action:
    return tuple(zero_head(field.site, head) for head in choose_heads(field))


def _keep(field: Field) -> Action:
    heads = choose_heads(field)
    return (keep_heads(field.site, heads),) if heads else ()


def _even(field: Field) -> Action:
    head = choose_one_head(field)
    return tuple(uniform_row(field.site, head, row) for row in choose_rows(field))


def _hard(field: Field) -> Action:
    head = choose_one_head(field)
    return tuple(harden(field.site, head, row) for row in choose_rows(field))


def _diagonal(field: Field) -> Action:
    head, rows = choose_one_head(field), choose_rows(field)
    said = _("Row 1 attends only to key 1, row 2 only to key 2: position alone decides, not the words.")
    if field.example.site.kind == "cross":
        said += " " + _("If the translation is longer, its further rows attend to the last key.")
    st.caption(said)
    return tuple(diagonal(field.site, head, row) for row in rows)


def _draw(field: Field) -> Action:
    head, rows = choose_one_head(field), choose_rows(field)
    with st.container(width=120):
        seed = st.number_input(_("Seed"), 0, MOST_SEED, 1, key="surgery-seed")
    return tuple(sample(field.site, head, row, int(seed)) for row in rows)


def _shared(places: Sequence[int], count: int) -> tuple[float, ...]:
    """Return one unit of weight, shared evenly by `places` of `count`."""
    return tuple(1 / len(places) if place in places else 0.0 for place in range(count))


def _force(field: Field) -> Action:
    head, rows = choose_one_head(field), choose_rows(field, every=False)
    keys = choose_keys(field, _("onto the word"), rows)
    blend = _blend()
    weights = _shared(keys, max(keys) + 1)
    return tuple(set_row(field.site, head, row, weights, blend) for row in rows)


def _blend() -> float:
    with st.container(width=170):
        return st.slider(
            _("Blend"), 0.0, 1.0, 1.0, 0.05, key="surgery-blend", help=_("0: the model's own row; 1: the given row")
        )


def _row(field: Field, table: DeltaGenerator) -> Action:
    """Let the reader set the weight of each word; they are made to sum to 1."""
    head, rows = choose_one_head(field), choose_rows(field, every=False)
    row = int(rows[0] or 0)
    tokens = field.example.key_tokens
    until = row + 1 if field.example.causal else len(tokens)
    blend = _blend()
    own = field.example.to_words().weights
    word = field.example.query_tokens.words[row]
    start = own[head or 0, word] if head is not None or len(own) == 1 else own.mean(axis=0)[word]
    count = tokens.words[until - 1] + 1
    columns = dict(zip(numbered(tokens.word_texts)[:count], start[:count].round(3).tolist(), strict=True))
    edited = table.data_editor(
        {name: [value] for name, value in columns.items()},
        key=f"surgery-weights-{field.site}-{head}-{row}-{hash(tuple(columns))}",
        column_config={
            name: st.column_config.NumberColumn(min_value=0.0, format="%.3f", required=True) for name in columns
        },
        hide_index=True,
    )
    given = np.array([float(values[0] or 0) for values in edited.values()])
    if np.array_equal(given, list(columns.values())):
        table.caption(_("Change a number in this row to make an edit."))
        return ()
    if not given.sum() > 0:
        table.warning(_("Give at least one word a weight above 0."))
        return ()
    shares = given / given.sum()
    sizes = np.bincount(np.array(tokens.words[:until]), minlength=count)
    weights = tuple(float(shares[owner] / sizes[owner]) for owner in tokens.words[:until])
    st.caption(
        _(
            "Numbers are divided by their sum, {total}. The weight of a word is split over its subwords.",
            total=f"{given.sum():.3f}",
        )
    )
    return tuple(set_row(field.site, head, each, weights, blend) for each in rows)


def _temperature(field: Field) -> Action:
    with st.container(width=330):
        chosen = st.select_slider(
            _("Temperature: below 1 sharpens, above 1 flattens"),
            TEMPERATURES,
            1.0,
            key="surgery-temperature",
            format_func=lambda each: f"{each:g}",
        )
    return (scale_scores(field.site, 1 / chosen),) if chosen != 1 else ()


def _window(field: Field) -> Action:
    rows = choose_rows(field)
    if CENTRE in field.example.companions:
        return _own_window(field, rows)
    centres = choose_keys(field, _("around the word"), rows)
    with st.container(width=170):
        width = st.slider(_("Subwords on each side"), 0, 10, 2, key="surgery-width")
    centre = centres[len(centres) // 2]
    return tuple(window(field.site, row, centre, width) for row in rows)


def build_window(own: AttentionMap) -> Action:
    """Show the controls that move and widen the windows of a map of local attention; nothing while all is as it was."""
    field = Field(str(own.site), own)
    return _own_window(field, choose_rows(field))


def _own_window(field: Field, rows: Sequence[int | None]) -> Action:
    """Let the reader widen the windows of local attention, and move that of a row; what is left as it is stays."""
    windows = field.example.companions[CENTRE][0]  # [query, centre and half-width]
    first, last = rows[0], len(field.example.key_tokens) - 1
    own_width = round(float(windows[first or 0, 1]))
    mark_of_run = hash((field.example.query_tokens, field.example.key_tokens, windows.tobytes()))
    centre = own_centre = None
    if first is None:
        st.caption(_("Choose a row to move its centre p, too."))
    else:
        own_centre = round(position_number(float(windows[first, 0])), 1)
        with st.container(width=240):
            centre = st.slider(
                _("Centre p: source subword"),
                float(FIRST_POSITION),
                float(max(position_number(last), own_centre)),
                own_centre,
                0.1,
                key=f"surgery-centre-{first}-{mark_of_run}",
            )
    with st.container(width=200):
        width = st.slider(
            _("D: subwords on each side"),
            int(first is None),  # a centre between two pieces has none at a distance of 0
            max(10, own_width),
            own_width,
            key=f"surgery-own-width-{first}-{mark_of_run}",
        )
    moved = None if centre is None or centre == own_centre else round(centre - FIRST_POSITION, 1)
    widened = None if width == own_width else width
    if moved is None and widened is None:
        return ()
    return tuple(window(field.site, row, moved, widened) for row in rows)


def _pattern(field: Field) -> Action:
    """Let the reader limit every row; by distance only where queries and keys are the same tokens."""
    own = field.example.site.kind == "self"
    with st.container(width=200):
        titles = {name: _(title) for name, title in PATTERN_TITLES.items() if own or name == "top_k"}
        name = select(_("Pattern of attention"), titles, key=f"surgery-pattern-{own}")
    with st.container(width=240):
        size = st.select_slider(_(SIZE_TITLES[name]), SIZES, 2, key=f"surgery-size-{name}")
    return (PATTERNS[name](field.site, size),)


def _forbid(field: Field) -> Action:
    if field.example.site.kind != "hops":
        return tuple(mask_key(field.site, key) for key in choose_keys(field, _("Word to hide from all rows")))
    keys, rows = choose_keys(field, _("Word to hide from the hops")), choose_rows(field)
    return tuple(
        mask_key(field.site, key) if row is None else mask_cell(field.site, row, key) for row in rows for key in keys
    )


def _patch(field: Field) -> Action:
    heads = choose_heads(field)
    with st.container(width=330):
        text = st.text_input(
            _("Other sentence with the same number of tokens"), key="surgery-other", max_chars=MOST_PATCHED
        )
    return tuple(patch(field.site, head, text) for head in heads) if text.strip() else ()


_BUILDERS: Mapping[str, Callable[[Field], Action]] = {
    "off": _off,
    "keep": _keep,
    "even": _even,
    "hard": _hard,
    "diagonal": _diagonal,
    "draw": _draw,
    "force": _force,
    "temperature": _temperature,
    "window": _window,
    "pattern": _pattern,
    "forbid": _forbid,
    "patch": _patch,
}
