"""How well the words of a caption attend to the cells that they name: the truth that only drawn scenes have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.scenes.things import CELLS
from models.scenes.wording import CaptionWord
from models.trace import AttentionTrace, TraceError


@dataclass(frozen=True, slots=True)
class Score:
    """Of the content words of one caption: those that name cells."""

    words: int
    right: int  # of which the model finds the right one likeliest, given the right words before
    weight: float  # mean weight on the cells that a word names
    even: float  # what even weights have there


def score_of(trace: AttentionTrace, caption: Sequence[CaptionWord]) -> Score:
    """Return the score of a captioner that was made to write the right caption of its scene."""
    texts = tuple(each.text for each in caption)
    if trace.target.word_texts[: len(texts)] != texts:
        message = f"a score is of the right caption, {' '.join(texts)!r}; this run wrote {trace.output_text!r}"
        raise TraceError(message)
    weights = trace.maps[0].weights[0]  # [word, cell]
    content = [place for place, each in enumerate(caption) if each.cells]
    there = [float(weights[place, sorted(caption[place].cells)].sum()) for place in content]
    return Score(
        words=len(content),
        right=sum(trace.steps[place].alternatives[0][0] == texts[place] for place in content),
        weight=float(np.mean(there)),
        even=float(np.mean([len(caption[place].cells) / CELLS for place in content])),
    )
