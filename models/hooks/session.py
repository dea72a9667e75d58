"""What one run records: `capture` around it, a `Session` that knows what is wanted and which edits apply."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import torch
from torch import Tensor, nn

from models.edits import Array, Edit
from models.errors import CaptureError, cut
from models.messages import Message
from models.sites import VALUE_GRAM, Site, complete_pattern
from models.softmax import full_precision

# Which axis, from the end, is the key: a cached decoder's grows by step.
_KEY_AXIS = {
    **dict.fromkeys(("scores", "mask", "weights", "raw_weights", "by_distance", "probabilities", "noise"), -1),
    "features": -2,
}
_QUERY_AXIS = {"features": -3}  # [..., query, key, d]; all others have the query (or key) on axis -2


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a session does at one site: what it has recorded there, None if it does not record, and the edits."""

    firings: list[Tensor] | None
    edits: tuple[Edit, ...]
    kept: bool = False  # a mask that an edit of the weights needs


_IDLE = _Plan(None, ())


@lru_cache(maxsize=64)
def _unnamed(_patterns: tuple[str, ...], *, _norms: bool) -> set[Site]:
    """Return the set in which sessions that record `_patterns` keep the sites that none names, run after run."""
    return set()


Take = Callable[[Site, Tensor], bool]
"""Is given what fires; whether it has taken that, so that no record keeps it."""

_TAKE: ContextVar[Take | None] = ContextVar("attention_take", default=None)


@contextmanager
def taking(take: Take) -> Iterator[None]:
    """Give `take` what the sessions opened in this block would record, as it fires: a record of all may not fit."""
    token = _TAKE.set(take)
    try:
        yield
    finally:
        _TAKE.reset(token)


class Session:
    """What one open `capture` has recorded."""

    def __init__(
        self, sites: tuple[str, ...], edits: tuple[Edit, ...], *, copies: bool = True, norms: bool = False
    ) -> None:
        self._patterns = tuple(complete_pattern(site) for site in sites)
        self._edits = edits
        self._plans: dict[Site, _Plan] = {}
        self._acted: set[Edit] = set()
        self._masks: dict[Site, Tensor] = {}
        self._copies, self._norms = copies, norms
        self._unnamed = _unnamed(self._patterns, _norms=norms)
        self._idle: Set[Site] = frozenset() if edits else self._unnamed
        self._passed: list[Site] = []
        self._take = _TAKE.get()
        self._taken: set[Site] = set()
        self._made_of: dict[Site, Callable[[Tensor], Tensor]] = {}

    def wants(self, site: Site) -> bool:
        """Return whether `site` is to be recorded or edited."""
        return site not in self._idle and self._plan(site) is not _IDLE

    def observe(self, site: Site, values: Tensor, first_query: int = 0, *, copy: bool = False) -> Tensor:
        """Apply the edits of `site` to `values`, record them detached, return what the model goes on with.

        Shapes: `values` [batch, head, query, key].
        """
        if site in self._idle:
            self._passed.append(site)
            return values
        plan = self._plan(site)
        for edit in plan.edits:
            before = _recorded(values.detach()).numpy()
            after = edit.apply_at(site, before, first_query, mask=self._mask(edit, site))
            if after is not before:
                if edit.twice and site.quantity == edit.preferred:
                    self._leave_to_its_turn(edit, site, before, after, first_query)
                self._acted.add(edit)
                values = torch.from_numpy(after).to(device=values.device, dtype=values.dtype)
        if plan.kept:
            self._masks[site.place] = values
        if plan.firings is not None:
            own = values.detach() if values.requires_grad else values
            kept = _recorded(own)
            if self._take is None or not self._take(site, kept):
                plan.firings.append(kept.clone() if kept is own and (copy or self._copies) else kept)
            else:
                self._taken.add(site)
        return values

    def observe_whole(self, site: Site, parts: Tensor, make: Callable[[Tensor], Tensor], first_query: int = 0) -> None:
        """Record at `site` what `make` gives of the `parts` of all firings together: once, when it is asked for.

        Shapes: `parts` [batch, head, key, d].
        """
        plan = self._plan(site)
        if plan.firings is None or plan.edits or self._take is not None:
            self.observe(site, make(parts), first_query)
            return
        self._made_of[site] = make
        plan.firings.append(parts.detach().clone())

    def _plan(self, site: Site) -> _Plan:
        plan = self._plans.get(site)
        if plan is None:
            recorded = site not in self._unnamed and self._is_asked(site)
            if not recorded:
                self._unnamed.add(site)
            edits = tuple([edit for edit in self._edits if self._acts(edit, site)]) if self._edits else ()
            kept = site.quantity == "mask" and any(e.needs_mask and e.applies_to(site.place) for e in self._edits)
            acts = bool(recorded or edits or kept)
            plan = self._plans[site] = _Plan([] if recorded else None, edits, kept) if acts else _IDLE
        return plan

    def _is_asked(self, site: Site) -> bool:
        """Return whether a pattern names `site`; with `norms` the Gram matrices of values go with the weights."""
        if self._norms and site.quantity == VALUE_GRAM and self._is_asked(site.at("weights")):
            return True
        return any(site.matches(pattern) for pattern in self._patterns)

    def _mask(self, edit: Edit, site: Site) -> Array | None:
        """Return the mask of the firing that `edit` acts upon, if it needs that."""
        mask = self._masks.get(site.place) if edit.needs_mask else None
        return None if mask is None else mask.cpu().numpy()

    def _leave_to_its_turn(self, edit: Edit, site: Site, before: Array, after: Array, first_query: int) -> None:
        """Undo `edit` in rows that edits given before it change: there it acts after them, on the weights."""
        for earlier in self._edits[: self._edits.index(edit)]:
            if earlier.applies_to(site.at(edit.quantity)):
                part = earlier.part(before, first_query)
                if part is not None:
                    after[part] = before[part]

    def _acts(self, edit: Edit, site: Site) -> bool:
        """Return whether `edit` acts at `site`: upon the quantity that it prefers if the place has shown one."""
        if not edit.applies_to(site.place):
            return False
        if edit.preferred and site.quantity == edit.quantity and site.at(edit.preferred) in self._plans:
            return edit.twice  # it acts there, and what is computed from it follows
        return site.quantity in (edit.preferred, edit.quantity)

    @property
    def sites(self) -> tuple[Site, ...]:
        """The sites that were recorded, in the order of their first firing."""
        return tuple(site for site, plan in self._plans.items() if plan.firings)

    @property
    def idle_edits(self) -> tuple[Edit, ...]:
        """The edits that changed nothing: no such row or key in this run, or all is already as they ask."""
        return tuple(edit for edit in self._edits if edit not in self._acted)

    def __getitem__(self, site: Site | str) -> Tensor:
        """Return all firings of `site`, joined on the query axis; KeyError if it was not recorded.

        Key axes that grew from firing to firing (a cached decoder) are filled up with 0 or False: keys not there yet.
        """
        found = Site.parse(site) if isinstance(site, str) else site
        plan = self._plans.get(found)
        if plan is None or not plan.firings:
            raise KeyError(str(found))
        joined, make = self._joined(found, plan.firings), self._made_of.get(found)
        if make is None:
            return joined
        with torch.no_grad():
            return make(joined)

    def _joined(self, found: Site, firings: list[Tensor]) -> Tensor:
        if len(firings) == 1:
            return firings[0]
        axis = _KEY_AXIS.get(found.quantity)
        if axis is not None:
            width = max(each.shape[axis] for each in firings)
            behind = (0, 0) * (-1 - axis)
            firings = [nn.functional.pad(each, (*behind, 0, width - each.shape[axis])) for each in firings]
        return torch.cat(firings, dim=_QUERY_AXIS.get(found.quantity, -2))

    def take(self, site: Site) -> Tensor:
        """Return what ``session[site]`` gives, and forget it: a record copies it, and both at once may not fit."""
        values = self[site]
        cast("list[Tensor]", self._plans[site].firings).clear()
        return values

    def forget(self, stack: str) -> None:
        """Forget what was recorded in a stack, which runs again."""
        for site, plan in self._plans.items():
            if site.stack == stack and plan.firings is not None:
                plan.firings.clear()

    def check(self) -> None:
        """Raise CaptureError if a requested site or the place of an edit never fired."""
        for pattern in self._patterns:
            if not any(site.matches(pattern) for site in (*self.sites, *self._taken)):
                message = Message(
                    "{pattern}: never fired; {places}. Check the address and its quantity.",
                    pattern=cut(pattern),
                    places=self._fired(),
                )
                raise CaptureError(message)
        for edit in self._edits:
            if not any(e is edit for plan in self._plans.values() for e in plan.edits):
                message = Message(
                    "edit '{edit}' matched no place; {places}. Check its address.",
                    edit=edit.describe(),
                    places=self._fired(),
                )
                raise CaptureError(message)

    def _fired(self) -> Message:
        places = ", ".join(sorted({str(site.place) for site in (*self._plans, *self._passed)}))
        return Message("places that fired: {places}", places=places or Message("none"))


OPEN: ContextVar[Session | None] = ContextVar("attention_session", default=None)
"""The session of this context; hook points look here themselves, since a call takes longer than the look."""


def _recorded(values: Tensor) -> Tensor:
    """Return `values` as a record has them, on the processor and never in half precision; themselves if they are."""
    values = full_precision(values)
    return values if values.is_cpu else values.cpu()


def current_session() -> Session | None:
    """Return the session open in this context, if there is one."""
    return OPEN.get()


def observe(site: Site, values: Tensor, first_query: int = 0, *, copy: bool = False) -> Tensor:
    """Show `values` to the open session and return what to go on with: `values` itself if none is open."""
    session = OPEN.get()
    return values if session is None else session.observe(site, values, first_query, copy=copy)


@contextmanager
def capture(
    sites: Iterable[str | Site] = ("*.weights",),
    edits: Iterable[Edit] = (),
    *,
    copies: bool = True,
    norms: bool = False,
) -> Iterator[Session]:
    """Record what fires at `sites` while the block runs, with `edits` applied; `norms`: lengths of values, too."""
    session = Session(tuple(str(site) for site in sites), tuple(edits), copies=copies, norms=norms)
    token = OPEN.set(session)
    try:
        yield session
    finally:
        OPEN.reset(token)
    session.check()
