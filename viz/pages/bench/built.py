"""Architecture, training and decoding of a model, from its card."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from viz.text.language import _, mark

_SIZES = MappingProxyType(
    {
        "d_model": mark("vectors of {count} numbers"),
        "layers": mark("layers in each stack: {count}"),
        "encoder_layers": mark("layers of the encoder: {count}"),
        "decoder_layers": mark("layers of the decoder: {count}"),
        "encoder_width": mark("width of an encoder convolution: {count} positions"),
        "decoder_width": mark("width of a decoder convolution: {count} positions"),
        "heads": mark("heads in each layer: {count}"),
        "d_feedforward": mark("feed-forward part: {count}"),
        "d_embedding": mark("embedding: {count}"),
        "d_encoder": mark("encoder state: {count} each way"),
        "d_decoder": mark("decoder state: {count}"),
        "d_summary": mark("vector passed to the decoder: {count}"),
        "d_attention": mark("hidden layer of the score: {count}"),
        "d_position": mark("hidden layer of the centre: {count}"),
        "width": mark("window: {count} on each side"),
        "reach": mark("distances with their own vector: {count} on each side"),
        "max_source": mark("positions with their own weight: {count}"),
        "vocabulary": mark("subwords in the vocabulary: {count}"),
    }
)
"""What the sizes of a network are called; others are no sizes, or say nothing to a reader."""

_ONE_WAY = mark("encoder state: {count}")
"""Of an encoder that hands over a summary: it reads one way."""


def millions(card: Mapping[str, Any]) -> str:
    """Return how many million parameters a card counts, in digits."""
    return f"{card['parameters'] / 1e6:.1f}"


def built(card: Mapping[str, Any]) -> list[str]:
    """Say how large a model is, with what it was trained, which weights those are, and how it decodes."""
    network, recipe = card.get("network", {}), card.get("recipe", {})
    named = _SIZES | {"d_encoder": _ONE_WAY} if "d_summary" in network else _SIZES
    sizes = [_(text, count=f"{network[name]:,}") for name, text in named.items() if name in network]
    lines = []
    if card.get("parameters", 0) > 1:
        lines.append(_("{count} M parameters", count=millions(card)))
    if sizes:
        lines.append("; ".join(sizes))
    lines += [*_trained(network, recipe), _averaged(recipe)]
    lines.append(_("decoding: greedy, the most likely subword at each step; no beam search"))
    return [line for line in lines if line]


def _trained(network: Mapping[str, Any], recipe: Mapping[str, Any]) -> list[str]:
    """Say with what a model was trained that changes what it learns."""
    lines = []
    if "dropout" in network:
        share = network["dropout"]
        lines.append(_("dropout in training: {share}", share=f"{share:g}") if share else _("no dropout in training"))
    if recipe.get("label_smoothing"):
        lines.append(_("label smoothing: {share}", share=f"{recipe['label_smoothing']:g}"))
    if recipe:
        muon = recipe.get("optimizer") == "muon"
        lines.append(_("optimizer: Muon for hidden matrices, Adam for the rest") if muon else _("optimizer: Adam"))
    return ["; ".join(lines)]


def _averaged(recipe: Mapping[str, Any]) -> str:
    decay = recipe.get("average_decay")
    if not decay:
        return ""
    return _("weights: an average over training steps (decay {decay}), stored in 16 bits", decay=f"{decay:g}")
