"""Puts the tables of a corpus beside the weights: ``python -m scale.corpus.ship CORPUS EXAMPLES``.

CORPUS is the folder of a run over a corpus whose text may not come along, EXAMPLES that of a run of the same model over
``sentences.txt``, which is ours: the measures and labels are of the one, the examples of the other.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Annotated

import typer

from models.command import run
from models.corpus.kept import SHIPPED

MOST_EXAMPLES = 3
"""Of a head and label."""
SENTENCES = SHIPPED / "sentences.txt"
_CARD = "card.json"


def ship(corpus: Path, examples: Path, into: Path = SHIPPED) -> Path:
    """Write the folder of a model that comes along, and return it."""
    from pyarrow import compute, parquet

    card, other = (json.loads((folder / _CARD).read_text(encoding="utf8")) for folder in (corpus, examples))
    if card["sha256"] != other["sha256"]:
        message = f"{corpus} and {examples} are of different weights"
        raise ValueError(message)
    folder = into / str(card["model"]).removeprefix("hf:")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("measures", "labels"):
        shutil.copyfile(corpus / f"{name}.parquet", folder / f"{name}.parquet")
    table = parquet.read_table(examples / "examples.parquet")
    few = table.filter(compute.less(table["rank"], MOST_EXAMPLES))
    parquet.write_table(few, folder / "examples.parquet", compression="zstd")
    card["examples"] = f"of {SENTENCES.name}, which is ours: the text of the corpus does not come along"
    (folder / _CARD).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf8")
    return folder


def main(
    corpus: Annotated[Path, typer.Argument(help="Folder of a run over the corpus.")],
    examples: Annotated[Path, typer.Argument(help=f"Folder of a run over {SENTENCES.name}.")],
) -> None:
    """Write the folder."""
    ship(corpus, examples)


if __name__ == "__main__":
    run(main)
