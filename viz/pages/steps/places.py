"""Choice of mechanisms, map and head to walk through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.edits import Edit
from models.huggingface.block_form import BlockForm
from models.huggingface.reader_entries import READER_ENTRIES, ReaderEntry
from models.keys import identity_of
from models.mechanisms import mechanisms, usual
from models.sites import Site
from models.trace import AttentionTrace, TokenSequence
from viz.pages.steps.settings import ALONE, HEAD, LAYER, MECHANISM, SECOND, THIRD
from viz.server.hub import own_models
from viz.server.introspection import inside_of
from viz.server.runtime import Host
from viz.server.translations import forced_translations, forcible_translation, text_to_force
from viz.text.language import _, mark
from viz.text.markup import plain
from viz.views.view import with_named_rows
from viz.walk.causal import causal_walk
from viz.walk.mechanisms import WALKS
from viz.walk.scene import rows_of
from viz.walk.steps import Walk
from viz.widgets.settings import choose, link
from viz.widgets.unmasked import choose_unmasked

USUAL = next(each.key for each in usual() if each.has_attention)
"""The mechanism that the page opens with: the first attention."""

_STACKS: Mapping[tuple[str, str], str] = {
    ("encoder", "self"): mark("encoder layer {layer}, self-attention"),
    ("decoder", "self"): mark("decoder layer {layer}, self-attention"),
    ("decoder", "cross"): mark("decoder layer {layer}, cross-attention"),
}

_READERS: Mapping[str, ReaderEntry] = {each.name: each for each in READER_ENTRIES.values() if each.hops or each.memory}
"""The readers of one text that can be walked through, by what links call them."""

_KEYS = frozenset(each.key for each in READER_ENTRIES.values() if each.hops or each.memory)


@dataclass(frozen=True, slots=True, eq=False)
class StepPlace:
    """One mechanism's run, and where in it the walk goes."""

    key: str
    trace: AttentionTrace
    site: Site | None
    head: int
    is_last: bool = False
    form: BlockForm | None = None  # of a block of a causal language model

    @property
    def mechanism(self) -> str:
        """Its key in the catalogue."""
        return self.trace.provenance.mechanism

    @property
    def name(self) -> str:
        """What names it in a file's name."""
        return self.mechanism if self.form is None else identity_of(self.key)

    @property
    def is_known(self) -> bool:
        """Whether it has a walk."""
        return self.form is not None or self.mechanism in WALKS

    @property
    def walk(self) -> Walk:
        """The steps that it takes."""
        if self.form is not None and self.site is not None:
            return causal_walk(self.form, is_first=not self.site.layer)
        return WALKS[self.mechanism].at(self.site)

    @property
    def queries(self) -> TokenSequence:
        """What labels the rows."""
        return rows_of(self.trace) if self.site is None else with_named_rows(self.trace[self.site]).query_tokens


def installed(pair: str) -> dict[str, str]:
    """Return the mechanisms whose weights for the languages `pair` are there, with their names."""
    keys, own = set(models.catalog()), own_models()
    found = {key: _(each.title) for key, each in mechanisms().items() if key in WALKS and f"{key}-{pair}" in keys}
    asked = link.text_of(MECHANISM)  # of any other model the page says why it has no block to show
    blocks = {
        key: _(each.title) for key, each in own.items() if (each.may_be_causal or key == asked) and key not in _KEYS
    }
    return found | {name: _(own[each.key].title) for name, each in _READERS.items() if each.key in own} | blocks


def key_of(name: str, pair: str) -> str:
    """Return what `models.load` takes for what a link calls a mechanism."""
    if of_block(name):
        return name
    return _READERS[name].key if name in _READERS else f"{name}-{pair}"


def of_block(name: str) -> bool:
    """Return whether a link's name of a mechanism is that of a language model, of which a block is walked through."""
    return models.is_pretrained(name)


def is_walkable(place: StepPlace, messages: DeltaGenerator) -> bool:
    """Return whether the steps of a place are known; if not, `messages` say why."""
    if place.is_known:
        return True
    title = place.trace.provenance.title
    if place.site is None or place.site.stack == "encoder" or place.trace.is_translation:
        said = _("{title} does not predict the next token. Steps shows the blocks of models that do.", title=title)
    else:
        said = _(
            "Steps cannot show a block of {title}. Its parts were not found, or they compute in an unsupported way.",
            title=title,
        )
    messages.info(plain(said), icon=":material/info:")
    return False


def choose_mechanisms(names: Mapping[str, str], bar: DeltaGenerator) -> tuple[str, ...]:
    """Return up to three mechanisms, the first that there must be in front."""
    with bar, st.container(width=210):
        found = [choose(MECHANISM, names, default=USUAL if USUAL in names else None)]
    for setting in (SECOND, THIRD):
        own = _kind(found[0])
        others = {key: name for key, name in names.items() if key not in found and _kind(key) == own}
        if not others or len(found) == 3 or of_block(found[0]):
            break
        with bar, st.container(width=156):
            another = choose(setting, {ALONE: _("compare with \u2026"), **others})
        if another == ALONE:
            break
        found.append(another)
    return tuple(found)


def _kind(name: str) -> tuple[bool, bool, bool]:
    """Return what a mechanism reads: what reads a text alone stands beside its like."""
    reader = _READERS.get(name, ReaderEntry(name))
    return reader.hops, reader.memory, of_block(name)


def place_name(site: Site) -> str:
    """Return the name of a place in words."""
    return _(_STACKS[site.stack, site.kind], layer=site.layer)


def choose_places(host: Host, keys: tuple[str, ...], source: str, bar: DeltaGenerator) -> list[StepPlace]:
    """Return a run of each model, and where in it the walk goes: of several, all write the translation of the first."""
    texts: dict[str, str | None] = dict.fromkeys(keys)
    if len(keys) > 1 and keys[0] not in READER_ENTRIES:
        target = host.model(keys[0]).fit(forcible_translation(host, keys[0], source).output_text)[0]
        if target.strip():
            forced = forced_translations(host, keys, source, target)
            texts = {key: None if forced[key].provenance.decoding == "greedy" else target for key in keys}
    found: list[StepPlace] = []
    several: tuple[Site, int] | None = None
    for key, text in texts.items():
        trace = host.attend(key, source, text)
        site, head = (trace.sites[0], 0) if trace.sites else (None, 0)
        if len(trace.sites) > 1:
            site, head = several = several or _choose_place(trace, bar, alone=len(keys) == 1)
        form = None if site is None or not of_block(key) else inside_of(host, key).block_form(site)
        is_last = site is not None and site == max((each for each in trace.sites if each.kind == "cross"), default=None)
        if site is not None:
            walk = WALKS.get(trace.provenance.mechanism)
            needed = (str(site), *(walk.at(site).also if walk is not None else ()))
            edits: tuple[Edit, ...] = ()
            if len(keys) == 1 and has_later_words(trace, site) and (text := text_to_force(host, key, trace)):
                with bar:
                    edits = choose_unmasked()
            trace = host.attend(key, source, text, sites=tuple(f"{each}.*" for each in needed), edits=edits)
        found.append(StepPlace(key, trace, site, head, is_last, form))
    return found


def has_later_words(trace: AttentionTrace, site: Site) -> bool:
    """Return whether keys of a decoder's words that are not written yet are there to be hidden, as in training."""
    about = mechanisms().get(trace.provenance.mechanism)
    return about is not None and about.is_multi_head and (site.stack, site.kind) == ("decoder", "self")


def _choose_place(trace: AttentionTrace, bar: DeltaGenerator, *, alone: bool) -> tuple[Site, int]:
    """Return the map to walk through and its head: beside other mechanisms one that reads the source, as theirs do."""
    best = trace.provenance.alignment
    sites = [each for each in trace.sites if alone or each.kind == "cross"]
    default = best.site.place if best.site.place in sites else sites[0]
    with bar:
        with st.container(width=246):
            site = Site.parse(choose(LAYER, {str(each): place_name(each) for each in sites}, default=str(default)))
        with st.container(width=100):
            heads = {str(head): _("head {head}", head=head) for head in range(len(trace[site].head_names))}
            head = int(choose(HEAD, heads, default=str(best.head) if str(best.head) in heads else "0"))
    return site, head
