"""Interventions on attention, as data: what an open session applies and a figure says. stdlib and numpy only.

An edit names a place (``stack.layer.kind``; a part that is ``*`` matches any), and heads, rows and keys by absolute
position from 0; None stands for all heads, or for all rows. It is frozen and hashable, so that it keys a cache;
`Edit.to_text` and `read_edit` carry it through an address bar; `str(edit)` says in words what it does.

An edit acts upon one quantity, on the line after its computation: `scale_scores` upon the scores, `mask_key`,
`mask_cell`, `lift_mask`, `window`, `near`, `stride` and `block` upon the mask (True where a query may read a key),
`patch` upon what a head gives, the others upon the weights. Where attention is local, each row has a window of its own:
there `window` takes its place, on the quantity `centre`, instead of adding to it.

The order of edits on one row: those of the scores and of the mask act first, wherever they are given, since weights are
computed from both. Those of the weights then act in the order given, each on what the one before it left: after
``set_row``, `uniform_row` spreads the row evenly again, and after ``uniform_row``, `set_row` sets it. `uniform_row`
spreads over the keys that the mask leaves, `diagonal` takes the nearest of them, `harden` keeps the strongest of the
weights that it finds, `sample` draws from them. The order is the same for every model. Where the model itself chooses a
key of each row (hard attention) a `sample` draws from the probabilities of that choice, unless an edit given before it
has changed the row.
"""

from models.edits.edit import Array, Edit
from models.edits.operations import (
    OPERATIONS,
    KeepHeads,
    LiftMask,
    MaskCell,
    MaskKey,
    ScaleScores,
    Window,
    ZeroHead,
    diagonal,
    harden,
    keep_heads,
    lift_mask,
    mask_cell,
    mask_key,
    read_edit,
    sample,
    scale_scores,
    set_row,
    uniform_row,
    window,
    zero_head,
    zero_row,
)
from models.edits.patches import Patch, patch
from models.edits.patterns import PATTERNS, Block, Near, Stride, TopK, block, near, stride, top_k
from models.edits.rows import Diagonal, Harden, Sample, SetRow, UniformRow, ZeroRow

__all__ = [
    "OPERATIONS",
    "PATTERNS",
    "Array",
    "Block",
    "Diagonal",
    "Edit",
    "Harden",
    "KeepHeads",
    "LiftMask",
    "MaskCell",
    "MaskKey",
    "Near",
    "Patch",
    "Sample",
    "ScaleScores",
    "SetRow",
    "Stride",
    "TopK",
    "UniformRow",
    "Window",
    "ZeroHead",
    "ZeroRow",
    "block",
    "diagonal",
    "harden",
    "keep_heads",
    "lift_mask",
    "mask_cell",
    "mask_key",
    "near",
    "patch",
    "read_edit",
    "sample",
    "scale_scores",
    "set_row",
    "stride",
    "top_k",
    "uniform_row",
    "window",
    "zero_head",
    "zero_row",
]
