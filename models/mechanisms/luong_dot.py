"""Global attention with the dot score: Luong, Pham and Manning 2015."""

from models.families.luong import COPIED_START, ENCODER, PAPER, UNFED
from models.mechanisms import INHERITED, Mechanism
from models.messages import mark

MECHANISM = Mechanism(
    key="luong-dot",
    title=mark("Luong (dot)"),
    year=2015,
    formula=r"e_{ts} = s_t^\top h_s",
    paper=PAPER,
    equation=mark("section 3.1, equations 5 to 7 (dot)"),
    departures=(
        *ENCODER,
        mark(
            "Each direction of the encoder has half the size of the decoder's state. This gives s_t and h_s "
            "the same size."
        ),
        COPIED_START,
        *UNFED,
        INHERITED,
    ),
    network="models.networks.luong_scores:LuongDotNetwork",
    order=2,
)
