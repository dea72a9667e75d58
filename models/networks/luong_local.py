"""Local attention: each target word reads a window of the source. Luong, Pham and Manning 2015, section 3.2.

Positions count from 0, of the source and of the target; ``</s>`` has the last one, S - 1 of S source tokens. A window
is a centre p_t and a half-width D: the positions s with |s - p_t| <= D. It stands on the hook `centre`,
[batch, head, query, 2]: p_t and D. A `models.edits.window` there moves a row's window; whatever is computed from the
window follows it.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, cast

import torch
from torch import Tensor, nn

from models.hooks import AttentionWeights, HookPoint
from models.messages import Message
from models.networks.luong_scores import LuongNetwork
from models.networks.recurrent import CROSS, RecurrentMemory
from models.networks.windows import gaussian, in_window, monotonic_positions, predicted_positions
from models.sites import Site
from models.softmax import full_precision


class GaussianWeights(AttentionWeights):
    """Softmax weights, on the hook `raw_weights`, times a Gaussian: rows sum to at most 1. No parameters.

    Parameters
    ----------
    place : Site
        ``stack.layer.kind``.
    """

    def __init__(self, place: Site) -> None:
        super().__init__(place)
        self.raw_weights = HookPoint(place.at("raw_weights"))

    def forward(
        self, scores: Tensor, mask: Tensor | None, first_query: int = 0, factor: Tensor | float = 1.0
    ) -> Tensor:
        """Return softmax(`scores`) * `factor` under `mask`; see `AttentionWeights`.

        Shapes: `scores` [batch, head, query, key].
        """
        raw = self.raw_weights(self.normalise(scores, mask, first_query), first_query)
        return self.weights(raw * factor, first_query)


class LuongLocalBase(LuongNetwork):
    """The general score within a window.

    Parameters
    ----------
    width : int
        D, at least 1: a window that is centred anywhere from 0 to S then holds a position of the source.
    sizes
        See `LuongNetwork`.
    """

    def __init__(self, *, width: int, **sizes: Any) -> None:
        super().__init__(**sizes)
        if width < 1:
            message = f"width is D, the half-width of a window, 1 or more; got {width}"
            raise ValueError(message)
        self.width = width
        self.hook_centre = HookPoint(CROSS.at("centre"))

    @abstractmethod
    def centres(self, query: Tensor, lengths: Tensor, position: int) -> Tensor:
        """Return p_t, [batch, target], for s_t, [batch, target, d_decoder], and S, [batch, 1].

        Shapes: `query` [batch, target, d_decoder]; `lengths` [batch, 1].
        """

    def windows(self, query: Tensor, memory: RecurrentMemory, position: int) -> tuple[Tensor, Tensor]:
        """Return p_t and D as the hook leaves them, each [batch, 1, target, 1].

        Shapes: `query` [batch, target, d_decoder].
        """
        batch, source, _ = memory.states.shape
        whole = torch.full((batch, 1), source, device=query.device)
        lengths = whole if memory.mask is None else memory.mask[:, 0].sum(-1)  # [batch, 1]
        centres = self.centres(query, lengths, position)
        windows = torch.stack((centres, torch.full_like(centres, self.width)), dim=-1)[:, None]
        windows = self.hook_centre(windows, position)
        return windows[..., :1], windows[..., 1:]

    def inside(self, centre: Tensor, width: Tensor, memory: RecurrentMemory) -> Tensor:
        """Return what may be read, [batch, 1, target, source]: what is in the window and not padding.

        Shapes: `centre` [batch, 1, target, 1]; `width` [batch, 1, target, 1].
        """
        inside = in_window(centre, width, memory.states.shape[1])
        return inside if memory.mask is None else inside & memory.mask

    def weigh(self, query: Tensor, memory: RecurrentMemory, position: int) -> Tensor:
        """Return a_ts; see `LuongBase.weigh`.

        Shapes: `query` [batch, target, d_decoder].
        """
        centre, width = self.windows(query, memory, position)
        scores = self.scores(query, memory, position).unsqueeze(1)
        return cast("Tensor", self.attend(scores, self.inside(centre, width, memory), position))


class LuongLocalMonotonicNetwork(LuongLocalBase):
    """Local-m: the window stands around the target word's own position, p_t = t.

    Here p_t = min(t, S - 1), so that no row is empty once the translation is longer than its source.

    Parameters
    ----------
    width : int
        D.
    sizes
        See `LuongNetwork`.
    """

    def __init__(self, *, width: int = 4, **sizes: Any) -> None:
        super().__init__(width=width, **sizes)

    def centres(self, query: Tensor, lengths: Tensor, position: int) -> Tensor:
        """Return min(t, S - 1); see `LuongLocalBase.centres`.

        Shapes: `query` [batch, target, d_decoder]; `lengths` [batch, 1].
        """
        steps = torch.arange(position, position + query.shape[1], device=query.device)  # t, [target]
        return monotonic_positions(steps, lengths).to(full_precision(query).dtype)


class LuongLocalPredictiveNetwork(LuongLocalBase):
    """Local-p: p_t = S sigmoid(v_p' tanh(W_p s_t)), equation 9, and a Gaussian around it, equation 10.

    a_ts = align(s_t, h_s) exp(-(s - p_t)^2 / (2 sigma^2)), sigma = D / 2, where align is the softmax of the scores
    within the window. p_t is learned through the Gaussian. As p_t <= S and D >= 1, no window is empty.

    Parameters
    ----------
    width : int
        D.
    d_position : int
        Rows of W_p.
    sizes
        See `LuongNetwork`.
    """

    def __init__(self, *, d_decoder: int = 384, width: int = 4, d_position: int = 128, **sizes: Any) -> None:
        super().__init__(width=width, d_decoder=d_decoder, **sizes)
        self.position_weight = nn.Linear(d_decoder, d_position, bias=False)  # W_p
        self.position_vector = nn.Parameter(torch.empty(d_position).uniform_(-1, 1) * d_position**-0.5)  # v_p
        self.attend = GaussianWeights(CROSS)

    def centres(self, query: Tensor, lengths: Tensor, position: int) -> Tensor:
        """Return S sigmoid(v_p' tanh(W_p s_t)); see `LuongLocalBase.centres`.

        Shapes: `query` [batch, target, d_decoder]; `lengths` [batch, 1].
        """
        return predicted_positions(self.position_weight(query), self.position_vector, lengths)

    def weigh(self, query: Tensor, memory: RecurrentMemory, position: int) -> Tensor:
        """Return a_ts; see `LuongBase.weigh`.

        Shapes: `query` [batch, target, d_decoder].
        """
        centre, width = self.windows(query, memory, position)
        scores = self.scores(query, memory, position).unsqueeze(1)
        factor = gaussian(centre, width, memory.states.shape[1])  # [batch, 1, target, source]
        return cast("Tensor", self.attend(scores, self.inside(centre, width, memory), position, factor))

    def notes(self, source_tokens: int) -> tuple[str, ...]:
        """Say that rows need not sum to 1; see `models.networks.base.TranslationNetwork`."""
        return (
            Message("rows need not sum to 1: each weight is multiplied by a Gaussian around the predicted position"),
        )
