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
            "Only RCTM I. RCTM II unfolds the vector again for a target of known length, so it cannot generate "
            "word by word."
        ),
        mark(
            "The end is generated as </s> (in the paper the length of the target is predicted separately). The "
            "source also ends with </s>, which the pyramid folds in."
        ),
        mark(
            "The kernels cover up to 67 subwords; a longer text uses the widest one again. All nonlinearities are tanh."
        ),
        mark(
            "The decoder's state goes through one matrix to the output layer, which is the shared embedding of "
            "source and target. In the paper each has its own weights."
        ),
        mark("Smaller vectors (sizes below); byte-level BPE subwords instead of whole words."),
        mark("Label smoothing; a different optimizer. The paper rescores translations; here decoding is greedy."),
        mark("A small model (sizes below), trained on short everyday text: it shows how the mechanism works."),
    ),
    network="models.networks.rctm:PyramidNetwork",
    has_attention=False,
    pyramid=True,
    is_small=True,
)
