"""Named quantities that lessons state, computed as the pages compute them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from models.edits import Edit, zero_head
from models.measures.induction import induction_scores
from viz.lessons.figures import (
    bleu_of_patterns,
    bleu_of_twins,
    figures_of_card,
    largest_of_random,
    measured_in_training,
    memory_of_gpt,
    numbers_of_book,
    right_of_classifiers,
)
from viz.lessons.self_attention import weights_from
from viz.lessons.wrong_word import error_runs
from viz.measures.consequence import words_of_target
from viz.measures.head_profile import profiles_of
from viz.views.view import choose_view

if TYPE_CHECKING:
    from models.model import Model
    from models.trace import AttentionTrace

Values = Mapping[str, float]

_SCORES = ("decoder.0.cross.weights", "decoder.0.cross.scores")
_QUERIES = ("decoder.0.cross.weights", "decoder.0.cross.query")


@dataclass(frozen=True, slots=True)
class AskedQuantity:
    """What a claim asks of a model."""

    claims: Mapping[str, str]
    model: Model | None  # none where the claim names none
    sentence: str
    edits: tuple[Edit, ...]  # of the step


def values_of(asked: AskedQuantity) -> Values:
    """Return the values of a quantity by their names."""
    return BY_NAME[asked.claims["quantity"]](asked)


def _row(asked: AskedQuantity, quantity: str) -> Values:
    """Return scores of the row of a written word by source token, or what the softmax makes of them on the way."""
    trace = _model(asked).attend(asked.sentence, sites=_SCORES)
    (found,) = trace.maps
    row = [each.strip() for each in trace.target.texts].index(asked.claims["word"])
    scores = found.companions["scores"][0, row].astype(np.float64)
    exponentials = np.exp(scores - scores.max())
    if quantity == "sum-of-exponentials":
        return {"": float(exponentials.sum())}
    values = scores if quantity == "score" else exponentials
    return {text.strip(): float(each) for text, each in zip(trace.source.texts, values, strict=True)}


def _probability(asked: AskedQuantity) -> Values:
    trace = _model(asked).attend(asked.sentence)
    return {text.strip(): each.probability for text, each in zip(trace.target.texts, trace.steps, strict=True)}


def _lost_without_words(asked: AskedQuantity) -> Values:
    """Return what the translation loses without each source word, as Surgery does: the word is left out."""
    from models.experiments.sweeps import leave_out_each_word

    model = _model(asked)
    sweep = leave_out_each_word(model.replay(model.attend(asked.sentence)))
    return {word.strip(): -float(each.sum()) for word, each in zip(sweep.words, sweep.changes, strict=True)}


def _lost_word_by_word(asked: AskedQuantity) -> Values:
    """Return what each written word loses without each source word: the cells of Surgery's picture."""
    from models.experiments.sweeps import leave_out_each_word

    model = _model(asked)
    trace = model.attend(asked.sentence)
    sweep = leave_out_each_word(model.replay(trace))
    losses = -words_of_target(sweep.changes, trace.target)  # [source word, written word]
    written = trace.target.word_texts
    return {
        f"{word.strip()} without {left.strip()}": float(loss)
        for left, row in zip(sweep.words, losses, strict=True)
        for word, loss in zip(written, row, strict=True)
    }


def _lost_without_heads(asked: AskedQuantity) -> Values:
    from models.experiments.sweeps import switch_off_each_head

    model = _model(asked)
    sweep = switch_off_each_head(model.replay(model.attend(asked.sentence)))
    return {f"{site}.{head}": -float(each) for (site, head), each in zip(sweep.heads, sweep.totals, strict=True)}


def _lost_by_edits(asked: AskedQuantity) -> Values:
    """Return what the translation loses under all edits of the step, and under each alone, added up."""
    model = _model(asked)
    before = model.attend(asked.sentence)

    def lost(*edits: Edit) -> float:
        after = model.attend(asked.sentence, before.output_text, edits=edits)
        pairs = zip(model.attend(asked.sentence, before.output_text).steps, after.steps, strict=True)
        return float(sum(one.log_probability - other.log_probability for one, other in pairs))

    return {"together": lost(*asked.edits), "apart": sum(map(lost, asked.edits))}


def _heads(asked: AskedQuantity) -> Values:
    """Return how many heads a model has in all, and of each kind of attention."""
    counts: dict[str, int] = {}
    for each in _model(asked).attend(asked.sentence).maps:
        for name in ("all", f"{each.site.stack} {each.site.kind}"):
            counts[name] = counts.get(name, 0) + len(each.head_names)
    return counts


def _heads_that_change(asked: AskedQuantity) -> Values:
    """Return how many heads, each ablated on its own, change the translation."""
    model = _model(asked)
    own = model.attend(asked.sentence)
    heads = ((str(each.site), head) for each in own.maps for head in range(len(each.head_names)))
    edited = (model.attend(asked.sentence, edits=(zero_head(*each),), sites=()).output_text for each in heads)
    return {"": sum(text != own.output_text for text in edited)}


def _labelled(asked: AskedQuantity) -> Values:
    """Return the number of each encoder head that has a label, named by place and label."""
    trace = _model(asked).attend(asked.sentence)
    views = [choose_view(trace, site=each.site) for each in trace.maps if each.site.stack == "encoder"]
    return {
        f"{each.place.layer}.{each.place.head} {each.label.key}": float(each.label.score) for each in profiles_of(views)
    }


def _induction(asked: AskedQuantity) -> Values:
    """Return the induction score of each head of a causal model, and that of an even row."""
    trace = _model(asked).attend(asked.sentence)
    found = {each.site.layer: induction_scores(each.weights, trace.source.ids) for each in trace.maps}
    values = {
        f"{layer}.{head}": float(score) for layer, (scores, _) in found.items() for head, score in enumerate(scores)
    }
    return values | {"even": found[0][1]}


def _first_token(asked: AskedQuantity) -> Values:
    """Return the weight that all heads of a causal model give to the first token from later ones, and an even row's."""
    maps = _model(asked).attend(asked.sentence).maps
    shares = [each.weights[:, 1:, 0].mean(axis=1) for each in maps]  # [head] of each layer
    even = np.mean(1 / np.arange(2, 1 + maps[0].weights.shape[-1]))
    values = {f"{layer}.{head}": float(share) for layer, held in enumerate(shares) for head, share in enumerate(held)}
    return values | {"all": float(np.mean(shares)), "even": float(even)}


def _next_token(asked: AskedQuantity) -> Values:
    """Return the likeliest tokens after a text, with their probabilities."""
    last = _model(asked).attend(asked.sentence, edits=asked.edits).predictions[-1]
    return {text.strip(): probability for text, probability in last.alternatives}


def _alignment_errors(asked: AskedQuantity) -> Values:
    from models.experiments.aligning_heads import rank_heads

    model = _model(asked)
    found = rank_heads(model, asked.claims["model"][-len("en-fr") :])
    return {f"{each.site.layer}.{each.head} {each.reading}": each.error_rate for each in found}


def _errors_as_written(asked: AskedQuantity) -> Values:
    """Return alignment errors of the reading whose rows are the words being written."""
    found = _alignment_errors(asked).items()
    return {name.removesuffix(" written"): rate for name, rate in found if name.endswith(" written")}


def _size_of_a_query(asked: AskedQuantity) -> Values:
    (found, *_others) = _model(asked).attend(asked.sentence, sites=_QUERIES).maps
    return {"": found.companions["query"].shape[-1]}


def _spread(asked: AskedQuantity) -> Values:
    """Return by how much a weight of the map shown differs at most from the mean of its column: 0 if rows are equal."""
    weights = choose_view(_model(asked).attend(asked.sentence)).weights
    return {"": float(np.abs(weights - weights.mean(axis=0)).max())}


def _row_of_word(asked: AskedQuantity, trace: AttentionTrace) -> int:
    return [each.strip() for each in trace.target.texts].index(asked.claims["word"])


def _moved(asked: AskedQuantity) -> Values:
    """Return what each key moves of the row of a written word, by cross-attention head and key."""
    trace = _model(asked).attend(asked.sentence, sites=("decoder.*.cross.weights", "decoder.*.cross.value"))
    row = _row_of_word(asked, trace)
    return {
        f"{each.site}.{head} {key.strip()}": float(share)
        for each in trace
        for head, rows in enumerate(each.moved().weights)
        for key, share in zip(each.key_tokens.texts, rows[row], strict=True)
    }


def _sink(asked: AskedQuantity) -> Values:
    """Return what all other rows, on average, give a key by each head: of their attention, and of what moves them."""
    found: dict[str, float] = {}
    for each in _model(asked).attend(asked.sentence):
        for name, rows in (("weight", each.weights), ("moved", each.moved().weights)):  # [head, query, key]
            others = (rows.sum(axis=1) - np.diagonal(rows, axis1=1, axis2=2)) / (rows.shape[1] - 1)  # [head, key]
            names = (f"{name} {each.site}.{head} {key}" for head in range(len(rows)) for key in each.key_tokens.texts)
            found |= dict(zip(names, map(float, others.flat), strict=True))
    return found


def _added_to_the_logit(asked: AskedQuantity) -> Values:
    """Return what each head adds to the logit of a written word, and the logit: less the mean of the vocabulary."""
    from models.experiments.logit_attribution import logit_attribution
    from models.experiments.residual_stream import residual_stream

    model = _model(asked)
    trace = model.attend(asked.sentence)
    found = logit_attribution(residual_stream(model, trace, _row_of_word(asked, trace)))
    heads = zip(found.heads, found.contributions, strict=True)
    return {f"{site}.{head}": float(each) for (site, head), each in heads} | {"logit": found.logit}


def _model(asked: AskedQuantity) -> Model:
    if asked.model is None:
        message = f"the quantity {asked.claims['quantity']!r} is of a model; the claim names none"
        raise ValueError(message)
    return asked.model


BY_NAME: Mapping[str, Callable[[AskedQuantity], Values]] = {
    "score": lambda asked: _row(asked, "score"),
    "exponential": lambda asked: _row(asked, "exponential"),
    "sum-of-exponentials": lambda asked: _row(asked, "sum-of-exponentials"),
    "probability": _probability,
    "lost-without-the-word": _lost_without_words,
    "lost-word-by-word": _lost_word_by_word,
    "lost-without-the-head": _lost_without_heads,
    "lost-by-the-edits": _lost_by_edits,
    "heads": _heads,
    "heads-that-change-the-translation": _heads_that_change,
    "label": _labelled,
    "induction": _induction,
    "first-token": _first_token,
    "next-token": _next_token,
    "alignment-error": _alignment_errors,
    "alignment-error-as-written": _errors_as_written,
    "size-of-a-query": _size_of_a_query,
    "spread-of-rows": _spread,
    "attention": lambda asked: weights_from(_model(asked).attend(asked.sentence), asked.claims["word"]),
    "moved": _moved,
    "sink": _sink,
    "added-to-the-logit": _added_to_the_logit,
    "card": lambda asked: figures_of_card(asked.claims["model"]),
    "BLEU-of-twins": lambda _asked: bleu_of_twins(),
    "BLEU-of-pattern": lambda asked: bleu_of_patterns(asked.claims["model"]),
    "measured-in-training": lambda _asked: measured_in_training(),
    "memory": lambda _asked: memory_of_gpt(),
    "classifier": lambda _asked: right_of_classifiers(),
    "book": lambda _asked: numbers_of_book(),
    "error-runs": lambda asked: error_runs(_model(asked), asked.sentence, asked.claims["word"], asked.claims["of"]),
    "largest-random-weight": lambda _asked: largest_of_random(),
}
"""How each of `viz.lessons.reading.QUANTITIES` is computed."""
