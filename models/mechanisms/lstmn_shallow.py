"""Two tapes, apart: shallow attention fusion. Cheng, Dong and Lapata 2016."""

from models.mechanisms import Mechanism
from models.messages import mark

PAPER = "Cheng, Dong and Lapata 2016, Long Short-Term Memory-Networks for Machine Reading, EMNLP, arXiv:1601.06733"
FIRST_SLOT = mark(
    "The encoder's first token attends to one slot of zeros, since nothing stands before it (the paper does not say)."
)
START = mark(
    "The decoder's first token reads the last state and cell of the encoder, later ones only the tokens before them "
    "(the paper does not say)."
)
SIZES = (
    mark("One layer on either side, and small (sizes below)."),
    mark("One embedding for source, target and output layer; a linear map brings the state to its size."),
    mark("Label smoothing."),
    mark("Muon in the place of Adam for the matrices inside the network; words are chosen greedily."),
    mark("The paper tried this on language models, sentiment and inference, not on translation."),
)

MECHANISM = Mechanism(
    key="lstmn-shallow",
    title=mark("LSTMN (shallow fusion)"),
    year=2016,
    formula=r"b_j^t = u^\top \tanh(W_\gamma \gamma_j + W h_t), \quad h_t = \operatorname{LSTMN}(x_t)",
    paper=PAPER,
    equation=mark("section 4 (shallow attention fusion), on the tapes of section 3.2"),
    departures=(
        mark("The source is read with the decoder's state after its step, as Luong does (the paper does not say)."),
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
