"""Where a record comes from, in words: whether it ran together with others is said only if it did."""

from __future__ import annotations

from dataclasses import replace

import models
from models.translation.batching import BatchItem, attend_together
from viz.captions.provenance import facts_of
from viz.widgets.pins import told

BATCHED, DRAFTED = "batched", "drafted"


def test_what_ran_in_company_or_from_a_draft_says_so_and_what_ran_alone_does_not() -> None:
    model = models.load("seq2seq-en-fr")
    together, _other = attend_together(model, [BatchItem("We rest."), BatchItem("We work.")])
    assert together is not None
    assert dict(facts_of(together))["Run"].startswith(BATCHED)
    assert BATCHED in told(together.provenance)
    drafted = replace(together, provenance=replace(together.provenance, batched=False, drafted=True))
    assert dict(facts_of(drafted))["Run"].startswith(DRAFTED)
    assert DRAFTED in told(drafted.provenance)
    alone = model.attend("We rest.")
    assert "Run" not in dict(facts_of(alone))
    assert not {BATCHED, DRAFTED} & set(told(alone.provenance).split(" · "))
