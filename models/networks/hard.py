"""Hard attention: a place is drawn from the row, and it alone is read. Xu et al. 2015, section 4.1.

Of a state s_(i-1) the additive score gives the probabilities a_i, as in `models.networks.bahdanau`, whose data flow is
that of Xu et al., too: their f_att reads h_(t-1), and the context enters the recurrence. The location
is drawn from Multinoulli(a_i), and stands in the place of the mean: c_i = h_j for the j that was drawn.

Xu et al. train it by REINFORCE. Here the gradient is the straight-through Gumbel-softmax estimator
(`models.networks.sampling`): in training the choice is one_hot(argmax_j (log a_ij + g_j)), g Gumbel noise, and its
gradient that of softmax((log a_ij + g_j) / tau). Otherwise there is no noise unless a session adds some
(`models.edits.sample`, on the hook `noise`): the likeliest place is read. The row that is drawn from is on the hook
`probabilities`; what is read, one 1 a row, is the weights.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from models.hooks import AttentionWeights, HookPoint
from models.networks.bahdanau import BahdanauNetwork
from models.networks.recurrent import CROSS
from models.networks.sampling import chosen, gumbel_noise, noisy_logarithms, relaxed, straight_through
from models.sites import Site


class ChosenWeights(AttentionWeights):
    """Softmax probabilities, on the hook `probabilities`, and the one key that is drawn from them. No parameters.

    A row whose probabilities a session edits is read as they are then: their mean, as Xu et al. let it be half of the
    time in training; where there is noise, it is drawn from them.

    Parameters
    ----------
    place : Site
        ``stack.layer.kind``.
    temperature : float
        tau of the gradient.
    """

    def __init__(self, place: Site, temperature: float) -> None:
        super().__init__(place)
        self.temperature = temperature
        self.probabilities = HookPoint(place.at("probabilities"))
        self.noise = HookPoint(place.at("noise"))

    def forward(self, scores: Tensor, mask: Tensor | None, first_query: int = 0) -> Tensor:
        """Return a 1 a row, where the draw fell; without noise, where softmax(`scores`) is largest.

        Shapes: `scores` [batch, head, query, key].
        """
        softmax = self.normalise(scores, mask, first_query)
        probabilities = self.probabilities(softmax, first_query)
        silent = gumbel_noise(probabilities) if self.training else torch.zeros_like(probabilities)
        noise = self.noise(silent, first_query)
        noisy = noisy_logarithms(probabilities, noise)
        choice = chosen(noisy)
        if torch.is_grad_enabled():
            choice = straight_through(choice, relaxed(noisy, self.temperature))
        if probabilities is not softmax:  # a session edited them: those rows are read as the mean that they give
            mean = (probabilities != softmax).any(dim=-1, keepdim=True) & ~noise.any(dim=-1, keepdim=True)
            choice = torch.where(mean, probabilities, choice)
        return self.weights(choice, first_query)


class HardNetwork(BahdanauNetwork):
    """Stochastic hard attention, Xu et al. 2015, section 4.1, on a translator: c_i = h_j, j ~ softmax(e_i).

    e_ij = v' tanh(W s_(i-1) + U h_j); s_i = GRU(s_(i-1), [y_(i-1); c_i]).

    Parameters
    ----------
    temperature : float
        tau of the relaxation whose gradient is taken in training; nothing else depends on it.
    sizes
        See `BahdanauNetwork`.

    Raises
    ------
    ValueError
        If the temperature is not above 0.
    """

    def __init__(self, *, temperature: float = 1.0, **sizes: Any) -> None:
        super().__init__(**sizes)
        if not temperature > 0:
            message = f"temperature divides, and is above 0; got {temperature}"
            raise ValueError(message)
        self.attend = ChosenWeights(CROSS, temperature)
