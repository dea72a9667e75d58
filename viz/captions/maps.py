"""Captions of one map: notes on edits, merging, hidden tokens and cuts, and its strongest links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from models.edits import Edit, LiftMask
from models.sites import Site
from models.trace import AttentionTrace
from models.writing import Writing
from viz.captions.edits import all_in_words
from viz.text.counting import position_name
from viz.text.language import SEMICOLON, _, _n, listed, parted, say
from viz.text.tokens import is_word, isolated, visible
from viz.views.aligned import Linking
from viz.views.hiding import HIDDEN, Span
from viz.views.links import Link, strongest_links
from viz.views.view import View, is_hard
from viz.views.windows import Windows
from viz.views.written import WRITTEN


def notes_of(view: View) -> tuple[str, ...]:
    """Say what a reader must know of the picture: layer and head, merging, edits, cuts."""
    provenance = view.trace.provenance
    notes = [*_place_note(view), *quantity_note(view)]
    if provenance.edits:
        notes.append(_("edited: {edits}", edits=all_in_words(view.trace)))
    if provenance.decoding == "forced":
        notes.append(_("the translation was given, not chosen by the model"))
    if view.trace.written is not None:
        notes.extend(written_notes(view.trace))
    if not provenance.exact:
        notes.append(_("weights are approximate"))
    if view.merged:
        notes += [_("subwords merged into words"), *_one_place_note(view)]
    notes += [*_hidden_notes(view), *_span_notes(view)]
    if view.folded:
        notes.append(
            _n(
                "{count} sentence folded: its row is the mean of its words, its column their sum",
                "{count} sentences folded: a row is the mean of its words, a column their sum",
                view.folded,
            )
        )
    return (*notes, *map(say, provenance.notes))


def _hidden_notes(view: View) -> tuple[str, ...]:
    """Say which tokens are hidden other than by a choice of rows and columns."""
    keys, queries = len(view.hidden_keys), len(view.hidden_queries)
    keys -= view.column_span.outside if view.column_span else 0
    queries -= view.row_span.outside if view.row_span else 0
    if view.between is not None:
        return (between_note(view.between, _(HIDDEN)),)
    if keys:
        return (_("special tokens hidden: {count}; their weight: {column}", count=keys, column=_(HIDDEN)),)
    return (_("rows of special tokens hidden: {count}", count=queries),) if queries else ()


def _span_notes(view: View) -> tuple[str, ...]:
    """Say which part of the rows and of the columns is shown; nothing where all are."""
    notes = []
    if view.row_span is not None:
        rows = _numbers(view.row_span)
        notes.append(_("rows {first}-{last} of {all}; the others are hidden", **rows))
    if view.column_span is not None:
        columns = _numbers(view.column_span)
        notes.append(_("columns {first}-{last} of {all}; weight of the others: {column}", column=_(HIDDEN), **columns))
    return tuple(notes)


def _numbers(span: Span) -> dict[str, str]:
    return {"first": position_name(span.first), "last": position_name(span.last), "all": str(span.total)}


def quantity_note(view: View) -> tuple[str, ...]:
    """Say what is moved, or turned, and what it is not; nothing of weights."""
    if view.quantity == "zeroed":
        turned = _(
            "value zeroing: how far the vector that leaves this layer turns (cosine distance) when the value of the "
            "key is taken away for all heads, each row over its sum (Mohebbi et al. 2023); what the vector depends on "
            "in this layer, not why a word was written"
        )
        return (turned,)
    if view.quantity != "moved":
        return ()
    said = _(
        "moved, not weight: the length of weight times value times W_O, divided by the row sum (Kobayashi et al. "
        "2020); not an explanation, and not a better aligner"
    )
    return (said,)


def crossed_note(masked: NDArray[np.bool_] | None) -> tuple[str, ...]:
    """Say what the crossed-out cells of a map are; nothing where the causal mask hides none.

    Shapes: `masked` [query, key].
    """
    return (_("crossed out: later words, hidden by the causal mask"),) if masked is not None and masked.any() else ()


def masked_note(masked: NDArray[np.bool_] | None) -> tuple[str, ...]:
    """Say which words the causal mask hides, of a picture in which nothing is crossed out; nothing where it hides none.

    Shapes: `masked` [query, key].
    """
    if masked is None or not masked.any():
        return ()
    return (_("words after the query (right of the diagonal) are hidden by the causal mask"),)


def scale_of(views: Sequence[View]) -> str:
    """Say what the colours of maps on one scale are: of each quantity among them."""
    return listed(dict.fromkeys(view.meaning for view in views), SEMICOLON) or _("attention weight")


def written_notes(trace: AttentionTrace) -> tuple[str, ...]:
    """Say which tokens a model wrote, and how; nothing where it wrote nothing of its own."""
    if trace.written is None:
        return ()
    if trace.is_translation:
        return (_("given: “{text}”; then chosen by the model, greedily", text=given_text(trace)),)
    return (f"{WRITTEN} {way_of_writing(trace.written.asked)}",)


def given_text(trace: AttentionTrace) -> str:
    """Return the beginning that a translator was made to write."""
    return "".join(trace.target.texts[: trace.written.first if trace.written else 0]).strip()


def way_of_writing(asked: Writing) -> str:
    """Say how a causal model chose the tokens that it wrote."""
    if not asked.tokens:
        return _("chosen token by token") if asked.begin else _("nothing yet")
    if not asked.draws:
        return _("written by the model, greedily")
    settings = [_("temperature {temperature:g}", temperature=asked.temperature)]
    settings += [_("top-k {count}", count=asked.top_k)] * bool(asked.top_k)
    settings += [_("top-p {share:g}", share=asked.top_p)] * (asked.top_p < 1)
    settings.append(_("seed {seed}", seed=asked.seed))
    return _("sampled by the model ({settings})", settings=listed(settings))


def _place_note(view: View) -> tuple[str, ...]:
    """Say which layer and head is shown, of cross-attention that it is; nothing where there is one head."""
    names, layer = view.shown.head_names, view.shown.site.layer
    if view.quantity == "zeroed":
        return (_("layer {layer}, all heads together", layer=layer),)
    if len(names) < 2:
        return ()
    if view.head == "mean":
        said = _n(
            "layer {layer}, mean of {count} head", "layer {layer}, mean of {count} heads", len(names), layer=layer
        )
    else:
        said = _("layer {layer}, head {head}, counted from 0", layer=layer, head=names[view.head])
    return (_("cross-attention, {place}", place=said) if view.shown.site.kind == "cross" else said,)


def _one_place_note(view: View) -> tuple[str, ...]:
    one = _("each word attends to one place, where most of its subwords do")
    return (one,) if is_hard(view.shown) else ()


def between_note(between: tuple[int, int], column: str) -> str:
    """Say which part of the map of a pair of texts is shown."""
    rows, columns = ("AB"[each] for each in between)
    return _(
        "rows: text {rows}; columns: text {columns}; all other weight: {column}",
        rows=rows,
        columns=columns,
        column=column,
    )


def sentence_of(view: View, *, count: int = 3) -> str:
    """Say in one sentence what `view` shows: who reads whom most."""
    return _("{title}: {links}", title=view.title, links=links_of(view, count=count))


def links_of(view: View, *, count: int = 3) -> str:
    """Say who reads whom most in `view`, without its title."""
    queries, keys = view.shown.query_tokens.texts, view.shown.key_tokens.texts
    spoken_of = view.weights[:, :-1] if view.hidden_keys else view.weights
    links = strongest_links(spoken_of, count=len(queries))
    spoken = [link for link in links if is_word(queries[link.query])] or list(links)
    return listed((_reads(link, queries, keys, view.quantity) for link in spoken[:count]), SEMICOLON) or _(
        "nothing to attend to"
    )


def window_note(windows: Windows | None) -> tuple[str, ...]:
    """Say what the lines of local attention over a map are; nothing where there are none."""
    if windows is None:
        return ()
    drawn = _("orange: each row's window and its centre")
    return (drawn if windows.sigma_left is None else _("{drawn}; dotted: one sigma", drawn=drawn),)


def _reads(link: Link, queries: tuple[str, ...], keys: tuple[str, ...], quantity: str) -> str:
    query, key = isolated(visible(queries[link.query])), isolated(visible(keys[link.key]))
    if quantity == "zeroed":
        return _("“{query}” turns most without “{key}” ({weight})", query=query, key=key, weight=f"{link.weight:.2f}")
    if quantity == "moved":
        return _("“{query}” is moved most by “{key}” ({weight})", query=query, key=key, weight=f"{link.weight:.2f}")
    return _("“{query}” attends most to “{key}” ({weight})", query=query, key=key, weight=f"{link.weight:.2f}")


def map_title(site: Site, edits: Iterable[Edit] = ()) -> str:
    """Say in words what kind of attention `site` is, under `edits`."""
    if site.kind == "cross":
        return _("cross-attention")
    if site.kind == "hops":
        return _("hops: learned queries, the same for every sentence")
    if site.stack == "encoder":
        return _("encoder self-attention")
    if any(isinstance(each, LiftMask) and each.applies_to(site.at(each.quantity)) for each in edits):
        return _("unmasked decoder self-attention")
    return _("causal decoder self-attention")


def axes_note(query_title: str, key_title: str) -> tuple[str, ...]:
    """Say what rows are and what columns are, as far as a title is known: the same below every map."""
    rows, columns = (parted(each)[1] for each in (query_title, key_title))
    said = (
        (_("rows (top to bottom): query, {rows}", rows=rows), rows),
        (_("columns: key, {columns}", columns=columns), columns),
    )
    return tuple(each for each, title in said if title)


def common_notes(view: View) -> tuple[str, ...]:
    """Say what holds for every head of a map: edits, merging, cuts; not which layer and head it is."""
    named = len(view.shown.head_names) > 1
    return notes_of(view)[1 if named else 0 :]


def empty_note(threshold: float, count: int | str, cells: int) -> str:
    """Say that `count` of so many cells are below the threshold."""
    return _n(
        "{some} of {count} cell below {least}, left empty",
        "{some} of {count} cells below {least}, left empty",
        cells,
        least=f"{threshold:g}",
        some=count,
    )


def threshold_note(values: Iterable[NDArray[np.float32]], threshold: float) -> tuple[str, ...]:
    """Say how many cells `drawn` leaves empty; nothing without a threshold.

    Shapes: `values` [query, key].
    """
    if not threshold:
        return ()
    maps = list(values)
    below = sum(int((np.abs(each) < threshold).sum()) for each in maps)
    return (empty_note(threshold, below, sum(map(np.size, maps))),)


def linking_note(linking: Linking) -> str:
    """Say what the ringed cells of a map are; nothing where none is ringed."""
    return {
        "none": "",
        "strongest": _("ringed: alignment links (the strongest of each row)"),
        "grown": _("ringed: alignment links (row and column maxima, grown diagonally)"),
    }[linking]
