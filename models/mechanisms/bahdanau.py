"""Additive attention: Bahdanau, Cho and Bengio 2015."""

from models.mechanisms import Mechanism
from models.messages import mark

MECHANISM = Mechanism(
    key="bahdanau",
    title=mark("Bahdanau (additive)"),
    year=2015,
    formula=r"e_{ij} = v^\top \tanh(W s_{i-1} + U h_j)",
    paper=(
        "Bahdanau, Cho and Bengio 2015, Neural Machine Translation by Jointly Learning to Align and Translate, "
        "ICLR, arXiv:1409.0473"
    ),
    equation=mark("appendix A.1.2 (alignment model), section 3.1, equations 5 and 6"),
    departures=(
        mark(
            "The recurrent cell is torch's GRU, whose reset gate acts after the recurrent product "
            "(in the paper, appendix A.1.1, before it)."
        ),
        mark(
            "The context vector and the word embedding enter the cell as one input [y; c], with the biases of "
            "torch's GRU."
        ),
        mark(
            "The output layer is tanh of a linear map of [s_i; y_(i-1); c_i] with the current state, then the "
            "shared embedding. The paper (appendix A.2.2) has a maxout layer on the previous state, and a separate "
            "matrix."
        ),
        mark(
            "Source and target are byte-level BPE subwords with one embedding for source, target and output. The "
            "paper uses 30,000 whole words per language, with separate embeddings. The source ends with </s>."
        ),
        mark("Label smoothing; an optimizer other than Adadelta; smaller states (sizes below)."),
    ),
    network="models.networks.bahdanau:BahdanauNetwork",
    is_usual=True,
    order=1,
    other_texts=(
        mark(
            "Some texts divide each score by the sum of the scores. A softmax takes the exponential first: without it, "
            "negative scores could give negative weights."
        ),
    ),
)
