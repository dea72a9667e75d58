"""The attention layers of a transformers model, found by running it once, and held against its own weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor, nn
from transformers import PreTrainedModel

from models.hooks import Session, capture
from models.huggingface.attention import NAME, show_output, show_vectors
from models.huggingface.layer_names import Firing, Named, name_sites
from models.huggingface.layers import Layers, attention_for, own_weights, refusal, settle_attention
from models.huggingface.lengths import telling_length
from models.huggingface.placement import placed
from models.huggingface.run import Facts, PretrainedRun, running
from models.messages import CountMessage, Message
from models.sites import Site
from models.softmax import HALF, full_precision

TOLERANCE = 1e-4
"""How far observed weights, and final vectors by their largest number, may lie from the model's own."""

LONGEST_KIND = 40
"""Characters of a configuration's name for a kind of layer that are repeated."""


@dataclass
class _Probe(PretrainedRun):
    """A run that takes note of what fires; its sites are numbered by firing, whatever they are."""

    firings: list[Firing] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__({})
        self._joined: Tensor | None = None

    def enter(self, module: nn.Module, facts: Facts) -> Site:
        self.firings.append(Firing(module, facts))
        return Site("decoder", len(self.firings) - 1, "self")

    def leave(self, site: Site, context: Tensor, values: Tensor) -> None:
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


def find_layers(network: PreTrainedModel, probe: Callable[[int | None], dict[str, Tensor]], longest: int) -> Layers:
    """Run `network` on two texts and say which attention layers it has; put the hooks on its output projections.

    The second text is longer than every window, block or count of keys that its configuration names.
    """
    if network.config._attn_implementation != attention_for(network.config.model_type):
        way = network.config._attn_implementation
        raise refusal(network, Message("it was loaded with the attention implementation {way!r}", way=way))
    settle_attention(network)
    for part in _readers(network):
        part.register_forward_hook(show_vectors)
    inputs, length = placed(network, probe(None)), telling_length(network.config.to_dict(), longest)
    if attention_for(network.config.model_type) != NAME:
        return _own_layers(network, [inputs, placed(network, probe(length))] if length else [inputs])
    seen, session = _observe(network, inputs)
    firings = seen.firings
    named = name_sites(network, firings, session, inputs)
    _compare(network, inputs, seen, session, named)
    facts = MappingProxyType({site: firing.facts for site, firing in zip(named.sites, firings, strict=True)})
    if any(each.unknown or each.sparse for each in facts.values()):
        length = longest
    if length > inputs["input_ids"].shape[1]:
        _compare_again(network, placed(network, probe(length)), firings, named)
    for projection in {f.projection for f in firings if f.projection is not None}:
        projection.register_forward_hook(show_output)
    places: dict[nn.Module, tuple[Site, ...]] = {}
    for firing, site in zip(firings, named.sites, strict=True):
        places[firing.module] = (*places.get(firing.module, ()), site)
    masks = [session[Site("decoder", number, "self").at("mask")] for number in range(len(firings))]
    causal = {s for s, mask in zip(named.sites, masks, strict=True) if s.kind == "self" and not mask.triu(1).any()}
    heads = {site: each.heads for site, each in facts.items()}
    return Layers(
        MappingProxyType(places), facts, frozenset(causal), MappingProxyType(heads), named.depth, _kinds(network, named)
    )


def _kinds(network: PreTrainedModel, named: Named) -> tuple[tuple[int, str], ...]:
    """Return the layers without attention, and what the configuration calls each, such as ``linear_attention``."""
    types = getattr(network.config.get_text_config(), "layer_types", None) or ()
    if len(types) != named.depth:
        return tuple((layer, Message("of another kind")) for layer in named.silent)
    return tuple((layer, str(types[layer])[:LONGEST_KIND]) for layer in named.silent)


def _readers(network: PreTrainedModel) -> tuple[nn.Module, ...]:
    """Return the parts of `network` whose last states are the final vectors of the text that was read, the outer first.

    A language model may go past its base model straight to the stack in it, as OPT does.
    """
    if network.config.is_encoder_decoder:
        return (network.get_encoder(),)
    inner = network.get_decoder()  # type: ignore[no-untyped-call]
    return (network.base_model, inner) if isinstance(inner, PreTrainedModel) else (network.base_model,)


def _observe(network: PreTrainedModel, inputs: Mapping[str, Tensor]) -> tuple[_Probe, Session]:
    """Run a network once and return what fired, with weights and masks numbered by firing."""
    probe = _Probe()
    with torch.inference_mode(), running(probe), probe.watching(network), capture(("*.weights", "*.mask")) as session:
        network(**inputs)
        if not probe.firings:
            reason = Message("none of its layers uses the attention interface of transformers")
            raise refusal(network, reason)
    return probe, session


def _compare_again(network: PreTrainedModel, inputs: Mapping[str, Tensor], firings: list[Firing], named: Named) -> None:
    """Refuse a network that on a longer text has other layers than it had, or other weights than its own."""
    again, session = _observe(network, inputs)
    if [each.module for each in again.firings] != [each.module for each in firings]:
        tokens = inputs["input_ids"].shape[1]
        raise refusal(
            network,
            Message("on a text of {tokens} tokens, different layers compute attention than before", tokens=tokens),
        )
    for firing, other in zip(firings, again.firings, strict=True):
        firing.facts = replace(firing.facts, unknown=tuple({*firing.facts.unknown, *other.facts.unknown}))
    _compare(network, inputs, again, session, named)


def _own_layers(network: PreTrainedModel, texts: Sequence[Mapping[str, Tensor]]) -> Layers:
    """Return the layers of a network that returns its weights itself; InputError if they are none on one of `texts`."""
    first, *_others = [_own_layers_of(network, inputs) for inputs in texts]
    return first


def _own_layers_of(network: PreTrainedModel, inputs: Mapping[str, Tensor]) -> Layers:
    with torch.inference_mode():
        given = own_weights(network, network(**inputs, output_attentions=True))
    read, written = (inputs.get(name, inputs["input_ids"]).shape[1] for name in ("input_ids", "decoder_input_ids"))
    heads: dict[Site, int] = {}
    causal: set[Site] = set()
    for (stack, kind), weights in given.items():
        _check_own(network, weights, (read if stack == "encoder" else written, read if kind == "cross" else written))
        ahead = kind == "self" and any(each.triu(1).any() for each in weights)
        sites = [Site(stack or ("encoder" if ahead else "decoder"), layer, kind) for layer in range(len(weights))]
        heads |= {site: each.shape[1] for site, each in zip(sites, weights, strict=True)}
        causal |= {site for site in sites if site.kind == "self" and not ahead}
    return Layers(MappingProxyType({}), MappingProxyType({}), frozenset(causal), MappingProxyType(heads))


def _check_own(network: PreTrainedModel, weights: Sequence[Tensor], shape: tuple[int, int]) -> None:
    """Refuse a network that gives no weights itself, or something else than a softmax over the keys, [query, key]."""
    layers = getattr(network.config, "num_hidden_layers", len(weights))
    if not weights or (not network.config.is_encoder_decoder and len(weights) != layers):
        reason = CountMessage(
            "it returns the weights of {some} of {count} layer",
            "it returns the weights of {some} of {count} layers",
            layers,
            some=len(weights),
        )
        raise refusal(network, reason)
    if any(each.shape[2:] != shape for each in weights):
        raise refusal(network, Message("the weights it returns do not match its tokens in rows and columns"))
    sums = [full_precision(each).sum(-1) for each in weights]
    sound = all(_close(each, torch.ones_like(each), network.dtype) for each in sums)
    if not sound or min(float(each.min()) for each in weights) < 0:
        raise refusal(network, Message("the weights it returns do not sum to 1"))


def _compare(
    network: PreTrainedModel, inputs: Mapping[str, Tensor], probe: _Probe, session: Session, named: Named
) -> None:
    """Refuse a network whose observed weights, or final vectors, are not those of its own eager attention."""
    check = PretrainedRun({})
    network.set_attn_implementation("eager")
    try:
        with torch.inference_mode(), running(check):
            own = own_weights(network, network(**inputs, output_attentions=True))
    finally:
        network.set_attn_implementation(NAME)
    observed: dict[tuple[str, str], dict[int, tuple[Tensor, Facts]]] = {}
    for number, (site, firing) in enumerate(zip(named.sites, probe.firings, strict=True)):
        place = (site.stack if network.config.is_encoder_decoder else "", site.kind)
        weights = session[Site("decoder", number, "self").at("weights")]
        observed.setdefault(place, {})[site.layer] = weights, firing.facts
    for place, given in own.items():
        mine = observed.get(place, {})
        if named.silent and len(given) == named.depth:  # one a layer, whatever takes the place of attention there
            theirs = [given[layer] for layer in mine]
        else:
            theirs = [each for each in given if each is not None]
        if len(theirs) != len(mine):
            raise refusal(network, _other_count(len(mine), len(theirs)))
        for (layer, (weights, facts)), other in zip(mine.items(), theirs, strict=True):
            if other.shape != weights.shape or not _close(other.cpu(), weights, network.dtype):
                raise refusal(network, _other_weights(layer, weights.shape[-1], facts))
    if probe.vectors is None or check.vectors is None:
        raise refusal(network, Message("it returns no final vectors"))
    largest = check.vectors.abs().max()
    if not _close(check.vectors / largest, probe.vectors / largest, network.dtype):
        raise refusal(network, Message("its results change when it is observed"))


def _other_count(mine: int, own: int) -> Message:
    """Say why as many layers were observed as a network does not have."""
    if not own:
        return Message("it returns no weights of its own to compare with")
    if mine and not mine % own:
        return Message(
            "each of its layers computes attention {times} times, which one map cannot show", times=mine // own
        )
    return CountMessage(
        "{some} of its {count} attention layer uses the attention interface of transformers",
        "{some} of its {count} attention layers use the attention interface of transformers",
        own,
        some=mine,
    )


def _other_weights(layer: int, tokens: int, facts: Facts) -> Message:
    """Say where the weights that were observed are not those of the network."""
    if facts.unknown:
        return Message(
            "the attention of layer {layer} uses {names}, which is not supported here and changes its weights "
            "({tokens} tokens)",
            layer=layer,
            names=", ".join(sorted(facts.unknown)),
            tokens=tokens,
        )
    return Message(
        "the weights observed in layer {layer} differ from the model's own ({tokens} tokens)",
        layer=layer,
        tokens=tokens,
    )


def _close(one: Tensor, other: Tensor, dtype: torch.dtype) -> bool:
    """Return whether numbers up to 1, of a network of `dtype`, are the same; in half precision on average."""
    off = (one - other).abs()
    return bool(off.mean() <= torch.finfo(dtype).eps if dtype in HALF else (off <= TOLERANCE).all())
