"""What the mechanisms of Luong, Pham and Manning 2015 share: paper and departures."""

from models.messages import mark

PAPER = (
    "Luong, Pham and Manning 2015, Effective Approaches to Attention-based Neural Machine Translation, "
    "EMNLP, arXiv:1508.04025"
)

ENCODER = (
    mark("The encoder is bidirectional, so h_s covers both sides of a word (in the paper it reads in one direction)."),
    mark("One layer per direction instead of four stacked ones; smaller states (sizes below)."),
)
START = mark(
    "The decoder's first state is tanh of a linear map of the encoder's two last states. Its first cell is a "
    "linear map of their cells (in the paper both are copied)."
)
COPIED_START = mark(
    "The decoder's first state and cell are the encoder's last ones, with its two directions concatenated. The "
    "paper has one direction and copies them too."
)
FORWARDS = mark("The source is read forwards, and ends with </s> (in the paper it is reversed).")
OUTPUT = (
    mark("The attentional state has the size of the embedding; the output layer shares this embedding."),
    mark(
        "Source and target are byte-level BPE subwords with one embedding for source, target and output. The paper "
        "uses 50,000 whole words per language."
    ),
    mark("Label smoothing; an optimizer other than stochastic gradient descent."),
)
UNFED = (
    FORWARDS,
    mark("No input feeding (section 3.3): the attentional state does not enter the next step."),
    *OUTPUT,
)
COMMON = (*ENCODER, START, *UNFED)
