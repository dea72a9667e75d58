"""Many texts in one pass of a network: read, put side by side, run; the weights of each layer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import torch
from torch import Tensor

from models.errors import InputError
from models.hooks import Session, capture
from models.huggingface.observed_pass import observed_pass
from models.huggingface.two_stacks import generate, shifted
from models.messages import Message
from models.sites import Site
from models.trace import TokenSequence
from models.translation.decoding import greedy, step_limit
from models.translation.texts import read_text
from models.vocabulary import BEGIN, END, PAD
from scale.corpus.lines import Line

if TYPE_CHECKING:
    from models.huggingface.model import PretrainedModel
    from models.model import Model
    from models.translation.translator import Translator

TOKENS = 2048
"""Tokens of one batch, about, those that fill up counted."""

MOST = 96
"""Texts of one batch."""

CHUNK = 192
"""Lines that are read together, and put into batches."""

NOTHING = TokenSequence((), (), (), ())


@dataclass(frozen=True, slots=True)
class Read:
    """A line as a model takes it."""

    line: Line
    source: TokenSequence
    inputs: dict[str, Tensor] = field(default_factory=dict)  # what the network takes of it
    forced: tuple[int, ...] = ()  # the target that is forced; empty if the model writes its own, or none

    @property
    def length(self) -> tuple[int, int]:
        """How many tokens it has: source and forced target."""
        return len(self.source), len(self.forced)


@dataclass(frozen=True, eq=False)
class Ran:
    """What one pass over several texts left."""

    session: Session  # holds the weights of each place, [text, head, query, key], filled up with more rows and columns
    source: tuple[TokenSequence, ...]  # one a text
    read_in: tuple[TokenSequence, ...] = ()  # one a text
    written: tuple[TokenSequence, ...] = ()  # one a text

    def axes(self, site: Site) -> tuple[Sequence[TokenSequence], Sequence[TokenSequence]]:
        """Return what labels rows and columns of the maps at `site`."""
        if site.kind == "cross":
            return self.written, self.source
        own = self.source if site.stack == "encoder" or not self.written else self.read_in
        return own, own


class Runner(Protocol):
    """Runs many texts through one model."""

    alike: bool
    """Whether the sources of a batch must have one length."""

    def read(self, line: Line) -> Read:
        """Return a line as the model takes it; InputError if it cannot."""

    def run(self, texts: Sequence[Read]) -> Ran:
        """Run the texts in one pass."""


def runner_of(model: Model) -> Runner:
    """Return what runs `model` on many texts."""
    if model.predicts == "class":
        message = Message("{title} has no heads to measure: its rows are hops, not tokens.", title=model.title)
        raise InputError(message)
    kind: Any = TranslatorRunner if model.kind == "translator" else PretrainedRunner
    made: Runner = kind(model)
    return made


def chunks(lines: Iterable[Line]) -> list[list[Line]]:
    """Return lines of like length together, in characters, the longest first."""
    order = sorted(lines, key=lambda each: (-len(each.source), -len(each.target or ""), each.number))
    return [order[start : start + CHUNK] for start in range(0, len(order), CHUNK)]


def batches(texts: Iterable[Read], *, alike: bool) -> list[list[Read]]:
    """Return texts of like length together, the longest first."""
    found: list[list[Read]] = []
    for each in sorted(texts, key=lambda one: (*one.length, -one.line.number), reverse=True):
        last = found[-1] if found else []
        longest = sum(last[0].length) if last else 0
        fits = bool(last) and len(last) < MOST and (len(last) + 1) * longest <= TOKENS
        if fits and (not alike or len(last[0].source) == len(each.source)):
            last.append(each)
        else:
            found.append([each])
    return found


def padded(rows: Sequence[Sequence[int]], fill: int) -> Tensor:
    """Return rows of different lengths as one tensor: [row, longest]."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[fill] * (longest - len(row))] for row in rows], dtype=torch.int64)


class TranslatorRunner:
    """Runs one of our translators; sources of one length together, so that nothing of them is filled up."""

    alike = True

    def __init__(self, model: Translator) -> None:
        self.model, self.network, self.tokenizer = model, model.network, model.tokenizer

    def read(self, line: Line) -> Read:
        """Return a line as the model takes it; see `Runner`."""
        source = read_text(self.tokenizer, line.source, "sentence")
        target = None if line.target is None else read_text(self.tokenizer, line.target, "translation")
        return Read(line, source, forced=() if target is None else target.ids)

    def run(self, texts: Sequence[Read]) -> Ran:
        """Run the texts in one pass; see `Runner`."""
        source = torch.tensor([each.source.ids for each in texts])
        with torch.inference_mode():
            own = {} if all(each.forced for each in texts) else self._write(source)
            ids = [each.forced or own[place] for place, each in enumerate(texts)]
            inputs = padded([(BEGIN, *each[:-1]) for each in ids], PAD)
            with capture(("*.weights",) if self.model.heads else (), copies=False) as session:
                self.network.decode_states(self.network.encode(source), inputs)
        written = tuple(self.tokenizer.sequence(each) for each in ids)
        read_in = tuple(self.tokenizer.target_input(each) for each in written)
        return Ran(session, tuple(each.source for each in texts), read_in, written)

    def _write(self, source: Tensor) -> dict[int, tuple[int, ...]]:
        """Return what the model itself writes for each source."""
        memory = self.network.encode(source)
        steps = greedy(self.network, memory, batch=len(source), limit=step_limit(source.shape[1]))
        rows = torch.stack([token for token, _ in steps], dim=1).tolist()
        return {place: tuple(row[: row.index(END) + 1] if END in row else row) for place, row in enumerate(rows)}


class PretrainedRunner:
    """Runs a transformers model; shorter texts are filled up, and what fills them up is masked."""

    def __init__(self, model: PretrainedModel) -> None:
        self.model, self.watched = model, model.watched
        self.network, self.layers, self.reader = model.network, model.watched.layers, model.reader
        self.alike = not self.reader.takes("attention_mask")
        token = self.reader.tokenizer.tokenizer.pad_token_id
        self._fill = 0 if token is None else int(token)

    def read(self, line: Line) -> Read:
        """Return a line as the model takes it; see `Runner`."""
        reading = self.reader.read(line.source)
        forced: Sequence[int] = ()
        inputs = self.reader.inputs(reading)
        if self.model.is_translation:
            given = line.target
            forced = generate(self.watched, inputs, ())[1] if given is None else self.reader.read_target(given)
        return Read(line, reading.tokens, inputs, tuple(forced))

    def inputs(self, texts: Sequence[Read]) -> dict[str, Tensor]:
        """Return what the network takes of several texts, side by side."""
        return {
            name: padded([each.inputs[name][0].tolist() for each in texts], self._fill if name == "input_ids" else 0)
            for name in texts[0].inputs
        }

    def run(self, texts: Sequence[Read]) -> Ran:
        """Run the texts in one pass; see `Runner`."""
        inputs = self.inputs(texts)
        read_in = [shifted(self.network, list(each.forced)) for each in texts] if self.model.is_translation else []
        if read_in:
            inputs["decoder_input_ids"] = padded(read_in, self._fill)
        done = observed_pass(self.network, self.layers, inputs, patterns=("*.weights",), whole=False)
        sequence = self.reader.tokenizer.sequence
        return Ran(
            done.session,
            tuple(each.source for each in texts),
            tuple(sequence(each) for each in read_in),
            tuple(sequence(each.forced) for each in texts) if read_in else (),
        )
