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
            "The closing </s> of the source stays last, after the reversed words, as in the paper's figure 1. The "
            "decoder then begins with <s>, which the paper does not have."
        ),
        mark("One layer instead of four; smaller states (sizes below)."),
        mark(
            "The decoder's state is mapped to the size of the embedding, which the output layer shares. In the "
            "paper a separate matrix acts on the state itself."
        ),
        mark(
            "Source and target are byte-level BPE subwords with one embedding for source, target and output. The "
            "paper uses 160,000 and 80,000 whole words, with separate embeddings."
        ),
        mark("Greedy decoding with one model (in the paper beam search; its best result uses five models)."),
        mark("Label smoothing; an optimizer other than stochastic gradient descent."),
        INHERITED,
    ),
    network="models.networks.fixed_vector:Seq2SeqNetwork",
    has_attention=False,
    is_usual=True,
    order=2,
)
