"""Timeline of mechanisms: families to choose from, each opening into its variants."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from models.mechanisms import Mechanism, mechanisms
from models.sites import Site
from models.trace import AttentionTrace
from viz.pages.bench.about import show_card
from viz.pages.bench.readers import readers, show_readers, span_of
from viz.pages.bench.settings import AUTOMATIC, HEAD, MECHANISMS
from viz.server.loading import described
from viz.text.language import _
from viz.views.view import Head
from viz.widgets.settings import choose, choose_part, chosen_of, value_of

Place = tuple[Site | None, Head | None]
"""A layer and a head; None: those of the model's card."""


BRACKET = re.compile(" \\(|\uff08")
"""Where what stands in brackets after the name of a mechanism begins, in any language of the interface."""


@dataclass(frozen=True, slots=True)
class Family:
    """Mechanisms of one paper and what stands with it, or all without attention."""

    main: Mechanism  # the one that stands on the line itself
    variants: tuple[Mechanism, ...]  # those that fold out

    @property
    def years(self) -> str:
        """From the first to the last of its years."""
        return span_of(each.year for each in (self.main, *self.variants))

    @property
    def first(self) -> int:
        """The first of its years."""
        return min(each.year for each in (self.main, *self.variants))

    @property
    def name(self) -> str:
        """What the line calls it."""
        if not self.main.has_attention:
            return _("no attention")
        return (
            _("Transformer")
            if self.main.is_multi_head and not self.main.is_small
            else BRACKET.split(_(self.main.title))[0]
        )


def families(names: Mapping[str, str], usual: tuple[str, ...]) -> tuple[Family, ...]:
    """Return the families of mechanisms, oldest first."""
    found: dict[str, list[Mechanism]] = {}
    for key, each in mechanisms().items():
        if key in names:
            paper = mechanisms()[each.stands_with or key].paper
            found.setdefault(paper if each.has_attention else "", []).append(each)
    mains = [_main(family, usual) for family in found.values()]
    made = (
        Family(main, tuple(each for each in family if each is not main))
        for main, family in zip(mains, found.values(), strict=True)
    )
    return tuple(sorted(made, key=lambda each: each.first))


def _main(family: list[Mechanism], usual: tuple[str, ...]) -> Mechanism:
    """Return the one that stands for its family: one of `usual`, or the first that is no hall, or the first."""
    chosen = [each for each in family if each.key in usual] + [each for each in family if not each.is_small]
    return (chosen or family)[0]


def choose_mechanisms(
    names: Mapping[str, str], usual: tuple[str, ...], pair: str
) -> tuple[tuple[str, ...], dict[str, DeltaGenerator]]:
    """Show the timeline; return the chosen mechanisms, and where the head selectors go if it is unfolded."""
    whole, folds = chosen_of(MECHANISMS, names, default=usual), dict[str, DeltaGenerator]()
    chosen, others = whole.chosen, readers()
    line: list[Family | None] = [*families(names, usual)]
    if others:
        line.insert(sum(each is not None and each.first <= others[0].year for each in line), None)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", wrap=False, key="timeline"):
        for family in line:
            if family is None:
                show_readers(others)
                continue
            main, variants = family.main, family.variants
            choose_part(whole, {main.key: f":small[{family.years}] {family.name}"}, part=main.key)
            label = _("{name}: variants, heads, sources", name=family.name)
            kind: Literal["primary", "tertiary"] = (
                "primary" if {each.key for each in variants} & {*chosen} else "tertiary"
            )
            fold = st.popover(label, type=kind, key=f"fold-{main.key}", on_change="rerun")
            if not fold.open:  # what nobody sees is not sent with every edit
                continue
            with fold:
                if variants:
                    choose_part(whole, {each.key: names[each.key] for each in variants}, part=f"{main.key}-variants")
                here = [each.key for each in (main, *variants) if each.key in chosen]
                folds |= dict.fromkeys(here, st.container())
                for key in here or [main.key]:
                    for entry in described([f"{key}-{pair}"], st.container()).values():
                        show_card(entry)
    return chosen, folds


def choose_place(mechanism: str, trace: AttentionTrace, where: DeltaGenerator | None) -> Place:
    """Let the reader choose a layer and a head of a mechanism, if there is a choice."""
    places, labels = _places(trace)
    if not places:
        return None, None
    setting = HEAD.named(mechanism)
    if where is None:
        return places[value_of(setting, labels)]
    with where:
        st.caption(_("{title}: layer and head", title=_(trace.provenance.title)))
        return places[choose(setting, labels)]


def _places(trace: AttentionTrace) -> tuple[dict[str, Place], dict[str, str]]:
    """Return the layers and heads of a trace that there are to choose from, and their names; none without a choice."""
    maps = [each for each in trace if each.site.kind == "cross"]
    if sum(len(each.head_names) for each in maps) < 2:
        return {}, {}
    places: dict[str, Place] = {AUTOMATIC: (None, None)}
    labels: dict[str, str] = {}
    for each in maps:
        layer, heads = each.site.layer, len(each.head_names)
        choices: tuple[Head, ...] = ("mean", *range(heads)) if heads > 1 else (0,)
        for head in choices:
            key = f"{layer}.{head}"
            places[key] = (each.site, head)
            if heads == 1:
                labels[key] = _("layer {layer}", layer=layer)
            elif head == "mean":
                labels[key] = _("layer {layer}, mean", layer=layer)
            else:
                labels[key] = _("layer {layer}, head {head}", layer=layer, head=each.head_names[head])
    return places, {AUTOMATIC: _("best aligned"), **labels}
