"""View of one position in a walk: numbers, steps and picture; export of the walk."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from models.experiments.states import DecoderRun
from viz.canvas.standalone import Picture
from viz.canvas.walk import encode_walk
from viz.pages.steps.places import StepPlace
from viz.server.introspection import inside_of
from viz.server.runtime import Host
from viz.views.view import Unit
from viz.walk.order import all_steps, keep_step, nearest_step
from viz.walk.picture import SentenceLabel, picture_of, sentence_of
from viz.walk.scene import Scene
from viz.walk.steps import Walk, WalkStep, look_at, take_steps
from viz.walk.telling import same_row
from viz.widgets import session

_RUN = "steps-decoder-run-"


@dataclass(frozen=True, slots=True)
class Walker:
    """One mechanism's run with what its walk needs besides the record."""

    place: StepPlace
    host: Host = field(repr=False)  # has its model
    run: DecoderRun | None = field(repr=False)  # the decoder's states, where the walk needs them

    @property
    def walk(self) -> Walk:
        """The steps that it takes."""
        return self.place.walk

    def scene(self, row: int, column: int | None) -> Scene:
        """Return the numbers of one query, one key of it chosen; None: the one that is read most."""
        walk, place = self.walk, self.place
        return look_at(
            walk,
            place.trace,
            row=row,
            place=place.site,
            head=place.head,
            column=column,
            parameters=inside_of(self.host, place.key).parameters_at(place.site, tuple(walk.parameters)),
            states=self.run.states if self.run else (),
            vector=self.run.vector if self.run else None,
            is_last=place.is_last,
        )


def walker_of(host: Host, place: StepPlace) -> Walker:
    """Return `place` with the decoder's states; those of the last run are kept while its steps are looked at."""
    trace = place.trace
    if not place.walk.needs_states:
        return Walker(place, host, None)
    identity = (trace.provenance.sha256, trace.source.ids, trace.target.ids)
    kept = session.kept(_RUN + place.key, identity, lambda: inside_of(host, place.key).decoder_run(trace))
    return Walker(place, host, kept)


@dataclass(frozen=True, eq=False)
class Looked:
    """What is seen of one query and one of its keys, by every mechanism."""

    walkers: tuple[Walker, ...]  # the first one's rows and columns are meant
    unit: Unit
    lead: SentenceLabel
    row: int
    column: int | None  # none for the key that is read most

    @cached_property
    def scenes(self) -> list[Scene]:
        """The numbers of each mechanism."""
        first = self.walkers[0].place
        return [each.scene(*_same(first, each.place, self.row, self.column)) for each in self.walkers]

    @cached_property
    def walks(self) -> list[tuple[WalkStep, ...]]:
        """The steps of each mechanism."""
        return [take_steps(each.walk, scene) for each, scene in zip(self.walkers, self.scenes, strict=True)]

    @cached_property
    def titles(self) -> dict[str, str]:
        """The steps of all, in order."""
        return all_steps(self.walks)

    @cached_property
    def pictures(self) -> list[dict[str, Any]]:
        """What is drawn of each mechanism."""
        drawn = [
            picture_of(each.walk, scene, steps, self.unit)
            for each, scene, steps in zip(self.walkers, self.scenes, self.walks, strict=True)
        ]
        return keep_step(drawn, self.titles)

    @property
    def text(self) -> dict[str, Any]:
        """The words that the reader can choose."""
        return sentence_of(self.walkers[0].place.queries, self.row, self.unit, self.lead)

    def encode(self, step: str, *, choosable: bool = True, put: str = "") -> bytes:
        """Return what the browser is fed with; without a choice of columns if they are not `choosable`.

        `put` offers another word in the place of that of the row.
        """
        pictures = self.pictures
        if not choosable:
            pictures = [{name: part for name, part in each.items() if name != "picks"} for each in pictures]
        own = step if step in self.titles else nearest_step(step, tuple(self.titles)) or next(iter(self.titles))
        text = {**self.text, "put": put}
        return encode_walk(pictures, titles=self.titles, step=own, at=(self.row, self.column), text=text)


def walk_page(looked: Looked, step: str) -> Picture:
    """Return the walk as a picture of its own: every word answers, and every column of the word that is shown."""

    def at(row: int, column: int | None) -> Looked:
        return Looked(looked.walkers, looked.unit, looked.lead, row, column)

    picks = looked.pictures[0].get("picks", ())
    seen = {f"{looked.row} {column}": at(looked.row, column).encode(step) for column in picks}
    seen |= {f"{looked.row} ": at(looked.row, None).encode(step)}
    others = [each["row"] for each in looked.text["text"] if each["row"] != looked.row]
    seen |= {f"{row} ": at(row, None).encode(step, choosable=False) for row in others}
    back = sentence_of(looked.walkers[0].place.queries, -1, looked.unit, looked.lead)
    by_first = {other["row"]: each["row"] for each, other in zip(looked.text["text"], back["text"], strict=True)}
    seen |= {f"{first} ": seen[f"{row} "] for first, row in by_first.items()}
    return Picture("walk", looked.encode(step), seen)


def _same(first: StepPlace, place: StepPlace, row: int, column: int | None) -> tuple[int, int | None]:
    """Return query and key of another mechanism: those of the same words, which its tokenizer may cut otherwise."""
    if place is first:
        return row, column
    own = same_row(first.queries, row, place.queries)
    key = None if column is None or place.site is None else same_row(first.trace.source, column, place.trace.source)
    return min(row, len(place.queries) - 1) if own is None else own, key
