"""Page settings: declared as data, synchronised between link, session and control."""

from viz.widgets.settings.boxes import select
from viz.widgets.settings.controls import (
    choose,
    choose_part,
    choose_several,
    choose_titled,
    chosen_of,
    labels_of,
    switch,
    value_of,
)
from viz.widgets.settings.kinds import Choice, Data, Heads, Several, Switch, TextSetting
from viz.widgets.settings.setting import Found, Setting
from viz.widgets.settings.texts import put_text, text_box, typed_text

__all__ = [
    "Choice",
    "Data",
    "Found",
    "Heads",
    "Setting",
    "Several",
    "Switch",
    "TextSetting",
    "choose",
    "choose_part",
    "choose_several",
    "choose_titled",
    "chosen_of",
    "labels_of",
    "put_text",
    "select",
    "switch",
    "text_box",
    "typed_text",
    "value_of",
]
