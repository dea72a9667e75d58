"""What each request is answered with, by a model of this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from models.errors import InputError
from models.messages import Message
from models.trace.codec import to_bytes
from scale.serve.wire import Request, numbers_as_bytes

if TYPE_CHECKING:
    from models.edits import Edit
    from models.model import Model
    from models.trace import AttentionTrace
    from models.translation.replaying import Replay
    from models.translation.translator import Translator

FACTS = (
    "key",
    "title",
    "sha256",
    "kind",
    "stacks",
    "pair",
    "is_translation",
    "editable",
    "predicts",
    "mask_token",
    "takes_pair",
    "has_chat",
)
"""What is told of a model, beside how many heads read where."""


def answer(model: Model, request: Request) -> bytes:
    """Return what `request` is answered with; raises as the model does."""
    try:
        return _ANSWERS[request.asked](model, request)
    except (Exception, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise unreadable(model, error) from error


def unreadable(model: Model, error: BaseException) -> InputError:
    """Return what is said where the Rust of a tokenizer panicked, which is no `Exception`."""
    return InputError(Message("{title} cannot read this text ({reason}).", title=model.title, reason=error))


def record_of(model: Model, request: Request) -> AttentionTrace:
    """Return the run that is asked for."""
    options: dict[str, Any] = {"pair": request.pair, "edits": request.edits, "sites": request.sites}
    options |= {"write": request.write}
    return model.attend(request.source, request.target, **options)


def _attend(model: Model, request: Request) -> bytes:
    return to_bytes(record_of(model, request))


def _facts(model: Model, _request: Request) -> bytes:
    told = {name: getattr(model, name) for name in FACTS}
    heads = [[str(place), count] for place, count in model.heads.items()]
    return json.dumps(told | {"heads": heads}).encode()


def _fit(model: Model, request: Request) -> bytes:
    return json.dumps(model.fit(request.source, pair=request.pair)).encode()


@lru_cache(maxsize=1)
def _again(model: Any, source: str, target: str | None, pair: str | None) -> Replay:
    """Return texts ready to be run again; the latest are kept, since a sweep asks for them batch after batch."""
    again: Replay = model.replay(model.attend(source, target, pair=pair), pair=pair)
    return again


def _replay(model: Model, request: Request) -> bytes:
    from models.experiments.sweeps import batches

    replay = _again(cast("Any", model), request.source, request.target, request.pair)
    told = replay.trace
    orders = np.array(request.orders, dtype=np.int64)
    longest = len(told.source)
    if orders.ndim != 2 or not orders.size or orders.shape[1] > longest or orders.max() >= longest:
        message = f"orders: expected rows of at most {longest} positions below {longest}"
        raise ValueError(message)
    if request.seed is not None:
        replay = replay.fresh(request.seed)
    if request.place is not None:
        if request.place not in told.sites:
            message = f"the model has no attention at {request.place}"
            raise KeyError(message)
        place = request.place
        parts = [replay.weights(orders[rows.start : rows.stop], place) for rows in batches(len(orders), replay.most)]
        return numbers_as_bytes({"weights": np.concatenate(parts)})
    outcomes = [
        replay.run(orders[rows.start : rows.stop], (*request.edits, *_of_rows(request, rows)))
        for rows in batches(len(orders), replay.most)
    ]
    vectors = [each.vectors for each in outcomes if each.vectors is not None]
    found = {"log_probabilities": np.concatenate([each.log_probabilities for each in outcomes])}
    return numbers_as_bytes(found | ({"vectors": np.concatenate(vectors)} if vectors else {}))


def _of_rows(request: Request, rows: range) -> list[Edit]:
    from models.experiments.batch_edits import BatchRowEdit

    return [BatchRowEdit(edit.site, edit, row - rows.start) for row, edit in request.row_edits if row in rows]


def _parameters(model: Model, request: Request) -> bytes:
    from models.experiments.arithmetic import parameters_at

    return numbers_as_bytes(parameters_at(_ours(model), request.place, request.names))


def _block(model: Model, request: Request) -> bytes:
    from models.experiments.arithmetic import block_form

    if request.place is None:
        message = "a block is asked for by its place"
        raise KeyError(message)
    return json.dumps(block_form(cast("Translator", model), request.place)).encode()


def _states(model: Model, request: Request) -> bytes:
    from models.experiments.arithmetic import decoder_run

    run = decoder_run(_ours(model), model.attend(request.source, request.target))
    vector = {} if run.vector is None else {"vector": run.vector}
    return numbers_as_bytes({f"state.{place}": each for place, each in enumerate(run.states)} | vector)


def _encodings(model: Model, request: Request) -> bytes:
    from models.experiments.positions import encodings

    return numbers_as_bytes({"added": encodings(_ours(model), request.count).numpy()})


def _blind(model: Model, request: Request) -> bytes:
    from models.experiments.positions import without_positions

    return to_bytes(without_positions(_ours(model)).attend(request.source))


def _paths(model: Model, request: Request) -> bytes:
    from models.experiments.paths import paths_of

    return numbers_as_bytes(paths_of(_ours(model), request.source).arrays())


def _beam(model: Model, request: Request) -> bytes:
    from models.translation.beam import beam_search

    found = beam_search(_ours(model), request.source, request.count)
    return json.dumps([each.to_plain() for each in found]).encode()


def _logits(model: Model, request: Request) -> bytes:
    from models.experiments.logit_attribution import logit_attribution, logit_lens
    from models.experiments.residual_stream import residual_stream

    stream = residual_stream(model, record_of(model, request), request.count)
    return "\n".join((logit_attribution(stream).to_text(), logit_lens(stream).to_text())).encode()


def _ours(model: Model) -> Translator:
    from models.readers.reading import TextReader

    if model.kind != "translator" and not isinstance(model, TextReader) and getattr(model, "blocks", None) is None:
        message = f"{model.key} is none of our own models"
        raise KeyError(message)
    return cast("Translator", model)


_ANSWERS: Mapping[str, Callable[[Model, Request], bytes]] = {
    "attend": _attend,
    "facts": _facts,
    "fit": _fit,
    "replay": _replay,
    "parameters": _parameters,
    "block": _block,
    "states": _states,
    "encodings": _encodings,
    "blind": _blind,
    "paths": _paths,
    "beam": _beam,
    "logits": _logits,
}
