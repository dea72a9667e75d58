"""Effect of an edit on a translation: the old one rescored beside the new one."""

from __future__ import annotations

from html import escape

import streamlit as st

import models
from models.edits import Edit
from models.errors import CaptureError, EditError
from models.messages import Message
from models.trace import AttentionTrace
from viz.measures.consequence import WordChange, changed_words, word_changes
from viz.server.runtime import Host
from viz.server.translations import sites_of
from viz.text.language import _, listed
from viz.text.markup import noted
from viz.text.tokens import visible
from viz.widgets.fold import unfolded

DEEPEST = 3.0
"""Change of a log-probability, in nats, that has the deepest tint."""


class MisfitError(Exception):
    """Edits that cannot be made, and why."""


def edited_runs(
    host: Host, key: str, before: AttentionTrace, edits: tuple[Edit, ...]
) -> tuple[AttentionTrace, AttentionTrace]:
    """Run the model `key` under `edits`: on the translation of `before`, forced, and afresh.

    A model that still writes the same translation is not made to: the weights are the same. A model of one stack runs
    once.
    """
    try:
        afresh = host.attend(key, before.source_text, edits=edits, sites=sites_of(key))
        if not before.is_translation or afresh.target == before.target:
            return afresh, afresh
        return host.attend(key, before.source_text, before.output_text, edits=edits, sites=sites_of(key)), afresh
    except (CaptureError, ValueError) as error:
        said = Message("An edit does not fit this model or sentence. No edits are applied. {reason}", reason=error)
        of_the_text = isinstance(error, models.InputError) and not isinstance(error, EditError)
        raise MisfitError(error.args[0] if of_the_text else said) from error


def show_consequence(before: AttentionTrace, forced: AttentionTrace, afresh: AttentionTrace, key: str) -> None:
    """Show in two lines how the edits change the original translation's words, and the new translation."""
    changes = word_changes(before, forced)
    language = "" if models.is_pretrained(key) else models.describe(key).pair.rpartition("-")[2]
    total = f"{sum(each.change for each in changes):+.2f}".replace("-", "\u2212")
    whole = _("log-probability {change} nats; orange: less likely than before, purple: more", change=total)
    show_line(_("Same translation, rescored:"), _tinted(changes), whole, language=language)
    same = afresh.target.ids == before.target.ids
    now = _("the same words as before") if same else _("underlined: new; struck through: removed")
    show_line(_("New translation:"), marked(before, afresh), now, language=language)


def show_unedited(before: AttentionTrace, key: str) -> None:
    """Show in a line what the model writes while nothing is edited."""
    language = "" if models.is_pretrained(key) else models.describe(key).pair.rpartition("-")[2]
    show_line(_("As trained:"), escape(before.output_text), language=language)


def show_word_numbers(before: AttentionTrace, forced: AttentionTrace) -> None:
    """Show in a fold what the edits did to each word of the original translation."""
    fold = unfolded(_("Each word in numbers, and the words the model prefers"), "numbers-of-words")
    if fold is not None:
        fold.dataframe(_table(word_changes(before, forced)), hide_index=True)


def show_line(name: str, html: str, closing: str = "", *, language: str = "") -> None:
    """Show a text in a line, with its name before it."""
    text = f'<span class="surgery-text" lang="{escape(language)}" dir="auto">{html}</span>'
    st.html(f'<p class="surgery-line"><small>{escape(name)}</small> {text} <small>{escape(closing)}</small></p>')


def _tinted(changes: tuple[WordChange, ...]) -> str:
    """Return the words as HTML, tinted by the change of their log-probability."""
    shown: list[str] = []
    for each in changes:
        depth = 0.55 * min(abs(each.change) / DEEPEST, 1)
        colour = f"rgba(224, 122, 0, {depth:.2f})" if each.change < 0 else f"rgba(120, 90, 200, {depth:.2f})"
        says = _(
            "“{word}”: log-probability {before} before, {after} now",
            word=visible(each.text),
            before=f"{each.before:.3f}",
            after=f"{each.after:.3f}",
        )
        space = " " if shown and each.space else ""
        shown.append(space + noted(each.text, says, f"background: {colour}"))
    return "".join(shown)


def marked(before: AttentionTrace, afresh: AttentionTrace) -> str:
    """Return the words now and before as HTML, what changed marked."""
    tags = {"same": "span", "new": "ins", "gone": "del"}
    words = changed_words(before, afresh)
    marked = []
    for number, each in enumerate(words):
        turned = number and words[number - 1].kind != each.kind
        space = " " if number and (each.space or turned) else ""
        marked.append(f"{space}<{tags[each.kind]}>{escape(each.text)}</{tags[each.kind]}>")
    return "".join(marked) or "<em>" + escape(_("nothing written")) + "</em>"


def _table(changes: tuple[WordChange, ...]) -> list[dict[str, str | float]]:
    return [
        {
            _("word"): visible(each.text),
            _("log-probability before"): round(each.before, 4),
            _("now"): round(each.after, 4),
            _("change"): round(each.change, 4),
            _("likeliest now"): listed(f"{visible(text)} {share:.3f}" for text, share in each.alternatives[:4]),
        }
        for each in changes
    ]
