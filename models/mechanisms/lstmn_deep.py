"""Both tapes in the decoder's cell: deep attention fusion. Cheng, Dong and Lapata 2016."""

from models.families.lstmn import FIRST_SLOT, PAPER, SIZES, START
from models.mechanisms import Mechanism
from models.messages import mark

MECHANISM = Mechanism(
    key="lstmn-deep",
    title=mark("LSTMN (deep fusion)"),
    year=2016,
    formula=r"b_j^t = u^\top \tanh(W_\gamma \gamma_j + W_x x_t + W_{\tilde{\gamma}} \tilde{\gamma}_{t-1})",
    paper=PAPER,
    equation=mark("section 4 (deep attention fusion), on the tapes of section 3.2"),
    departures=(mark("Before the first step, the vector attended from the source is 0."), FIRST_SLOT, START, *SIZES),
    network="models.networks.lstmn_fusion:DeepFusionNetwork",
    is_multi_step=True,
    is_small=True,
    stands_with="bahdanau",
    order=1,
)
