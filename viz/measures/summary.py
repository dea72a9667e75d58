"""Many mechanisms on one sentence in a few numbers each, and the order in which they stand."""

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
    """One mechanism on the sentence.

    Parameters
    ----------
    key : str
    title : str
        With its year.
    translation : str
    log_probability : float
        Of the whole translation, natural logarithm.
    entropy : float or None
        Mean over rows of the map shown, in bits; None without a map. What a row gives to no word (the window of
        local-p lowers weights) counts as one more word, here and in `divergence`.
    coverage : float or None
        Mean over source words of the attention that each received in all, counted up to 1 (Wu et al. 2016).
    divergence : float or None
        Mean Jensen-Shannon divergence, in bits, of its rows from those of the chosen mechanism on the same
        translation: 0 if they read alike, 1 if no word is read by both.
    milliseconds : float or None
        What the run took on this server when it was made.
    """

    key: str
    title: str
    translation: str
    log_probability: float
    entropy: float | None
    coverage: float | None
    divergence: float | None
    milliseconds: float | None


def summary_of(
    key: str,
    trace: AttentionTrace,
    view: View | None,
    *,
    divergence: float | None = None,
    milliseconds: float | None = None,
) -> Summary:
    """Return the numbers of `trace`, and of the map that `view` shows of it; None where there is no map.

    Parameters
    ----------
    key : str
        Of the mechanism and its pair of languages.
    trace : AttentionTrace
    view : View or None
    divergence, milliseconds : float, optional
        As in `Summary`.
    """
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

    Parameters
    ----------
    view : View
        Of cross-attention, with nothing hidden.
    """
    received = view.weights.sum(axis=0)[:-1]
    return float(np.minimum(received, 1).mean()) if received.size else 0.0


def divergence_from(view: View, reference: View) -> float:
    """Return the mean Jensen-Shannon divergence of the rows of two views of one translation, in bits.

    Rows are matched by the word that they stand for, as `choose_difference` does.

    Parameters
    ----------
    view, reference : View
        Of one source and one target.
    """
    matched = choose_difference(view, reference)
    return float(head_divergence(np.stack((matched.first.weights, matched.second.weights)))[0, 1])


def in_order(keys: Sequence[str], summaries: Mapping[str, Summary], order: SummaryOrder) -> tuple[str, ...]:
    """Return `keys` by year (as they come), by agreement with the chosen one, or from sharp to broad maps.

    Those without a number stand last, in the order in which they come.

    Parameters
    ----------
    keys : sequence of str
    summaries : mapping of str to Summary
        By key.
    order : {"year", "agreement", "entropy"}
    """
    if order == "year":
        return tuple(keys)

    def place(key: str) -> tuple[bool, float]:
        found = summaries[key]
        number = found.divergence if order == "agreement" else found.entropy
        return number is None, number or 0.0

    return tuple(sorted(keys, key=place))
