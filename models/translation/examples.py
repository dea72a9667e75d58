"""Sentences to start from, a language pair apart: what there is to see in each, and the sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from models.messages import mark

EXAMPLES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "en-fr": {
            mark("word order"): "The agreement on the European Economic Area was signed in 1992.",
            mark("pronoun"): "The house is old, but it has a new door.",
            mark("long distance"): "The girl who lives near the station is my sister.",
            mark("unknown word"): "I gave the book to Zorblat.",
            mark("not word for word"): "She likes to swim, but she is afraid of the dogs.",
            mark("repeated words"): "She has a black cat and a white cat.",
        },
        "zh-en": {
            mark("a wish"): "我爱吃苹果。",
            mark("measure word"): "我吃了一个苹果。",
            mark("no tense"): "她昨天买了一本书。",
            mark("a question"): "你好吗？",
            mark("a contrast"): "他会说英语，但是不会说法语。",
        },
    }
)
"""By pair, then by name, which the page that shows it translates."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A sentence on which our models part, and where to look."""

    sentence: str
    look: str  # a marked message


SIGHTS: Mapping[str, Mapping[str, Sight]] = MappingProxyType(
    {
        "en-fr": {
            mark("bank of a river"): Sight(
                "We sat on the bank of the river.",
                mark(
                    "Look at “bank”: the Transformer writes “rive”, beside a river; the recurrent models write "
                    "“banque”, where money is."
                ),
            ),
            mark("bat in a cave"): Sight(
                "The bat flew out of the cave.",
                mark(
                    "Look at “bat”: the Transformer writes “chauve-souris”, the animal; Bahdanau writes “batte”, "
                    "a stick."
                ),
            ),
            mark("the tired animal"): Sight(
                "The animal didn't cross the street because it was too tired.",
                mark(
                    "Look at “it”: “il” is the animal, “elle” the street. Then write “wide” for “tired”: only the "
                    "Transformer changes its mind."
                ),
            ),
            mark("not word for word at all"): Sight(
                "Break a leg!",
                mark("The Transformer knows that this wishes good luck. The others translate word for word."),
            ),
            mark("figure 3a of the paper"): Sight(
                "The agreement on the European Economic Area was signed in August 1992.",
                mark(
                    "Look at “Espace économique européen”: the order turns around. In Luong's and the Transformer's "
                    "maps these cells run against the diagonal."
                ),
            ),
        },
    }
)
"""By pair, then by name: shown before the other examples, with where to look while the sentence is in the box."""
