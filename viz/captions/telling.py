"""What is most worth saying of maps side by side: where models disagree, where an order turns, how unsure one is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from models.trace import AttentionTrace
from viz.captions.maps import links_of
from viz.text.language import SEMICOLON, _, listed
from viz.text.tokens import is_word, isolated, visible
from viz.views.links import Link, row_links
from viz.views.view import View

_LEAST = 0.3
"""The weight of a link that is spoken of, at least."""

_SHORTEST = 3
"""Letters of a written word that models can disagree on: articles and the like differ everywhere."""


def telling_of(view: View) -> str:
    """Say of a map where the order of words turns furthest; its strongest link where it turns nowhere."""
    turn = turn_of(view)
    if turn is None or view.quantity != "weights":
        return links_of(view, count=1)
    queries, keys = view.shown.query_tokens.texts, view.shown.key_tokens.texts
    first, second = turn
    return _(
        "The order turns: “{first}” attends to “{one}” ({weight}), the later “{second}” back to “{other}” ({less})",
        first=_shown(queries[first.query]),
        one=_shown(keys[first.key]),
        weight=f"{first.weight:.2f}",
        second=_shown(queries[second.query]),
        other=_shown(keys[second.key]),
        less=f"{second.weight:.2f}",
    )


def turn_of(view: View) -> tuple[Link, Link] | None:
    """Return the two rows whose keys are in the other order, and furthest apart; None where all keys rise."""
    turns = [(one, other) for one, other in combinations(_spoken(view), 2) if one.key > other.key]
    return max(turns, key=lambda pair: (pair[0].key - pair[1].key, min(each.weight for each in pair)), default=None)


def disagreement_of(views: Sequence[View]) -> str:
    """Say which source word the models translate most differently, the first of equals, and how; nothing where none.

    A word that another model writes in another place is none of these: that one only attends otherwise.
    """
    written: dict[int, dict[str, str]] = {}
    texts: dict[str, set[str]] = {}
    for view in views:
        title = _(view.trace.provenance.title)
        texts[title] = {text.strip().casefold() for text in view.shown.query_tokens.texts}
        for link in sorted(_spoken(view), key=lambda each: each.weight):
            word = view.shown.query_tokens.texts[link.query].strip()
            if len(word) >= _SHORTEST:
                written.setdefault(link.key, {})[title] = word
    split = {key: words for key, found in written.items() if len(words := _by_word(found, texts)) > 1}
    if not split:
        return ""
    key = max(split, key=lambda each: (len(split[each]), -each))
    parts = [f"“{_shown(word)}” ({listed(titles)})" for word, titles in split[key].items()]
    source = _shown(views[0].shown.key_tokens.texts[key])
    return _("“{word}” is translated in different ways: {parts}.", word=source, parts=listed(parts, SEMICOLON))


def doubt_of(trace: AttentionTrace) -> tuple[str, ...]:
    """Say that a model was unsure of more than half of what it wrote; nothing of others."""
    unsure = [step.probability < 0.5 for step in trace.steps]
    if sum(unsure) * 2 <= len(unsure):
        return ()
    return (_("unsure of more than half of its words: watch how the model gropes"),)


def _by_word(found: Mapping[str, str], texts: Mapping[str, set[str]]) -> dict[str, list[str]]:
    """Return which models write each word, whatever its case, if another of them does not."""
    words: dict[str, list[str]] = {}
    for title, word in found.items():
        known = next((each for each in words if each.casefold() == word.casefold()), word)
        words.setdefault(known, []).append(title)
    return {word: titles for word, titles in words.items() if any(word.casefold() not in texts[each] for each in found)}


def _spoken(view: View) -> list[Link]:
    """Return the strongest link of each row that is a word and attends to one with some weight."""
    queries, keys = view.shown.query_tokens, view.shown.key_tokens
    return [
        link
        for link in row_links(view.weights[:, :-1] if view.hidden_keys else view.weights)
        if link.weight >= _LEAST
        and is_word(queries.texts[link.query])
        and is_word(keys.texts[link.key])
        and link.query not in queries.specials
        and link.key not in keys.specials
    ]


def _shown(text: str) -> str:
    return isolated(visible(text.strip()))
