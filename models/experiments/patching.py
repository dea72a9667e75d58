"""Which heads carry the difference between two texts: the output of each, of one text, put into the other.

Activation patching (Vig et al. 2020, causal mediation; Wang et al. 2023; Heimersheim and Nanda 2024). Of a translation
what is measured is the log-probability of the same translation, forced; of a causal text how much likelier its own
likeliest next token is than that of the other text: the difference of two logits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.edits import Edit, patch
from models.errors import InputError
from models.experiments.batch_edits import BatchRowEdit
from models.experiments.sweeps import Progress, batches, heads_of, silent
from models.messages import Message
from models.model import Model
from models.recording import filled_patches
from models.sites import Site
from models.trace import AttentionTrace
from models.translation.replaying import Outcome, Replay

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HeadPatching:
    """What becomes of a text's own answer when one head after another gives what it gives for the other text."""

    heads: tuple[tuple[Site, int], ...]
    own: str  # the likeliest next token of the text; empty of a translation
    other: str  # that of the other text; empty where it is the same
    before: float  # what is measured, in nats, nothing replaced
    every: float  # with every head replaced at once
    changes: Numbers  # [head] What is measured with this head replaced, less `before`


def patch_each_head(
    model: Model, trace: AttentionTrace, text: str, *, batch: int | None = None, on_progress: Progress = silent
) -> HeadPatching:
    """Put each head's output for `text` into the run of `trace`, one after another."""
    _check(model, trace)
    heads = heads_of(trace)
    target = trace.output_text if trace.is_translation else None
    there = model.attend(text, target, sites=("*.context",))
    replay, own, other = _asking(model.replay(trace), trace, there)
    places = list(dict.fromkeys(site for site, _head in heads))
    wanted: list[Edit] = [patch(str(site), head, text) for site, head in heads]
    wanted += [patch(str(site), None, text) for site in places]
    filled = filled_patches(tuple(wanted), len(trace.source), lambda _text: there)
    singles, whole = filled[: len(heads)], filled[len(heads) :]
    before = _measured(replay, replay.run(replay.as_it_is(1)))[0]
    every = _measured(replay, replay.run(replay.as_it_is(1), whole))[0]
    changes = np.zeros(len(heads))
    for numbers in batches(len(heads), batch or replay.most):
        on_progress(numbers.start / len(heads))
        edits = [BatchRowEdit(singles[number].site, singles[number], row) for row, number in enumerate(numbers)]
        later = replay.beginning_at(heads[numbers.start][0])
        found = later.run(replay.as_it_is(len(numbers)), edits)
        changes[numbers.start : numbers.stop] = _measured(replay, found) - before
    on_progress(1.0)
    return HeadPatching(heads, own, other, float(before), float(every), changes)


def _check(model: Model, trace: AttentionTrace) -> None:
    """Raise InputError if heads of `model` cannot be patched, or not from here."""
    if not model.editable or not (trace.is_translation or model.predicts == "causal"):
        raise InputError(Message("Activation patching works for translators and next-word models."))
    if not hasattr(model, "tokenizer"):
        message = Message(
            "Patching needs the model on this server, but here models run in a service of their own. A copy of the app "
            "without that service can do it."
        )
        raise InputError(message)


def _asking(replay: Replay, trace: AttentionTrace, there: AttentionTrace) -> tuple[Replay, str, str]:
    """Return a replay that tells what is measured, and the two answers that it is measured on."""
    if trace.is_translation:
        return replay, "", ""
    one, two = (each.predictions[-1] for each in (trace, there))
    ids = dict.fromkeys((one.ids[0], two.ids[0]))
    own, other = one.alternatives[0][0], two.alternatives[0][0]
    return replay.asking(tuple(ids)), own, other if len(ids) > 1 else ""


def _measured(replay: Replay, outcome: Outcome) -> Numbers:
    """Return what is measured of each text of a batch, [text]."""
    if outcome.answers is None:
        return np.asarray(outcome.log_probabilities.sum(axis=1))
    answers = outcome.answers
    return np.asarray(answers[:, 0] - answers[:, 1] if answers.shape[1] > 1 else answers[:, 0])
