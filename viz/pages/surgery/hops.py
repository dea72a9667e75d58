"""Worth of each hop and each word to the classifier's answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from models.trace import AttentionTrace, TokenSequence
from viz.figures.effects import effect_heatmap
from viz.measures.consequence import rank_agreement
from viz.measures.hops import annotation_of
from viz.text.language import _
from viz.text.tokens import isolated, visible
from viz.views.view import View, choose_view
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit, W

if TYPE_CHECKING:
    from models.experiments.sweeps import HopSweep, WordSweep


def show_hops(visit: Visit[W], sweep: HopSweep, trace: AttentionTrace) -> None:
    """Show what the answer loses without each hop: as a picture, then in numbers, those that matter most first."""
    view = choose_view(trace, unit="word", head=0)
    hops = view.shown.query_tokens
    done = _("the ablated hop"), _("each hop ablated in turn")
    _picture(visit, -sweep.changes, hops, trace, done)
    before = np.exp(sweep.baseline)
    rows = [
        {
            _("hop"): hops.texts[hop],
            _("attends most to"): visible(view.shown.key_tokens.texts[int(view.weights[hop].argmax())]),
            _("log-probability lost (nats)"): round(-float(sweep.changes[hop]), 4),
            _("probability without it"): float(np.exp(sweep.baseline + sweep.changes[hop])),
        }
        for hop in sweep.changes.argsort(kind="stable")
    ]
    _numbers(rows)
    st.caption(
        _(
            "Each hop ablated on its own: the classifier gets zeros in its place, which it never saw in training. "
            "“{answer}” has probability {share} with all hops. A hop that costs nothing on its own may still "
            "matter where others attend to the same.",
            answer=_(sweep.answer),
            share=f"{before:.1%}",
        )
    )


def show_left_out(visit: Visit[W], sweep: WordSweep, trace: AttentionTrace) -> None:
    """Show what the answer loses without each word, beside how much all hops together read it."""
    words = TokenSequence.from_words(sweep.words)
    changes = sweep.changes[:, 0]
    _picture(visit, -changes, words, trace, (_("the word left out"), _("each word left out in turn")))
    shares = _shares(choose_view(trace, unit="word", head=0), sweep)
    agreement = float(rank_agreement(-changes[None], shares[None])[0])
    rows = [
        {
            _("word"): visible(sweep.words[word]),
            _("attention of all hops"): float(shares[word]),
            _("log-probability lost (nats)"): round(-float(changes[word]), 4),
            _("probability without it"): float(np.exp(sweep.baseline[0] + changes[word])),
        }
        for word in changes.argsort(kind="stable")
    ]
    _numbers(rows)
    st.caption(
        _(
            "Each word left out on its own; the model then reads the text again. Rank correlation (Spearman) of "
            "the loss with the attention of all hops to the word: {value}. A low value does not show that "
            "attention is wrong: a word also acts through its neighbours' states.",
            value=f"{agreement:.2f}" if np.isfinite(agreement) else _("unknown"),
        )
    )


def _shares(view: View, sweep: WordSweep) -> NDArray[np.float64]:
    """Return how much of all hops' reading goes to each word that was left out, [word]."""
    shares: NDArray[np.float64] = annotation_of(view.weights)[list(sweep.places)]
    return shares


def _picture(
    visit: Visit[W],
    losses: NDArray[np.float64],
    columns: TokenSequence,
    trace: AttentionTrace,
    done: tuple[str, str],
) -> None:
    """Show what the answer loses without each of `columns`, as one row of colours."""
    answer = _(max(trace.classes, key=lambda each: each[1])[0])
    worst = int(losses.argmax())
    title, without = done
    shown = Shown(
        effect_heatmap(
            losses[None],
            TokenSequence.from_words([answer]),
            columns,
            title=_(trace.provenance.title),
            axes=(_("the answer"), title),
            without=without,
            colour=visit.wanted.colour,
            width=visit.width,
        ),
        key="effects",
        says=_(
            "“{query}” loses most without “{key}”: {loss} nats.",
            query=answer,
            key=isolated(visible(columns.texts[worst])),
            loss=f"{losses[worst]:.2f}",
        ),
        name=f"{trace.source_text[:40]} {title}",
    )
    show(shown, visit)


def _numbers(rows: list[dict[str, object]]) -> None:
    share = st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1)
    columns = dict.fromkeys((_("probability without it"), _("attention of all hops")), share)
    st.dataframe(rows, hide_index=True, height="content" if len(rows) <= 12 else 420, column_config=columns)
