"""Source words that a translation loses, by the Transformer's alignment."""

from __future__ import annotations

from collections.abc import Mapping

import models
from models.experiments.carried import LEAST_PROBABILITY, lost_words
from models.mechanisms import multi_head
from viz.server.runtime import Host
from viz.text.language import _
from viz.text.tokens import visible
from viz.widgets.sentence import USUAL

READER = f"{multi_head().key}-{USUAL}"
"""Of all our models the one whose links err least (its card)."""


def lost_of(host: Host, sentence: str, written: str) -> tuple[str, ...]:
    """Return the content words of `sentence` that nothing in `written` answers; none where the reader is not there."""
    if READER not in models.catalog() or not written.strip():
        return ()
    try:
        trace = host.attend(READER, sentence, target=written)
    except models.InputError:
        return ()
    return tuple(visible(trace.source.word_texts[place]) for place in lost_words(trace))


def says_of_lost(titles: Mapping[str, str]) -> str:
    """Say how words are found that are lost."""
    return _(
        "Lost: content words without a link to any written word. The links are from {title}, scoring the same "
        "translation. They use both directions of its attention. Written words below probability {least} do not "
        "count. This is a model's judgement, and can be wrong.",
        title=titles.get(READER, READER),
        least=f"{LEAST_PROBABILITY:.0%}",
    )
