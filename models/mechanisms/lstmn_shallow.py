"""Two tapes, apart: shallow attention fusion. Cheng, Dong and Lapata 2016."""

from models.families.lstmn import FIRST_SLOT, PAPER, SIZES, START
from models.mechanisms import Mechanism
from models.messages import mark

MECHANISM = Mechanism(
    key="lstmn-shallow",
    title=mark("LSTMN (shallow fusion)"),
    year=2016,
    formula=r"b_j^t = u^\top \tanh(W_\gamma \gamma_j + W h_t), \quad h_t = \operatorname{LSTMN}(x_t)",
    paper=PAPER,
    equation=mark("section 4 (shallow attention fusion), on the tapes of section 3.2"),
    departures=(
        mark("The decoder attends to the source with its state after the step, as in Luong (the paper does not say)."),
        FIRST_SLOT,
        START,
        *SIZES,
    ),
    network="models.networks.lstmn_fusion:ShallowFusionNetwork",
    is_multi_step=True,
    is_small=True,
    stands_with="bahdanau",
    order=0,
)
