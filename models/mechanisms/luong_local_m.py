"""Local attention around the target word's own position: Luong, Pham and Manning 2015."""

from models.families.luong import COMMON, PAPER
from models.mechanisms import INHERITED, Mechanism
from models.messages import mark

MECHANISM = Mechanism(
    key="luong-local-m",
    title=mark("Luong (local-m)"),
    year=2015,
    formula=r"p_t = t, \quad a_t = \operatorname{softmax}(s_t^\top W_a h_s), \quad |s - p_t| \leq D",
    paper=PAPER,
    equation=mark("section 3.2, monotonic alignment, with equation 7 (general)"),
    departures=(
        mark(
            "The window is centred on min(t, S - 1), where S is the source length (in the paper on t). No row is "
            "then empty when the translation is longer than its source."
        ),
        mark("Positions in both texts count subwords, from 0; </s> of the source has one too."),
        mark("D is smaller because the sentences are shorter (sizes below; in the paper 10)."),
        *COMMON,
        INHERITED,
    ),
    network="models.networks.luong_local:LuongLocalMonotonicNetwork",
    windows=True,
    order=6,
)
