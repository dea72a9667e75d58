"""The blocks of a causal network, shown part by part: only where its parts give, in numbers, what it computes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from models.hooks import Session, current_session, observe
from models.huggingface.block_form import Array, BlockForm, normalised, recompute
from models.huggingface.block_parts import BlockParts, as_numbers, form_of, inner, outer, parts_of
from models.huggingface.observed_pass import Observed, Pass, observed_pass
from models.huggingface.run import current_run
from models.sites import Site
from models.softmax import HALF

CLOSE, CLOSE_HALF = 1e-4, 2**-5
"""How far a quantity may be from what the equations give, as a share of its largest number."""


class Blocks:
    """The blocks of one network, by the places of their attention; empty where its family is not known."""

    def __init__(self, model: Observed) -> None:
        self._model = model
        self._parts = _find(model)
        self._tried: dict[Site, BlockForm | None] = {}
        for place, parts in self._parts.items():
            _observe_parts(place, parts, is_turned="frequencies" in outer(model.network))

    def form_at(self, place: Site) -> BlockForm | None:
        """Return how the block at a place computes; None where its parts are not found, or compute something else.

        Each is tried once: on the probe the equations must give what the network computed.
        """
        if place not in self._tried:
            self._tried[place] = self._try(place) if place in self._parts else None
        return self._tried[place]

    def parameters_at(self, place: Site | None, names: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        """Return parameters of the block at a place, and of what all share, by the names that all families have."""
        wanted = tuple(names)
        parts = {name.partition(".")[0] for name in wanted}
        own = {} if place is None else inner(self._parts[place], frozenset(parts))
        known = {**outer(self._model.network), **own}
        return {name: as_numbers(known[name]) for name in wanted}

    def _try(self, place: Site) -> BlockForm | None:
        model, close = self._model, CLOSE_HALF if self._model.network.dtype in HALF else CLOSE
        form = form_of(model.network, self._parts[place], len(self._parts))
        if form is None:
            return None
        inputs, ends = model.reader.probe(None), (min(self._parts), max(self._parts))
        patterns = [f"{place}.*", f"{ends[0]}.input", f"{ends[1]}.residual"]
        done = observed_pass(model.network, model.layers, inputs, patterns=patterns, whole=True)
        ids = inputs["input_ids"][0].numpy()
        sound = self._agrees(done.session, place, form, close) and self._agrees_outside(done, ids, form, ends, close)
        return form if sound else None

    def _agrees(self, session: Session, place: Site, form: BlockForm, close: float) -> bool:
        given = {site.quantity: session[site][0].numpy() for site in session.sites if site.place == place}
        parameters = {name: as_numbers(each) for name, each in inner(self._parts[place], _ALL).items()}
        outside = outer(self._model.network)
        if form.turned:
            parameters["frequencies"] = as_numbers(outside["frequencies"])
        made = recompute(form, given, parameters)
        return all(name in given and _is_close(given[name], values, close) for name, values in made.items())

    def _agrees_outside(self, done: Pass, ids: Array, form: BlockForm, ends: tuple[Site, Site], close: float) -> bool:
        """Return whether what enters the first block, and what is made of what leaves the last, is as it is shown."""
        first, last = ends
        shared = {name: as_numbers(each) for name, each in outer(self._model.network).items()}
        entered = shared["embedding.weight"][ids]
        if form.has_positions:
            entered = entered + shared["positions.weight"][: len(ids)]
        vectors = done.run.vectors
        if vectors is None or "final_norm.weight" not in shared:
            return False
        left = done.session[last.at("residual")][0, 0].numpy()
        closed = normalised(form, left, shared["final_norm.weight"], shared["final_norm.bias"])
        logits = vectors[0].numpy() @ shared["table.weight"].T + shared["table.bias"]
        pairs = (done.session[first.at("input")][0, 0], entered), (vectors[0], closed), (done.logits[0], logits)
        return all(_is_close(one.numpy(), other, close) for one, other in pairs)


_ALL = frozenset(("norm", "query", "key", "value", "output", "second_norm", "gate", "expand", "contract"))


def _is_close(one: Array, other: Array, close: float) -> bool:
    if one.shape != other.shape:
        return False
    apart = np.abs(np.asarray(one, float) - np.asarray(other, float))
    return bool(apart.max() <= close * np.abs(one).max(initial=1e-6))


def _find(model: Observed) -> dict[Site, BlockParts]:
    """Return the modules of every block of a causal network of one stack; none where those of any are not known."""
    layers, network = model.layers, model.network
    places = {sites[0]: module for module, sites in layers.places.items() if len(sites) == 1}
    if network.config.is_encoder_decoder or not layers.causal or set(places) != set(layers.sites) or layers.silent:
        return {}
    found = {place: parts_of(network, module, layers.facts[place]) for place, module in places.items()}
    known = {place: parts for place, parts in found.items() if parts is not None}
    return known if len(known) == len(found) else {}


def _observe_parts(place: Site, parts: BlockParts, *, is_turned: bool) -> None:
    """Put the hooks on the modules of a block; idle outside of a run, and where nobody asks for the quantity."""

    def hook(name: str, quantities: Mapping[str, Callable[[Any, Any], Tensor]]) -> None:
        module = parts.block if not name else parts.by_name[name]
        module.register_forward_hook(partial(_show, place, quantities))

    def of_heads(name: str, part: str) -> Callable[[Any, Any], Tensor]:
        def read(_inputs: Any, output: Tensor) -> Tensor:
            own = parts.split(name, output.movedim(-1, 0))[part]  # [head * d_head, batch, token]
            heads = own.reshape(-1, parts.facts.d_head, *own.shape[1:]).permute(2, 0, 3, 1)
            return heads.repeat_interleave(parts.facts.heads // heads.shape[1], dim=1)

        return read

    def of_layer(name: str, part: str) -> Callable[[Any, Any], Tensor]:
        return lambda _inputs, output: parts.split(name, output.movedim(-1, 0))[part].movedim(0, -1)[:, None]

    hook("", {"residual": lambda _inputs, output: _first(output)[:, None]})
    hook("norm", {"read": lambda _inputs, output: output[:, None]})
    normed: dict[str, Callable[[Any, Any], Tensor]] = {"normed": lambda _inputs, output: output[:, None]}
    hook("second_norm", {**normed, "joined": lambda inputs, _output: inputs[0][:, None]})
    for name in parts.by_name.keys() & {"query", "key", "packed", "packed_by_head"} if is_turned else ():
        shown = (name,) if name in ("query", "key") else ("query", "key")
        hook(name, {f"unrotated_{part}": of_heads(name, part) for part in shown})
    for name, shown_as in (("gate", ("gate",)), ("expand", ("expand",)), ("packed_gate", ("gate", "expand"))):
        if name in parts.by_name:
            hook(name, {{"expand": "up"}.get(part, part): of_layer(name, part) for part in shown_as})
    contract = {"hidden": lambda inputs, _output: inputs[0][:, None], "feedforward": normed["normed"]}
    hook("contract", contract)


def _show(
    place: Site,
    quantities: Mapping[str, Callable[[Any, Any], Tensor]],
    _module: nn.Module,
    inputs: Any,
    output: Any,
) -> None:
    """Show quantities of a module's call to the open session; a forward hook."""
    session = current_session()
    if session is None or current_run() is None:
        return
    for quantity, read in quantities.items():
        if session.wants(place.at(quantity)):
            observe(place.at(quantity), read(inputs, output), copy=True)


def _first(output: Any) -> Tensor:
    found: Tensor = output[0] if isinstance(output, tuple) else output
    return found
