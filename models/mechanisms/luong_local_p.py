"""Local attention around a predicted position: Luong, Pham and Manning 2015."""

from models.families.luong import COMMON, PAPER
from models.mechanisms import INHERITED, Mechanism
from models.messages import mark

MECHANISM = Mechanism(
    key="luong-local-p",
    title=mark("Luong (local-p)"),
    year=2015,
    formula=(
        r"p_t = S \, \sigma(v_p^\top \tanh(W_p s_t)), \quad "
        r"a_t(s) = \operatorname{align}(s_t, h_s) \exp\left(-\frac{(s - p_t)^2}{2 (D/2)^2}\right)"
    ),
    paper=PAPER,
    equation=mark("section 3.2, predictive alignment, equations 9 and 10, with equation 7 (general)"),
    departures=(
        mark(
            "Positions s count from 0 to S - 1 and are those of pieces; </s> is the last of the S. p_t lies between 0 "
            "and S (the paper does not say from where positions count)."
        ),
        mark("D is smaller (sizes below; in the paper 10), as the sentences are shorter."),
        mark(
            "The window is the positions s with |s - p_t| <= D for the real number p_t; as D is at least 1, none is "
            "empty."
        ),
        mark("W_p has fewer rows than the state has numbers."),
        *COMMON,
        INHERITED,
    ),
    network="models.networks.luong_local:LuongLocalPredictiveNetwork",
    rows_sum_to_one=False,
    windows=True,
    order=7,
)
