"""What a model wrote or holds for likely: a translation in a line, the next token, what a masked word may be."""

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

MOST_ROWS = 300
SHORT = 5  # alternatives that a line or a row names


def show_output(trace: AttentionTrace, model: models.Model) -> None:
    """Show small what a model made of the text.

    Parameters
    ----------
    trace : AttentionTrace
    model : Model
        It gave the trace.
    """
    masked, mask, named = model.predicts == "masked", model.mask_token, {"title": _(trace.provenance.title)}
    if trace.is_translation:
        _translation(model.key, trace)
    elif trace.predictions and not masked:
        _next_tokens(trace)
    elif trace.predictions:
        _masked(trace)
    elif model.kind == "decoder" and model.predicts == "none":
        st.caption(
            plain(_("{title} has no trained head that predicts the next token: its checkpoint holds none.", **named))
        )
    elif mask is not None and mask in trace.source.texts:
        said = _(
            "{title} has no trained head that predicts {mask}: its checkpoint holds none, and random numbers would not "
            "be an answer. The attention below is real.",
            mask=mask,
            **named,
        )
        st.info(plain(said), icon=":material/visibility_off:")
    elif masked and mask is not None:
        st.caption(plain(_("Type {mask} in place of a word to see what the model would put there.", mask=mask)))


def show_likeliest(trace: AttentionTrace, model: models.Model) -> None:
    """Show in a fold what a model of one stack held for likely, at every token or at each mask; else nothing.

    Parameters
    ----------
    trace : AttentionTrace
    model : Model
        It gave the trace.
    """
    if trace.predictions and not trace.is_translation:
        (_likeliest_words if model.predicts == "masked" else _after_every_token)(trace)


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
    st.html(f'<p class="heads-translation"><small>{escape(name)}</small> {html}</p>')


def _next_tokens(trace: AttentionTrace) -> None:
    _line(_("{title} would go on with:", title=_(trace.provenance.title)), escape(_listed(trace.predictions[-1])))


def _after_every_token(trace: AttentionTrace) -> None:
    fold = unfolded(_("What it held for likely after every token"), "after-every-token")
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
                _("came"): visible(follows) if follows else "",
                _("held for likely"): None if each.log_probability is None else float(np.exp(each.log_probability)),
                _("likeliest"): _listed(each),
            }
        )
    shares = {_("held for likely"): st.column_config.NumberColumn(format="percent")}
    fold.dataframe(rows, hide_index=True, column_config=shares)
    if len(rows) < len(texts):
        fold.caption(
            _n(
                "Only the last {some} of {count} token is here.",
                "Only the last {some} of {count} tokens are here.",
                len(texts),
                some=len(rows),
            )
        )


def _masked(trace: AttentionTrace) -> None:
    said = [escape(_listed(each)) for each in trace.predictions]
    if len(said) > 1:
        numbers = (escape(_("masked word {number}:", number=number)) for number in range(1, len(said) + 1))
        said = [f"<small>{number}</small> {each}" for number, each in zip(numbers, said, strict=True)]
    _line(_("{title} would put here:", title=_(trace.provenance.title)), " ".join(said))


def _likeliest_words(trace: AttentionTrace) -> None:
    fold = unfolded(_("The likeliest words"), "likeliest-words")
    if fold is None:
        return
    columns: Sequence[Prediction] = trace.predictions
    rows = [
        {_("masked word"): number, _("word"): visible(text), _("probability"): share}
        for number, each in enumerate(columns, start=1)
        for text, share in each.alternatives
    ]
    shares = {_("probability"): st.column_config.NumberColumn(format="percent")}
    fold.dataframe(rows, hide_index=True, column_config=shares)


def _listed(prediction: Prediction) -> str:
    """Return the likeliest tokens in a line."""
    return " · ".join(f"“{visible(text)}” {share:.0%}" for text, share in prediction.alternatives[:SHORT])
