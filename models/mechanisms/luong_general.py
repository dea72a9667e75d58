"""Global attention with the general score: Luong, Pham and Manning 2015."""

from models.families.luong import COMMON, PAPER
from models.mechanisms import Mechanism
from models.messages import mark

MECHANISM = Mechanism(
    key="luong-general",
    title=mark("Luong (general)"),
    year=2015,
    formula=r"e_{ts} = s_t^\top W_a h_s",
    paper=PAPER,
    equation=mark("section 3.1, equations 5 to 7 (general)"),
    departures=COMMON,
    network="models.networks.luong_scores:LuongNetwork",
    is_usual=True,
    order=3,
    other_texts=(
        mark(
            "A formula is easily printed with one minus sign too many. With \u2212e in the exponent, the key that fits "
            "best would get the smallest weight. The exponent is the score e itself."
        ),
    ),
)
