"""Global attention with the concat score: Luong, Pham and Manning 2015."""

from models.families.luong import ENCODER, PAPER, START, UNFED
from models.mechanisms import INHERITED, Mechanism
from models.messages import mark

MECHANISM = Mechanism(
    key="luong-concat",
    title=mark("Luong (concat)"),
    year=2015,
    formula=r"e_{ts} = v_a^\top \tanh(W_a [s_t; h_s])",
    paper=PAPER,
    equation=mark("section 3.1, equations 5 to 7 (concat)"),
    departures=(
        *ENCODER,
        mark("The score's hidden layer is smaller than the states (in the paper its size is not given)."),
        START,
        *UNFED,
        INHERITED,
    ),
    network="models.networks.luong_scores:LuongConcatNetwork",
    order=4,
)
