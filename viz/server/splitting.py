"""Background runs of the sentences of rooms: each on three mechanisms, measured by how much these disagree.

Two sentences at a time, through the same queue as the runs of every page: a class that sends forty makes nobody else
wait longer than for two of them.
"""

from __future__ import annotations

import logging
from itertools import combinations
from threading import Lock, Thread
from typing import TYPE_CHECKING

import streamlit as st

import models
from models.errors import InputError
from models.keys import mechanism_of, pair_of
from models.measures.content import words_apart
from models.mechanisms import usual
from models.translation.scripts import without_capitals
from viz.measures.summary import divergence_from
from viz.rooms.room import RoomError
from viz.rooms.sentences import Sentence, SplitResult
from viz.server.opening import ModelUnavailableError
from viz.server.rooming import Rooming, shared_rooming
from viz.server.runtime import shared_host
from viz.server.translations import forced_translations, forcible_translation, own_translations
from viz.views.view import choose_view

if TYPE_CHECKING:
    from viz.server.runtime import Host

THREADS = 2
"""Sentences that are run at once: two keep both cores busy while one of them is measured."""

_LOG = logging.getLogger(__name__)


def split_models(pair: str) -> tuple[str, ...]:
    """Return the keys of the models that are asked, of those that are installed."""
    there = models.catalog()
    return tuple(key for each in usual() if each.has_attention and (key := f"{each.key}-{pair}") in there)


def split(host: Host, text: str, keys: tuple[str, ...]) -> SplitResult:
    """Return what the models make of a sentence, and how much they disagree; raises InputError as the models do.

    Maps are compared while all write the translation of the last model that wrote one.
    """
    source = host.model(keys[0]).fit(without_capitals(text))[0]
    own = own_translations(host, keys, source)
    written = [own[key].output_text for key in keys]
    author = next((key for key in reversed(keys) if own[key].output_text.strip()), None)
    maps = 0.0
    if author is not None:
        target = host.model(author).fit(forcible_translation(host, author, source).output_text)[0]
        traces = forced_translations(host, keys, source, target)
        views = [choose_view(each) for each in traces.values()]
        apart = [divergence_from(one, other) for one, other in combinations(views, 2)]
        maps = sum(apart) / max(len(apart), 1)
    words = words_apart(written, pair_of(keys[0]).split("-")[1])
    return SplitResult(tuple(mechanism_of(key) for key in keys), tuple(written), round(words, 3), round(maps, 3))


class Splitter:
    """Threads that run what waits in any room, and end when nothing does."""

    def __init__(self, rooming: Rooming, host: Host) -> None:
        self._rooming, self._host, self._lock = rooming, host, Lock()
        self._taken: set[int] = set()
        self._threads = 0

    @property
    def busy(self) -> bool:
        """Whether anything is being run."""
        return self._threads > 0

    def wake(self) -> None:
        """Run what waits, if it is not being run already."""
        with self._lock:
            new = THREADS - self._threads
            self._threads += new
        for _each in range(new):
            Thread(target=self._work, name="sentences", daemon=True).start()

    def _work(self) -> None:
        try:
            while (found := self._take()) is not None:
                self._run(*found)
        except RoomError:  # the disk: who sends the next sentence is told
            with self._lock:
                self._threads -= 1

    def _take(self) -> tuple[str, Sentence] | None:
        """Return what is run next; where nothing waits, this thread counts as ended before anybody else may look."""
        with self._lock:
            found = self._rooming.store.waiting(self._taken)
            if found is None:
                self._threads -= 1
            else:
                self._taken.add(found[1].number)
            return found

    def _run(self, code: str, sentence: Sentence) -> None:
        found = SplitResult()
        try:
            found = split(self._host, sentence.text, split_models(sentence.pair))
        except (InputError, ModelUnavailableError) as error:
            _LOG.info("a sentence of a room was not run: %s", error)
        except Exception:
            _LOG.exception("a sentence of a room ended its run")
        try:
            store = self._rooming.store
            store.settle_sentence(code, sentence.number, found)
            with self._rooming.telling(store.room(code)):
                pass
        except RoomError as error:  # the room is closed
            _LOG.info("a sentence of a room was run in vain: %s", error)
        finally:
            with self._lock:
                self._taken.discard(sentence.number)


def shared_splitter() -> Splitter:
    """Return what runs the sentences of this server's rooms; raises RoomError where there are no rooms."""
    return _splitter_of(shared_rooming(), shared_host())


@st.cache_resource(show_spinner=False, hash_funcs={Rooming: id})
def _splitter_of(rooming: Rooming, _host: Host) -> Splitter:
    return Splitter(rooming, _host)
