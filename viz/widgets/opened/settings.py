"""Settings of opened traces; the traces themselves are in no link."""

from __future__ import annotations

from viz.text.language import mark
from viz.widgets.settings import Choice

FILES = "opened files"
"""What settings belong to."""

SHOW = Choice("show", title=mark("What is shown"), anew_with=(FILES,))
WHICH = Choice("which", title=mark("Which file"), anew_with=(FILES,))
