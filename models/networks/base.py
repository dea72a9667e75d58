"""What every translation network offers: encode once, then decode step by step or in one forced pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self, cast

import torch
from torch import Tensor, nn

from models.sites import Site
from models.vocabulary import PAD


def _half_stored(weight: Tensor, bias: Tensor | None) -> Any:
    """Pack a linear map so that it is kept in float16 and computed in float32; None where that would change it.

    A step of decoding reads every weight once, so that its time is that of fetching them from memory: half as many
    bytes, and the sums still are float32. Shipped weights are float16 numbers, so that nothing is rounded. torch offers
    the packing (FBGEMM) on x86 processors only.
    """
    exact = all(torch.equal(each, each.half().to(each.dtype)) for each in (weight, bias) if each is not None)
    single = weight.device.type == "cpu" and weight.dtype == torch.float32
    if not (exact and single and "fbgemm" in torch.backends.quantized.supported_engines):
        return None
    return torch.ops.quantized.linear_prepack_fp16(weight.detach(), None if bias is None else bias.detach())


_half_stored_linear = torch.ops.quantized.linear_dynamic_fp16


class HalfStoredLinear(nn.Linear):
    """A linear map for inference whose weights are fetched as float16 and multiplied as float32.

    Parameters
    ----------
    linear : nn.Linear
        Its bias is shared; its weight is kept as float16.
    packed
        What torch made of them.
    """

    def __init__(self, linear: nn.Linear, packed: Any) -> None:
        super().__init__(linear.in_features, linear.out_features, bias=linear.bias is not None, device="meta")
        self.weight, self.bias = nn.Parameter(linear.weight.half(), requires_grad=False), linear.bias
        self.packed = packed
        self.train(linear.training)

    def __call__(self, values: Tensor) -> Tensor:
        """Return what `forward` gives; torch's own machinery only where torch hooks are set."""
        if self._forward_hooks or self._forward_pre_hooks:
            return cast("Tensor", super().__call__(values))
        return self.forward(values)

    def forward(self, values: Tensor) -> Tensor:
        """Return x W' + b, [..., out], for x, [..., in].

        Shapes: `values` [..., in].
        """
        result: Tensor = _half_stored_linear(values, self.packed)
        return result


class HalfStoredEmbedding(nn.Embedding):
    """An embedding for inference whose vectors are kept as float16 and given as float32.

    Parameters
    ----------
    embedding : nn.Embedding
        Its vectors are float16 numbers.
    """

    def __init__(self, embedding: nn.Embedding) -> None:
        super().__init__(embedding.num_embeddings, embedding.embedding_dim, _weight=embedding.weight.half())
        self.requires_grad_(False).train(embedding.training)

    def forward(self, ids: Tensor) -> Tensor:
        """Return the vectors of `ids`, [..., size].

        Shapes: `ids` [...].
        """
        return super().forward(ids).float()


def _store_linear_maps_as_half(module: nn.Module) -> None:
    """Put a `HalfStoredLinear` in the place of every linear map below `module` that is the same in float16."""
    for name, child in module.named_children():
        packed = _half_stored(child.weight, child.bias) if type(child) is nn.Linear else None
        if packed is not None:
            setattr(module, name, HalfStoredLinear(cast("nn.Linear", child), packed))
        else:
            _store_linear_maps_as_half(child)


def _keep_parts_at_hand(module: nn.Module) -> None:
    """Put the parts of every module below `module` among its plain attributes too.

    torch looks a part up in a table, in Python, each time that it is named; a plain attribute is found without that.
    Assigning another part under the name takes it from both places.
    """
    for each in module.modules():
        vars(each).update(each._modules)


def _refuse_weights(module: nn.Module, *_: Any) -> None:
    """Refuse to load weights into a network that is ready to run: it would go on with the ones that it packed."""
    message = (
        f"{type(module).__name__} is ready to run, for good: its linear maps are packed as float16, and other weights "
        "would not reach them. Load them into a new network, then call for_inference() on that."
    )
    raise RuntimeError(message)


class TranslationNetwork(nn.Module, ABC):
    """An encoder, and a decoder that may read it.

    The two ways of decoding give the same logits and fire the same hooks (a test holds them together at 1e-5).
    `memory` and `state` are each network's own; callers only hand them on.
    """

    @abstractmethod
    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> Any:
        """Read `source` ([batch, source] ids); `source_mask` ([batch, source], True where a token is) if padded.

        Shapes: `source` [batch, source]; `source_mask` [batch, source].
        """

    @abstractmethod
    def decode_states(self, memory: Any, inputs: Tensor) -> Tensor:
        """Read `inputs` ([batch, target] ids: ``<s>``, y1, ...) in one pass; return [batch, target, d_output].

        Shapes: `inputs` [batch, target]; returns [batch, target, d_output].
        """

    @property
    @abstractmethod
    def heads(self) -> dict[Site, int]:
        """How many heads read at each place, in the order of a trace; empty without attention."""

    @abstractmethod
    def logits(self, states: Tensor) -> Tensor:
        """Return logits [..., vocabulary] for states [..., d_output].

        Shapes: `states` [..., d_output]; returns [..., vocabulary].
        """

    @abstractmethod
    def start(self, memory: Any) -> Any:
        """Return the decoder's state before its first step."""

    @abstractmethod
    def step(self, memory: Any, state: Any, token: Tensor, position: int) -> tuple[Tensor, Any]:
        """Read `token` ([batch] ids) at `position`; give logits [batch, vocabulary] and the next state.

        Shapes: `token` [batch]; returns [batch, vocabulary].
        """

    def notes(self, source_tokens: int) -> tuple[str, ...]:
        """Say what a reader must know of a run on `source_tokens` tokens, ``</s>`` counted, besides its maps."""
        return ()

    def decode(self, memory: Any, inputs: Tensor) -> Tensor:
        """Return logits [batch, target, vocabulary] for the forced target `inputs`.

        Shapes: `inputs` [batch, target].
        """
        return self.logits(self.decode_states(memory, inputs))

    def for_inference(self) -> Self:
        """Make the network ready to run, for good: dropout off, no gradients, its weights never changed again.

        Matrices that are the same in float16 are kept so. `load_state_dict` of the network, or of a part of it, is an
        error from then on.
        """
        self.eval().requires_grad_(False)
        _store_linear_maps_as_half(self)
        _keep_parts_at_hand(self)
        for each in self.modules():
            each.register_load_state_dict_pre_hook(_refuse_weights)  # type: ignore[no-untyped-call]
        return self


class TiedNetwork(TranslationNetwork):
    """A network whose source, target and output layer share one embedding, [vocabulary, size].

    Parameters
    ----------
    vocabulary, size : int
    """

    def __init__(self, vocabulary: int, size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, size, padding_idx=PAD)
        nn.init.normal_(self.embedding.weight, std=size**-0.5)
        with torch.no_grad():
            self.embedding.weight[PAD].zero_()
        self.embedding_scale = size**0.5
        self.output_bias = nn.Parameter(torch.zeros(vocabulary))
        self._output: Any = None

    def logits(self, states: Tensor) -> Tensor:
        """Return E x + b, [..., vocabulary], for states x, [..., size].

        Shapes: `states` [..., size].
        """
        if self._output is None:
            return nn.functional.linear(states, self.embedding.weight, self.output_bias)
        return cast("Tensor", torch.ops.quantized.linear_dynamic_fp16(states, self._output))

    def for_inference(self) -> Self:
        """Make the network ready to run, for good; see `TranslationNetwork.for_inference`."""
        self._output = _half_stored(self.embedding.weight, self.output_bias)
        if self._output is not None:
            self.embedding = HalfStoredEmbedding(self.embedding)
        return super().for_inference()
