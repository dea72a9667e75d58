"""What is asked of a model that runs in another process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from models.edits import Edit
    from models.writing import Writing


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run of a model."""

    key: str  # as `models.load` takes it
    source: str  # as in the model's ``attend``
    target: str | None  # as in the model's ``attend``
    edits: tuple[Edit, ...]  # as in the model's ``attend``
    sites: tuple[str, ...]  # as in the model's ``attend``
    pair: str | None = None  # as in the model's ``attend``
    write: Writing | None = None  # as in the model's ``attend``

    def asked(self) -> dict[str, Any]:
        """Return what the process of our own translators is told, but the number by which the answer is known."""
        edits = [each.to_text() for each in self.edits]
        asked = {"key": self.key, "source": self.source, "target": self.target, "edits": edits}
        asked |= {"sites": [str(each) for each in self.sites]}
        return asked | ({} if self.write is None else {"write": self.write.to_text()})
