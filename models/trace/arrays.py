"""A record of attention that was captured anywhere: of arrays and the texts of their tokens."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.messages import mark
from models.sites import Site
from models.trace.attention_map import AttentionMap
from models.trace.provenance import Alignment, Provenance
from models.trace.record import TraceError
from models.trace.steps import Step
from models.trace.tokens import TokenSequence, hop_tokens, is_mark

TITLE = mark("Attention captured elsewhere")

_NOWHERE = Provenance(
    mechanism="", title=TITLE, year=0, paper="", equation="", checkpoint="", sha256="", versions=(), decoding="none"
)
"""Of no model that is known here."""


def parts_of(
    maps: Mapping[str | Site, Any],
    *,
    source: Sequence[str],
    target: Sequence[str] = (),
    source_words: Sequence[int] | None = None,
    target_words: Sequence[int] | None = None,
    probabilities: Sequence[float] | None = None,
    title: str = TITLE,
    year: int = 0,
    paper: str = "",
    equation: str = "",
    notes: Iterable[str] = (),
    rows_sum_to_one: bool = True,
) -> dict[str, Any]:
    """Return the fields of the record that `AttentionTrace.from_arrays` describes."""
    read, written = _tokens(source, source_words), _tokens(target, target_words)
    read_in = _read_in(written)
    own = {"encoder": read, "decoder": read_in if len(written) else read}
    about: dict[str, Any] = {"title": title, "year": year, "paper": paper, "equation": equation}
    made = []
    for name, values in maps.items():
        site = (Site.parse(name) if isinstance(name, str) else name).place
        weights = _weights(site, values)
        axes = (own[site.stack],) * 2 if site.kind == "self" else (written, read)
        if site.kind == "hops":
            axes = hop_tokens(weights.shape[1]), read
        causal = (site.stack, site.kind) == ("decoder", "self") and not np.triu(weights, 1).any()
        made.append(AttentionMap(site, weights, *axes, rows_sum_to_one=rows_sum_to_one, causal=causal))
    return {
        "source": read,
        "target": written,
        "target_input": read_in,
        "maps": tuple(made),
        "steps": _steps(written, probabilities),
        "source_text": _text(read),
        "output_text": _text(written),
        "provenance": replace(_NOWHERE, **about, notes=tuple(notes), alignment=_alignment(made)),
    }


def _tokens(texts: Sequence[str], words: Sequence[int] | None) -> TokenSequence:
    """Return tokens, each a word unless `words` says to which it belongs; marks of an end are special."""
    if isinstance(texts, str):
        message = f"record: got the tokens {texts[:40]!r}; expected a list of texts, one a token"
        raise TraceError(message)
    specials = tuple(place for place, text in enumerate(texts) if is_mark(text))
    numbers = tuple(range(len(texts))) if words is None else tuple(words)
    if len(numbers) != len(texts):
        message = f"record: got the words of {len(numbers)} tokens; expected those of {len(texts)}"
        raise TraceError(message)
    merged: dict[int, str] = {}
    for text, word in zip(texts, numbers, strict=True):
        merged[word] = merged.get(word, "") + text
    whole = tuple(text if words is None else text.strip() for text in merged.values())
    return TokenSequence(tuple(texts), (-1,) * len(texts), numbers, whole, specials)


def _read_in(written: TokenSequence) -> TokenSequence:
    """Return what a decoder has read in when it writes: a beginning, then each token but the last."""
    if not len(written):
        return TokenSequence((), (), (), ())
    last = written.words[-2] + 1 if len(written) > 1 else 0
    return TokenSequence(
        ("<s>", *written.texts[:-1]),
        (-1,) * len(written),
        (0, *(word + 1 for word in written.words[:-1])),
        ("<s>", *written.word_texts[:last]),
        (0, *(place + 1 for place in written.specials if place + 1 < len(written))),
    )


def _weights(site: Site, values: Any) -> NDArray[np.float32]:
    """Return weights of shape [head, query, key]; those without an axis of heads are of one."""
    try:
        weights = np.asarray(values, dtype=np.float32)
    except (TypeError, ValueError) as error:
        message = f"{site}: the weights are no numbers in a grid ({error})"
        raise TraceError(message) from error
    return weights[None] if weights.ndim == 2 else weights


def _steps(written: TokenSequence, probabilities: Sequence[float] | None) -> tuple[Step, ...]:
    if probabilities is None:
        return tuple(Step(text, -1, math.nan) for text in written.texts)
    known = [float(each) for each in probabilities]
    if len(known) != len(written) or not all(0 <= each <= 1 for each in known):
        message = f"record: got probabilities {known[:8]}; expected {len(written)} from 0 to 1, one a token written"
        raise TraceError(message)
    logs = (math.log(each) if each else -math.inf for each in known)
    return tuple(Step(text, -1, each) for text, each in zip(written.texts, logs, strict=True))


def _text(tokens: TokenSequence) -> str:
    plain = {word for place, word in enumerate(tokens.words) if place not in tokens.specials}
    return " ".join(text.strip() for word, text in enumerate(tokens.word_texts) if word in plain)


def _alignment(made: Sequence[AttentionMap]) -> Alignment:
    crossed = [each for each in made if each.site.kind == "cross"]
    if not crossed:
        return Alignment()
    return Alignment(crossed[-1].site, "mean" if len(crossed[-1].head_names) > 1 else 0)
