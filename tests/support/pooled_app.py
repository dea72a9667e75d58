"""The app where no record fits: every text of a causal model is pooled as its layers fire. Run by Streamlit."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path

from viz.server import layerwise

if __name__ == "__main__":  # and not where pytest collects it: the bound would hold for all tests of that process
    layerwise.TRACE_BYTES = 1000
    run_path(str(Path(__file__).parents[2] / "app.py"), run_name="__main__")
