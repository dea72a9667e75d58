"""Figures that lessons state and that no sentence changes: of cards, twins and the Lab's examples."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

import models
from models.experiments.induction_table import induction_table
from models.experiments.stability_table import stability_table
from models.readers.cls_table import classifier_figures
from models.readers.segment_table import segment_table

_FIGURES = Path(models.__file__).parent / "weights" / "en-fr"
_TWINS = _FIGURES / "twins-figures.json"
_PATTERNS = _FIGURES / "patterns.json"
_DATASTORE = _FIGURES.parent / "datastores" / "world-english-bible" / "card.json"


def figures_of_card(key: str) -> Mapping[str, float]:
    """Return all numbers of the card of a model, and of its network."""
    card = models.describe(key).card
    return {
        name: float(value)
        for name, value in (*card.items(), *card["network"].items())
        if isinstance(value, int | float)
    }


def bleu_of_twins() -> Mapping[str, float]:
    """Return the mean BLEU of the twins of each mechanism on tatoeba.test."""
    found: dict[str, list[float]] = {}
    for run in json.loads(_TWINS.read_text(encoding="utf8")):
        found.setdefault(run["mechanism"], []).append(run["bleu"]["tatoeba.test"])
    return {mechanism: float(np.mean(each)) for mechanism, each in found.items()}


def measured_in_training() -> Mapping[str, float]:
    """Return means over seeds at the end of training: losses of the four twins and of attention alone, and scores."""
    found: dict[str, list[float]] = {}
    if twins := stability_table():
        for each in twins.runs:
            name = f"{'pre' if each.pre_norm else 'post'}-LN{' warm-up' * each.twin[1]}"
            found.setdefault(name, []).append(each.losses[-1])
    if heads := induction_table():
        for run in heads.runs:
            found.setdefault(f"{run.layers} layers", []).append(run.second[-1])
            found.setdefault(f"{run.layers} layers score", []).append(run.best[-1])
    return {name: float(np.mean(each)) for name, each in found.items()}


def bleu_of_patterns(key: str) -> Mapping[str, float]:
    """Return BLEU of a model by the pattern that its encoder is limited to, such as ``near 2``; ``all`` without one."""
    rows = json.loads(_PATTERNS.read_text(encoding="utf8"))[key]["rows"]
    return {f"{row['pattern']} {row['size']}" if row["pattern"] else "all": row["bleu"] for row in rows}


def memory_of_gpt() -> Mapping[str, float]:
    """Return perplexities of the small GPT: with its datastore, ``novels``, ``novels without``; ``segment anew``."""
    found: dict[str, float] = {}
    for name, told in json.loads(_DATASTORE.read_text(encoding="utf8"))["test"].items():
        found |= {name: told["with"], f"{name} without": told["without"]}
    table = segment_table()
    return found | ({f"segment {way}": each.perplexity for way, each in table.ways.items()} if table else {})


def right_of_classifiers() -> Mapping[str, float]:
    """Return the percentage of held-out sentences that classifiers on [CLS] tell, ``self-attentive`` beside them."""
    found = classifier_figures() or {"right": {}}
    return {name: 100 * each["mean"] for name, each in found["right"].items()}


def numbers_of_book() -> Mapping[str, float]:
    """Return the numbers of the Lab's example: the query's, and its products with the keys."""
    from models.experiments.lab_presets import book

    tables = book().tables
    products = (tables["query"] @ tables["key"].T)[0]
    named = {"query": tables["query"][0], "product": products}
    return {f"{name} {place}": float(each) for name, row in named.items() for place, each in enumerate(row, 1)}


def largest_of_random() -> Mapping[str, float]:
    """Return the largest weight of the Lab's random vectors by their size, with the scaling and without."""
    from models.experiments.lab_layer import run_layer
    from models.experiments.lab_presets import random_vectors

    return {
        f"{size}{' scaled' if scaled else ''}": float(
            run_layer(random_vectors(size).tables, scaled=scaled).runs[0].weights.max()
        )
        for size in (8, 64)
        for scaled in (False, True)
    }
