"""Sentences to start from, a language pair apart: what there is to see in each, and the sentence."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

EXAMPLES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "en-fr": {
            "word order": "The agreement on the European Economic Area was signed in August 1992.",
            "pronoun": "The cat drank the milk because it was hungry.",
            "long distance": "The letters that my sister wrote to her old friend in Paris were very long.",
            "unknown word": "We saw a flumberdoodle in the garden yesterday.",
            "not word for word": "I miss you, and I am looking forward to seeing you again.",
            "repeated words": "The big dog saw the small dog, and the small dog saw the big dog.",
        },
        "zh-en": {
            "a wish": "我爱吃苹果。",
            "measure word": "我吃了一个苹果。",
            "no tense": "那天雨很大。",
            "a question": "你好吗？",
            "literary": "那天雨很大，他等了很久，水汽打湿了衣服，也没有等到她。",
        },
    }
)
"""By pair, then by name. Translations of the names are looked up by the page that shows them."""
