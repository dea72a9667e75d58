"""Direct logit attribution and the logit lens: what each head adds to a prediction, and what each layer would predict.

Direct logit attribution (Elhage et al. 2021; Wang et al. 2023, Interpretability in the Wild): what a head wrote into
the residual stream, through the closing normalisation and the unembedding. The normalisation divides by a length that
depends on everything; here it is frozen at what it was in this run, so that the contributions sum to the logit. A logit
counts only beside other logits: every contribution is given less its mean over the vocabulary.

Logit lens (nostalgebraist 2020): the vector after each layer, through the closing normalisation and the unembedding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from models.errors import InputError
from models.experiments.logits import LogitAttribution, LogitLens, Words
from models.experiments.residual_stream import Function, ResidualStream
from models.messages import Message

MOST = 8
"""Words named of each head, likelier and less likely, and of each layer."""


def logit_attribution(stream: ResidualStream) -> LogitAttribution:
    """Return what each head adds to the logit of the word that is predicted."""
    logits = stream.unembed(stream.norm(stream.states[-1]))
    answer = stream.answer
    direct = _frozen(stream.norm, stream.states[-1])
    zeros = torch.zeros_like(stream.biases)
    none = stream.unembed(zeros)

    def effect(vectors: Tensor) -> Tensor:
        """Return what vectors, [..., d_model], add to the logits, each less its mean: [..., vocabulary]."""
        return _centred(stream, stream.unembed(direct(vectors)) - none)

    every = effect(stream.written)  # [head, vocabulary]
    others = effect(torch.stack((stream.states[0], stream.rest + stream.biases)))[:, answer].tolist()
    constant = float(_centred(stream, stream.unembed(stream.norm(zeros)))[answer])
    named = [_extremes(row, stream) for row in every]
    return LogitAttribution(
        answer=stream.piece(answer),
        probability=float(_allowed(stream, logits).softmax(-1)[answer]),
        logit=float(_centred(stream, logits)[answer]),
        heads=stream.heads,
        contributions=every[:, answer].double().numpy(),
        embedding=others[0],
        rest=others[1] + constant,
        raised=tuple(up for up, _down in named),
        lowered=tuple(down for _up, down in named),
    )


def logit_lens(stream: ResidualStream) -> LogitLens:
    """Return what would be predicted if the layers stopped after each."""
    answer = stream.answer
    values = _allowed(stream, stream.unembed(stream.norm(stream.states))).softmax(-1)  # [layer + 1, vocabulary]
    own = values[:, answer]
    return LogitLens(
        answer=stream.piece(answer),
        layers=tuple(_named(row.topk(MOST), stream.piece) for row in values),
        probabilities=own.double().numpy(),
        ranks=((values > own[:, None]).sum(-1) + 1).numpy(),
    )


def _frozen(norm: Function, vector: Tensor) -> Function:
    """Return a closing normalisation as a linear map, divided by the length that `vector` has in this run.

    LayerNorm is g (x - mean x) / s + b, RMSNorm g x / s. Which it is, and g and b, are read off what `norm` makes of
    three vectors; s of what it makes of `vector`. Shapes: `vector` [d_model].
    """
    large = 1e3  # beside which the small number in the root is nothing
    bias = norm(torch.zeros_like(vector))
    signs = 1.0 - 2.0 * (torch.arange(len(vector)) % 2)
    gain = (norm(large * signs) - bias) * signs
    ones = norm(torch.full_like(vector, large)) - bias
    centred = bool(ones.norm() <= 1e-3 * gain.norm())

    def scaled(values: Tensor) -> Tensor:
        return gain * (values - values.mean(-1, keepdim=True) if centred else values)

    given, own = norm(vector) - bias, scaled(vector)
    factor = float((given.double() @ own.double()) / (own.double() @ own.double()))
    if float((factor * own - given).norm()) > 1e-3 * float(given.norm()):
        raise InputError(Message("The final normalisation of this model cannot be frozen."))
    return lambda values: factor * scaled(values)


def _allowed(stream: ResidualStream, logits: Tensor) -> Tensor:
    """Return logits, [..., vocabulary], of which those that are never written are as small as can be."""
    if not stream.never:
        return logits
    kept = logits.clone()
    kept[..., : stream.never] = -torch.inf
    return kept


def _centred(stream: ResidualStream, logits: Tensor) -> Tensor:
    """Return logits less their mean over the words that can be written, [..., vocabulary]."""
    return logits - logits[..., stream.never :].mean(-1, keepdim=True)


def _extremes(row: Tensor, stream: ResidualStream) -> tuple[Words, Words]:
    kept = row[stream.never :]

    def piece(token: int) -> str:
        return stream.piece(token + stream.never)

    return _named(kept.topk(MOST), piece), _named(kept.topk(MOST, largest=False), piece)


def _named(best: Any, piece: Callable[[int], str]) -> Words:
    return tuple(
        (piece(token), value) for token, value in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    )
