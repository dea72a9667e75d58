"""Multi-step attention of a convolutional decoder: Gehring et al. 2017."""

from models.mechanisms import Mechanism
from models.messages import mark

MECHANISM = Mechanism(
    key="convs2s",
    title=mark("ConvS2S (convolutional)"),
    year=2017,
    formula=(
        r"d_i^l = W_d^l h_i^l + b_d^l + g_i, \qquad "
        r"a_{ij}^l = \frac{\exp(d_i^l \cdot z_j)}{\sum_t \exp(d_i^l \cdot z_t)}"
    ),
    paper=(
        "Gehring, Auli, Grangier, Yarats and Dauphin 2017, Convolutional Sequence to Sequence Learning, ICML, "
        "arXiv:1705.03122"
    ),
    equation=mark("section 3.3, equations 1 and 2"),
    departures=(
        mark("No weight normalisation."),
        mark("Fewer layers and smaller sizes (below); one size for embeddings and states."),
        mark("One embedding for source, target and output layer."),
        mark("Learned positions are initialised with the Transformer's sinusoids, a tenth as large."),
        mark("The gradients of the encoder are not divided by the number of attention maps."),
        mark("The residual connection spans convolution and attention together, as in the authors' own program."),
        mark(
            "The embedding was initialised from a Transformer trained here. All other weights were random at first "
            "(in the paper all weights)."
        ),
        mark("Label smoothing."),
        mark("Adam instead of Nesterov's momentum; greedy decoding."),
    ),
    network="models.networks.convs2s:ConvolutionalNetwork",
    is_multi_step=True,
    is_small=True,
    order=0,
)
