"""Traces made by hand, for tests of what is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from models.sites import Site
from models.trace import Alignment, AttentionMap, AttentionTrace, Provenance, Step, TokenSequence

AWKWARD = {
    "repeated": ("the", "cat", "the", "cat", "</s>"),
    "special": ("<s>", "</s>", "<pad>", "<b>bold</b>", "&amp;", "$x$", "%{x}", "</s>"),
    "blank": ("", " ", "\t", "\n", "\u200b", "\u3000", "\x00", "</s>"),
    "emoji": ("👩\u200d👩\u200d👧", "🇫🇷", "🔥", "</s>"),
    "chinese": ("我", "爱", "自", "然", "语", "言", "。", "</s>"),
    "right_to_left": ("אני", "أحب", "השפה", ".", "</s>"),
    "long": ("Donaudampfschifffahrtsgesellschaftskapitän", "x" * 500, "</s>"),
    "broken": ("\ud800", "\u0301", "\ufffd", "</s>"),
    "marked": ("Ġthe", "▁cat", "##s", "cat", "Ġ", "▁", "##", "</s>"),
    "alone": ("</s>",),
}


def pieces(texts: Sequence[str], words: Sequence[int] | None = None) -> TokenSequence:
    """Make a sequence of pieces; without `words` each is a word."""
    if words is None:
        return TokenSequence.from_words(texts)
    joined = [
        "".join(text for text, word in zip(texts, words, strict=True) if word == each).strip()
        for each in range(words[-1] + 1)
    ]
    return TokenSequence(tuple(texts), (7,) * len(texts), tuple(words), tuple(joined))


def rows(heads: int, queries: int, keys: int, *, seed: int = 0, sharpness: float = 4.0) -> np.ndarray:
    """Draw weights whose rows sum to 1, strongest near the diagonal: float32 [head, query, key]."""
    generator = np.random.default_rng(seed)
    place = np.arange(queries)[:, None] / max(queries - 1, 1) - np.arange(keys)[None, :] / max(keys - 1, 1)
    scores = -sharpness * 10 * np.abs(place) + 1.5 * generator.normal(size=(heads, queries, keys))
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (exponentials / exponentials.sum(axis=-1, keepdims=True)).astype(np.float32)


def provenance(title: str = "Bahdanau (additive)", year: int = 2015, **changes: object) -> Provenance:
    """Return where a sample comes from."""
    values: dict[str, object] = {
        "mechanism": "sample",
        "title": title,
        "year": year,
        "paper": "A paper",
        "equation": "1",
        "checkpoint": "sample-en-fr",
        "sha256": "0" * 64,
        "versions": (("numpy", "2"),),
        "decoding": "greedy",
    }
    return Provenance(**(values | changes))  # type: ignore[arg-type]


def translation(
    source: Sequence[str] | TokenSequence,
    target: Sequence[str] | TokenSequence,
    *,
    heads: int = 1,
    layers: int = 1,
    seed: int = 0,
    **changes: object,
) -> AttentionTrace:
    """Make the trace of a translation with one cross map a layer; `changes` go to its provenance."""
    source = source if isinstance(source, TokenSequence) else pieces(source)
    target = target if isinstance(target, TokenSequence) else pieces(target)
    before = TokenSequence(
        ("<s>", *target.texts[:-1]),
        (1, *target.ids[:-1]),
        (0, *(word + 1 for word in target.words[:-1])),
        ("<s>", *target.word_texts[: target.words[-2] + 1 if len(target) > 1 else 0]),
    )
    maps = tuple(
        AttentionMap(
            Site("decoder", layer, "cross"), rows(heads, len(target), len(source), seed=seed + layer), target, source
        )
        for layer in range(layers)
    )
    steps = tuple(Step(text, id_, -0.5) for text, id_ in zip(target.texts, target.ids, strict=True))
    texts = " ".join(source.word_texts[:-1]), " ".join(target.word_texts[:-1])
    return AttentionTrace(source, target, before, maps, steps, *texts, provenance(**changes))  # type: ignore[arg-type]


def reader(texts: Sequence[str], *, heads: int = 1, causal: bool = False) -> AttentionTrace:
    """Make the trace of a one-stack model: an encoder, or a causal decoder."""
    source = pieces(texts)
    weights = rows(heads, len(source), len(source))
    if causal:
        weights = np.tril(weights) / np.tril(weights).sum(axis=-1, keepdims=True)
    site = Site("decoder" if causal else "encoder", 0, "self")
    nothing = pieces(())
    map_ = AttentionMap(site, weights, source, source, causal=causal)
    return AttentionTrace(source, nothing, nothing, (map_,), (), "", "", provenance(decoding="none"))


def bench() -> tuple[AttentionTrace, ...]:
    """Make what the Bench shows: one sentence through three mechanisms."""
    words = "The agreement on the European Economic Area was signed in August 1992 .".split()
    french = "L' accord sur l' Espace économique européen a été signé en août 1992 .".split()
    other = "L' accord sur la Zone économique européenne fut signé en août 1992 .".split()
    end = "</s>"
    alignment = Alignment(Site("decoder", 1, "cross"), 5, "input")
    return (
        translation([*words, end], [*french, end], seed=1),
        translation([*words, end], [*other, end], seed=2, title="Luong (general)"),
        translation(
            [*words, end], [*french, end], seed=3, heads=8, layers=2, title="Multi-head", year=2017, alignment=alignment
        ),
    )


def axis_title(figure: go.Figure | dict[str, Any], axis: str) -> str:
    """Return the title of the axis `axis` ("x", "y2") of a figure of heatmaps, in one line."""
    layout = figure["layout"] if isinstance(figure, dict) else figure.layout.to_plotly_json()
    (found,) = (each["text"] for each in layout["annotations"] if each.get("name") == axis)
    return str(found).replace("<br>", " ")
