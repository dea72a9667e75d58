"""A Long Short-Term Memory-Network as a language model, Cheng, Dong and Lapata 2016, section 3.2.

Its equations, which the translators of section 4 share (`models.networks.lstmn_translation`), are those of
`models.networks.memory_tape`.

References
----------
Cheng, Dong and Lapata 2016, Long Short-Term Memory-Networks for Machine Reading.
"""

from __future__ import annotations

from typing import cast

from torch import Tensor, nn

from models.networks.memory_models import MEMORY, LanguageModel
from models.networks.memory_tape import TapeReader


class LSTMN(LanguageModel, TapeReader):
    """A language model on a memory tape.

    Parameters
    ----------
    vocabulary, d_embedding : int
    d_hidden : int
        Of h, of c and of the hidden layer of the score.
    """

    def __init__(self, *, vocabulary: int, d_embedding: int, d_hidden: int) -> None:
        super().__init__(vocabulary, d_embedding)
        self.make_tape(MEMORY, d_embedding, d_hidden)
        self.output_weight = nn.Linear(d_hidden, d_embedding, bias=False)

    def states(self, ids: Tensor) -> Tensor:
        """Return W_o h_t, [batch, token, d_embedding]: as large as an embedding, so that one table serves both.

        Shapes: `ids` [batch, token].
        """
        return cast("Tensor", self.output_weight(self.read_text(self.embed(ids))[0]))
