"""The address of a captured quantity: ``stack.layer.kind.quantity``.

One grammar serves every model, so that a view never asks which model it looks at:
the cross-attention of Bahdanau, Luong and Transformer models all answer to
``decoder.0.cross.weights``. Heads are an axis of the array, never part of the address.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from models.errors import InputError, shortly
from models.messages import Message, mark

STACKS = (mark("encoder"), mark("decoder"))
KINDS = (mark("self"), mark("cross"), mark("hops"))
QUANTITIES = (
    "query",
    "key",
    "value",
    "value_gram",
    "scores",
    "mask",
    "weights",
    "context",
    "output",
    "features",
    "centre",
    "raw_weights",
    "by_distance",
    "probabilities",
    "noise",
    "input",
    "read",
    "memory",
    "joined",
    "hidden",
    "feedforward",
    "final",
    "unrotated_query",
    "unrotated_key",
    "normed",
    "up",
    "gate",
    "residual",
)
"""What can be captured at a place.

[batch, head, query, key] are scores, mask, weights, raw_weights (local-p alone: the weights before its Gaussian),
by_distance (relative positions alone: the part of a score that the distance gives, q a^K / sqrt(d_head)), and of hard
attention alone probabilities (the softmax of the scores, from which a key is drawn) and noise (what is added to their
logarithms before the largest is taken; 0 where the likeliest is).
[batch, head, query or key, d] are query, key, value, context and output. [batch, query, key, d] are features, the
hidden layer of an additive score. [batch, head, query, 2] is centre, the window of local attention: the position in
its middle, counted from 0, and the half-width D. [batch, head, key, head * distance] is value_gram, recorded with the
weights (`models.networks.moved`): the inner products of what each key's value becomes after W_O, of every two heads;
one distance but for relative positions, whose values differ by distance. Of hops a query is a learned vector, of no
text. A record has them without the batch axis.

Of a Transformer's layer alone, [batch, 1, token, d]: input, what comes to the sublayer; read and memory, what its
queries and its keys and values are made of; joined, what goes on after the sublayer, its residual and, in post-LN, its
normalisation. At the layer's last place also hidden, feedforward and final: the hidden layer of the feed-forward part,
what that part adds, and what leaves the layer. Of a pretrained network of one stack
input and final alone, at every place; of a causal one whose blocks are known (`models.huggingface.blocks`) all of them
but memory, and: unrotated_query and unrotated_key, [batch, head, token, d_head], before the rotary embedding turns
them; normed, what the feed-forward part is given; up and gate, its projections before the activation; residual, what
leaves the block, before any closing norm. Of a pyramid of convolutions final is a row of it, one vector a cell.
"""


VALUE_GRAM = "value_gram"
"""The companion from which `models.trace.moved` computes what a key moves."""


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """Where a quantity is computed.

    Parameters
    ----------
    stack : {"encoder", "decoder"}
        A one-stack model that reads both ways is an encoder, a causal one a decoder.
    layer : int
        0-based; numbered by firing where one module serves many layers.
    kind : {"self", "cross", "hops"}
        Whether a sequence reads itself or the other sequence, or learned vectors, the same for every text, read it.
    quantity : str, optional
        One of `QUANTITIES`; empty for the whole map (``decoder.0.cross``).

    Raises
    ------
    ValueError
        If a part is not one of the allowed values.

    Examples
    --------
    >>> Site.parse("decoder.0.cross.weights")
    Site(stack='decoder', layer=0, kind='cross', quantity='weights')
    >>> str(Site("decoder", 0, "cross").at("scores"))
    'decoder.0.cross.scores'
    """

    stack: str
    layer: int
    kind: str
    quantity: str = ""

    def __post_init__(self) -> None:
        allowed = (
            ("stack", self.stack, STACKS),
            ("kind", self.kind, KINDS),
            ("quantity", self.quantity, ("", *QUANTITIES)),
        )
        for part, value, values in allowed:
            if value not in values:
                message = f"{part} of a site is one of {', '.join(filter(None, values))}; got {value!r}"
                raise ValueError(message)
        if self.layer < 0:
            message = f"layer of a site counts from 0; got {self.layer}"
            raise ValueError(message)

    def __str__(self) -> str:
        parts = (self.stack, str(self.layer), self.kind, self.quantity)
        return ".".join(part for part in parts if part)

    @classmethod
    def parse(cls, text: str) -> Site:
        """Read ``stack.layer.kind`` or ``stack.layer.kind.quantity``; ValueError if it is neither.

        Parameters
        ----------
        text : str
            Such as ``decoder.0.cross``.
        """
        parts = text.split(".")
        if len(parts) not in (3, 4) or not (parts[1].isascii() and parts[1].isdigit()):
            message = f"a site reads stack.layer.kind[.quantity], such as decoder.0.cross.weights; got {text!r}"
            raise ValueError(message)
        return cls(parts[0], int(parts[1]), parts[2], parts[3] if len(parts) == 4 else "")

    def at(self, quantity: str) -> Site:
        """Return the address of `quantity` at the same place.

        Parameters
        ----------
        quantity : str
            One of `QUANTITIES`, or empty.
        """
        return Site(self.stack, self.layer, self.kind, quantity)

    @property
    def place(self) -> Site:
        """The same address without its quantity."""
        return self.at("")

    def reading_order(self) -> tuple[bool, Site]:
        """Return what sorts places as a trace has them: the encoder before the decoder, then by layer."""
        return self.stack == "decoder", self

    def matches(self, pattern: str) -> bool:
        """Return whether `pattern` names this site; ``*`` matches any run of characters.

        A pattern that names no quantity means the weights; so does a site, when it is asked for.

        Parameters
        ----------
        pattern : str
            Such as ``*.weights``.

        Examples
        --------
        >>> Site.parse("decoder.2.cross.weights").matches("*.weights")
        True
        >>> Site.parse("decoder.2.cross").matches("decoder.*.cross")
        True
        """
        return _matches(self, pattern)


@lru_cache(maxsize=4096)
def _matches(site: Site, pattern: str) -> bool:
    """Do what `Site.matches` says; kept, because every run asks the same of the same few sites."""
    return fnmatchcase(str(site if site.quantity else site.at("weights")), complete_pattern(pattern))


def complete_pattern(pattern: str) -> str:
    """Write out a site pattern in full: without a quantity it means ``.weights``; ``*`` alone means all."""
    last = pattern.rpartition(".")[2]
    return pattern if last in QUANTITIES or (last == "*" and pattern.count(".") in (0, 3)) else f"{pattern}.weights"


def _listed(sites: object) -> tuple[str | Site, ...]:
    """Return addresses that a caller gave; InputError for one alone, and for anything else."""
    alone = isinstance(sites, (str, bytes, Mapping)) or not isinstance(sites, Iterable)
    given: tuple[Any, ...] = () if alone else tuple(sites)  # type: ignore[arg-type]
    if alone or not all(isinstance(each, (str, Site)) for each in given):
        message = Message('sites is a list of addresses such as ["decoder.*.cross"]; got {given}', given=shortly(sites))
        raise InputError(message)
    return given


def with_weights(sites: Iterable[str | Site]) -> tuple[str, ...]:
    """Return the patterns of `sites` with the weights of the same places among them."""
    patterns = [complete_pattern(str(site)) for site in _listed(sites)]
    weights = [pattern.rpartition(".")[0] + ".weights" for pattern in patterns if pattern != "*"]
    return tuple(dict.fromkeys(patterns + weights))
