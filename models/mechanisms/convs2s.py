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
        mark("The learnt positions begin as the Transformer's sinusoids, a tenth as large."),
        mark("The gradients of the encoder are not divided by the number of attention maps."),
        mark("The residual goes around convolution and attention together, as in the authors' own program."),
        mark(
            "Training began with the embedding of a Transformer that was trained here; all else began with random "
            "weights (in the paper everything)."
        ),
        mark("Label smoothing."),
        mark("Adam in place of Nesterov's momentum; words are chosen greedily."),
    ),
    network="models.networks.convs2s:ConvolutionalNetwork",
    is_multi_step=True,
    is_small=True,
    order=0,
)
