"""Where a record comes from, in words: whether it ran together with others is said only if it did."""

from __future__ import annotations

import models
from models.translation.batching import BatchItem, attend_together
from viz.captions.provenance import facts_of
from viz.widgets.pins import told

BATCHED = "batched"


def test_what_ran_in_company_says_so_and_what_ran_alone_does_not() -> None:
    model = models.load("seq2seq-en-fr")
    together, _other = attend_together(model, [BatchItem("We rest."), BatchItem("We work.")])
    assert together is not None
    assert dict(facts_of(together))["Run"].startswith(BATCHED)
    assert BATCHED in told(together.provenance)
    alone = model.attend("We rest.")
    assert "Run" not in dict(facts_of(alone))
    assert BATCHED not in told(alone.provenance)
