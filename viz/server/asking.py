"""Maps of all open models on one sentence, between words: among them heads are sought."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import models
from models.huggingface.embedded import Local
from models.huggingface.reader_entries import READER_ENTRIES, reader_entry
from models.keys import MINILM, mechanism_of, pair_of
from models.measures.asking import WordMaps, word_maps
from models.mechanisms import mechanisms
from viz.server.hub import own_models
from viz.server.opening import ModelUnavailableError
from viz.server.runs import Run
from viz.server.runtime import Host
from viz.text.language import say


@dataclass(frozen=True, slots=True)
class AskedModels:
    """What all models answered."""

    maps: WordMaps
    titles: dict[str, str]  # of each model that answered, still to be translated
    hashes: dict[str, str]  # of their weights
    failures: dict[str, str] = field(default_factory=dict)  # why others did not, by their titles


def askable(host: Host, own: str, pair: str, *, across: bool) -> tuple[str, ...]:
    """Return the models that are asked: `own`, the translators of `pair`, readers trained here, and what is open.

    `across` two texts translators alone attend, those with one head too; within one text those of many heads.
    """
    there = [key for key in models.catalog() if pair_of(key) == pair]
    translators = [key for key in there if _has_maps(key, across=across) or (across and host.is_settled(key))]
    open_ones = () if across else (*_small(own_models()), *host.pretrained())
    first = (own,) if not across or not models.is_pretrained(own) else ()
    return tuple(dict.fromkeys((*first, *translators, *open_ones)))


def ask_all(
    host: Host, keys: Sequence[str], source: str, target: str | None = None, *, moved: bool = False
) -> AskedModels:
    """Run all models of `keys` on `source`; translators write `target`, or what the first of them writes by itself.

    Maps show what a key moves instead of its weight if `moved`; models whose values are not known then have none.
    """
    asked = AskedModels({}, {}, {})
    maps = dict(asked.maps)
    targets = _targets(host, keys, source, target)
    with suppress(models.InputError, ModelUnavailableError):  # said below, of the model that it is of
        host.attend_each([Run(key, source, targets[key], {}) for key in keys])
    for key in keys:
        forced = targets[key]
        try:
            found = host.workings.get(
                ("asked", key, source, forced, moved), partial(_read, host, key, source, forced, moved)
            )
        except (models.InputError, ModelUnavailableError) as error:
            asked.failures[title_of(key)] = say(error.reason if isinstance(error, ModelUnavailableError) else error)
            continue
        maps[key], asked.titles[key], asked.hashes[key] = found
    return AskedModels(maps, asked.titles, asked.hashes, asked.failures)


def _targets(host: Host, keys: Sequence[str], source: str, target: str | None) -> dict[str, str | None]:
    """Return what each model writes: to force a translation takes a quarter of the time that writing it does."""
    translators = [key for key in keys if not models.is_pretrained(key)]
    found: dict[str, str | None] = dict.fromkeys(keys)
    if target is None and translators:
        with suppress(models.InputError, ModelUnavailableError):
            target = host.attend(translators.pop(0), source).output_text
    return found | dict.fromkeys(translators, target if target and target.strip() else None)


def title_of(key: str) -> str:
    """Return what people call a model, before it is opened."""
    if not models.is_pretrained(key):
        return str(models.describe(key).mechanism.title)
    own = own_models().get(key)
    return own.title if own else key.partition(":")[2]


def _read(host: Host, key: str, source: str, target: str | None, moved: bool) -> tuple[tuple[object, ...], str, str]:
    model = host.model(key)
    trace = host.attend(key, source, target)
    maps = word_maps(trace) if not moved else word_maps(trace.moved()) if trace.has_moved else ()
    return maps, title_of(key), model.sha256


def _has_maps(key: str, *, across: bool) -> bool:
    each = mechanisms().get(mechanism_of(key))
    if each is None or (across and each.is_small):
        return False
    return each.has_attention if across else each.is_multi_head


def _small(there: Iterable[str] | dict[str, Local]) -> list[str]:
    """Return those that open in a moment: MiniLM and the readers trained here whose rows are tokens."""
    entries = {key: reader_entry(key) for key in there if key in READER_ENTRIES or key == MINILM}
    return [key for key, each in entries.items() if each.has_attention and not each.hops]
