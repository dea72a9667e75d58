"""What both mechanisms of Cheng, Dong and Lapata 2016 share: paper and departures."""

from models.messages import mark

PAPER = "Cheng, Dong and Lapata 2016, Long Short-Term Memory-Networks for Machine Reading, EMNLP, arXiv:1601.06733"
FIRST_SLOT = mark(
    "The encoder's first token attends to one slot of zeros, because no token precedes it (the paper does not say)."
)
START = mark(
    "The decoder's first token attends to the encoder's last state and cell. Later tokens attend only to the "
    "tokens before them (the paper does not say)."
)
SIZES = (
    mark("One small layer on each side (sizes below)."),
    mark("One embedding for source, target and output layer. A linear map brings the state to the embedding's size."),
    mark("Label smoothing."),
    mark("Muon instead of Adam for the matrices inside the network; greedy decoding."),
    mark("The paper tested this on language modelling, sentiment analysis and inference, not on translation."),
)
