"""The table of the twins, which may rank: ``python -m training.twins [FOLDER ...]``.

A twin is a small translator that saw the same text in the same pieces, the same number of target tokens and the same
optimizer as every other one, from random weights of its own (the recipes of ``training/en-fr/twins``). Each
FOLDER is a checkpoint that `training.publish` wrote and `training.evaluate` measured; what is measured of
it joins ``twins-figures.json`` beside the weights, a run by its key and seed, and the table is written into
docs/models.md from that file. Without a folder the table alone is written anew.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer

from models.command import run as run_command
from models.translation.checkpoints import WEIGHTS, read_card
from training.progress import last_held_out
from training.report import BLEU, GOLD, PAGE, markdown_table, with_block
from training.trainer import LOG_FILE

PAIR = "en-fr"
FIGURES = WEIGHTS / PAIR / "twins-figures.json"
BEGIN, END = "<!-- twins:begin -->", "<!-- twins:end -->"
TERMS = ("files", "tokenizer", "target_tokens", "optimizer", "learning_rate", "tokens_per_batch", "vary_share")
"""What the recipes of two twins have in common."""
SETS = ("hansards odd", "everyday")
"""The gold sets of the table, by their titles."""

Run = Mapping[str, Any]


def measured(folder: Path) -> dict[str, Any]:
    """Return the figures of one run: mechanism, seed, terms, held-out loss, BLEU, alignment error rates."""
    card = read_card(folder)
    if "bleu" not in card:
        message = f"{folder.name}: not measured yet; run training.evaluate with --write"
        raise ValueError(message)
    kept: dict[str, Any] = {way: card[way] for way in ("aer", "aer_grown", "aer_heads") if way in card}
    return {
        "mechanism": card["mechanism"],
        "seed": card["recipe"]["seed"],
        "parameters": card["parameters"],
        "terms": {name: card["recipe"][name] for name in TERMS},
        "held_out_loss": last_held_out((folder / LOG_FILE).read_text(encoding="utf8")),
        "bleu": {name: figure["bleu"] for name, figure in card["bleu"].items()},
        **kept,
        "sha256": card["sha256"],
    }


def joined(runs: Iterable[Run], new: Iterable[Run]) -> list[dict[str, Any]]:
    """Return all runs, one a mechanism and seed, the new ones in place of older ones; ValueError if terms differ."""
    by_name = {(run["mechanism"], run["seed"]): dict(run) for run in (*runs, *new)}
    every = [by_name[name] for name in sorted(by_name)]
    for run in every:
        if different := [name for name in TERMS if run["terms"][name] != every[0]["terms"][name]]:
            message = f"{run['mechanism']} is no twin of {every[0]['mechanism']}: {', '.join(different)} differ"
            raise ValueError(message)
    return every


def _told(values: Sequence[float | None], form: str) -> str:
    """Return the mean of the seeds and half of what lies between the lowest and the highest."""
    there = [value for value in values if value is not None]
    if not there:
        return ""
    mean, half = fmean(there), (max(there) - min(there)) / 2
    return f"{mean:{form}} ± {half:{form}}" if len(there) > 1 else f"{mean:{form}} (one seed)"


def table(runs: Sequence[Run]) -> str:
    """Return the table, in Markdown: a row a mechanism, the highest BLEU on text of the trained kind first."""
    by_mechanism: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_mechanism[run["mechanism"]].append(run)
    kind = BLEU[PAIR][0]
    order = sorted(by_mechanism, key=lambda name: -fmean(run["bleu"][kind] for run in by_mechanism[name]))
    titles = [f"AER {title}, {way}" for title in SETS for way in ("strongest", "grown")]
    rows = [["mechanism", "parameters", "held-out loss", *(f"BLEU {name}" for name in BLEU[PAIR]), *titles]]
    for name in order:
        own = by_mechanism[name]
        rates = [
            [run.get(way, {}).get(GOLD[PAIR][title]) for run in own] for title in SETS for way in ("aer", "aer_grown")
        ]
        rows.append(
            [
                f"`{name}`",
                f"{own[0]['parameters'] / 1e3:.0f} k",
                _told([run["held_out_loss"] for run in own], ".3f"),
                *(_told([run["bleu"][each] for run in own], ".1f") for each in BLEU[PAIR]),
                *(_told(each, ".3f") for each in rates),
            ]
        )
    return markdown_table(rows)


def read_runs() -> list[dict[str, Any]]:
    """Return the runs that are kept."""
    return list(json.loads(FIGURES.read_text(encoding="utf8"))) if FIGURES.is_file() else []


def main(
    folders: Annotated[list[Path] | None, typer.Argument(help="Checkpoints of twins, measured.")] = None,
) -> None:
    """Keep the figures and write the table."""
    runs = joined(read_runs(), map(measured, folders or ()))
    FIGURES.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf8")
    PAGE.write_text(with_block(PAGE.read_text(encoding="utf8"), BEGIN, END, table(runs)), encoding="utf8")


if __name__ == "__main__":
    run_command(main)
