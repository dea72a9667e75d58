"""Message on a model that a link names and that one command brings."""

from __future__ import annotations

from collections.abc import Collection

from streamlit.delta_generator import DeltaGenerator

from models.huggingface.offers import offer_of
from viz.text.language import say
from viz.text.markup import plain
from viz.widgets.settings import Choice, link, unknown


def say_offer(setting: Choice, labels: Collection[str], messages: DeltaGenerator) -> None:
    """Say how to get the model that `setting` names in the link, if it is not among `labels` and can be got."""
    wanted = link.text_of(setting) or ""
    offer = None if wanted in labels else offer_of(wanted)
    if offer is not None:
        messages.info(plain(say(offer.missing)), icon=":material/download:")
        unknown.discard(setting.name)
