"""Where each layer of a transformers model stands: its stack, its number and its kind, told from one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from torch import Tensor, nn
from transformers import PreTrainedModel

from models.hooks import Session
from models.huggingface.layers import refusal
from models.huggingface.run import Facts
from models.messages import Message
from models.sites import Site


@dataclass
class Firing:
    """One call of the attention function in the probe, and the module that projected what its heads read."""

    module: nn.Module
    facts: Facts
    projection: nn.Module | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """The site of each firing, in their order; and of a network of one stack, all its layers and those without one."""

    sites: tuple[Site, ...]
    depth: int
    silent: tuple[int, ...] = ()


def name_sites(
    network: PreTrainedModel, firings: list[Firing], session: Session, inputs: Mapping[str, Tensor]
) -> Named:
    """Return the site of each firing: its stack and kind, then its layer; and which layers have no attention."""
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
                "one layer has {queries} queries and {keys} keys, but the text has {length} tokens",
                queries=odd[0].queries,
                keys=odd[0].keys,
                length=length,
            )
            raise refusal(network, reason)
    named: dict[int, Site] = {}
    depth, silent = len(firings), tuple[int, ...]()
    for group in dict.fromkeys(groups):
        members = [number for number, each in enumerate(groups) if each == group]
        layers, depth = _number_layers(network, [firings[number].module for number in members])
        silent = tuple(sorted(set(range(depth)) - set(layers)))
        named |= {number: Site(group[0], layer, group[1]) for number, layer in zip(members, layers, strict=True)}
    return Named(tuple(named[number] for number in range(len(firings))), depth, silent)


def _place(network: PreTrainedModel, firing: Firing, lengths: tuple[int, int], *, in_encoder: bool) -> tuple[str, str]:
    """Return stack and kind of a firing; the two texts of the probe differ in length, which tells self from cross."""
    source, target = lengths
    expected = {("encoder", "self"): (source, source)} if in_encoder else {}
    expected = expected or {("decoder", "self"): (target, target), ("decoder", "cross"): (target, source)}
    for place, shape in expected.items():
        if shape == (firing.facts.queries, firing.facts.keys):
            return place
    if firing.facts.keys == source + target:
        reason = Message(
            "its decoder uses one softmax for self-attention and cross-attention, so neither map has rows of its own"
        )
        raise refusal(network, reason)
    reason = Message(
        "one layer has {queries} queries and {keys} keys, but the texts have {source} and {target} tokens",
        queries=firing.facts.queries,
        keys=firing.facts.keys,
        source=source,
        target=target,
    )
    raise refusal(network, reason)


def _number_layers(network: PreTrainedModel, modules: list[nn.Module]) -> tuple[list[int], int]:
    """Return the layer of each module of a stack, and how many layers that has.

    The layer is the number in its name; or, where names do not tell, its place among those that fired.
    """
    names: dict[nn.Module, list[str]] = {}
    for name, module in network.named_modules(remove_duplicate=False):
        names.setdefault(module, []).append(name)
    firings = Counter(modules)
    if any(count > 1 and len(names[module]) != count for module, count in firings.items()):
        return list(range(len(modules))), len(modules)
    following = {module: iter(names[module]) for module in firings}  # one that layers share has a name in each
    parts = [next(following[module]).split(".") for module in modules]
    depths = [next((depth for depth, part in enumerate(each) if part.isdigit()), -1) for each in parts]
    if min(depths) < 0:
        return list(range(len(modules))), len(modules)
    numbers = [int(each[depth]) for each, depth in zip(parts, depths, strict=True)]
    holders = [".".join(each[:depth]) for each, depth in zip(parts, depths, strict=True)]
    if len(set(numbers)) < len(numbers) or len(list(groupby(holders))) > 1:
        return list(range(len(modules))), len(modules)
    return numbers, len(list(network.get_submodule(holders[0]).children()))
