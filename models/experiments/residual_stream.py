"""The residual stream at one position: what each head wrote into it, and how a word is read off it.

In a pre-LN network the vector that predicts a word is a sum: the embedding, what every head wrote through its part of
W_O, and what the rest of every layer wrote (Elhage et al. 2021, A Mathematical Framework for Transformer Circuits).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from models.errors import InputError
from models.hooks import Session, capture
from models.huggingface.attention import show_output
from models.huggingface.model import PretrainedModel
from models.huggingface.observed_pass import observed_pass
from models.messages import Message
from models.model import Model
from models.networks.transformer import DecoderLayer, TransformerNetwork
from models.sites import Site
from models.softmax import full_precision
from models.trace import AttentionTrace
from models.translation.translator import Translator
from models.vocabulary import END

TOLERANCE = 1e-3
"""How far a sum may lie from the vector that it should be, as a share of that vector's length."""

Function = Callable[[Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class ResidualStream:
    """What makes up the vector that predicts the word at one position, and the way from such a vector to logits."""

    states: Tensor  # [layer + 1, d_model] Before the first layer, and after each
    heads: tuple[tuple[Site, int], ...]
    written: Tensor  # [head, d_model] What each head wrote
    biases: Tensor  # [d_model] The sum of the output projections' biases
    norm: Function  # the closing normalisation, [..., d_model]
    unembed: Function  # [..., d_model] to logits, [..., vocabulary]
    piece: Callable[[int], str]
    written_id: int | None = None  # the token of a translation that was written; None: the likeliest is meant
    never: int = 0  # so many first tokens of the vocabulary are never written

    @property
    def answer(self) -> int:
        """The token that was written, or is likeliest."""
        if self.written_id is not None:
            return self.written_id
        return int(self.unembed(self.norm(self.states[-1])).argmax())

    @property
    def rest(self) -> Tensor:
        """What all else wrote, the feed-forward parts and their biases, [d_model]."""
        return self.states[-1] - self.states[0] - self.written.sum(0) - self.biases


def residual_stream(model: Model, trace: AttentionTrace, position: int) -> ResidualStream:
    """Return the residual stream of `model` where `trace`, nothing edited, predicts at `position`.

    Of a translation `position` is that of the word written; of a causal text that of the last token read.
    """
    length = len(trace.target) if trace.is_translation else len(trace.source)
    if not 0 <= position < length:
        raise InputError(Message("position: got {got}; expected 0 to {last}", got=position, last=length - 1))
    if not has_residual_stream(model):
        raise _refusal(model)
    if isinstance(model, PretrainedModel):
        return _of_pretrained(model, trace, position)
    return _of_translator(cast("Translator", model), trace, position)


def has_residual_stream(model: Model) -> bool:
    """Return whether `residual_stream` may be asked of `model`."""
    if isinstance(model, Translator):
        network = model.network
        return isinstance(network, TransformerNetwork) and not isinstance(network.decoder_norm, nn.Identity)
    return isinstance(model, PretrainedModel) and model.predicts == "causal" and model.editable


def _refusal(model: Model) -> InputError:
    return InputError(
        Message(
            "{title} has no direct logit attribution: the outputs of its layers do not simply add up.",
            title=model.title,
        )
    )


def _heads_through(project: Function, context: Tensor) -> tuple[Tensor, Tensor]:
    """Return what each head writes, [head, d_model], and the bias, [d_model].

    Shapes: `context` [head, d_head].
    """
    count, size = context.shape
    alone = torch.zeros(count + 1, count, size, dtype=context.dtype)  # the last row: no head
    alone[torch.arange(count), torch.arange(count)] = context
    given = project(alone.flatten(1))
    return given[:-1] - given[-1], given[-1]


def _of_translator(model: Translator, trace: AttentionTrace, position: int) -> ResidualStream:
    network = cast("TransformerNetwork", model.network)
    sites = ("decoder.*.*.context", "decoder.*.self.input", "decoder.*.cross.final")
    with torch.inference_mode(), capture(sites) as session:
        memory = network.encode(torch.tensor([trace.source.ids]))
        network.decode_states(memory, torch.tensor([trace.target_input.ids]))
        states = [session["decoder.0.self.input"][0, 0, position]]
        places, written, biases = [], [], []
        for layer, part in enumerate(cast("list[DecoderLayer]", list(network.decoder))):
            states.append(session[Site("decoder", layer, "cross", "final")][0, 0, position])
            for kind, attention in (("self", part.attention), ("cross", part.cross)):
                place = Site("decoder", layer, kind)
                found, bias = _heads_through(attention.output, session[place.at("context")][0, :, position])
                places += [(place, head) for head in range(len(found))]
                written.append(found)
                biases.append(bias)
    return ResidualStream(
        torch.stack(states),
        tuple(places),
        torch.cat(written),
        torch.stack(biases).sum(0),
        network.decoder_norm,
        _of_rows(network.logits),
        model.tokenizer.piece,
        trace.target.ids[position],
        END,
    )


def _of_rows(unembed: Function) -> Function:
    """Return `unembed`, which takes rows of vectors alone, as a function of one vector too."""
    return lambda values: unembed(values.reshape(-1, values.shape[-1])).reshape(*values.shape[:-1], -1)


def _batched(values: Tensor) -> Tensor:
    """Return vectors of one text, [token, d], as a batch of it, [1, token, d], as others are."""
    return values[None] if values.ndim == 2 else values


class _Watch:
    """What a pass through a transformers network gave its last normalisation and its output layer."""

    def __init__(self, network: nn.Module, head: nn.Module) -> None:
        self.outputs: dict[nn.Module, Tensor] = {}
        self.inputs: dict[nn.Module, Tensor] = {}
        self.order: list[nn.Module] = []
        self._network, self._head = network, head

    def __enter__(self) -> _Watch:
        self._stack = ExitStack()
        for module in self._network.modules():
            handle = module.register_forward_hook(self._see)
            self._stack.callback(handle.remove)
        return self

    def __exit__(self, *_error: object) -> None:
        self._stack.close()

    def _see(self, module: nn.Module, inputs: Any, output: Any) -> None:
        given = output[0] if isinstance(output, tuple) and output else output
        if isinstance(given, Tensor) and given.ndim in (2, 3) and inputs and isinstance(inputs[0], Tensor):
            self.order.append(module)
            self.inputs[module], self.outputs[module] = map(_batched, (inputs[0], given))

    def closing(self) -> nn.Module:
        """Return the module whose output the output layer was given, innermost: the closing normalisation."""
        wanted = self.inputs[self._head]
        keep = wanted.shape[1]
        found = [
            each
            for each in self.order
            if each is not self._head
            and (out := self.outputs[each]).shape[-1] == wanted.shape[-1]
            and torch.equal(out[:, -keep:], wanted)
        ]
        return found[0]


def _of_pretrained(model: PretrainedModel, trace: AttentionTrace, position: int) -> ResidualStream:
    network, layers = model.network, model.watched.layers
    head = cast("nn.Module", network.get_output_embeddings())  # type: ignore[no-untyped-call]
    inputs: dict[str, Any] = {"input_ids": torch.tensor([trace.source.ids])}
    inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
    if model.reader.takes("logits_to_keep"):
        inputs["logits_to_keep"] = 1
    patterns = ("*.context", "*.input")
    with _Watch(network, head) as watch:
        done = observed_pass(network, layers, inputs, patterns=patterns, whole=True)
    norm = watch.closing()
    last = full_precision(watch.inputs[norm][0, position].detach()).cpu()
    places, written, biases = _pretrained_heads(model, done.session, position)
    inner = [done.session[site.at("input")][0, 0, position] for site in model.sites]
    stream = ResidualStream(
        torch.stack([*inner, last]),
        places,
        written,
        biases.sum(0),
        _in_full(norm),
        _in_full(head),
        model.tokenizer.piece,
    )
    _check_sums(model, watch, stream, biases, position)
    return stream


def _in_full(module: nn.Module) -> Function:
    """Return `module` as a function of float32, whatever its own precision and place."""
    own = next(module.parameters(), torch.zeros(()))

    def run(values: Tensor) -> Tensor:
        with torch.inference_mode():
            found: Tensor = module(values.to(own.device, own.dtype))
            return full_precision(found).cpu()

    return run


def _pretrained_heads(
    model: PretrainedModel, session: Session, position: int
) -> tuple[tuple[tuple[Site, int], ...], Tensor, Tensor]:
    """Return the heads, what each wrote, [head, d_model], and the bias of each layer, [layer, d_model]."""
    projections: Mapping[Site, nn.Module] = {
        site: part
        for module, sites in model.watched.layers.places.items()
        for site in sites
        for part in module.modules()
        if show_output in part._forward_hooks.values()
    }
    if set(projections) != set(model.sites):
        raise _refusal(model)
    places: list[tuple[Site, int]] = []
    written, biases = [], []
    for site in model.sites:
        found, bias = _heads_through(_in_full(projections[site]), session[site.at("context")][0, :, position])
        places += [(site, head) for head in range(len(found))]
        written.append(found)
        biases.append(bias)
    return tuple(places), torch.cat(written), torch.stack(biases)


def _check_sums(model: PretrainedModel, watch: _Watch, stream: ResidualStream, biases: Tensor, position: int) -> None:
    """Refuse a network in which something stands between what a layer's heads write and the stream.

    What a layer adds beside its heads must be what one of its parts gave, as it gave it.
    """
    for layer, site in enumerate(model.sites):
        own = [each for each, (place, _head) in enumerate(stream.heads) if place == site]
        rest = stream.states[layer + 1] - stream.states[layer] - stream.written[own].sum(0) - biases[layer]
        given = (
            full_precision(each[0, position]).cpu()
            for each in watch.outputs.values()
            if each.shape[1] > position and each.shape[-1] == len(rest)
        )
        near = TOLERANCE * float(stream.states[layer + 1].norm())
        if not any(float((each - rest).norm()) <= near for each in given):
            raise _refusal(model)
