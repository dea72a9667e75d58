"""Edits described in the words of the sentence, and whether they affect any of them."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import fields

from models.edits import (
    Diagonal,
    Edit,
    Harden,
    KeepHeads,
    MaskCell,
    MaskKey,
    Sample,
    ScaleScores,
    SetRow,
    UniformRow,
    Window,
    ZeroHead,
    ZeroRow,
)
from models.edits.words import place_in_words
from models.trace import AttentionTrace, TokenSequence
from viz.text.language import _, _n, listed, say
from viz.text.tokens import isolated, visible
from viz.views.view import with_named_rows

_OF_ROWS = ZeroRow | UniformRow | Diagonal | Harden | Sample | SetRow

MOST_NAMED = 3
"""Words on which a row is said to be set; more are a row set by hand."""


def meets(edit: Edit, queries: TokenSequence, keys: TokenSequence) -> bool:
    """Return whether the rows and words that `edit` names are there."""
    weights = getattr(edit, "weights", ())
    reach = [getattr(edit, name, None) or 0 for name in ("key", "centre")]
    return (getattr(edit, "row", None) or 0) < len(queries) and max(*reach, len(weights) - 1) < len(keys)


def meeting(trace: AttentionTrace, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Return the `edits` that change something in the sentence of `trace`; an absent site is ignored here."""
    return tuple(edit for edit in edits if meets(edit, *axes_of(trace, edit)))


def axes_of(trace: AttentionTrace, edit: Edit) -> tuple[TokenSequence, TokenSequence]:
    """Return the tokens of the rows and of the keys where `edit` acts on `trace`."""
    shown = next((with_named_rows(each) for each in trace if each.site.matches(edit.site)), None)
    return (trace.target, trace.source) if shown is None else (shown.query_tokens, shown.key_tokens)


def in_words(trace: AttentionTrace, action: Sequence[Edit]) -> str:
    """Say what `action` does, in the words of `trace`: edits of one kind that differ in word or head alone as one."""
    groups = [tuple(alike) for _kind_, alike in itertools.groupby(action, key=_kind)]
    axes = [axes_of(trace, edits[0]) for edits in groups]
    return "; ".join(
        describe(edits, queries=queries, keys=keys) for edits, (queries, keys) in zip(groups, axes, strict=True)
    )


def all_in_words(trace: AttentionTrace) -> str:
    """Say all that was edited in `trace`, as `in_words` does."""
    return in_words(trace, trace.provenance.edits)


def _kind(edit: Edit) -> str:
    """Return what edits have in common that one sentence says."""
    open_ = "head" if isinstance(edit, ZeroHead) else "key" if isinstance(edit, MaskKey | MaskCell) else "row"
    rest = {each.name: getattr(edit, each.name) for each in fields(edit) if each.name != open_}
    return f"{edit.name} {rest}"


def describe(action: tuple[Edit, ...], *, queries: TokenSequence, keys: TokenSequence) -> str:
    """Say in words what `action` does: plain text."""
    there = tuple(edit for edit in action if meets(edit, queries, keys))
    if there:
        said = _said(there, queries, keys)
        return _("{edit} ({place})", edit=said, place=_place(there[0])) if _names_no_place(there[0]) else said
    return _("{edit}: no effect here, because this sentence is shorter", edit=say(action[0].describe()))


def _names_no_place(edit: Edit) -> bool:
    return isinstance(edit, MaskKey | MaskCell | ZeroHead | KeepHeads | _OF_ROWS)


def _said(action: tuple[Edit, ...], queries: TokenSequence, keys: TokenSequence) -> str:
    first = action[0]
    row = _quoted(queries, [edit.row for edit in action if isinstance(edit, _OF_ROWS | Window)])
    if isinstance(first, MaskKey):
        words = _quoted(keys, [edit.key for edit in action if isinstance(edit, MaskKey)])
        return _("{words} hidden", words=words)
    if isinstance(first, MaskCell):
        words = _quoted(keys, [edit.key for edit in action if isinstance(edit, MaskCell)])
        return _("{words} hidden from {row}", row=_quoted(queries, [first.row]) or _("no row"), words=words)
    if isinstance(first, ZeroHead):
        return _heads_off([edit.head for edit in action if isinstance(edit, ZeroHead)])
    if isinstance(first, KeepHeads):
        named = ", ".join(map(str, first.heads))
        return _n("only head {heads} is kept", "only heads {heads} are kept", len(first.heads), heads=named)
    if isinstance(first, _OF_ROWS):
        return _of_head(_row_said(first, row, keys), first.head)
    if isinstance(first, ScaleScores):
        turned = _("sharpened") if first.factor > 1 else _("flattened")
        return _("attention is {turned}: {edit}", turned=turned, edit=say(first.describe()))
    return _("{row}: {edit}", row=row, edit=say(first.describe())) if row else say(first.describe())


def _row_said(edit: _OF_ROWS, row: str, keys: TokenSequence) -> str:
    """Say what becomes of `row`, or of every row if that is empty."""
    hops = edit.site.endswith("hops")
    if isinstance(edit, ZeroRow):
        return _("{row} attends to nothing", row=row) if row else _("no row attends to anything")
    if isinstance(edit, UniformRow) and not row:
        return _("every hop attends to all tokens equally") if hops else _("every word attends to all tokens equally")
    if isinstance(edit, UniformRow):
        return _("{row} attends to all tokens equally", row=row)
    row = row or (_("every hop") if hops else _("every word"))
    if isinstance(edit, Diagonal):
        return _("{row} attends only to the key at its own position: the diagonal", row=row)
    if isinstance(edit, Harden):
        return _("{row} attends only to its strongest word: hard attention", row=row)
    if isinstance(edit, Sample):
        return _("{row} attends to one word, sampled with seed {seed}: hard attention", row=row, seed=edit.seed)
    return _set(edit, row, keys)


def _heads_off(heads: Sequence[int | None]) -> str:
    if None in heads:
        return _("every head is ablated")
    several = sorted({head for head in heads if head is not None})
    named = ", ".join(map(str, several))
    return _n("head {heads} is ablated", "heads {heads} are ablated", len(several), heads=named)


def _set(edit: SetRow, row: str, keys: TokenSequence) -> str:
    onto = dict.fromkeys(keys.words[place] for place, weight in enumerate(edit.weights) if weight > 0)
    if not 0 < len(onto) <= MOST_NAMED:
        said = _("the row of {row} is set by hand", row=row)
    else:
        words = listed(f"“{isolated(visible(keys.word_texts[word]))}”" for word in onto)
        said = _("{row} attends only to {words}", row=row, words=words)
    return said if edit.blend == 1 else _("{said}, blended in by {blend}", said=said, blend=f"{edit.blend:g}")


def _of_head(said: str, head: int | None) -> str:
    return said if head is None else _("{said} in head {head}", said=said, head=head)


def _quoted(tokens: TokenSequence, places: Sequence[int | None]) -> str:
    """Return the words of pieces at `places`, each once; which of its pieces, where not all of them are meant."""
    met = {place for place in places if place is not None and place < len(tokens)}
    words = dict.fromkeys(tokens.words[place] for place in places if place in met)
    return listed(_word(tokens, word, met) for word in words)


def _word(tokens: TokenSequence, word: int, met: Collection[int]) -> str:
    quoted = f"“{isolated(visible(tokens.word_texts[word]))}”"
    pieces = [place for place, whose in enumerate(tokens.words) if whose == word]
    if all(place in met for place in pieces):
        return quoted
    some = (tokens.texts[place].strip() or tokens.texts[place] for place in pieces if place in met)
    return _("{word} (subword {pieces})", pieces=listed(f"“{isolated(visible(each))}”" for each in some), word=quoted)


def _place(edit: Edit) -> str:
    return say(place_in_words(edit.site))
