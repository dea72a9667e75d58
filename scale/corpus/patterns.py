"""Counts how often heads follow patterns over the sentences of the corpus: ``python -m scale.corpus.patterns``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import typer
from tqdm import tqdm

import models
from models.command import run
from models.corpus.patterns import TABLE, count_patterns
from models.huggingface.embedded import local_models
from models.huggingface.reader_entries import reader_entry
from models.keys import mechanism_of
from models.mechanisms import mechanisms
from models.model import Model
from models.trace import AttentionTrace
from scale.corpus.ship import SENTENCES

ENGLISH = "en-"
"""How the pairs begin that read the language of the sentences."""


def keys() -> list[str]:
    """Return the models whose self-attention is counted: those that read English."""
    several = [
        key for key in models.catalog() if mechanisms()[mechanism_of(key)].is_multi_head and f"-{ENGLISH}" in key
    ]
    readers = (reader_entry(key) for key in local_models())
    return several + [each.key for each in readers if each.has_attention and not each.hops]


def _traces(model: Model) -> Iterator[AttentionTrace]:
    for line in tqdm(SENTENCES.read_text(encoding="utf8").splitlines(), desc=model.title, disable=None):
        yield model.attend(line)


def main(
    out: Annotated[Path, typer.Option(help="The file that is written.")] = TABLE,
) -> None:
    """Write the table of all shipped models."""
    found: dict[str, Any] = {}
    for key in keys():
        model = models.load(key)
        found[model.sha256] = count_patterns(_traces(model))
    text = {"sentences": sha256(SENTENCES.read_bytes()).hexdigest(), "models": found}
    out.write_text(json.dumps(text, separators=(",", ":")) + "\n", encoding="utf8")


if __name__ == "__main__":
    run(main)
