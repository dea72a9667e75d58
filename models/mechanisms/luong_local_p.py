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
            "Positions s run from 0 to S - 1 and count subwords; </s> is the last of the S. p_t is between 0 and S "
            "(the paper does not say where positions start)."
        ),
        mark("D is smaller because the sentences are shorter (sizes below; in the paper 10)."),
        mark(
            "The window contains the positions s with |s - p_t| <= D, where p_t is a real number. D is at least 1, "
            "so no window is empty."
        ),
        mark("W_p has fewer rows than the state has dimensions."),
        *COMMON,
        INHERITED,
    ),
    network="models.networks.luong_local:LuongLocalPredictiveNetwork",
    rows_sum_to_one=False,
    windows=True,
    order=7,
    other_texts=(
        mark(
            "A formula is easily printed with one minus sign too few. Without it in the Gaussian, words far from the "
            "centre would get more weight than words near it."
        ),
    ),
)
