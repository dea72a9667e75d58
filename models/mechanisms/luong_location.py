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
            "W_a has one row per source position, including </s> (sizes below; the paper gives no number). "
            "Subwords beyond that get no attention."
        ),
        mark(
            "The softmax covers only the first S scores, where S is the length of the source. The paper uses the "
            "top part of a_t and does not say whether it is normalised again."
        ),
        *COMMON,
        INHERITED,
    ),
    network="models.networks.luong_scores:LuongLocationNetwork",
    order=5,
)
