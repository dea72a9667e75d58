"""Records that are those of a run alone, step by step, within 1e-5."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from models.sites import VALUE_GRAM
from models.trace import AttentionTrace


def close(trace: AttentionTrace | None, alone: AttentionTrace, *, way: str = "batched") -> None:
    """Check that a record is that of the run alone, within 1e-5, and says in which way it was made."""
    assert trace is not None
    same = ("source", "target", "target_input", "output_text", "source_text", "sites")
    assert [getattr(trace, name) for name in same] == [getattr(alone, name) for name in same]
    assert trace.provenance == replace(alone.provenance, **{way: True})
    for each in alone:
        own = trace[each.site]
        assert (own.rows_sum_to_one, own.causal, *own.companions) == (
            each.rows_sum_to_one,
            each.causal,
            *each.companions,
        )
        np.testing.assert_allclose(own.weights, each.weights, rtol=0, atol=1e-5)
        for name, values in each.companions.items():
            size = np.abs(values).max() if name == VALUE_GRAM else 1  # squares of lengths
            np.testing.assert_allclose(own.companions[name], values, rtol=1e-5, atol=1e-5 * size)
    assert [each.id for each in trace.steps] == [each.id for each in alone.steps]
    likely, expected = ([each.log_probability for each in found.steps] for found in (trace, alone))
    np.testing.assert_allclose(likely, expected, rtol=1e-5, atol=1e-5)
