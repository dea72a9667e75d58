"""Predictions of a model: its translation, next tokens, or masked words."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import streamlit as st

import models
from models.trace import AttentionTrace, Prediction
from viz.text.counting import position_name
from viz.text.language import _, _n
from viz.text.markup import plain
from viz.text.tokens import visible
from viz.widgets.fold import unfolded
from viz.widgets.hops import show_classes

MOST_ROWS = 300
LEAST = 0.005  # a share below it would read 0%
SHORT = 5  # alternatives that a line or a row names


def show_output(trace: AttentionTrace, model: models.Model, hidden: Sequence[str] = ()) -> None:
    """Show small what a model made of the text."""
    masked, mask, named = model.predicts == "masked", model.mask_token, {"title": _(trace.provenance.title)}
    if trace.classes:
        show_classes(trace)
    elif trace.is_translation:
        _translation(model.key, trace)
    elif trace.predictions and not masked:
        _next_tokens(trace)
    elif trace.predictions:
        _masked(trace, hidden)
    elif model.kind == "decoder" and model.predicts == "none":
        st.caption(
            plain(_("{title} cannot predict the next token: its checkpoint has no trained output layer.", **named))
        )
    elif mask is not None and mask in trace.source.texts:
        said = _(
            "{title} cannot predict {mask}: its checkpoint has no trained output layer. Random weights would give "
            "no real answer. The attention below is real.",
            mask=mask,
            **named,
        )
        st.info(plain(said), icon=":material/visibility_off:")


def show_likeliest(trace: AttentionTrace, model: models.Model, hidden: Sequence[str] = ()) -> None:
    """Show in a fold what a model of one stack held for likely, at every token or at each mask; else nothing."""
    if not trace.predictions or trace.is_translation:
        return
    if model.predicts == "masked":
        _likeliest_words(trace, hidden)
    else:
        _after_every_token(trace)


def _translation(key: str, trace: AttentionTrace) -> None:
    if models.is_pretrained(key):
        language, wrote = "", _("{title} wrote:", title=_(trace.provenance.title))
    else:
        entry = models.describe(key)
        language = f' lang="{escape(entry.pair.rpartition("-")[2])}"'
        wrote = _("{title} wrote in {language}:", title=_(entry.mechanism.title), language=_(entry.target_language))
    text = escape(trace.output_text) if trace.output_text.strip() else "<em>" + escape(_("nothing written")) + "</em>"
    _line(wrote, f'<span{language} dir="auto">{text}</span>')


def _line(name: str, html: str) -> None:
    st.html(f'<p class="model-output"><small>{escape(name)}</small> {html}</p>')


def _next_tokens(trace: AttentionTrace) -> None:
    _line(_("{title} would continue with:", title=_(trace.provenance.title)), escape(_listed(trace.predictions[-1])))


def _after_every_token(trace: AttentionTrace) -> None:
    fold = unfolded(_("What the model expected after each token"), "after-every-token")
    if fold is None:
        return
    texts = trace.source.texts
    rows = []
    for each in trace.predictions[-MOST_ROWS:]:
        follows = texts[each.position + 1] if each.position + 1 < len(texts) else ""
        rows.append(
            {
                _("position"): int(position_name(each.position)),
                _("after the token"): visible(texts[each.position]),
                _("actual"): visible(follows) if follows else "",
                _("its probability"): None if each.log_probability is None else float(np.exp(each.log_probability)),
                _("likeliest"): _listed(each),
            }
        )
    shares = {_("its probability"): st.column_config.NumberColumn(format="percent")}
    fold.dataframe(rows, hide_index=True, column_config=shares)
    if len(rows) < len(texts):
        fold.caption(
            _n(
                "Only the last {some} of {count} token is shown.",
                "Only the last {some} of {count} tokens are shown.",
                len(texts),
                some=len(rows),
            )
        )


def _masked(trace: AttentionTrace, hidden: Sequence[str]) -> None:
    said = [escape(_listed(each)) for each in trace.predictions]
    names = _names_of(trace, hidden)
    if len(said) > 1 or any(hidden):
        said = [f"<small>{escape(name)}:</small> {each}" for name, each in zip(names, said, strict=True)]
    _line(_("{title} would put here:", title=_(trace.provenance.title)), " ".join(said))


def _names_of(trace: AttentionTrace, hidden: Sequence[str]) -> list[str]:
    """Return what each masked word is called: by the word behind the mask, or its number where nobody knows it."""
    known = hidden if len(hidden) == len(trace.predictions) else [""] * len(trace.predictions)
    return [
        _("for “{word}”", word=visible(word)) if word else _("masked word {number}", number=number)
        for number, word in enumerate(known, start=1)
    ]


def _likeliest_words(trace: AttentionTrace, hidden: Sequence[str]) -> None:
    fold = unfolded(_("The likeliest words"), "likeliest-words")
    if fold is None:
        return
    rows = [
        {_("masked word"): name, _("word"): visible(text), _("probability"): share}
        for name, each in zip(_names_of(trace, hidden), trace.predictions, strict=True)
        for text, share in each.alternatives
    ]
    shares = {_("probability"): st.column_config.NumberColumn(format="percent")}
    fold.dataframe(rows, hide_index=True, column_config=shares)


def _listed(prediction: Prediction) -> str:
    """Return the likeliest tokens in a line."""
    return " · ".join(
        f"“{visible(text)}” {'<1%' if share < LEAST else f'{share:.0%}'}"
        for text, share in prediction.alternatives[:SHORT]
    )
