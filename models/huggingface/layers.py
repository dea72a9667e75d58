"""Which attention layers a transformers model has, found out by running it once, and held against its own weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from models.errors import InputError
from models.hooks import Session, capture
from models.huggingface.attention import NAME, Facts, Run, running, show_output, show_vectors
from models.messages import CountMessage, Message
from models.sites import Site

TOLERANCE = 1e-4
"""How far observed weights, and final vectors by their largest number, may lie from the model's own."""

OWN_WEIGHTS = frozenset(("bloom", "deberta", "deberta-v2", "falcon", "gpt_neo", "gptj", "mpnet"))
"""Families that do not pass through the attention interface, but give their weights themselves."""

_OUTPUTS = MappingProxyType(
    {
        ("encoder", "self"): "encoder_attentions",
        ("decoder", "self"): "decoder_attentions",
        ("decoder", "cross"): "cross_attentions",
    }
)


@dataclass(frozen=True, slots=True)
class Layers:
    """The attention layers of one network.

    Parameters
    ----------
    places : mapping of module to tuple of Site
        See `Run`; empty where the weights are the model's own.
    facts : mapping of Site to Facts
        What each layer is given; empty where the weights are the model's own.
    causal : frozenset of Site
        Where a query reads only keys up to its own position.
    heads : mapping of Site to int
        How many heads each layer has, in the order of firing.
    """

    places: Mapping[nn.Module, tuple[Site, ...]]
    facts: Mapping[Site, Facts]
    causal: frozenset[Site]
    heads: Mapping[Site, int]

    @property
    def sites(self) -> tuple[Site, ...]:
        """The places of all, in the order of firing."""
        return tuple(self.heads)

    @property
    def observed(self) -> bool:
        """Whether the hooks see the attention, so that it can be edited."""
        return bool(self.places)

    def moved(self, network: nn.Module, other: nn.Module) -> Layers:
        """Return the same layers in `other`, a network of the architecture of `network`, whose layers these are."""
        names = {module: name for name, module in network.named_modules()}
        places = {other.get_submodule(names[module]): sites for module, sites in self.places.items()}
        return replace(self, places=MappingProxyType(places))

    @property
    def rows_sum_to_one(self) -> bool:
        """Whether no sink takes a share of a row."""
        return not any(facts.sinks for facts in self.facts.values())

    @property
    def equation(self) -> str:
        """What gives the weights."""
        if not self.facts:
            return "a = softmax(score)"
        facts = next(iter(self.facts.values()))
        scaled = abs(facts.scale * facts.d_head**0.5 - 1) < 1e-6
        score = "q k' / sqrt(d)" if scaled else "q k'" if facts.scale == 1 else f"{facts.scale:.4g} q k'"
        score = score if facts.softcap is None else f"{facts.softcap:g} tanh({score} / {facts.softcap:g})"
        score = f"{score} + b" if facts.biased else score
        return f"a = exp({score}) / (exp(s) + sum exp({score}))" if facts.sinks else f"a = softmax({score})"

    def notes(self, tokens: int) -> tuple[str, ...]:
        """Say what a reader of the maps of a text of `tokens` tokens must know."""
        notes: list[str] = []
        if not self.observed:
            notes.append(Message("weights as the model itself gives them; its attention cannot be edited"))
        grouped = {(f.heads, f.key_heads) for f in self.facts.values() if f.heads != f.key_heads}
        notes.extend(
            Message(
                "grouped-query attention: {heads} query heads share {shared} key-value heads; each query head is shown",
                heads=heads,
                shared=shared,
            )
            for heads, shared in sorted(grouped)
        )
        windows = sorted({f.window for f in self.facts.values() if f.window is not None and f.window < tokens})
        for window in windows:
            layers = sorted(site.layer for site, facts in self.facts.items() if facts.window == window)
            notes.append(
                CountMessage(
                    "sliding window of {count} token in layer {layers}",
                    "sliding window of {count} tokens in layer {layers}",
                    window,
                    layers=", ".join(map(str, layers)),
                )
            )
        if not self.rows_sum_to_one:
            notes.append(Message("each row sums to less than 1: a sink, which is no token, takes the rest"))
        return tuple(notes)


@dataclass
class _Firing:
    """One call of the attention function in the probe, and the module that projected what its heads read."""

    module: nn.Module
    facts: Facts
    projection: nn.Module | None = None


@dataclass
class _Probe(Run):
    """A run that takes note of what fires; its sites are numbered by firing, whatever they are."""

    firings: list[_Firing] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__({})
        self._joined: Tensor | None = None

    def enter(self, module: nn.Module, facts: Facts) -> Site:
        self.firings.append(_Firing(module, facts))
        return Site("decoder", len(self.firings) - 1, "self")

    def leave(self, site: Site, context: Tensor) -> None:
        self._joined = context.flatten(2)  # [batch, query, head * d_head]

    def meet(self, module: nn.Module, inputs: tuple[Any, ...]) -> None:
        """See whether `module` is given what the last heads read: then it is their output projection."""
        given = inputs[0] if inputs else None
        if self._joined is not None and isinstance(given, Tensor) and given.shape == self._joined.shape:
            if torch.equal(given, self._joined):
                self.firings[-1].projection = module
            self._joined = None

    @contextmanager
    def watching(self, network: nn.Module) -> Iterator[None]:
        """Have `meet` called before each module that holds a matrix."""
        matrices = (m for m in network.modules() if isinstance(w := getattr(m, "weight", None), Tensor) and w.ndim == 2)
        handles = [module.register_forward_pre_hook(self.meet) for module in matrices]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()


def find_layers(network: PreTrainedModel, inputs: Mapping[str, Tensor]) -> Layers:
    """Run `network` once on `inputs` and say which attention layers it has; put the hooks on its output projections.

    Parameters
    ----------
    network : PreTrainedModel
        In evaluation mode, loaded with `attn_implementation` `NAME`; shared with nobody yet.
    inputs : mapping of str to Tensor
        What its forward takes; with an encoder and a decoder, texts of two lengths.

    Returns
    -------
    Layers

    Raises
    ------
    InputError
        If a layer cannot be observed, or shows other weights than the model's own: says which and why.
    """
    if network.config._attn_implementation != attention_for(network.config.model_type):
        way = network.config._attn_implementation
        raise _refusal(network, Message("it was loaded with the attention {way!r}", way=way))
    for part in _readers(network):
        part.register_forward_hook(show_vectors)
    if network.config.model_type in OWN_WEIGHTS:
        return _own_layers(network, inputs)
    probe = _Probe()
    with torch.inference_mode(), running(probe), probe.watching(network), capture(("*.weights", "*.mask")) as session:
        network(**inputs)
        if not probe.firings:
            reason = Message("none of its layers passes through the attention interface of transformers")
            raise _refusal(network, reason)
    sites = _name_sites(network, probe.firings, session, inputs)
    _compare(network, inputs, probe, session, sites)
    for projection in {f.projection for f in probe.firings if f.projection is not None}:
        projection.register_forward_hook(show_output)
    places: dict[nn.Module, tuple[Site, ...]] = {}
    for firing, site in zip(probe.firings, sites, strict=True):
        places[firing.module] = (*places.get(firing.module, ()), site)
    masks = [session[Site("decoder", number, "self").at("mask")] for number in range(len(sites))]
    causal = {s for s, mask in zip(sites, masks, strict=True) if s.kind == "self" and not mask.triu(1).any()}
    facts = {site: firing.facts for site, firing in zip(sites, probe.firings, strict=True)}
    heads = {site: each.heads for site, each in facts.items()}
    return Layers(MappingProxyType(places), MappingProxyType(facts), frozenset(causal), MappingProxyType(heads))


def attention_for(model_type: str) -> str:
    """Return the `attn_implementation` with which a model of this family is to be loaded."""
    return "eager" if model_type in OWN_WEIGHTS else NAME


def token_limit(network: PreTrainedModel) -> int:
    """Return how many tokens the position embeddings of `network` have room for; a large number if nothing limits."""
    found = [
        getattr(network.config.get_text_config(), name, None) for name in ("max_position_embeddings", "n_positions")
    ]
    limits = [limit for limit in found if isinstance(limit, int) and limit > 0]
    for name, module in network.named_modules():
        # RoBERTa counts positions from the one after that of padding, so that its table has room for fewer tokens.
        if name.endswith("position_embeddings") and isinstance(module, nn.Embedding) and module.padding_idx is not None:
            limits.append(module.num_embeddings - module.padding_idx - 1)
    return 10**9 if network.config.model_type == "t5" else min(limits, default=10**9)


def _readers(network: PreTrainedModel) -> tuple[nn.Module, ...]:
    """Return the parts of `network` whose last states are the final vectors of the text that was read, the outer first.

    A language model may go past its base model straight to the stack in it, as OPT does.
    """
    if network.config.is_encoder_decoder:
        return (network.get_encoder(),)
    inner = network.get_decoder()  # type: ignore[no-untyped-call]
    return (network.base_model, inner) if isinstance(inner, PreTrainedModel) else (network.base_model,)


def own_weights(network: PreTrainedModel, output: Any) -> dict[tuple[str, str], tuple[Tensor, ...]]:
    """Return the weights in a model's own output, by stack and kind; those of a single stack under ``("", "self")``."""
    names = _OUTPUTS if network.config.is_encoder_decoder else {("", "self"): "attentions"}
    return {place: tuple(getattr(output, name, None) or ()) for place, name in names.items()}


def _refusal(network: PreTrainedModel, reason: Message) -> InputError:
    said = Message(
        "The attention of this model ({family}) cannot be observed: {reason}.",
        family=network.config.model_type,
        reason=reason,
    )
    return InputError(said)


def _own_layers(network: PreTrainedModel, inputs: Mapping[str, Tensor]) -> Layers:
    """Return the layers of a network that returns its weights itself."""
    with torch.inference_mode():
        (weights,) = own_weights(network, network(**inputs, output_attentions=True)).values()
    if len(weights) != network.config.num_hidden_layers:
        reason = CountMessage(
            "it gives {some} of {count} layer",
            "it gives {some} of {count} layers",
            network.config.num_hidden_layers,
            some=len(weights),
        )
        raise _refusal(network, reason)
    if not all(_close(each.sum(-1), torch.ones(()), TOLERANCE) for each in weights):
        raise _refusal(network, Message("what it gives as its weights does not sum to 1"))
    causal = not any(each.triu(1).any() for each in weights)
    stack = "decoder" if causal else "encoder"
    heads = {Site(stack, layer, "self"): each.shape[1] for layer, each in enumerate(weights)}
    return Layers(
        MappingProxyType({}), MappingProxyType({}), frozenset(heads if causal else ()), MappingProxyType(heads)
    )


def _name_sites(
    network: PreTrainedModel, firings: list[_Firing], session: Session, inputs: Mapping[str, Tensor]
) -> tuple[Site, ...]:
    """Return the site of each firing: its stack and kind, then its layer."""
    masks = [session[Site("decoder", number, "self").at("mask")] for number in range(len(firings))]
    if network.config.is_encoder_decoder:
        encoder = set(network.get_encoder().modules())
        lengths = inputs["input_ids"].shape[1], inputs["decoder_input_ids"].shape[1]
        groups = [_place(network, firing, lengths, in_encoder=firing.module in encoder) for firing in firings]
    else:
        causal = not any(mask.triu(1).any() for mask in masks)
        groups = [("decoder" if causal else "encoder", "self")] * len(firings)
        length = inputs["input_ids"].shape[1]
        if odd := [f.facts for f in firings if (f.facts.queries, f.facts.keys) != (length, length)]:
            reason = Message(
                "a layer lets {queries} tokens read {keys}, of a text of {length}",
                queries=odd[0].queries,
                keys=odd[0].keys,
                length=length,
            )
            raise _refusal(network, reason)
    named: dict[int, Site] = {}
    for group in dict.fromkeys(groups):
        members = [number for number, each in enumerate(groups) if each == group]
        layers = _number_layers(network, [firings[number].module for number in members])
        named |= {number: Site(group[0], layer, group[1]) for number, layer in zip(members, layers, strict=True)}
    return tuple(named[number] for number in range(len(firings)))


def _place(network: PreTrainedModel, firing: _Firing, lengths: tuple[int, int], *, in_encoder: bool) -> tuple[str, str]:
    """Return stack and kind of a firing; the two texts of the probe differ in length, which tells self from cross."""
    source, target = lengths
    expected = {("encoder", "self"): (source, source)} if in_encoder else {}
    expected = expected or {("decoder", "self"): (target, target), ("decoder", "cross"): (target, source)}
    for place, shape in expected.items():
        if shape == (firing.facts.queries, firing.facts.keys):
            return place
    reason = Message(
        "a layer lets {queries} tokens read {keys}, of texts of {source} and {target}",
        queries=firing.facts.queries,
        keys=firing.facts.keys,
        source=source,
        target=target,
    )
    raise _refusal(network, reason)


def _number_layers(network: PreTrainedModel, modules: list[nn.Module]) -> list[int]:
    """Return the layer of each module of a stack: the number in its name, or its firing where names do not tell."""
    names = {module: name for name, module in network.named_modules()}
    parts = [names[module].split(".") for module in modules]
    depths = [next((depth for depth, part in enumerate(each) if part.isdigit()), -1) for each in parts]
    if min(depths) < 0 or len(set(modules)) < len(modules):
        return list(range(len(modules)))
    numbers = [int(each[depth]) for each, depth in zip(parts, depths, strict=True)]
    holders = [".".join(each[:depth]) for each, depth in zip(parts, depths, strict=True)]
    if len(set(numbers)) < len(numbers) or len(list(groupby(holders))) > 1:
        return list(range(len(modules)))
    stack = network.get_submodule(holders[0])
    missing = sorted(set(range(len(list(stack.children())))) - set(numbers))
    if missing:
        silent = ", ".join(map(str, missing))
        reason = Message(
            "layer {layers} has no attention of queries, keys and values (linear attention?)", layers=silent
        )
        raise _refusal(network, reason)
    return numbers


def _compare(
    network: PreTrainedModel, inputs: Mapping[str, Tensor], probe: _Probe, session: Session, sites: tuple[Site, ...]
) -> None:
    """Refuse a network whose observed weights, or final vectors, are not those of its own eager attention."""
    check = Run({})
    network.set_attn_implementation("eager")
    try:
        with torch.inference_mode(), running(check):
            own = own_weights(network, network(**inputs, output_attentions=True))
    finally:
        network.set_attn_implementation(NAME)
    observed: dict[tuple[str, str], dict[int, Tensor]] = {}
    for number, site in enumerate(sites):
        place = (site.stack if network.config.is_encoder_decoder else "", site.kind)
        observed.setdefault(place, {})[site.layer] = session[Site("decoder", number, "self").at("weights")]
    for place, weights in own.items():
        mine = observed.get(place, {})
        if len(weights) != len(mine):
            reason = CountMessage(
                "{count} layer was observed of the {all} that it has",
                "{count} layers were observed of the {all} that it has",
                len(mine),
                all=len(weights),
            )
            raise _refusal(network, reason)
        for layer, theirs in enumerate(weights):
            if theirs is None or theirs.shape != mine[layer].shape or not _close(theirs, mine[layer], TOLERANCE):
                raise _refusal(network, Message("layer {layer} shows other weights than the model's own", layer=layer))
    if probe.vectors is None or check.vectors is None:
        raise _refusal(network, Message("it gives no final vectors"))
    if not _close(check.vectors, probe.vectors, TOLERANCE * float(check.vectors.abs().max())):
        raise _refusal(network, Message("observed, it computes something else than the model itself"))


def _close(one: Tensor, other: Tensor, tolerance: float) -> bool:
    return bool(((one - other).abs() <= tolerance).all())
