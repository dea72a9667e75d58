"""A classifier on [CLS], below the heads: frozen and fine-tuned, beside the self-attentive reader; changed heads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

import models
from models.huggingface.embedded import held_out_of, reader_card
from models.huggingface.reader_entries import READER_ENTRIES
from models.networks.self_attentive import HOPS
from models.readers.cls_table import classifier_figures
from models.trace import AttentionTrace
from viz.figures.by_head import numbers_by_head
from viz.pages.heads.wanted import HeadsSettings
from viz.server.classifiers import classified_of
from viz.server.opening import ModelUnavailableError
from viz.text.language import _, say
from viz.text.markup import plain
from viz.text.tokens import visible
from viz.views.heads import HeadPlace
from viz.views.strips import Strip
from viz.widgets.hops import show_class_numbers
from viz.widgets.show import show, show_strips
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

if TYPE_CHECKING:
    from models.readers.cls_classifier import Classified

_HOPS = next(each.key for each in READER_ENTRIES.values() if each.hops)
WIDEST = 900
NAMED = 3  # heads named, those that changed the most


def show_classifier(visit: Visit[HeadsSettings], trace: AttentionTrace) -> None:
    """Show what the classifiers say of the text, the row of [CLS] before and after, and which heads changed."""
    st.header(_("A classifier on [CLS]"), anchor=False)
    figures = classifier_figures()
    if figures is None:
        return
    try:
        found = classified_of(visit.host, trace)
    except models.InputError as error:
        st.info(plain(say(error)))
        return
    hops = _hops(visit, trace)
    _answers(found, hops, figures)
    _rows(visit, found, hops)
    _changed(visit, found, figures)


def _hops(visit: Visit[HeadsSettings], trace: AttentionTrace) -> AttentionTrace | None:
    """Return the same text read by the self-attentive reader; None where it cannot be had."""
    if _HOPS not in models.pretrained():
        return None
    try:
        return visit.host.attend(_HOPS, trace.source_text)
    except (ModelUnavailableError, models.InputError) as error:
        st.info(plain(say(error)))
        return None


def _answers(found: Classified, hops: AttentionTrace | None, figures: dict[str, Any]) -> None:
    """Show the probability of each kind of text, and how often each classifier is right."""
    frozen, tuned = _("frozen BERT, linear layer"), _("fine-tuned BERT")
    several = {tuned: found.after, frozen: found.before}
    if hops is not None:
        several[_(hops.provenance.title)] = hops
    show_class_numbers(several)
    right = figures["right"]
    st.caption(
        plain(
            _(
                "Right on held-out sentences, mean of {count} kinds: frozen {before}, fine-tuned {after}, "
                "self-attentive {hops}, chance {chance}. All learned from the same files, but not as long: fine-tuning "
                "saw {few:,} tokens, the self-attentive reader {many:,}. BERT had read some of these sentences in "
                "pretraining, without their kind.",
                count=len(figures["labels"]),
                before=f"{right['before']['mean']:.1%}",
                after=f"{right['after']['mean']:.1%}",
                hops=f"{held_out_of(_HOPS).get('mean', {}).get('right', 0):.1%}",
                chance=f"{1 / len(figures['labels']):.0%}",
                few=figures["runs"]["after"]["tokens"],
                many=reader_card(_HOPS).get("tokens_seen", 0),
            )
        )
    )


def _rows(visit: Visit[HeadsSettings], found: Classified, hops: AttentionTrace | None) -> None:
    """Show what [CLS] attends to in the last layer before and after, and what the hops attend to."""
    place = found.before.sites[-1]
    both = [each[place].to_words() for each in (found.before, found.after)]
    words = tuple(map(visible, both[0].key_tokens.texts))
    heads = tuple(map(str, range(len(both[0].weights))))
    names = (_("[CLS] before fine-tuning"), _("[CLS] after fine-tuning"))
    strips = [
        Strip(name, "a", each.weights[:, 0], "weights", rows=heads, columns=words)
        for name, each in zip(names, both, strict=True)
    ]
    if hops is not None:
        read = hops[HOPS].to_words()
        labels = tuple(map(visible, read.key_tokens.texts))
        rows, name = tuple(map(visible, read.query_tokens.texts)), _("hops of the self-attentive reader")
        strips.append(Strip(name, "A", read.weights[0], "weights", rows=rows, columns=labels))
    moved = float(np.abs(both[0].weights[:, 0] - both[1].weights[:, 0]).sum(axis=-1).mean() / 2)
    shown = Shown(
        key="classifier-rows",
        says=_(
            "Row: a head of layer {layer}, or a hop. Column: a word that [CLS] or the hop attends to. Fine-tuning "
            "moved {share} of the attention of [CLS] here, mean of the heads.",
            layer=place.layer,
            share=f"{moved:.0%}",
        ),
        name=_("{text} classifier", text=found.before.source_text[:40]),
    )
    show_strips(strips, shown, visit)


def _changed(visit: Visit[HeadsSettings], found: Classified, figures: dict[str, Any]) -> None:
    """Show how far every head changed on this text, and what is known of held-out sentences and of controls."""
    changes = found.changes()
    values = {HeadPlace(*place): float(value) for place, value in np.ndenumerate(changes)}
    order = sorted(values, key=lambda each: -values[each])[:NAMED]
    figure = numbers_by_head(
        values,
        title=_("How far each head changed"),
        meaning=_("share of its attention that fine-tuning moved"),
        width=min(visit.width, WIDEST),
    )
    says = _(
        "Changed most here: {heads}.",
        heads=_(", ").join(_("{head} ({value})", head=place.title, value=f"{values[place]:.0%}") for place in order),
    )
    show(Shown(figure, key="classifier-heads", says=says, name=_("heads that changed")), visit)
    st.caption(plain(" ".join(_held_out(figures["heads"]))))


def _held_out(heads: dict[str, Any]) -> list[str]:
    own, seed, shuffled = (np.array(heads[name]["rows"]) for name in ("after", "seed", "shuffled"))
    place = HeadPlace(*map(int, np.unravel_index(own.argmax(), own.shape)))
    alike = float(np.corrcoef(own.ravel(), seed.ravel())[0, 1])
    return [
        _("A cell is the total variation distance of the head's rows before and after, mean of all rows."),
        _(
            "Over {count} held-out sentences {head} changed most ({value}; mean of all heads {mean}).",
            count=heads["sentences"],
            head=place.title,
            value=f"{own.max():.0%}",
            mean=f"{own.mean():.0%}",
        ),
        _(
            "Controls: fine-tuned with another seed, the mean is {seed}, and the changes of the heads correlate with "
            "these by {alike}. Trained on shuffled labels, where nothing can be learned, the mean is {shuffled}.",
            seed=f"{seed.mean():.0%}",
            alike=f"{alike:.2f}",
            shuffled=f"{shuffled.mean():.0%}",
        ),
    ]
