"""Which words of a sentence a translation carries over, as a second model reads the two texts."""

from __future__ import annotations

import numpy as np

from models.experiments.links import grown_links
from models.measures.content import FUNCTION_WORDS
from models.trace import AttentionTrace

LEAST_PROBABILITY = 0.02
"""Of a written word, below which it answers nothing: the reader would not have expected it here at all."""


def lost_words(trace: AttentionTrace, *, least: float = LEAST_PROBABILITY) -> tuple[int, ...]:
    """Return the content words of the source that no likely word of a forced translation is linked to.

    Links are grown from both directions of the reader's alignment (`models.experiments.links.grown_links`). A written
    word of which the reader thought less than `least` answers nothing, whatever it is linked to.
    """
    if not trace.is_translation:
        message = "lost words are those of a translation; this trace reads one text"
        raise ValueError(message)
    chosen = trace.provenance.alignment
    words = trace.read(chosen.site, chosen.reading).to_words()
    doubts = np.zeros(len(trace.target.word_texts))
    np.add.at(doubts, list(trace.target.words), [step.log_probability for step in trace.steps])
    likely = {int(word) for word in np.flatnonzero(np.exp(doubts) >= least)}
    answered = {source for source, target in grown_links(words.head(chosen.head)) if target in likely}
    return tuple(
        place for place, text in enumerate(trace.source.word_texts) if place not in answered and is_content(text)
    )


def is_content(word: str) -> bool:
    """Return whether an English word carries content: it has a letter or a digit, and is not one of grammar."""
    return any(map(str.isalnum, word)) and word.strip().lower() not in FUNCTION_WORDS["en"] and word != "</s>"
