"""A datastore: states of a language model at places of a text, and the tokens that followed; kNN-LM, read with numpy.

Khandelwal et al. 2020, Generalization through Memorization: Nearest Neighbor Language Models, arXiv:1911.00172.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from models.cards import NUMBER, WEIGHTS, CardError, lacking, read_fields
from models.errors import InputError
from models.messages import Message
from models.sites import Site
from models.trace import AttentionTrace

if TYPE_CHECKING:
    from models.huggingface.model import PretrainedModel

DATASTORES = WEIGHTS / "datastores"
"""The datastores that were made here: a folder each, with its card."""

VERSES = "world-english-bible"
"""The key of the one that is shipped."""

DATASTORE_FILE = "datastore.safetensors"
BOUNDARY = 0  # the token before every text, which also closes it
STEPS = 127  # of a key, either way of 0

Ids = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The places of a datastore nearest to each state that was asked for, the nearest first."""

    places: Ids  # [query, neighbour]
    following: Ids  # [query, neighbour] The token that followed there: the value
    distances: Numbers  # [query, neighbour] Squared Euclidean distance of key and query

    def weights(self, temperature: float) -> Numbers:
        """Return the softmax of minus the distance over the temperature, [query, neighbour]."""
        found: Numbers = np.exp((self.distances[:, :1] - self.distances) / temperature)
        found /= found.sum(axis=1, keepdims=True)
        return found

    def probabilities(self, temperature: float, vocabulary: int) -> Numbers:
        """Return p_kNN, equation 2: the weights of the neighbours by the token that followed, [query, vocabulary]."""
        found = np.zeros((len(self.following), vocabulary))
        np.add.at(found, (np.arange(len(found))[:, None], self.following), self.weights(temperature))
        return found


@dataclass(frozen=True, eq=False)
class Datastore:
    """Keys and values of all places."""

    keys: NDArray[np.float32]  # [place, d_model] As stored: whole steps of 8 bits times the scale of the coordinate
    tokens: Ids  # [place] The token that was read there
    following: Ids  # [place] The token that followed

    @cached_property
    def _lengths(self) -> NDArray[np.float32]:
        found: NDArray[np.float32] = np.einsum("pd,pd->p", self.keys, self.keys)
        return found

    def before(self, place: int, count: int) -> tuple[int, ...]:
        """Return the last tokens that were read up to a place, `count` at most, of its own text alone."""
        own = self.tokens[max(0, place - count + 1) : place + 1].tolist()
        return tuple(own[max((at for at, each in enumerate(own) if each == BOUNDARY), default=-1) + 1 :])

    def nearest(self, queries: NDArray[np.floating], count: int) -> Neighbours:
        """Return the `count` places whose keys are nearest to each query.

        Shapes: `queries` [query, d_model].
        """
        asked = np.asarray(queries, dtype=np.float32)
        ranked = self._lengths - 2 * asked @ self.keys.T  # [query, place], less what is the same for all places
        places = np.argpartition(ranked, count - 1)[:, :count]
        own = np.take_along_axis(ranked, places, axis=1).astype(np.float64)
        order = np.argsort(own, axis=1, kind="stable")
        places = np.take_along_axis(places, order, axis=1)
        own = np.take_along_axis(own, order, axis=1)
        distances = np.maximum(own + np.einsum("qd,qd->q", asked, asked)[:, None], 0.0)
        return Neighbours(places, self.following[places], distances)


def mixed(own: Numbers, retrieved: Numbers, share: float) -> Numbers:
    """Return the prediction of both, equation 3: `share` of p_kNN, the rest of the language model."""
    found: Numbers = share * retrieved + (1 - share) * own
    return found


def next_tokens(vectors: NDArray[np.floating], table: NDArray[np.floating]) -> Numbers:
    """Return p_LM of a network without a bias in its output layer, [query, vocabulary].

    Shapes: `vectors` [query, d_model], the final ones; `table` [vocabulary, d_model].
    """
    aligned = np.require(table, np.float64, "A")  # what is mapped from a file may not be, and is multiplied slowly
    logits = vectors.astype(np.float64) @ aligned.T
    found: Numbers = np.exp(logits - logits.max(axis=1, keepdims=True))
    found /= found.sum(axis=1, keepdims=True)
    return found


def quantised(keys: NDArray[np.floating]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return keys in whole steps of 8 bits, [place, d_model], and the step of each coordinate, [d_model]."""
    scale = (np.abs(keys).max(axis=0) / STEPS).astype(np.float32)
    return np.rint(keys / scale).astype(np.int8), scale


def read_datastore(path: Path) -> Datastore:
    """Return the datastore of a file."""
    stored = load_file(path)
    keys = stored["keys"].astype(np.float32) * stored["scale"]
    return Datastore(keys, *(stored[name].astype(np.int64) for name in ("tokens", "following")))


@lru_cache(maxsize=1)
def datastore_card() -> dict[str, Any]:
    """Return the card of the shipped datastore: its model, its text with licence, what was chosen, and figures."""
    fields = {
        "model": str,
        "model_sha256": str,
        "key_site": str,
        "neighbours": int,
        "temperature": NUMBER,
        "share": NUMBER,
        "data": [{"name": str, "licence": str, "credit": str}],
        "places": int,
        "sha256": {DATASTORE_FILE: str},
        "test": {"*": {"tokens": int, "without": NUMBER, "with": NUMBER, "frequencies": NUMBER}},
    }
    return read_fields(DATASTORES / VERSES, fields)


def key_site() -> Site:
    """Return the quantity of the model that is key and query, as `attend` takes it."""
    return Site.parse(datastore_card()["key_site"])


def remembers(key: str, sha256: str) -> bool:
    """Return whether a datastore of this very model is here."""
    try:
        card = datastore_card()
    except CardError:
        return False
    own = (card["model"], card["model_sha256"]) == (key, sha256)
    return own and (DATASTORES / VERSES / DATASTORE_FILE).is_file()


@lru_cache(maxsize=1)
def shipped_datastore() -> Datastore:
    """Return the datastore that is shipped, read once; InputError if it is not whole."""
    path = DATASTORES / VERSES / DATASTORE_FILE
    try:
        if hashlib.sha256(path.read_bytes()).hexdigest() != datastore_card()["sha256"][DATASTORE_FILE]:
            message = Message(
                "{title}: its {file} is not the one expected. Install it again.", title=VERSES, file=DATASTORE_FILE
            )
            raise InputError(message)
        return read_datastore(path)
    except (OSError, CardError) as error:
        said = error.args[0] if isinstance(error, CardError) else lacking(path.parent) or error
        raise InputError(Message("{title} cannot be opened: {reason}", title=VERSES, reason=said)) from error


@dataclass(frozen=True, eq=False)
class Recalled:
    """What a model and its datastore each predict after every token of a text."""

    near: Neighbours
    weights: Numbers  # [token, neighbour]
    own: Numbers  # [token, vocabulary] p_LM
    retrieved: Numbers  # [token, vocabulary] p_kNN

    def mixed(self, share: float) -> Numbers:
        """Return what both predict, `share` of it by the memory, [token, vocabulary]."""
        return mixed(self.own, self.retrieved, share)


def recalled(trace: AttentionTrace, table: NDArray[np.floating]) -> Recalled:
    """Return the neighbours of each state of `trace`, which has the quantity of `key_site`, and what they predict.

    Shapes: `table` [vocabulary, d_model], of the output layer.
    """
    card, site = datastore_card(), key_site()
    vectors: Any = trace.vectors
    found = vectors if site.quantity == "final" else trace[site.at("")].companions[site.quantity][0]
    near = shipped_datastore().nearest(found, card["neighbours"])
    own, temperature = next_tokens(vectors, table), card["temperature"]
    return Recalled(near, near.weights(temperature), own, near.probabilities(temperature, own.shape[1]))


def recall(model: PretrainedModel, text: str) -> Recalled:
    """Run `model`, of which there is a datastore, on a text, and look up every state of it."""
    if not remembers(model.key, model.sha256):
        raise InputError(Message("{title} has no datastore.", title=model.title))
    trace = model.attend(text, sites=(key_site(),))
    return recalled(trace, model.blocks.parameters_at(None, ("table.weight",))["table.weight"])
