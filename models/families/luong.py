"""What the mechanisms of Luong, Pham and Manning 2015 share: paper and departures."""

from models.messages import mark

PAPER = (
    "Luong, Pham and Manning 2015, Effective Approaches to Attention-based Neural Machine Translation, "
    "EMNLP, arXiv:1508.04025"
)

ENCODER = (
    mark("The encoder is bidirectional (in the paper it reads one way), so that h_s knows both sides of a word."),
    mark("One layer each way instead of four stacked ones; smaller states (sizes below)."),
)
START = mark(
    "The decoder's first state is tanh of a linear map of the encoder's two last states, its first cell a linear "
    "map of their cells (in the paper they are copied)."
)
COPIED_START = mark(
    "The decoder's first state and cell are the encoder's last ones, its two directions side by side "
    "(in the paper, where it has one direction, they are copied too)."
)
FORWARDS = mark("The source is read forwards, and ends with </s> (in the paper it is reversed).")
OUTPUT = (
    mark("The attentional state has the size of the embedding, which the output layer shares."),
    mark(
        "Source and target are byte-level BPE pieces with one embedding for source, target and output "
        "(in the paper 50,000 whole words a language)."
    ),
    mark("Label smoothing; another optimizer than stochastic gradient descent."),
)
UNFED = (
    FORWARDS,
    mark("No input feeding (section 3.3): the attentional state does not enter the next step."),
    *OUTPUT,
)
COMMON = (*ENCODER, START, *UNFED)
