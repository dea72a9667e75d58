"""Multi-head attention: Vaswani et al. 2017."""

from models.mechanisms import Mechanism
from models.messages import mark

MECHANISM = Mechanism(
    key="transformer",
    title=mark("Multi-head (Transformer)"),
    year=2017,
    formula=r"A = \operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d_{head}}}\right)",
    paper="Vaswani et al. 2017, Attention Is All You Need, NeurIPS, arXiv:1706.03762",
    equation=mark("section 3.2, equation 1"),
    departures=(
        mark(
            "Layer normalisation comes before each sublayer, with one more at the end of each stack (pre-LN, Xiong "
            "et al. 2020; in the paper after it)."
        ),
        mark("Fewer layers and smaller sizes (below)."),
        mark("The queries', keys', values' and output projections have biases."),
        mark(
            "Where dropout is used, it also applies to the attention weights (after they are captured) and inside "
            "the feed-forward layers."
        ),
        mark(
            "The learning rate warms up over fewer steps, stays constant, then decays as a cosine. In the paper it "
            "falls with the inverse square root of the step."
        ),
    ),
    network="models.networks.transformer:TransformerNetwork",
    is_multi_head=True,
    is_usual=True,
    order=2,
    other_texts=(
        mark(
            "Some texts describe post-LN (normalisation after each sublayer) but print code with pre-LN (before it). "
            "The paper has post-LN. This model has pre-LN, with one more normalisation at the end of each stack."
        ),
        mark(
            "Some texts print code that runs the encoder again for every word. The source does not change: the "
            "encoder runs once, and its states serve every step."
        ),
    ),
)
