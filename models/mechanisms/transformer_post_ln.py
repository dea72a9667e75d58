"""Multi-head attention, normalised in the paper's own order: Vaswani et al. 2017."""

from models.mechanisms import INHERITED, Mechanism
from models.mechanisms.transformer import MECHANISM as PRE_LN
from models.messages import mark

MECHANISM = Mechanism(
    key="transformer-post-ln",
    title=mark("Multi-head (Transformer, post-LN)"),
    year=PRE_LN.year,
    formula=PRE_LN.formula,
    paper=PRE_LN.paper,
    equation=mark("section 3.2, equation 1; section 3.1, LayerNorm(x + Sublayer(x))"),
    departures=(*PRE_LN.departures[1:], INHERITED),  # the first says where the normalisation stands
    network=PRE_LN.network,
    is_multi_head=PRE_LN.is_multi_head,
    options=(("pre_norm", False),),
    order=1,
)
