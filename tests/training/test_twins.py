"""The table on equal terms: its rows follow from the kept figures, and nothing that saw other terms joins it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from models.mechanisms import mechanisms
from training.recipes import read_recipe
from training.report import PAGE
from training.twins import BEGIN, END, FIGURES, TERMS, joined, measured, read_runs, table


@pytest.fixture
def runs() -> list[dict[str, Any]]:
    return read_runs()


def test_the_page_of_models_has_the_table_of_the_kept_figures(runs: list[dict[str, Any]]) -> None:
    written = PAGE.read_text(encoding="utf8").partition(BEGIN)[2].partition(END)[0]
    assert written.strip() == table(runs)


def test_every_mechanism_of_the_family_ran_twice_on_its_recipes_terms(runs: list[dict[str, Any]]) -> None:
    family = {name for name, each in mechanisms().items() if not each.is_small}
    assert {(name, seed) for name in family for seed in (1, 2)} <= {(run["mechanism"], run["seed"]) for run in runs}
    for recipe in map(read_recipe, sorted(FIGURES.parent.glob("*.toml"))):
        terms = json.loads(json.dumps({name: _plain(getattr(recipe, name)) for name in TERMS}))
        assert all(run["terms"] == terms for run in runs if run["mechanism"] == recipe.mechanism)


def _plain(value: Any) -> Any:
    return [asdict(each) for each in value] if isinstance(value, tuple | list) else value


def test_rows_come_in_the_order_of_bleu_and_tell_mean_and_spread(runs: list[dict[str, Any]]) -> None:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table(runs).splitlines()[2:]]
    means = [float(row[3].split()[0]) for row in rows]
    assert means == sorted(means, reverse=True)
    own = [run["bleu"]["tatoeba.test"] for run in runs if run["mechanism"] == "luong-general"]
    row = next(row for row in rows if "`luong-general`" in row)
    assert row[3] == f"{fmean(own):.1f} ± {(max(own) - min(own)) / 2:.1f}"


def test_a_run_replaces_its_older_self_and_one_on_other_terms_is_refused(runs: list[dict[str, Any]]) -> None:
    newer = {**runs[0], "held_out_loss": 1.0}
    assert [run["held_out_loss"] for run in joined(runs, [newer])].count(1.0) == 1
    assert len(joined(runs, [newer])) == len(runs)
    other = {**runs[0], "seed": 9, "terms": {**runs[0]["terms"], "target_tokens": 1}}
    with pytest.raises(ValueError, match="target_tokens differ"):
        joined(runs, [other])


def test_a_checkpoint_that_nothing_was_measured_of_is_refused(tmp_path: Path) -> None:
    card = {"key": "x-en-fr", "mechanism": "bahdanau", "pair": "en-fr", "network": {}, "sha256": ""}
    (tmp_path / "card.json").write_text(json.dumps(card), encoding="utf8")
    with pytest.raises(ValueError, match="not measured yet"):
        measured(tmp_path)
