"""A run of a causal model that goes on with a text: token by token, its keys and values kept, or all read again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal

import torch
from torch import Tensor
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

from models.edits import Edit
from models.errors import CaptureError, InputError
from models.hooks import Session, capture, observe
from models.huggingface.layers import Layers, own_weights
from models.huggingface.observed_pass import Observed, observed_pass
from models.huggingface.one_stack import predictions_kept, read_only, recorded
from models.huggingface.pen import Pen
from models.huggingface.placement import placed
from models.huggingface.run import PretrainedRun, running
from models.huggingface.tokens import TextTokenizer, TokenizedText
from models.messages import CountMessage, Message
from models.softmax import HALF, full_precision
from models.trace import AttentionTrace
from models.trace.written import Continuation, KeptLayer
from models.writing import Writing

EQUAL = 1e-5
"""How far weights of a text read token by token may lie from those of a text read as a whole."""

TRIED = 4
"""Tokens of a sentence that are read one by one to try a cache."""

_GROWS = {"attention_mask": 1}
"""What an input has for a token that is written, other than 0."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A text as it is before anything is written, and who says what in it."""

    reading: TokenizedText
    text: str
    roles: tuple[tuple[str, int, int], ...] = ()


def go_on(
    model: Observed,
    begun: Begun,
    writing: Writing,
    *,
    edits: tuple[Edit, ...],
    patterns: tuple[str, ...],
    cached: bool,
) -> AttentionTrace:
    """Run a causal model on a text, let it write, and record the row of every token."""
    reader = model.reader
    first = len(begun.reading.tokens)
    check_room(reader.longest, first, writing)
    known = min(reader.rows, len(reader.tokenizer.tokenizer))
    check_known(writing.begin, known)
    reading = extended(reader.tokenizer, begun.reading, writing.begin)
    pen = Pen(writing, ends=reader.ends, known=known)
    kept: tuple[KeptLayer, ...] = ()
    plain = all(each.endswith(".weights") for each in patterns)  # of anything else the text is read again as a whole
    done = _with_cache(model, reading, pen, patterns) if cached and plain else None
    if done is None:
        while not pen.is_done:
            logits = _last_logits(model, extended(reader.tokenizer, reading, pen.ids), edits)
            pen.next(logits)
        reading = extended(reader.tokenizer, reading, pen.ids)
        trace = read_only(model, reading, begun.text, predicts="causal", edits=edits, patterns=patterns)
    else:
        reading = extended(reader.tokenizer, reading, pen.ids)
        kept = kept_in(done.cache, model.layers)
        trace = recorded(model, reading, begun.text, done.session, edits, logits=done.logits, vectors=done.vectors)
    roles = (*begun.roles, *((("assistant", first, len(reading.tokens)),) if begun.roles else ()))
    return told(trace, Continuation(writing, first, pen.ended, roles, kept), reader.tokenizer.decode)


def told(trace: AttentionTrace, written: Continuation, decode: Any) -> AttentionTrace:
    """Return a record that says what of its text was written, and how."""
    asked = written.asked
    decoding: Literal["greedy", "sampled"] = "sampled" if asked.draws else "greedy"
    about = replace(trace.provenance, decoding=decoding) if asked.tokens else trace.provenance
    ids = trace.source.ids[written.first :]
    return replace(trace, written=written, output_text=decode(ids), provenance=about)


def extended(tokenizer: TextTokenizer, reading: TokenizedText, ids: Any) -> TokenizedText:
    """Return a text with the tokens of `ids` after it."""
    if not ids:
        return reading
    inputs = {
        name: torch.cat((values, torch.tensor([ids if name == "input_ids" else [_GROWS.get(name, 0)] * len(ids)])), 1)
        for name, values in reading.inputs.items()
    }
    tokens = tokenizer.sequence([*reading.tokens.ids, *ids])
    return TokenizedText(tokens, inputs, reading.notes)


def check_room(longest: int, tokens: int, writing: Writing) -> None:
    """Raise InputError if a text has no room behind it for what is to be written."""
    room = longest - tokens - len(writing.begin) - writing.tokens
    if room < 0:
        message = CountMessage(
            "The text has {count} token, and {tokens} more are to be generated. This model takes {most} in "
            "all. Shorten the text.",
            "The text has {count} tokens, and {tokens} more are to be generated. This model takes {most} in "
            "all. Shorten the text.",
            tokens + len(writing.begin),
            tokens=writing.tokens,
            most=longest,
        )
        raise InputError(message)


def check_known(ids: Iterable[int], known: int) -> None:
    """Raise InputError if an id is of no token."""
    wrong = next((each for each in ids if each >= known), None)
    if wrong is not None:
        message = Message("{id} is not a token of this model. Its token ids are 0 to {last}.", id=wrong, last=known - 1)
        raise InputError(message)


def _last_logits(model: Observed, reading: TokenizedText, edits: tuple[Edit, ...]) -> Tensor:
    """Return what is held for likely after a text, [vocabulary], read as a whole."""
    inputs: dict[str, Any] = dict(model.reader.inputs(reading))
    if model.reader.takes("logits_to_keep"):
        inputs["logits_to_keep"] = 1
    inputs["use_cache"] = False
    done = observed_pass(model.network, model.layers, inputs, edits=edits, whole=True)
    logits: Tensor = done.logits[0, -1]
    return logits


class _Copyist:
    """Chooses the tokens of a text that is known."""

    def __init__(self, ids: Sequence[int]) -> None:
        self._left = list(ids)

    @property
    def is_done(self) -> bool:
        return not self._left

    def next(self, _logits: Tensor) -> int:
        return self._left.pop(0)


def is_equal_with_cache(model: Observed) -> bool:
    """Return whether a text read token by token gives the weights that it gives as a whole, tried on a sentence."""
    if not model.reader.takes("past_key_values"):
        return False
    inputs = model.reader.probe(None)
    ids = inputs["input_ids"][0].tolist()
    begun = TokenizedText(model.reader.tokenizer.sequence(ids[:-TRIED]), {n: v[:, :-TRIED] for n, v in inputs.items()})
    try:
        done = _with_cache(model, begun, _Copyist(ids[-TRIED:]), ("*.weights",))
    except (InputError, CaptureError, RuntimeError, ValueError, TypeError, AttributeError, IndexError, KeyError):
        return False  # whatever the network of strangers does with a cache
    whole = observed_pass(model.network, model.layers, inputs, patterns=("*.weights",), whole=True)
    sites = [site for site in whole.session.sites if site.quantity == "weights"]
    pairs = ((done.session[site], whole.session[site]) for site in sites) if done else ()
    dtype = model.network.dtype
    equal = torch.finfo(dtype).eps if dtype in HALF else EQUAL
    return done is not None and all(bool(((one - other).abs() <= equal).all()) for one, other in pairs)


@dataclass(frozen=True, slots=True)
class _CachedRun:
    """What a run token by token left."""

    session: Session
    cache: Any
    logits: Tensor  # [position, vocabulary], of the last positions
    vectors: Tensor | None  # [token, d_model]


def _with_cache(
    model: Observed, reading: TokenizedText, pen: Pen | _Copyist, patterns: tuple[str, ...]
) -> _CachedRun | None:
    """Read a text, then each token that `pen` chooses by itself; None if the network keeps no keys of every token."""
    reader, cache = model.reader, cache_of(model.network)
    given: dict[str, Any] = dict(reader.inputs(reading))
    if reader.takes("logits_to_keep"):
        given["logits_to_keep"] = predictions_kept(model, len(reading.tokens))
    length, logits, vectors = len(reading.tokens), [], []
    with torch.inference_mode(), capture(patterns, copies=False, norms=True) as session:
        while True:
            run, output = _step(model, given, cache)
            if not _holds(cache, length):
                return None
            logits.append(full_precision(output.logits[0]).cpu())
            vectors.append(run.vectors)
            if pen.is_done:
                break
            token, length = pen.next(logits[-1][-1]), length + 1
            given = {"input_ids": torch.tensor([[token]])}
            if "attention_mask" in reading.inputs and reader.takes("attention_mask"):
                given["attention_mask"] = torch.ones(1, length, dtype=torch.long)
    whole = [each[0] for each in vectors if each is not None]
    return _CachedRun(session, cache, torch.cat(logits), torch.cat(whole) if len(whole) == len(vectors) else None)


def _step(model: Observed, given: Mapping[str, Any], cache: Any) -> tuple[PretrainedRun, Any]:
    """Run the network on the tokens that `cache` does not hold yet."""
    network, layers = model.network, model.layers
    run = PretrainedRun(layers.places, layers.tried)
    asked = {} if layers.observed else {"output_attentions": True}
    with running(run):
        output = network(**placed(network, given), **asked, past_key_values=cache, use_cache=True)
        if not layers.observed:
            weights = chain.from_iterable(own_weights(network, output).values())
            for site, values in zip(layers.sites, weights, strict=True):
                observe(site.at("weights"), values)
        run.check()
    return run, output


def cache_of(network: Any) -> Any:
    """Return an empty cache; of every layer that attends it holds all tokens, so that rows have all their columns."""
    cache = DynamicCache(config=network.config.get_text_config(decoder=True))
    for place, layer in enumerate(cache.layers):
        if type(layer) is DynamicSlidingWindowLayer:
            full: Any = DynamicLayer
            cache.layers[place] = full()
    return cache


def _holds(cache: Any, length: int) -> bool:
    """Return whether every layer of `cache` that holds keys holds those of `length` tokens, and one does."""
    found = [keys.shape[-2] for layer in cache.layers if isinstance(keys := getattr(layer, "keys", None), Tensor)]
    return bool(found) and all(each == length for each in found)


def kept_in(cache: Any, layers: Layers) -> tuple[KeptLayer, ...]:
    """Return what each layer of a cache keeps of a token."""
    heads = {site.layer: count for site, count in layers.heads.items()}
    windows = {site.layer: facts.window or 0 for site, facts in layers.facts.items()}
    found = []
    for number, layer in enumerate(cache.layers):
        keys, values = getattr(layer, "keys", None), getattr(layer, "values", None)
        if isinstance(keys, Tensor) and isinstance(values, Tensor) and keys.ndim == 4:
            shared, size = keys.shape[1], keys.element_size()
            sizes = (heads.get(number, shared), shared, keys.shape[-1], values.shape[-1])
            found.append(KeptLayer(number, *sizes, window=windows.get(number, 0), number_bytes=size))
    return tuple(found)
