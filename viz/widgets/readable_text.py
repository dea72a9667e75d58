"""Texts that a model cannot take: cut with a message, or replaced by the last readable one."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

import models
from viz.text.language import _, say
from viz.text.markup import plain
from viz.widgets import session

LONGEST_NAMED = 40  # characters of what is named of a text
_LAST = "last-readable"


def fit_text(model: models.Model, text: str, place: DeltaGenerator, *, pair: str | None = None) -> str:
    """Cut `text` after the last word that `model` takes, and say in `place` what is left out."""
    fitting, left_out = model.fit(text, pair=pair)
    if left_out:
        said = _(
            "This text is too long for the model. It is cut after “…{end}”. Words and marks left out: {count}.",
            count=left_out,
            end=fitting[-LONGEST_NAMED:],
        )
        place.info(plain(said), icon=":material/content_cut:")
    return fitting


def keep_readable(text: str) -> None:
    """Remember `text` as the last that could be read."""
    session.keep(_LAST, text)


def last_readable(model: models.Model, error: models.InputError, place: DeltaGenerator) -> str | None:
    """Say in `place` what is wrong with a text; return the last that could be read, cut, or None if there is none."""
    place.error(plain(say(error)), icon=":material/edit:")
    last = session.recall(_LAST)
    if last is None:
        return None
    fitting = model.fit(str(last))[0]
    place.caption(plain(_("Below: the last valid sentence, “{sentence}”", sentence=fitting)))
    return fitting
