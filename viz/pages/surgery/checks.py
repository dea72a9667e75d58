"""Further measurements on the Surgery page: worth of heads and words, and weights above chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import streamlit as st

import models
from models.messages import Message
from models.sites import Site
from models.trace import AttentionTrace, TokenSequence
from viz.captions.chance import sentence_of_chance
from viz.figures.chance import Band, chance_heatmap
from viz.figures.effects import effect_heatmap
from viz.measures.consequence import rank_agreement, words_of_target
from viz.pages.surgery.heads import show_heads
from viz.pages.surgery.hops import show_hops, show_left_out
from viz.pages.surgery.patching import other_sentence, run_patching, show_patching
from viz.pages.surgery.settings import AGAINST, CHECK, NO_CHECK
from viz.text.language import _, _n, say
from viz.text.markup import plain
from viz.text.tokens import visible
from viz.views.view import Head, View, choose_view
from viz.widgets.settings import choose, link
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.sweep import Sweep, sweep_once
from viz.widgets.visit import Visit, Wanted

if TYPE_CHECKING:
    from models.experiments.chance import ChanceBands, How
    from models.experiments.sweeps import HeadSweep, HopSweep, WordSweep

_KEPT = "surgery-sweeps"
SAMPLES = 40
LARGE_SAMPLES = 20
"""Of pretrained networks with fresh weights, each of which takes its time to draw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSettings(Wanted):
    """What the reader wants to see: a model, and how figures are drawn."""

    key: str
    quantity: str = "weights"


@dataclass(frozen=True, slots=True)
class Check:
    """What is looked at: the unedited run of a model, one of its maps (None for the usual one)."""

    visit: Visit[CheckSettings]
    trace: AttentionTrace
    site: Site | None
    head: Head | None


def show_check(chosen: str, check: Check) -> None:
    """Run the sweep `chosen`, with a bar and a way to stop it, and show what it gave; or say why it cannot be run."""
    if chosen == NO_CHECK:
        return
    st.caption(_("Measured on the model as trained, without the edits above."))
    try:
        _SHOWN[chosen](check)
    except models.InputError as error:
        st.info(plain(say(error)))


def _once(identity: tuple[Any, ...], run: Sweep) -> Any:
    """Return the result of `run`, kept for this visitor until another is asked for; a bar shows how far it is."""
    return sweep_once(f"{_KEPT}-{identity[0]}", identity, run, on_stop=_stop)


def _stop() -> None:
    link.drop(CHECK)


def _identity(name: str, check: Check, *more: Any) -> tuple[Any, ...]:
    trace = check.trace
    return (name, check.visit.wanted.key, trace.provenance.sha256, trace.source.ids, trace.target.ids, *more)


def _heads(check: Check) -> None:
    from models.experiments.sweeps import switch_off_each_head, switch_off_each_hop

    model = check.visit.host.model(check.visit.wanted.key)
    if check.trace.classes:
        hops: HopSweep = _once(
            _identity("hops", check), lambda show: switch_off_each_hop(model.replay(check.trace), on_progress=show)
        )
        show_hops(check.visit, hops, check.trace)
        return
    if not model.editable:
        message = Message(
            "The heads of this model cannot be ablated: its library returns weights only after using them."
        )
        raise models.InputError(message)
    sweep: HeadSweep = _once(
        _identity("heads", check), lambda show: switch_off_each_head(model.replay(check.trace), on_progress=show)
    )
    show_heads(check.visit, sweep, check.trace)


def _words(check: Check) -> None:
    from models.experiments.sweeps import leave_out_each_word

    trace, visit, wanted = check.trace, check.visit, check.visit.wanted
    model = visit.host.model(wanted.key)
    sweep: WordSweep = _once(
        _identity("words", check), lambda show: leave_out_each_word(model.replay(trace), on_progress=show)
    )
    if trace.classes:
        show_left_out(visit, sweep, trace)
        return
    losses = -words_of_target(sweep.changes, trace.target).T  # [written word, source word]
    cross = check.site is not None and check.site.kind == "cross"
    view = choose_view(trace, site=check.site if cross else None, head=check.head if cross else None, reading="written")
    queries, keys = trace.target.to_words(), TokenSequence.from_words(sweep.words)
    shown = Shown(
        effect_heatmap(losses, queries, keys, title=view.title, colour=wanted.colour, width=visit.width),
        key="effects",
        says=_strongest(losses, queries, keys),
        name=f"{trace.source_text[:40]} {wanted.key} effects",
    )
    show(shown, visit)
    _show_agreement(rank_agreement(losses, view.weights[:, list(sweep.places)]), queries, view)


def _show_agreement(agreement: np.ndarray[Any, Any], queries: TokenSequence, view: View) -> None:
    """Show how alike the ranks of effects and of attention weights are, a written word at a time."""
    known = agreement[np.isfinite(agreement)]
    mean = f"{known.mean():.2f}" if known.size else _("unknown")
    place = plain(_place(view))
    said = _(
        "Rank correlation (Spearman) of these effects with the attention row ({place}): mean {mean}.",
        place=place,
        mean=mean,
    )
    st.markdown(said)
    st.caption(
        _(
            "A high value: the most attended words are those without which the written word is least likely. A low "
            "value does not show that attention is wrong. A word also acts through its neighbours' states, and "
            "words can replace each other (Jain and Wallace 2019; Wiegreffe and Pinter 2019)."
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


def _place(view: View) -> str:
    """Name the map and the head of `view`."""
    site, names = view.shown.site, view.shown.head_names
    if len(names) == 1:
        return _("{kind}, layer {layer}", kind=_(site.kind), layer=site.layer)
    if view.head == "mean":
        return _("{kind}, layer {layer}, mean of heads", kind=_(site.kind), layer=site.layer)
    return _("{kind}, layer {layer}, head {head}", kind=_(site.kind), layer=site.layer, head=names[view.head])


def _strongest(losses: np.ndarray[Any, Any], queries: TokenSequence, keys: TokenSequence) -> str:
    query, key = np.unravel_index(losses.argmax(), losses.shape)
    return _(
        "“{query}” loses most without “{key}”: {loss} nats.",
        query=visible(queries.texts[query]),
        key=visible(keys.texts[key]),
        loss=f"{losses[query, key]:.2f}",
    )


def _chance(check: Check) -> None:
    from models.experiments.chance import chance_bands

    trace, visit, wanted = check.trace, check.visit, check.visit.wanted
    model = visit.host.model(wanted.key)
    how = cast("How", choose(AGAINST))
    view = choose_view(trace, unit=wanted.unit, site=check.site, head=check.head, reading="written")
    samples = LARGE_SAMPLES if how == "weights" and models.is_pretrained(wanted.key) else SAMPLES
    bands: ChanceBands = _once(
        _identity("chance", check, how, wanted.unit, view.shown.site),
        lambda show: chance_bands(
            model.replay(trace), view.shown.site, how=how, unit=wanted.unit, samples=samples, on_progress=show
        ),
    )
    low, high = bands.of(view.head)
    beyond = bands.beyond(view.weights, view.head)
    said = {
        "weights": _n(
            "chance: {count} network of this architecture with random weights",
            "chance: {count} networks of this architecture with random weights",
            bands.samples,
        ),
        "order": _n(
            "chance: this model on the source words in {count} random order",
            "chance: this model on the source words in {count} random orders",
            bands.samples,
        ),
    }
    shown = Shown(
        chance_heatmap(
            view,
            Band(low, high, beyond, bands.expected),
            chance=said[how],
            colour=wanted.colour,
            width=visit.width,
        ),
        key="chance",
        says=sentence_of_chance(view, beyond, bands.expected, bands.by_sample(view.head)),
        name=f"{trace.source_text[:40]} {wanted.key} chance {how}",
    )
    show(shown, visit)
    _warn_of_order(how, trace, view)


def _warn_of_order(how: How, trace: AttentionTrace, view: View) -> None:
    """Say what an order of words by chance does not reach in this map."""
    if how == "order" and trace.is_translation and (view.shown.site.stack, view.shown.site.kind) == ("decoder", "self"):
        said = _(
            "The translation keeps its own order. The shuffled source reaches this map only through the "
            "cross-attention of earlier layers. It does not reach layer 0."
        )
        st.caption(said)
    elif how == "order" and view.shown.causal:
        said = _(
            "Each token attends only to the tokens before it. In another order those are other words. The weight "
            "is then often 0, and the bands are wide."
        )
        st.caption(said)


def _patch(check: Check) -> None:
    text = other_sentence(check.trace)
    if text is None:
        return
    model = check.visit.host.model(check.visit.wanted.key)
    found = _once(_identity("patch", check, text), run_patching(model, check.trace, text))
    show_patching(check.visit, found, check.trace)


_SHOWN: Mapping[str, Callable[[Check], None]] = {"heads": _heads, "words": _words, "chance": _chance, "patch": _patch}
