"""A model that runs in another place, as `models.model.Model` has it: its facts are here, all else is asked for."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import models
from models.errors import InputError
from models.experiments.batch_edits import BatchRowEdit
from models.experiments.logits import LogitAttribution, LogitLens
from models.experiments.path_lengths import Paths
from models.experiments.states import DecoderRun, Numbers
from models.huggingface.block_form import BlockForm
from models.messages import Message
from models.model import Kind, Predicts
from models.sites import Site
from models.trace import AttentionTrace
from models.trace.codec import unpack
from models.trace.json_text import read_json
from models.trace.plain import fields_of, read_site
from models.translation.hypothesis import Hypothesis
from models.translation.replaying import Orders, Outcome, Replay, told_by
from models.translation.words import beginning
from models.writing import Writing, writing_of
from scale.client.service import Service
from scale.serve.answers import FACTS
from scale.serve.wire import Request

if TYPE_CHECKING:
    from models.edits import Edit


def record_in(data: bytes) -> AttentionTrace:
    """Return the record that an answer is."""
    return AttentionTrace.load(io.BytesIO(data), most_bytes=len(data))  # it is not packed


class ServedModel:
    """A model of the service; see `models.model.Model`."""

    key: str
    title: str
    sha256: str
    kind: Kind
    stacks: tuple[str, ...]
    pair: str | None
    is_translation: bool
    editable: bool
    predicts: Predicts
    mask_token: str | None
    takes_pair: bool
    has_chat: bool

    def __init__(self, service: Service, key: str) -> None:
        self.service = service
        told = read_json(service.ask(Request("facts", key))[0], "a model")
        *facts, heads = fields_of(told, "a model", *FACTS, "heads")
        for name, value in zip(FACTS, facts, strict=True):
            setattr(self, name, value)
        self.stacks = tuple(self.stacks)
        self.heads: Mapping[Site, int] = {read_site(place, "a model"): int(count) for place, count in heads}
        if not models.is_pretrained(key) and models.describe(key).sha256 != self.sha256:
            message = Message("{key}: the weights of the model service differ from those of this server.", key=key)
            raise InputError(message)

    def attend(
        self,
        source: str,
        target: str | None = None,
        *,
        pair: str | None = None,
        edits: Iterable[Edit] = (),
        sites: Iterable[str | Site] = ("*.weights",),
        write: int | Writing | None = None,
    ) -> AttentionTrace:
        """Run the model on a text; see `models.model.Model.attend`."""
        patterns = tuple(map(str, sites))
        writing = None if write is None else writing_of(write)
        request = Request("attend", self.key, source, target, pair, tuple(edits), patterns, write=writing, alone=True)
        return record_in(self.service.ask(request)[0])

    def fit(self, text: str, *, pair: str | None = None) -> tuple[str, int]:
        """Cut a text after the last word that the model takes; see `models.model.Model.fit`."""
        begun, unseen = beginning(text)
        other = None if pair is None else beginning(pair)[0]

        def ask() -> tuple[str, int]:
            fitting, left_out = read_json(self.service.ask(Request("fit", self.key, begun, pair=other))[0], "a text")
            return str(fitting), int(left_out)

        fitting, left_out = self.service.kept.get(("fit", self.key, begun, other), ask)
        return fitting, left_out + unseen

    def replay(self, trace: AttentionTrace, *, pair: str | None = None) -> ServedReplay:
        """Return the texts of `trace`, ready to be run again; see `models.model.Model.replay`."""
        return ServedReplay(self, trace, pair)

    def parameters_at(self, place: Site | None, names: tuple[str, ...]) -> Mapping[str, Numbers]:
        """Return parameters by their names; see `models.experiments.arithmetic.parameters_at`."""
        if not names:
            return {}
        wanted = Request("parameters", self.key, place=place, names=names)
        found: Mapping[str, Numbers] = self.service.kept.get(wanted, lambda: self.numbers(wanted))
        return found

    def block_form(self, place: Site) -> BlockForm | None:
        """Return how it computes its block at a place; see `models.experiments.arithmetic.block_form`."""
        wanted = Request("block", self.key, place=place)
        found: BlockForm | None = self.service.kept.get(wanted, lambda: self._block_form(wanted))
        return found

    def _block_form(self, request: Request) -> BlockForm | None:
        told = read_json(self.service.ask(request)[0], "a block")
        return None if told is None else BlockForm(*told)

    def decoder_run(self, trace: AttentionTrace) -> DecoderRun:
        """Return the states of its decoder; see `models.experiments.arithmetic.decoder_run`."""
        found = self.numbers(Request("states", self.key, *_texts(trace, None)))
        vector = found.pop("vector", None)
        return DecoderRun(tuple(found[f"state.{place}"] for place in range(len(found))), vector)

    def encodings(self, count: int) -> Numbers:
        """Return what is added to its first tokens; see `models.experiments.positions.encodings`."""
        return self.numbers(Request("encodings", self.key, count=count))["added"]

    def without_positions(self, source: str) -> AttentionTrace:
        """Return a run whose encoder knows no order; see `models.experiments.positions.without_positions`."""
        return record_in(self.service.ask(Request("blind", self.key, source))[0])

    def paths(self, source: str) -> Paths:
        """Return what lies between words and states; see `models.experiments.paths.paths_of`."""
        return Paths.from_arrays(self.numbers(Request("paths", self.key, source)))

    def beam(self, source: str, width: int) -> tuple[Hypothesis, ...]:
        """Return the hypotheses of a beam search; see `models.beam_search`."""
        told = read_json(self.service.ask(Request("beam", self.key, source, count=width))[0], "hypotheses")
        return tuple(map(Hypothesis.from_plain, told))

    def logits(self, trace: AttentionTrace, position: int) -> tuple[LogitAttribution, LogitLens]:
        """Return what makes up a prediction, and what each layer would predict; see `models.experiments.logits`."""
        write = None if trace.written is None else trace.written.asked
        source, target = _texts(trace, None)
        request = Request("logits", self.key, source, target, count=position, write=write)
        one, other = self.service.ask(request)[0].split(b"\n")
        return LogitAttribution.read(one), LogitLens.read(other)

    def numbers(self, request: Request) -> dict[str, NDArray[Any]]:
        """Return the numbers that a request is answered with, by their names."""
        data = self.service.ask(request)[0]
        return unpack(io.BytesIO(data), most_bytes=len(data))[1]  # it is not packed


class ServedReplay(Replay):
    """The texts of a trace, run again in another place; see `models.translation.replaying.Replay`."""

    def __init__(self, model: ServedModel, trace: AttentionTrace, pair: str | None, seed: int | None = None) -> None:
        super().__init__(trace, *told_by(trace))
        self._model, self._pair, self._seed = model, pair, seed

    def _request(self, orders: Orders, **more: Any) -> Request:
        source, target = _texts(self.trace, self._pair)
        rows = tuple(tuple(row) for row in orders.tolist())
        return Request("replay", self._model.key, source, target, self._pair, orders=rows, seed=self._seed, **more)

    def run(self, orders: Orders, edits: Iterable[Edit] = ()) -> Outcome:
        """Run once for each row of `orders`.

        Shapes: `orders` [text, position].
        """
        several = tuple(edits)
        rows = tuple((each.batch_row, each.edit) for each in several if isinstance(each, BatchRowEdit))
        others = tuple(each for each in several if not isinstance(each, BatchRowEdit))
        found = self._model.numbers(self._request(orders, edits=others, row_edits=rows))
        return Outcome(found["log_probabilities"], found.get("vectors"))

    def weights(self, orders: Orders, place: Site) -> NDArray[np.float32]:
        """Return the weights at `place`, run once for each row of `orders`.

        Shapes: `orders` [text, position].
        """
        return self._model.numbers(self._request(orders, place=place))["weights"]

    def fresh(self, seed: int) -> ServedReplay:
        """Return the same texts through fresh weights."""
        return ServedReplay(self._model, self.trace, self._pair, seed)


def _texts(trace: AttentionTrace, pair: str | None) -> tuple[str, str | None]:
    """Return what was read and what was forced when `trace` was made."""
    source = trace.source_text if pair is None else trace.source_text.partition("\n")[0]
    return source, trace.output_text if trace.provenance.decoding == "forced" else None
