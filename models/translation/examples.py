"""Sentences to start from, a language pair apart: what there is to see in each, and the sentence."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from models.messages import mark

EXAMPLES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "en-fr": {
            mark("word order"): "The agreement on the European Economic Area was signed in August 1992.",
            mark("pronoun"): "The cat drank the milk because it was hungry.",
            mark("long distance"): "The letters that my sister wrote to her old friend in Paris were very long.",
            mark("unknown word"): "We saw a flumberdoodle in the garden yesterday.",
            mark("not word for word"): "I miss you, and I am looking forward to seeing you again.",
            mark("repeated words"): "The big dog saw the small dog, and the small dog saw the big dog.",
        },
        "zh-en": {
            mark("a wish"): "我爱吃苹果。",
            mark("measure word"): "我吃了一个苹果。",
            mark("no tense"): "那天雨很大。",
            mark("a question"): "你好吗？",
            mark("literary"): "那天雨很大，他等了很久，水汽打湿了衣服，也没有等到她。",
        },
    }
)
"""By pair, then by name, which the page that shows it translates."""
