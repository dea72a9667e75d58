"""Relative positions in a Transformer's self-attention: Shaw, Uszkoreit and Vaswani 2018."""

from models.mechanisms import Mechanism
from models.mechanisms.transformer import MECHANISM as PRE_LN
from models.messages import mark

MECHANISM = Mechanism(
    key="transformer-relative",
    title=mark("Relative positions (Transformer)"),
    year=2018,
    formula=(
        r"e_{ij} = \frac{q_i (k_j + a^K_{ij})^\top}{\sqrt{d_{head}}}, \qquad "
        r"z_i = \sum_j \alpha_{ij} (v_j + a^V_{ij}), \qquad a_{ij} = w_{\operatorname{clip}(j - i, -k, k)}"
    ),
    paper=(
        "Shaw, Uszkoreit and Vaswani 2018, Self-Attention with Relative Position Representations, NAACL, "
        "arXiv:1803.02155"
    ),
    equation=mark("section 3, equations 3 and 4"),
    departures=(
        *PRE_LN.departures[:3],  # where the normalisation stands, sizes, biases
        mark(
            "All weights except the relative-position vectors start from a Transformer trained with sinusoids. In "
            "the paper everything is trained from scratch."
        ),
        mark("Muon instead of Adam for the matrices inside the network; greedy decoding."),
    ),
    network="models.networks.relative:RelativeTransformerNetwork",
    is_multi_head=True,
    distances=True,
    is_small=True,
)
