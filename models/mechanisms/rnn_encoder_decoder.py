"""The RNN encoder-decoder without attention: Cho et al. 2014."""

from models.mechanisms import INHERITED, Mechanism
from models.messages import mark

MECHANISM = Mechanism(
    key="rnn-encoder-decoder",
    title=mark("RNN encoder-decoder (no attention)"),
    year=2014,
    formula=r"c = \tanh(V h_N), \quad s_t = \operatorname{GRU}(s_{t-1}, [y_{t-1}; c])",
    paper=(
        "Cho, van Merriënboer, Gulcehre, Bahdanau, Bougares, Schwenk and Bengio 2014, Learning Phrase Representations "
        "using RNN Encoder-Decoder for Statistical Machine Translation, EMNLP, arXiv:1406.1078"
    ),
    equation=mark("section 2.2, and appendix A"),
    departures=(
        mark(
            "It translates sentences (in the paper it rates phrase pairs for a phrase-based system); the source ends "
            "with </s>."
        ),
        mark(
            "The recurrent cells are torch's GRU with its biases; the encoder's reset gate acts after the recurrent "
            "product (in the paper, equation 8, before it), and the decoder's does not act on the summary (in the "
            "paper, appendix A, on its part of the new state too)."
        ),
        mark(
            "The output layer is tanh of a linear map of [s_t; y_(t-1); c], then the shared embedding (in the paper a "
            "maxout layer, and a matrix of its own, in two factors)."
        ),
        mark("V need not be square: c and the states have sizes of their own (below)."),
        mark(
            "Source and target are byte-level BPE pieces with one embedding for source, target and output "
            "(in the paper 15,000 whole words a language, embedded apart)."
        ),
        mark("Label smoothing; another optimizer than Adadelta; smaller states (sizes below)."),
        INHERITED,
    ),
    network="models.networks.fixed_vector:EncoderDecoderNetwork",
    has_attention=False,
    order=1,
)
