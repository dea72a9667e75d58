"""Arguments and options that several commands of training share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from models.loading import load_translator
from models.translation.translator import Translator

Data = Annotated[
    Path,
    typer.Option(help="Folder of the parallel text and the gold alignments.", exists=True, file_okay=False),
]
Out = Annotated[Path, typer.Option(help="Folder that keeps runs.")]
RecipeFile = Annotated[Path, typer.Argument(help="TOML file of the run.", exists=True, dir_okay=False)]
Key = Annotated[str, typer.Argument(help="What models.load takes: a key such as bahdanau-en-fr, or a folder.")]
Keys = Annotated[list[str], typer.Argument(help="What models.load takes: keys, or folders with a card.")]
Words = Annotated[Path, typer.Option(help="Common words, one a line.", exists=True, dir_okay=False)]
Weights = Annotated[Path, typer.Option(help="Folder to write to, instead of that shipped.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on from the last save in OUT.")]
Minutes = Annotated[float, typer.Option(help="Stop after this time; --resume goes on.")]


def translator(key: str) -> Translator:
    """Load the translator that a command names, by its key or its folder."""
    return load_translator(Path(key) if Path(key).is_dir() else key)
