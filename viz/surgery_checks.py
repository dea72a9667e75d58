"""Further looks at a translation: what each head and each word is worth to it, and which weights beat chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import streamlit as st

import models
from models.trace import AttentionTrace, TokenSequence
from viz.chart import Picture, show_figure
from viz.consequence import rank_agreement, words_of_target
from viz.controls import segmented
from viz.figures.chance import chance_heatmap, sentence_of_chance
from viz.figures.effects import effect_heatmap
from viz.language import _, mark
from viz.measures import mean_entropy
from viz.runtime import Host
from viz.style import plain
from viz.theme import Colour
from viz.tokens import visible
from viz.views import choose_view

if TYPE_CHECKING:
    from models.huggingface.model import PretrainedModel
    from models.sweeps import ChanceBands, HeadSweep, How, VectorSweep, WordSweep
    from models.translator import Translator

CHECK = "check"
"""What the address bar calls the choice."""

CHECKS: Mapping[str, str] = MappingProxyType(
    {
        "none": mark("no further look"),
        "heads": mark("which heads matter here"),
        "words": mark("leave each word out"),
        "chance": mark("more than chance?"),
    }
)
_CHANCE = MappingProxyType(
    {
        "weights": mark("against random weights"),
        "order": mark("against shuffled words"),
    }
)
_KEPT = "surgery-sweeps"
SAMPLES = 40


@dataclass(frozen=True, slots=True)
class Drawing:
    """How figures are drawn: what a saved one is, how weight becomes colour, and the pixels that the page is wide."""

    picture: Picture
    colour: Colour
    width: float


def show_check(chosen: str, host: Host, key: str, trace: AttentionTrace, drawing: Drawing) -> None:
    """Run the sweep `chosen` on the unedited `trace`, with a bar and a way to stop it, and show what it gave."""
    if chosen == "none":
        return
    st.caption(_("On the model as trained: the edits above are not applied here."))
    _SHOWN[chosen](host, key, trace, drawing)


def _once(identity: tuple[Any, ...], run: Callable[[Callable[[float], None]], Any]) -> Any:
    """Give the result of `run`, kept for this visitor until another is asked for; a bar shows how far it is."""
    kept = st.session_state.setdefault(_KEPT, {})
    name = identity[0]
    if name in kept and kept[name][0] == identity:
        return kept[name][1]
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, text=_("running"))
        st.button(_("Stop"), key=f"stop-{name}", on_click=_stop)

    def show(share: float) -> None:
        bar.progress(min(share, 1.0))

    result = run(show)
    place.empty()
    kept[name] = (identity, result)
    return result


def _translator(host: Host, key: str) -> Translator:
    return cast("Translator", host.model(key))


def _stop() -> None:
    st.query_params.pop(CHECK, None)


def _identity(name: str, key: str, trace: AttentionTrace, *more: Any) -> tuple[Any, ...]:
    return (name, key, trace.provenance.sha256, trace.source.ids, trace.target.ids, *more)


def _heads(host: Host, key: str, trace: AttentionTrace, _drawing: Drawing) -> None:
    if not trace.target:
        _heads_by_vectors(host, key, trace)
        return
    from models.sweeps import switch_off_each_head

    sweep: HeadSweep = _once(
        _identity("heads", key, trace),
        lambda show: switch_off_each_head(_translator(host, key), trace, on_progress=show),
    )
    rows: list[dict[str, str | int | float]] = []
    for (site, head), changes in zip(sweep.heads, sweep.changes, strict=True):
        words = words_of_target(changes, trace.target)
        worst = int(words.argmin())
        rows.append(
            {
                _("where"): f"{_(site.stack)} {_(site.kind)}",
                _("layer"): site.layer,
                _("head"): trace[site].head_names[head],
                _("change of log-probability (nats)"): round(float(changes.sum()), 4),
                _("word hurt most"): visible(trace.target.word_texts[worst]) if words[worst] < 0 else "",
                _("its change"): round(float(words[worst]), 4),
                _("mean entropy of its rows (bits)"): round(float(mean_entropy(trace[site].weights)[head]), 3),
            }
        )
    rows.sort(key=lambda row: cast("float", row[_("change of log-probability (nats)")]))
    st.caption(
        _(
            "Each head switched off alone while the model writes its own translation. Below 0: the translation became "
            "less likely. A head that costs nothing alone may still matter where others do the same."
        )
    )
    st.dataframe(rows, hide_index=True)


def _heads_by_vectors(host: Host, key: str, trace: AttentionTrace) -> None:
    """Show what each head of a model of one stack is worth to the vectors that it gives."""
    from models.sweeps import switch_off_each_head_for_vectors

    model = cast("PretrainedModel", host.model(key))
    if not model.editable:
        return
    sweep: VectorSweep = _once(
        _identity("heads", key, trace),
        lambda show: switch_off_each_head_for_vectors(model, trace, trace.source_text, on_progress=show),
    )
    entropies = {each.site: mean_entropy(each.weights) for each in trace}
    rows = [
        {
            _("layer"): site.layer,
            _("head"): trace[site].head_names[head],
            _("mean of 1 - cosine"): float(changes.mean()),
            _("token turned most"): visible(trace.source.texts[int(changes.argmax())]),
            _("its 1 - cosine"): float(changes.max()),
            _("mean entropy of its rows (bits)"): round(float(entropies[site][head]), 3),
        }
        for (site, head), changes in zip(sweep.heads, sweep.changes, strict=True)
    ]
    rows.sort(key=lambda row: -cast("float", row[_("mean of 1 - cosine")]))
    st.caption(
        _(
            "Each head switched off alone; how far the final vector of each token turns. A head that costs nothing "
            "alone may still matter where others do the same."
        )
    )
    number = st.column_config.NumberColumn(format="%.5f")
    names = (_("mean of 1 - cosine"), _("its 1 - cosine"))
    st.dataframe(rows, hide_index=True, column_config=dict.fromkeys(names, number))


def _words(host: Host, key: str, trace: AttentionTrace, drawing: Drawing) -> None:
    from models.sweeps import leave_out_each_word

    try:
        sweep: WordSweep = _once(
            _identity("words", key, trace),
            lambda show: leave_out_each_word(_translator(host, key), trace, on_progress=show),
        )
    except models.InputError as error:
        st.info(plain(_(str(error))))
        return
    losses = -words_of_target(sweep.changes, trace.target).T  # [written word, source word]
    view = choose_view(trace, reading="written")
    queries, keys = trace.target.to_words(), TokenSequence.from_words(sweep.words)
    show_figure(
        effect_heatmap(losses, queries, keys, title=view.title, colour=drawing.colour, width=drawing.width),
        key="effects",
        says=_strongest(losses, queries, keys),
        name=f"{trace.source_text[:40]} {key} effects",
        picture=drawing.picture,
        available=drawing.width,
    )
    agreement = rank_agreement(losses, view.weights[:, : len(keys)])
    known = agreement[np.isfinite(agreement)]
    mean = f"{known.mean():.2f}" if known.size else _("unknown")
    st.markdown(_("Rank correlation (Spearman) of these effects with the attention row: mean {mean}.", mean=mean))
    st.caption(
        _(
            "A high value: the words that were read most are those without which the written word is least likely. A "
            "low one does not show that attention is wrong: a word also acts through its neighbours' states, and words "
            "can stand in for each other (Jain and Wallace 2019; Wiegreffe and Pinter 2019)."
        )
    )
    st.dataframe(
        [
            {_("word being written"): visible(text), _("rank correlation"): round(float(value), 3)}
            for text, value in zip(queries.texts, agreement, strict=True)
            if np.isfinite(value)
        ],
        hide_index=True,
    )


def _strongest(losses: np.ndarray[Any, Any], queries: TokenSequence, keys: TokenSequence) -> str:
    query, key = np.unravel_index(losses.argmax(), losses.shape)
    return _(
        "“{query}” loses most without “{key}”: {loss} nats.",
        query=visible(queries.texts[query]),
        key=visible(keys.texts[key]),
        loss=f"{losses[query, key]:.2f}",
    )


def _chance(host: Host, key: str, trace: AttentionTrace, drawing: Drawing) -> None:
    from models.sweeps import chance_bands

    how = segmented("against", {name: _(text) for name, text in _CHANCE.items()}, title=_("Chance"))
    view = choose_view(trace, reading="written")
    bands: ChanceBands = _once(
        _identity("chance", key, trace, how, view.shown.site),
        lambda show: chance_bands(
            _translator(host, key), trace, view.shown.site, how=cast("How", how), samples=SAMPLES, on_progress=show
        ),
    )
    low, high = (bands.mean_low, bands.mean_high)
    if view.head != "mean":
        low, high = bands.low[view.head], bands.high[view.head]
    beyond = bands.beyond(view.weights, view.head)
    said = {
        "weights": _("chance: {count} networks of this architecture with fresh weights", count=bands.samples),
        "order": _("chance: this model on the source words in {count} random orders", count=bands.samples),
    }
    show_figure(
        chance_heatmap(view, beyond, low=low, high=high, chance=said[how], colour=drawing.colour, width=drawing.width),
        key="chance",
        says=sentence_of_chance(view, beyond),
        name=f"{trace.source_text[:40]} {key} chance {how}",
        picture=drawing.picture,
        available=drawing.width,
    )


_SHOWN = MappingProxyType({"heads": _heads, "words": _words, "chance": _chance})
