"""The states of a decoder, which are not attention and so stand in no record; numpy alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class DecoderRun:
    """The states of a recurrent decoder before its first step and after each."""

    # [target + 1, d] s_0, s_1, ...; of an LSTM its cells after them; with input feeding the attentional states after
    # those
    states: tuple[Numbers, ...]
    # [d] All that the decoder is given of the source, where that is one vector; of an LSTM its state, then its cell
    vector: Numbers | None = None
