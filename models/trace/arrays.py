"""A record of attention that was captured anywhere: of arrays and the texts of their tokens."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.messages import Message, mark
from models.sites import Site
from models.trace.attention_map import HALF_TOLERANCE, ROW_SUM_TOLERANCE, AttentionMap
from models.trace.marks import Marks
from models.trace.provenance import Alignment, Provenance
from models.trace.record import TraceError
from models.trace.steps import Step
from models.trace.tokens import RecordedTexts, TokenSequence, hop_tokens, is_mark

TITLE = mark("Attention captured elsewhere")

HALVES = ("bfloat16", "float16")

_NOWHERE = Provenance(
    mechanism="", title=TITLE, year=0, paper="", equation="", checkpoint="", sha256="", versions=(), decoding="none"
)
"""Of no model that is known here."""


def parts_of(
    maps: Mapping[str | Site, Any],
    *,
    source: Sequence[str],
    target: Sequence[str] = (),
    source_words: Sequence[int | None] | None = None,
    target_words: Sequence[int | None] | None = None,
    probabilities: Sequence[float] | None = None,
    **about: Any,
) -> dict[str, Any]:
    """Return the fields of the record that `AttentionTrace.from_arrays` describes."""
    read, written = _tokens(source, source_words), _tokens(target, target_words)
    return fields_of(maps, RecordedTexts(read, _read_in(written), written), steps_of(written, probabilities), **about)


def fields_of(
    maps: Mapping[str | Site, Any],
    texts: RecordedTexts,
    steps: tuple[Step, ...],
    *,
    notes: Iterable[str] = (),
    rows_sum_to_one: bool = True,
    source_text: str | None = None,
    output_text: str | None = None,
    title: str = TITLE,
    year: int = 0,
    paper: str = "",
    equation: str = "",
) -> dict[str, Any]:
    """Return the fields of a record of weights and of the texts that label them."""
    made, rounded = [], dict[str, None]()
    for name, values in maps.items():
        site = (Site.parse(name) if isinstance(name, str) else name).place
        each, kind = _map(site, values, texts, rows_sum_to_one=rows_sum_to_one)
        made.append(each)
        rounded |= dict.fromkeys([kind] if kind else [])
    about: dict[str, Any] = {"title": title, "year": year, "paper": paper, "equation": equation}
    said = (Message("{kind} weights: a row sums to 1 only within rounding", kind=kind) for kind in rounded)
    return {
        "source": texts.source,
        "target": texts.written,
        "target_input": texts.read_in,
        "maps": tuple(made),
        "steps": steps,
        "source_text": _text(texts.source) if source_text is None else source_text,
        "output_text": _text(texts.written) if output_text is None else output_text,
        "provenance": replace(_NOWHERE, **about, notes=(*notes, *said), alignment=_alignment(made)),
    }


def _map(site: Site, values: Any, texts: RecordedTexts, *, rows_sum_to_one: bool) -> tuple[AttentionMap, str]:
    """Return a map, and the kind of half-precision numbers whose rounding its rows show, if they do."""
    weights = _weights(site, values)
    own = texts.read_in if site.stack == "decoder" and len(texts.written) else texts.source
    axes = (own, own) if site.kind == "self" else (texts.written, texts.source)
    if site.kind == "hops":
        axes = hop_tokens(weights.shape[1]), texts.source
    causal = (site.stack, site.kind) == ("decoder", "self") and not np.triu(weights, 1).any()
    kind = rounding(values) if rows_sum_to_one else ""
    off = float(np.abs(weights.sum(-1) - 1).max()) if kind and weights.size else 0.0
    rounds = ROW_SUM_TOLERANCE < off <= HALF_TOLERANCE
    made = AttentionMap(site, weights, *axes, rows_sum_to_one=rows_sum_to_one and not rounds, causal=causal)
    return made, kind if rounds else ""


def rounding(values: Any) -> str:
    """Return the name of the type of half-precision numbers; nothing of others."""
    return next((name for name in HALVES if name in str(getattr(values, "dtype", ""))), "")


def as_floats(values: Any) -> NDArray[np.float32]:
    """Return numbers of any library as float32: on any device, of any precision, with or without gradients."""
    if hasattr(values, "detach"):  # a tensor of torch: numpy knows neither bfloat16 nor gradients
        values = values.detach().cpu().float().numpy()
    return np.asarray(values, dtype=np.float32)


def _tokens(texts: Sequence[str], words: Sequence[int | None] | None) -> TokenSequence:
    """Return tokens, each a word unless `words` says to which it belongs; marks of an end are special."""
    if isinstance(texts, str):
        message = f"record: got the tokens {texts[:40]!r}; expected a list of texts, one a token"
        raise TraceError(message)
    specials = tuple(place for place, text in enumerate(texts) if is_mark(text))
    numbers = tuple(range(len(texts))) if words is None else _numbered(words)
    if len(numbers) != len(texts):
        message = f"record: got the words of {len(numbers)} tokens; expected those of {len(texts)}"
        raise TraceError(message)
    if words is None:
        return replace(TokenSequence.from_words(texts), specials=specials)
    marks, merged = Marks.of_text(texts), dict[int, bytes]()
    for text, word in zip(texts, numbers, strict=True):
        merged[word] = merged.get(word, b"") + marks.raw(text)
    whole = tuple(each.decode("utf-8", "replace").strip() for each in merged.values())
    return TokenSequence(tuple(texts), (-1,) * len(texts), numbers, whole, specials)


def _numbered(words: Sequence[int | None]) -> tuple[int, ...]:
    """Return numbers of words; None, as tokenizers give for a special token, is a word of its own."""
    if None not in words:
        return tuple(map(int, words))  # type: ignore[arg-type]  # none is None
    starts = (place == 0 or word is None or word != words[place - 1] for place, word in enumerate(words))
    return tuple(count - 1 for count in accumulate(map(int, starts)))


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
    """Return weights of shape [head, query, key]: without an axis of heads of one, of a batch those of its only row."""
    try:
        weights = as_floats(values)
    except (TypeError, ValueError) as error:
        message = f"{site}: the weights are no numbers in a grid ({error})"
        raise TraceError(message) from error
    if weights.ndim == 4:
        if len(weights) != 1:
            message = f"{site}: got weights {weights.shape} of a batch; expected those of one text, such as weights[0]"
            raise TraceError(message)
        weights = weights[0]
    return weights[None] if weights.ndim == 2 else weights


def steps_of(written: TokenSequence, probabilities: Sequence[float] | None = None) -> tuple[Step, ...]:
    """Return a step for each token written, with its probability where that is known."""
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
