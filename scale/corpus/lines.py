"""The sentences of a corpus, in shards: text a line, pairs a line (TSV), or parquet."""

from __future__ import annotations

import hashlib
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from models.errors import InputError
from models.messages import Message

PARQUET = ".parquet"
NAMES = ("source", "text", "sentence")
"""What the column of sentences of a parquet file is called; else the first one is taken."""


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of a corpus, or a pair."""

    number: int  # its place in the corpus, from 0
    source: str
    target: str | None = None  # A translation to force


@dataclass(frozen=True, slots=True)
class Bad:
    """A line that could not be read or run, and why."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class Shard:
    """Some lines of a corpus that follow on one another."""

    number: int  # from 0
    first: int  # its first line, and how many there are
    count: int  # its first line, and how many there are
    offset: int  # where in the file it begins, in bytes unpacked; of parquet the first row


@dataclass(frozen=True)
class Corpus:
    """A file of sentences."""

    # ``.txt`` or any other name: a sentence a line. ``.tsv``: source, a tab, a translation; what follows is left.
    # ``.xz`` after either. ``.parquet``: a column `source`, `text` or `sentence`, and perhaps one called `target`.
    path: Path

    @property
    def _kind(self) -> str:
        return Path(self.path.stem).suffix if self.path.suffix == ".xz" else self.path.suffix

    def _open(self) -> IO[bytes]:
        return lzma.open(self.path, "rb") if self.path.suffix == ".xz" else self.path.open("rb")

    def sha256(self) -> str:
        """Return the hash of the file."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def shards(self, size: int) -> tuple[Shard, ...]:
        """Return the shards of `size` lines; the last may have fewer."""
        starts: list[int] = []
        count = 0
        if self._kind == PARQUET:
            count = self._parquet().metadata.num_rows
            starts = list(range(0, count, size))
        else:
            offset = 0
            with self._open() as file:
                for line in file:
                    if count % size == 0:
                        starts.append(offset)
                    offset, count = offset + len(line), count + 1
        if not count:
            raise InputError(Message("{name} has no lines.", name=self.path.name))
        return tuple(
            Shard(number, number * size, min(size, count - number * size), start) for number, start in enumerate(starts)
        )

    def read(self, shard: Shard) -> Iterator[Line | Bad]:
        """Return the lines of a shard."""
        if self._kind == PARQUET:
            yield from self._rows(shard)
            return
        with self._open() as file:
            file.seek(shard.offset)
            for number in range(shard.first, shard.first + shard.count):
                yield self._line(number, file.readline())

    def _line(self, number: int, raw: bytes) -> Line | Bad:
        try:
            text = raw.decode("utf8").rstrip("\r\n")
        except UnicodeDecodeError:
            return Bad(number, "not UTF-8")
        if self._kind != ".tsv":
            return Line(number, text)
        source, *more = text.split("\t")
        return Line(number, source, more[0]) if more else Bad(number, "no tab: a pair is a source, a tab, a target")

    def _parquet(self) -> Any:
        from pyarrow import parquet

        return parquet.ParquetFile(self.path)

    def _rows(self, shard: Shard) -> Iterator[Line | Bad]:
        file = self._parquet()
        names = file.schema_arrow.names
        column = next((name for name in NAMES if name in names), names[0])
        columns = [column, "target"] if "target" in names else [column]
        place = 0
        for batch in file.iter_batches(batch_size=max(shard.count, 1), columns=columns):
            if place + len(batch) > shard.first and place < shard.first + shard.count:
                for at, row in enumerate(batch.to_pylist(), start=place):
                    if shard.first <= at < shard.first + shard.count:
                        text, target = row[column], row.get("target")
                        yield Line(at, text, target) if isinstance(text, str) else Bad(at, "no text")
            place += len(batch)
