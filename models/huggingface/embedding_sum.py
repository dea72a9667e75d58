"""What a model such as BERT adds up for each token before its first layer: token, segment and position vectors.

Devlin et al. 2019, BERT, section 3 and figure 2: the input representation of a token is the sum of three vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.errors import InputError
from models.huggingface.model import PretrainedModel
from models.messages import Message

TOKEN, SEGMENT, POSITION = "token", "segment", "position"
_EXACT = (torch.float32, torch.float64)
_TOLERANCE, _ROUNDED = 1e-4, 5e-2  # how far the sum may be from what the network computes; in half precision


@dataclass(frozen=True, eq=False)
class EmbeddingSum:
    """The vectors that are added up, and what comes of them."""

    parts: Mapping[str, NDArray[Any]]  # [token, d_model] In the order of addition; no segment where there is none
    total: NDArray[Any]  # [token, d_model] Their sum
    mean: NDArray[Any]  # [token] Of the components of the sum, which LayerNorm subtracts
    deviation: NDArray[Any]  # [token] Of the components of the sum, by which LayerNorm divides
    gain: NDArray[Any]  # [d_model]
    bias: NDArray[Any]  # [d_model]
    normalised: NDArray[Any]  # [token, d_model] The sum after LayerNorm
    segments: tuple[int, ...]  # [token]


def adds_embeddings(model: object) -> bool:
    """Return whether `embedding_sum` may be asked of `model`: two or three tables, and a LayerNorm after them."""
    return isinstance(model, PretrainedModel) and _tables(model.network) is not None


@torch.inference_mode()
def embedding_sum(model: PretrainedModel, source: str, pair: str | None = None) -> EmbeddingSum:
    """Return what is added up for each token of a text, or of a pair of texts, in the numbers that the model uses."""
    tables: Any = _tables(model.network)
    if tables is None:
        raise _refusal(model)
    inputs = model.reader.inputs(model.reader.read(source, pair))
    ids = inputs["input_ids"].to(tables.word_embeddings.weight.device)
    table = getattr(tables, "token_type_embeddings", None)
    types = inputs.get("token_type_ids", torch.zeros_like(inputs["input_ids"])).to(ids.device)
    given = {} if table is None else {"token_type_ids": types}
    wanted = tables(input_ids=ids, **given)
    for positions in _position_ids(tables, ids.shape[1]):
        parts = {TOKEN: tables.word_embeddings(ids)[0]}
        if table is not None:
            parts[SEGMENT] = table(types)[0]
        parts[POSITION] = tables.position_embeddings(positions.to(ids.device))
        total = sum(list(parts.values())[1:], parts[TOKEN])  # one after another, as the network adds them
        tolerance = _TOLERANCE if total.dtype in _EXACT else _ROUNDED
        if torch.allclose(tables.LayerNorm(total)[None], wanted, atol=tolerance):
            return _found(tables.LayerNorm, parts, total, types[0])
    raise _refusal(model)


def _found(norm: nn.LayerNorm, parts: Mapping[str, Tensor], total: Tensor, types: Tensor) -> EmbeddingSum:
    return EmbeddingSum(
        {name: _numbers(values) for name, values in parts.items()},
        _numbers(total),
        _numbers(total.mean(dim=1)),
        _numbers((total.var(dim=1, correction=0) + norm.eps).sqrt()),
        _numbers(norm.weight),
        _numbers(norm.bias),
        _numbers(norm(total)),
        tuple(types.tolist()),
    )


def _numbers(values: Tensor) -> NDArray[Any]:
    kept = values if values.dtype in _EXACT else values.float()
    numbers: NDArray[Any] = kept.cpu().numpy()
    return numbers


def _tables(network: nn.Module) -> Any:
    """Return the part of a network that has a table of tokens, one of positions and a LayerNorm; None without it."""
    for part in network.modules():
        found = (getattr(part, name, None) for name in ("word_embeddings", "position_embeddings"))
        if all(isinstance(each, nn.Embedding) for each in found) and isinstance(
            getattr(part, "LayerNorm", None), nn.LayerNorm
        ):
            return part
    return None


def _position_ids(tables: Any, count: int) -> Iterator[Tensor]:
    """Give what the positions of a text can be called: from 0 on, or after the one of padding, as in RoBERTa."""
    yield torch.arange(count)
    padding = tables.position_embeddings.padding_idx
    if padding is not None:
        yield torch.arange(count) + padding + 1


def _refusal(model: PretrainedModel) -> InputError:
    return InputError(Message("{title} does not add vectors of tokens and positions up.", title=model.title))
