"""Summary of mechanisms on one sentence: a few numbers each, and their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from models.measures.divergence import head_divergence
from models.measures.entropy import mean_entropy
from models.trace import AttentionTrace
from viz.text.language import _
from viz.views.differences import choose_difference
from viz.views.view import View

SummaryOrder = Literal["year", "agreement", "entropy"]


@dataclass(frozen=True, slots=True)
class Summary:
    """One mechanism on the sentence."""

    key: str
    title: str  # with its year
    translation: str
    log_probability: float  # of the whole translation, natural logarithm
    # mean over rows of the map shown, in bits; None without a map. What a row gives to no word (the window of local-p
    # lowers weights) counts as one more word, here and in `divergence`.
    entropy: float | None
    # mean over source words of the attention that each received in all, counted up to 1 (Wu et al. 2016).
    coverage: float | None
    # mean Jensen-Shannon divergence, in bits, of its rows from those of the chosen mechanism on the same translation: 0
    # if they read alike, 1 if no word is read by both
    divergence: float | None
    milliseconds: float | None  # what the run took on this server when it was made


def summary_of(
    key: str,
    trace: AttentionTrace,
    view: View | None,
    *,
    divergence: float | None = None,
    milliseconds: float | None = None,
) -> Summary:
    """Return the numbers of `trace`, and of the map that `view` shows of it; None where there is no map."""
    provenance = trace.provenance
    return Summary(
        key,
        f"{_(provenance.title)}, {provenance.year}",
        trace.output_text,
        float(sum(step.log_probability for step in trace.steps)),
        None if view is None else float(mean_entropy(view.weights[None])[0]),
        None if view is None else coverage(view),
        divergence,
        milliseconds,
    )


def coverage(view: View) -> float:
    """Return the mean over keys, ``</s>`` left out, of the attention received in all rows, counted up to 1.

    Wu et al. 2016, Google's Neural Machine Translation System, equation 14, has the logarithms of these in its penalty.
    """
    received = view.weights.sum(axis=0)[:-1]
    return float(np.minimum(received, 1).mean()) if received.size else 0.0


def divergence_from(view: View, reference: View) -> float:
    """Return the mean Jensen-Shannon divergence of the rows of two views of one translation, in bits.

    Rows are matched by the word that they stand for, as `choose_difference` does.
    """
    matched = choose_difference(view, reference)
    return float(head_divergence(np.stack((matched.first.weights, matched.second.weights)))[0, 1])


def in_order(keys: Sequence[str], summaries: Mapping[str, Summary], order: SummaryOrder) -> tuple[str, ...]:
    """Return `keys` by year (as they come), by agreement with the chosen one, or from sharp to broad maps.

    Those without a number stand last, in the order in which they come.
    """
    if order == "year":
        return tuple(keys)

    def place(key: str) -> tuple[bool, float]:
        found = summaries[key]
        number = found.divergence if order == "agreement" else found.entropy
        return number is None, number or 0.0

    return tuple(sorted(keys, key=place))
