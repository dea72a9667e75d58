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
            "It translates sentences (in the paper it scores phrase pairs for a phrase-based system). The source "
            "ends with </s>."
        ),
        mark(
            "The recurrent cells are torch's GRU with its biases. The encoder's reset gate acts after the "
            "recurrent product (in the paper, equation 8, before it). The decoder's reset gate does not act on the "
            "summary vector. In the paper, appendix A, it also acts on the summary's part of the new state."
        ),
        mark(
            "The output layer is tanh of a linear map of [s_t; y_(t-1); c], then the shared embedding. The paper "
            "has a maxout layer and a separate matrix, in two factors."
        ),
        mark("V need not be square: c and the states differ in size (below)."),
        mark(
            "Source and target are byte-level BPE subwords with one embedding for source, target and output. The "
            "paper uses 15,000 whole words per language, with separate embeddings."
        ),
        mark("Label smoothing; an optimizer other than Adadelta; smaller states (sizes below)."),
        INHERITED,
    ),
    network="models.networks.fixed_vector:EncoderDecoderNetwork",
    has_attention=False,
    order=1,
)
