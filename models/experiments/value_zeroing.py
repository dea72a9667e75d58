"""Value zeroing: how far a token's vector turns when the value of another token is taken away. Mohebbi et al. 2023."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.edits import Array, Edit
from models.errors import InputError
from models.experiments.sweeps import Progress, batches, silent
from models.messages import Message
from models.model import Model
from models.sites import Site
from models.trace import AttentionTrace
from models.trace.moved import normalised

MOST_TOKENS = 64
"""Tokens of the longest text that is tried: each takes a run in every layer."""


@dataclass(frozen=True)
class _ZeroValues(Edit):
    """The value of one key taken away in each text of a batch: its weight becomes 0, the others stay; not for links."""

    name = "zero_values"
    quantity = "weights"
    keeps_row_sums = False

    keys: tuple[int | None, ...]  # of each text; None: nothing

    def __post_init__(self) -> None:
        """Leave the arguments as they are: nobody typed them."""

    def apply_at(self, site: Site, values: Array, first_query: int = 0, *, mask: Array | None = None) -> Array:
        """Return weights, [batch, head, query, key], without those of the keys; see `Edit.apply_at`."""
        edited = values.copy()
        for text, key in enumerate(self.keys):
            if key is not None:
                edited[text, ..., key] = 0
        return edited

    def _write(self, part: Array) -> None:
        part[...] = 0

    def describe(self) -> Message:
        """Say in words what the edit does."""
        return Message("values of keys taken away in {site}", site=self.site)


def value_zeroing(
    model: Model, trace: AttentionTrace, site: Site | str, *, on_progress: Progress = silent
) -> NDArray[np.float32]:
    """Return how far the vector of each token turns when the value of another is taken away, rows normalised.

    Mohebbi, Zuidema, Chrupala and Alishahi 2023, Quantifying Context Mixing in Transformers, section 3: in one layer
    the value of one key is 0 for all heads, the weights as they are; the cosine distance is taken of what leaves the
    layer, its residual and feed-forward part included. It tells what a token's vector depends on in this layer, not
    why the model wrote a word.

    Parameters
    ----------
    model : Model
        A Transformer of ours, or a transformers model of one stack whose attention is observed.
    trace : AttentionTrace
        Its run of the text, nothing edited.
    site : Site or str
        Self-attention of one layer, such as ``encoder.1.self``, or cross-attention of a Transformer of ours, such as
        ``decoder.1.cross``: then the vector of a written token without the value of a source token. What leaves the
        last layer has passed the closing normalisation, where a transformers model has one.
    on_progress : callable, optional
        Is given the share that is done, from 0 to 1; what it raises ends the runs.

    Returns
    -------
    float32 array, [query, key]
        Each row over its sum; a row that nothing turns is 0.

    Raises
    ------
    InputError
        If the model cannot be run so, or the text has more than 64 tokens.

    Examples
    --------
    >>> from models import load
    >>> model = load("transformer-en-fr")
    >>> value_zeroing(model, model.attend("The cat sleeps."), "encoder.0.self").shape
    (7, 7)
    """
    place = (Site.parse(site) if isinstance(site, str) else site).place
    count = len(trace[place].key_tokens)
    _check(model, place, count)
    replay = model.replay(trace)
    before = replay.states(replay.as_it_is(1), place)[0]  # [query, d_model]
    turned = np.zeros((len(before), count))
    for keys in batches(count, replay.most):
        on_progress(keys.start / count)
        found = replay.states(replay.as_it_is(len(keys)), place, (_ZeroValues(str(place), tuple(keys)),))
        turned[:, keys.start : keys.stop] = _distance(found, before).T
    on_progress(1.0)
    return normalised(turned.astype(np.float32))


def has_value_zeroing(model: Model, site: Site) -> bool:
    """Return whether values can be taken away there: in Transformers of ours, and in self-attention."""
    mechanism = getattr(model, "mechanism", None)  # of our translators
    is_seen = site.kind == "self" or (site.kind == "cross" and mechanism is not None and mechanism.is_multi_head)
    return is_seen and model.editable and hasattr(model, "tokenizer")


def _check(model: Model, place: Site, count: int) -> None:
    if not has_value_zeroing(model, place):
        raise InputError(
            Message(
                "Values are taken away from the attention of Transformers that run on this server; got {site} of "
                "{title}.",
                site=str(place),
                title=model.title,
            )
        )
    if count > MOST_TOKENS:
        raise InputError(
            Message(
                "Values are taken away of up to {most} tokens; this text has {count}.", most=MOST_TOKENS, count=count
            )
        )


def _distance(vectors: NDArray[np.floating], before: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return 1 - cosine of each vector to the one before, never below 0.

    Shapes: `vectors` [key, query, d_model]; `before` [query, d_model]; returns [key, query].
    """
    one, other = (each / np.linalg.norm(each, axis=-1, keepdims=True) for each in map(np.float64, (vectors, before)))
    return np.asarray(np.square(one - other).sum(axis=-1) / 2)  # which is that, and exact where they are alike
