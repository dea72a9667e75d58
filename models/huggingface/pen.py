"""Chooses the next token of a text: the likeliest, or one drawn by temperature, top-k, top-p and a seed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import torch
from torch import Tensor
from transformers import LogitsProcessorList, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from models.writing import Writing


class Pen:
    """Chooses tokens one after another, with random numbers of its own, so that runs of two visitors never mix."""

    def __init__(self, writing: Writing, *, ends: Collection[int], known: int) -> None:
        self.ids: list[int] = []
        """What it has chosen."""
        self.ended = bool(writing.begin) and writing.begin[-1] in ends
        """Whether the text has come to its end-of-text token."""
        self._most, self._ends, self._known = writing.tokens, ends, known
        self._generator = torch.Generator().manual_seed(writing.seed)
        self._warpers = LogitsProcessorList()
        if writing.draws:
            self._warpers.append(TemperatureLogitsWarper(writing.temperature))
            if writing.top_k:
                self._warpers.append(TopKLogitsWarper(writing.top_k))
            if writing.top_p < 1:
                self._warpers.append(TopPLogitsWarper(writing.top_p))

    @property
    def is_done(self) -> bool:
        """Whether no token is to follow."""
        return self.ended or len(self.ids) >= self._most

    def next(self, logits: Tensor) -> int:
        """Return the token to write.

        Shapes: `logits` [vocabulary].
        """
        scores: Any = logits[None, : self._known].float().cpu()  # [1, vocabulary]; without rows of no token
        if self._warpers:
            nothing: Any = torch.empty(1, 0, dtype=torch.long)
            scores = self._warpers(nothing, scores)
            token = int(torch.multinomial(scores.softmax(dim=-1), 1, generator=self._generator))
        else:
            token = int(scores.argmax())
        self.ids.append(token)
        self.ended = token in self._ends
        return token
