"""One row of a model's outputs: its tokens, its maps without padding, and what the decoder wrote."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from models.huggingface.attention_outputs import (
    CROSS,
    DECODER,
    ENCODER,
    ONLY,
    Maps,
    check_shape,
    chosen_row,
    is_generated,
    joined,
    prompt_length,
    rows_of,
    tensor_of,
)
from models.huggingface.id_tokenizer import IdTokenizer
from models.huggingface.padding import kept, without_filling, without_padding
from models.trace import Step, TokenSequence, TraceError
from models.trace.tokens import UNKNOWN, RecordedTexts, followed

_NOTHING = TokenSequence((), (), (), ())
_LABELS = " Of labels they are model.prepare_decoder_input_ids_from_labels(labels)"


@dataclass(frozen=True, slots=True)
class RowRequest:
    """What is wanted of outputs, and the ids that belong to them."""

    outputs: Any
    tokenizer: IdTokenizer
    found: Mapping[str, list[Any]]  # the attention, by name
    ids: Tensor | None  # [batch, token] read
    decoder_ids: Tensor | None  # [batch, token] read in
    mask: Tensor | None  # [batch, token] of `ids`
    row: int | None
    layers: tuple[int, ...] | None  # those wanted; None for all
    whole: bool  # whether rows must sum to 1

    def given(self, name: str) -> Any:
        """Return what outputs have under a name; None if nothing."""
        return self.outputs.get(name) if isinstance(self.outputs, Mapping) else getattr(self.outputs, name, None)

    def needed(self, name: str, ids: Tensor | None, why: str = "") -> Tensor:
        """Return ids; TraceError if they were not given."""
        if ids is None:
            message = f"{name}: these outputs do not contain the ids that the model was given; hand them over.{why}"
            raise TraceError(message)
        return ids

    def sequences(self) -> Tensor:
        """Return what was generated, [batch, token], the prompt of a decoder included."""
        made = self.given("sequences")
        return self.needed("input_ids", self.ids if made is None else tensor_of(made).cpu())

    def ways(self, row: int, count: int, steps: Sequence[Any]) -> list[int]:
        """Return the place in the batch at each of the first `count` steps: with beams, that of the winner's way."""
        beams, total = self.given("beam_indices"), len(self.sequences())
        batch = next(len(each) for each in steps[0] if each is not None)
        if not 0 < count <= len(steps) or (beams is None and batch != total):
            message = (
                f"outputs: {len(steps)} steps of a batch of {batch} do not fit {total} sequences of which this one has "
                f"{count} new tokens. Hand over what generate returned, with its sequences and beam_indices"
            )
            raise TraceError(message)
        return [row] * count if beams is None else [int(each) for each in beams[row][:count]]

    def mask_of(self, row: int, more: int = 0) -> Tensor | None:
        """Return the mask of a row, and of `more` tokens that were generated after it."""
        if self.mask is None:
            return None
        if not row < len(self.mask):
            message = f"attention_mask: got {len(self.mask)} rows; expected as many as there are texts"
            raise TraceError(message)
        return torch.cat([self.mask[row], self.mask.new_ones(more)])


@dataclass(frozen=True, slots=True)
class Done:
    """What is recorded of one row."""

    texts: RecordedTexts
    maps: Mapping[tuple[str, str], Maps]  # by stack and kind
    steps: tuple[Step, ...] = ()
    output_text: str = ""


def one_stack(asked: RowRequest) -> Done:
    """Return the record of a model that reads one text, or reads on in what it writes."""
    name = ONLY if ONLY in asked.found else ENCODER
    layers = asked.found[name]
    generated = is_generated(layers)
    if generated:
        prompt, sequences = prompt_length(layers), asked.sequences()
        row = chosen_row(asked.row, len(sequences))
        ids = without_filling(sequences[row].tolist(), prompt, asked.tokenizer)[:-1]  # the last one is never read
        own = row // _share(len(sequences), asked.ids if asked.mask is None else asked.mask)
        if asked.ids is not None and asked.ids[own].tolist()[: len(ids)] != ids[: asked.ids.shape[1]]:
            message = "input_ids: the sequences that were generated do not begin with them"
            raise TraceError(message)
        weights = joined(layers, asked.ways(row, len(ids) - prompt + 1, layers), asked.layers, cross=False)
        mask = asked.mask_of(own, more=len(ids) - prompt)
    else:
        given = asked.needed("input_ids", asked.ids)
        row = chosen_row(asked.row, len(given))
        ids, mask = given[row].tolist(), asked.mask_of(row)
        weights = rows_of(len(given), row, layers, asked.layers)
    check_shape(name, weights, len(ids), len(ids))
    places = kept(ids, asked.tokenizer, mask, weights.values())
    weights = without_padding(name, weights, places, places, whole=asked.whole)
    ahead = any(each.triu(1).any() for each in weights.values())
    causal = generated or (not ahead and (len(places) > 1 or asked.given("past_key_values") is not None))
    stack = "decoder" if name == ONLY and causal else "encoder"
    tokens = asked.tokenizer.sequence([ids[place] for place in places])
    return Done(RecordedTexts(tokens, _NOTHING, _NOTHING), {(stack, "self"): weights})


def _share(count: int, ids: Tensor | None) -> int:
    """Return how many sequences were made of each text."""
    return max(1, count // len(ids)) if ids is not None else 1


@dataclass(frozen=True, slots=True)
class _Decoded:
    """What the decoder did in one row, not yet without padding."""

    own: int  # the row of the text that was read
    read_in: list[int]
    last: int | None  # what was written after the last of them; None if that is not known
    weights: dict[str, Maps]
    logits: Sequence[Tensor | None]  # [vocabulary] for each token read in, where they are known


def two_stacks(asked: RowRequest) -> Done:
    """Return the record of a model that reads one text and writes another."""
    read = asked.needed("input_ids", asked.ids)
    generated = is_generated(_of_decoder(asked))
    done = (_generated if generated else _forced)(asked, read)
    weights, mask, own = dict(done.weights), asked.mask_of(done.own), asked.tokenizer
    if ENCODER in asked.found:
        weights[ENCODER] = rows_of(len(read), done.own, asked.found[ENCODER], asked.layers)
    ids, read_in = read[done.own].tolist(), done.read_in
    lengths = {ENCODER: (len(ids), len(ids)), DECODER: (len(read_in),) * 2, CROSS: (len(read_in), len(ids))}
    for name, each in weights.items():
        check_shape(name, each, *lengths[name])
    maps = {name: weights.get(name, {}) for name in (ENCODER, DECODER, CROSS)}
    every = list(range(len(read_in)))
    ins = every if generated else kept(read_in, own, None, maps[DECODER].values())
    crossed = [each[:, ins] for each in maps[CROSS].values()]
    places = kept(ids, own, mask, maps[ENCODER].values(), crossed)
    cut = partial(without_padding, whole=asked.whole)
    left, logits = [read_in[place] for place in ins], [done.logits[place] for place in ins]
    written = [*left[1:], _last(asked, left, logits[-1]) if done.last is None or ins != every else done.last]
    texts = RecordedTexts(own.sequence([ids[place] for place in places]), own.sequence(left), _sequence(own, written))
    return Done(
        texts,
        {
            ("encoder", "self"): cut(ENCODER, maps[ENCODER], places, places),
            ("decoder", "self"): cut(DECODER, maps[DECODER], ins, ins),
            ("decoder", "cross"): cut(CROSS, maps[CROSS], ins, places),
        },
        _steps(texts.written, logits),
        own.decode([each for each in written if each is not None]),
    )


def _of_decoder(asked: RowRequest) -> list[Any]:
    return asked.found[DECODER if DECODER in asked.found else CROSS]


def _generated(asked: RowRequest, read: Tensor) -> _Decoded:
    """Return what was generated: the steps of one sequence, joined."""
    sequences, steps = asked.sequences(), _of_decoder(asked)
    row, prompt = chosen_row(asked.row, len(sequences)), prompt_length(steps)
    whole = without_filling(sequences[row].tolist(), prompt, asked.tokenizer)
    ways = asked.ways(row, len(whole) - prompt, steps)
    names = [name for name in (DECODER, CROSS) if name in asked.found]
    weights = {name: joined(asked.found[name], ways, asked.layers, cross=name == CROSS) for name in names}
    logits = asked.given("logits")
    known = [None] * len(ways) if logits is None else [each[way] for each, way in zip(logits, ways, strict=False)]
    own = row // _share(len(sequences), read)
    return _Decoded(own, whole[:-1], whole[-1], weights, [*[None] * (prompt - 1), *known])


def _forced(asked: RowRequest, read: Tensor) -> _Decoded:
    """Return what was read in at once; what came after the last token is known of sequences alone."""
    made = asked.given("sequences") if asked.decoder_ids is None else None
    whole = None if made is None else tensor_of(made).cpu()
    given = asked.needed("decoder_input_ids", asked.decoder_ids if whole is None else whole[:, :-1], _LABELS)
    row = chosen_row(asked.row, len(given))
    if len(read) != len(given):
        message = f"decoder_input_ids: got {len(given)} rows; expected {len(read)}, as many as input_ids have"
        raise TraceError(message)
    names = [name for name in (DECODER, CROSS) if name in asked.found]
    weights = {name: rows_of(len(given), row, asked.found[name], asked.layers) for name in names}
    ids, logits = given[row].tolist(), asked.given("logits")
    known: list[Tensor | None] = [None] * len(ids)
    if logits is not None and logits.ndim == 3 and logits.shape[1] == len(ids):
        known = list(logits[row])
    return _Decoded(row, ids, None if whole is None else int(whole[row, -1]), weights, known)


def _last(asked: RowRequest, ids: Sequence[int], logits: Tensor | None) -> int | None:
    """Return what the model held for likeliest after the last token read in; None after an end, and if not known."""
    ended = ids[-1] == asked.tokenizer.tokenizer.eos_token_id and len(ids) > 1
    return None if logits is None or ended else int(logits.argmax())


def _sequence(tokenizer: IdTokenizer, written: Sequence[int | None]) -> TokenSequence:
    """Return what was written as tokens; the last of them may not be known."""
    known = tokenizer.sequence([each for each in written if each is not None])
    return known if len(known) == len(written) else followed(known, UNKNOWN)


def _steps(written: TokenSequence, logits: Sequence[Tensor | None]) -> tuple[Step, ...]:
    """Return the steps of the decoder, with the probability of each token where logits tell it."""
    found = []
    for text, token, each in zip(written.texts, written.ids, logits, strict=True):
        likely = math.nan if each is None or token < 0 else float(each.float().log_softmax(-1)[token])
        found.append(Step(text, token, likely))
    return tuple(found)
