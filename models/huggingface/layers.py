"""Which attention layers a transformers model has, and what must be known of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from torch import Tensor, nn
from transformers import PreTrainedModel

from models.errors import InputError
from models.huggingface.attention import NAME
from models.huggingface.run import Facts
from models.messages import CountMessage, Message
from models.sites import Site

OWN_WEIGHTS = frozenset(
    (
        *("big_bird", "bloom", "codegen", "convbert", "deberta", "deberta-v2", "falcon", "flaubert"),
        *("gpt_neo", "gpt_neox_japanese", "gptj", "ibert", "luke", "megatron-bert", "mpnet", "mpt", "mvp"),
        *("nystromformer", "openai-gpt", "rembert", "roformer", "tapas", "xglm", "xlm", "xlnet"),
    )
)
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
    """The attention layers of one network."""

    places: Mapping[nn.Module, tuple[Site, ...]]  # see `Run`; empty where the weights are the model's own
    facts: Mapping[Site, Facts]  # what each layer is given; empty where the weights are the model's own
    causal: frozenset[Site]  # where a query reads only keys up to its own position
    heads: Mapping[Site, int]  # how many heads each layer has, in the order of firing
    depth: int = 0  # how many layers the network has, if it is of one stack; those that attend if left out
    silent: tuple[tuple[int, str], ...] = ()  # those of them without attention, and what each is

    @property
    def tried(self) -> frozenset[str]:
        """The unknown arguments of the attention call with which the network was tried."""
        return frozenset(name for facts in self.facts.values() for name in facts.unknown)

    @property
    def sites(self) -> tuple[Site, ...]:
        """The places of all, in the order of firing."""
        return tuple(self.heads)

    @property
    def observed(self) -> bool:
        """Whether the hooks see the attention, so that it can be edited."""
        return bool(self.places)

    def moved(self, network: nn.Module, other: nn.Module) -> Layers:
        """Return the same layers in another network of the same architecture."""
        names = {module: name for name, module in network.named_modules()}
        places = {other.get_submodule(names[module]): sites for module, sites in self.places.items()}
        return replace(self, places=MappingProxyType(places))

    @property
    def rows_sum_to_one(self) -> bool:
        """Whether no sink takes a share of a row."""
        return not any(facts.sinks for facts in self.facts.values())

    @property
    def equation(self) -> str:
        """What gives the weights: of layers that differ, each way once, in the order of firing."""
        return "; ".join(dict.fromkeys(map(_equation, self.facts.values()))) or "a = softmax(score)"

    def _window(self, site: Site) -> int | None:
        """Return how many tokens a query may read there: those to its left with its own, and to its right if it can."""
        window = self.facts[site].window
        return window if window is None or site in self.causal else 2 * window - 1

    def notes(self, tokens: int) -> tuple[str, ...]:
        """Say what a reader of the maps of a text must know."""
        notes: list[str] = []
        if not self.observed:
            notes.append(Message("weights as returned by the model itself; its attention cannot be edited"))
        for kind in dict.fromkeys(kind for _layer, kind in self.silent):
            layers = [layer for layer, own in self.silent if own == kind]
            notes.append(
                CountMessage(
                    "layer {layers} has no attention weights ({kind}) and is not shown",
                    "layers {layers} have no attention weights ({kind}) and are not shown",
                    len(layers),
                    layers=", ".join(map(str, layers)),
                    kind=kind,
                )
            )
        if any(facts.sparse for facts in self.facts.values()):
            notes.append(Message("sparse attention: the model chooses which keys a query may attend to"))
        grouped = {(f.heads, f.key_heads) for f in self.facts.values() if f.heads != f.key_heads}
        notes.extend(
            Message(
                "grouped-query attention: {heads} query heads share {shared} key-value heads; each query head is shown",
                heads=heads,
                shared=shared,
            )
            for heads, shared in sorted(grouped)
        )
        windows = {site: self._window(site) for site in self.facts}
        for window in sorted({each for each in windows.values() if each is not None and each < tokens}):
            within = sorted(site.layer for site, own in windows.items() if own == window)
            notes.append(
                CountMessage(
                    "sliding window of {count} token in layer {layers}",
                    "sliding window of {count} tokens in layer {layers}",
                    window,
                    layers=", ".join(map(str, within)),
                )
            )
        if not self.rows_sum_to_one:
            notes.append(
                Message("each row sums to less than 1: an attention sink, which is not a token, takes the rest")
            )
        return tuple(notes)


def attention_for(model_type: str) -> str:
    """Return the `attn_implementation` with which a model of this family is to be loaded."""
    return "eager" if model_type in OWN_WEIGHTS else NAME


def token_limit(network: PreTrainedModel) -> int:
    """Return how many tokens the position embeddings of a network have room for; a large number if nothing limits."""
    config = network.config.get_text_config()
    found = [getattr(config, name, None) for name in ("max_position_embeddings", "n_positions", "max_seq_len")]
    if _reads_in_blocks(network):  # beyond that a token no longer reads all others, nor the same ones in every layer
        found.append((5 + 2 * config.num_random_blocks) * config.block_size)
    limits = [limit for limit in found if isinstance(limit, int) and limit > 0]
    for name, module in network.named_modules():
        # RoBERTa counts positions from the one after that of padding, so that its table has room for fewer tokens.
        if name.endswith("position_embeddings") and isinstance(module, nn.Embedding) and module.padding_idx is not None:
            limits.append(module.num_embeddings - module.padding_idx - 1)
    return 10**9 if network.config.model_type == "t5" else min(limits, default=10**9)


def _reads_in_blocks(network: PreTrainedModel) -> bool:
    return getattr(network.config, "attention_type", None) == "block_sparse"


def settle_attention(network: PreTrainedModel) -> None:
    """Have a network that reads long texts in blocks (BigBird) read in full, as it does up to its `token_limit`.

    It would change over by itself at the first text that is short enough, in the middle of a run.
    """
    if _reads_in_blocks(network):
        parts: list[Any] = [part for part in network.modules() if hasattr(part, "set_attention_type")]
        for part in parts:
            part.set_attention_type("original_full")
        network.config.attention_type = "original_full"


def own_weights(network: PreTrainedModel, output: Any) -> dict[tuple[str, str], tuple[Tensor, ...]]:
    """Return the weights in a model's own output, by stack and kind; those of a single stack under ``("", "self")``.

    Shapes: returns [batch, head, query, key].
    """
    names = _OUTPUTS if network.config.is_encoder_decoder else {("", "self"): "attentions"}
    return {place: tuple(getattr(output, name, None) or ()) for place, name in names.items()}


def refusal(network: PreTrainedModel, reason: Message) -> InputError:
    """Return the error that says why a model's attention cannot be observed."""
    said = Message(
        "The attention of this model ({family}) cannot be observed: {reason}.",
        family=network.config.model_type,
        reason=reason,
    )
    return InputError(said)


def _equation(facts: Facts) -> str:
    """Return what gives the weights of one layer."""
    scaled = abs(facts.scale * facts.d_head**0.5 - 1) < 1e-6
    score = "q k' / sqrt(d)" if scaled else "q k'" if facts.scale == 1 else f"{facts.scale:.4g} q k'"
    score = score if facts.softcap is None else f"{facts.softcap:g} tanh({score} / {facts.softcap:g})"
    score = f"{score} + b" if facts.biased else score
    return f"a = exp({score}) / (exp(s) + sum exp({score}))" if facts.sinks else f"a = softmax({score})"
