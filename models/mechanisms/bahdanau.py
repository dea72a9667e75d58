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
            "The context enters the cell beside the embedded word, in one input [y; c], with the biases of torch's GRU."
        ),
        mark(
            "The output layer is tanh of a linear map of [s_i; y_(i-1); c_i] with the current state, then the shared "
            "embedding (in the paper, appendix A.2.2, a maxout layer on the previous state, and a matrix of its own)."
        ),
        mark(
            "Source and target are byte-level BPE pieces with one embedding for source, target and output "
            "(in the paper 30,000 whole words a language, embedded apart); the source ends with </s>."
        ),
        mark("Label smoothing; another optimizer than Adadelta; smaller states (sizes below)."),
    ),
    network="models.networks.bahdanau:BahdanauNetwork",
    is_usual=True,
    order=1,
)
