"""Weights learned with one tokenizer, turned to another one's pieces, so that training can go on with it."""

from __future__ import annotations

import torch
from torch import Tensor

from models.translation.tokenizer import PairTokenizer


def rows_for(old: PairTokenizer, new: PairTokenizer) -> list[list[int]]:
    """Return, for each piece of `new`, the pieces of `old` that read the same together: itself where both have it."""
    return [old.parts(new.token(index)) for index in range(len(new))]


def in_pieces(table: Tensor, rows: list[list[int]]) -> Tensor:
    """Return a table for new pieces: the row of each is the mean of the rows of `table` that it is made of.

    Shapes: `table` [old piece, ...]; returns [new piece, ...].
    """
    return torch.stack([table[row].float().mean(dim=0) for row in rows])
