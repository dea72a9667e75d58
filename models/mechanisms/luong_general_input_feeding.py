"""The general score with input feeding: Luong, Pham and Manning 2015."""

from models.families.luong import COPIED_START, ENCODER, FORWARDS, OUTPUT, PAPER
from models.mechanisms import INHERITED, Mechanism
from models.messages import mark

MECHANISM = Mechanism(
    key="luong-general-input-feeding",
    title=mark("Luong (general, input feeding)"),
    year=2015,
    formula=(
        r"e_{ts} = s_t^\top W_a h_s, \quad "
        r"s_t = \operatorname{LSTM}(s_{t-1}, [y_{t-1}; \tilde{s}_{t-1}])"
    ),
    paper=PAPER,
    equation=mark("section 3.3, with section 3.1, equations 5 to 7 (general)"),
    departures=(
        mark("Before the first step the attentional state is 0 (the paper does not say)."),
        *ENCODER,
        COPIED_START,
        FORWARDS,
        *OUTPUT,
        INHERITED,
    ),
    network="models.networks.luong_input_feeding:LuongInputFeedingNetwork",
    order=8,
)
