"""The attention layers of a transformers model, found by running it once, and held against its own weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from models.hooks import Session, capture
from models.huggingface.attention import NAME, show_output, show_vectors
from models.huggingface.layer_names import Firing, name_sites
from models.huggingface.layers import Layers, attention_for, own_weights, refusal, settle_attention
from models.huggingface.run import Facts, Run, running
from models.messages import CountMessage, Message
from models.sites import Site

TOLERANCE = 1e-4
"""How far observed weights, and final vectors by their largest number, may lie from the model's own."""


@dataclass
class _Probe(Run):
    """A run that takes note of what fires; its sites are numbered by firing, whatever they are."""

    firings: list[Firing] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__({})
        self._joined: Tensor | None = None

    def enter(self, module: nn.Module, facts: Facts) -> Site:
        self.firings.append(Firing(module, facts))
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
        raise refusal(network, Message("it was loaded with the attention {way!r}", way=way))
    settle_attention(network)
    for part in _readers(network):
        part.register_forward_hook(show_vectors)
    if attention_for(network.config.model_type) != NAME:
        return _own_layers(network, inputs)
    probe = _Probe()
    with torch.inference_mode(), running(probe), probe.watching(network), capture(("*.weights", "*.mask")) as session:
        network(**inputs)
        if not probe.firings:
            reason = Message("none of its layers passes through the attention interface of transformers")
            raise refusal(network, reason)
    sites = name_sites(network, probe.firings, session, inputs)
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


def _readers(network: PreTrainedModel) -> tuple[nn.Module, ...]:
    """Return the parts of `network` whose last states are the final vectors of the text that was read, the outer first.

    A language model may go past its base model straight to the stack in it, as OPT does.
    """
    if network.config.is_encoder_decoder:
        return (network.get_encoder(),)
    inner = network.get_decoder()  # type: ignore[no-untyped-call]
    return (network.base_model, inner) if isinstance(inner, PreTrainedModel) else (network.base_model,)


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
        raise refusal(network, reason)
    if not all(_close(each.sum(-1), torch.ones(()), TOLERANCE) for each in weights):
        raise refusal(network, Message("what it gives as its weights does not sum to 1"))
    causal = not any(each.triu(1).any() for each in weights)
    stack = "decoder" if causal else "encoder"
    heads = {Site(stack, layer, "self"): each.shape[1] for layer, each in enumerate(weights)}
    return Layers(
        MappingProxyType({}), MappingProxyType({}), frozenset(heads if causal else ()), MappingProxyType(heads)
    )


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
            raise refusal(network, reason)
        for layer, theirs in enumerate(weights):
            if theirs is None or theirs.shape != mine[layer].shape or not _close(theirs, mine[layer], TOLERANCE):
                raise refusal(network, Message("layer {layer} shows other weights than the model's own", layer=layer))
    if probe.vectors is None or check.vectors is None:
        raise refusal(network, Message("it gives no final vectors"))
    if not _close(check.vectors, probe.vectors, TOLERANCE * float(check.vectors.abs().max())):
        raise refusal(network, Message("observed, it computes something else than the model itself"))


def _close(one: Tensor, other: Tensor, tolerance: float) -> bool:
    return bool(((one - other).abs() <= tolerance).all())
