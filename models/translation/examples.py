"""Sentences to start from, a language pair apart: what there is to see in each, and the sentence."""

from __future__ import annotations

from collections.abc import Mapping
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
