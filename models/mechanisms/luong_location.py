"""Location-based attention: Luong, Pham and Manning 2015."""

from models.families.luong import COMMON, PAPER
from models.mechanisms import INHERITED, Mechanism
from models.messages import mark

MECHANISM = Mechanism(
    key="luong-location",
    title=mark("Luong (location)"),
    year=2015,
    formula=r"a_t = \operatorname{softmax}(W_a s_t)",
    paper=PAPER,
    equation=mark("section 3.1, equation 8 and its footnote"),
    departures=(
        mark(
            "W_a has one row a source position, </s> among them (sizes below; the paper gives no number): pieces "
            "beyond that cannot be read."
        ),
        mark(
            "The softmax is over the first S scores alone, S the length of the source (the paper uses the top part "
            "of a_t and does not say whether it is normalised again)."
        ),
        *COMMON,
        INHERITED,
    ),
    network="models.networks.luong_scores:LuongLocationNetwork",
    order=5,
)
