"""The recurrent continuous translation model I: Kalchbrenner and Blunsom 2013. No attention."""

from models.mechanisms import Mechanism
from models.messages import mark

MECHANISM = Mechanism(
    key="rctm",
    title=mark("RCTM (no attention)"),
    year=2013,
    formula=(
        r"E_i = \tanh(K^i * E_{i-1}), \qquad e = E_{\mathrm{top}}, \qquad "
        r"h_t = \tanh(I\, y_{t-1} + R\, h_{t-1} + S\, e)"
    ),
    paper="Kalchbrenner and Blunsom 2013, Recurrent Continuous Translation Models, EMNLP",
    equation=mark("section 3 (the sentence model) and section 4.1 (RCTM I)"),
    departures=(
        mark(
            "RCTM I alone: RCTM II unfolds the vector again for a target whose length is known beforehand, and cannot "
            "be asked for one word after another."
        ),
        mark(
            "The end is written as </s> (in the paper the length of the target is predicted apart); the source, too, "
            "is closed by </s>, which the pyramid folds in."
        ),
        mark(
            "The kernels reach to 67 pieces; for a longer text the widest is used again. The nonlinearity is tanh in "
            "all places."
        ),
        mark(
            "The decoder's state goes through one matrix to the output layer, which is the embedding of source and "
            "target (in the paper each has weights of its own)."
        ),
        mark("Smaller vectors (sizes below); byte-level BPE pieces instead of whole words."),
        mark("Label smoothing; another optimizer. The paper rescores translations; here words are chosen greedily."),
        mark("A small model (sizes below), trained on short everyday text: it shows how the mechanism works."),
    ),
    network="models.networks.rctm:PyramidNetwork",
    has_attention=False,
    pyramid=True,
    is_small=True,
)
