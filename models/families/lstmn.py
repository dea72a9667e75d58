"""What both mechanisms of Cheng, Dong and Lapata 2016 share: paper and departures."""

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
