"""Sequence to sequence without attention: Sutskever, Vinyals and Le 2014."""

from models.mechanisms import INHERITED, Mechanism
from models.messages import mark

MECHANISM = Mechanism(
    key="seq2seq",
    title=mark("Seq2seq (no attention)"),
    year=2014,
    formula=r"v = \operatorname{LSTM}(x_N \ldots x_1), \quad p(y) = \prod_t p(y_t \mid v, y_1 \ldots y_{t-1})",
    paper=("Sutskever, Vinyals and Le 2014, Sequence to Sequence Learning with Neural Networks, NIPS, arXiv:1409.3215"),
    equation=mark("section 2, equation 1; section 3.3 (the source in reverse)"),
    departures=(
        mark(
            "The closing </s> of the source stays last, behind the reversed words, as in the paper's figure 1; the "
            "decoder then begins with <s>, which the paper does not have."
        ),
        mark("One layer instead of four; smaller states (sizes below)."),
        mark(
            "The decoder's state is mapped to the size of the embedding, which the output layer shares (in the paper a "
            "matrix of its own on the state itself)."
        ),
        mark(
            "Source and target are byte-level BPE pieces with one embedding for source, target and output "
            "(in the paper 160,000 and 80,000 whole words, embedded apart)."
        ),
        mark("Greedy decoding of one model (in the paper beam search, of five models for its best figure)."),
        mark("Label smoothing; another optimizer than stochastic gradient descent."),
        INHERITED,
    ),
    network="models.networks.fixed_vector:Seq2SeqNetwork",
    has_attention=False,
    is_usual=True,
    order=2,
)
