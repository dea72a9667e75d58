"""Fold with the list that a causal model keeps while it writes: keys and values, token by token."""

from __future__ import annotations

from models.trace import AttentionTrace
from models.trace.written import KeptLayer
from viz.measures.kept import bytes_of, group_of
from viz.text.counting import position_name
from viz.text.language import _
from viz.text.markup import plain
from viz.text.tokens import visible
from viz.widgets.fold import unfolded

MOST_ROWS = 300


def show_kept(trace: AttentionTrace) -> None:
    """Show what the model kept after each token, beside what other ways of sharing would keep; else nothing."""
    kept = trace.written.kept if trace.written is not None else ()
    if not kept:
        return
    fold = unfolded(_("KV cache: the keys and values it keeps"), "kept-list")
    if fold is None:
        return
    fold.caption(plain(_formula(kept, len(trace.source))))
    fold.dataframe(_rows(trace, kept), hide_index=True)


def _formula(kept: tuple[KeptLayer, ...], tokens: int) -> str:
    each = kept[0]
    if len({(one.key_heads, one.d_key, one.d_value, one.number_bytes, one.window) for one in kept}) > 1:
        return _(
            "Bytes after t tokens: t · key-value heads · (size of a key + size of a value) · {bytes} bytes, summed "
            "over {layers} layers. A sliding window keeps only its own tokens.",
            bytes=each.number_bytes,
            layers=len(kept),
        )
    said = _(
        "Bytes after {tokens} tokens: {tokens} · {layers} layers · {heads} key-value heads · ({key} + {value}) numbers "
        "· {bytes} bytes = {total:,}.",
        tokens=min(tokens, each.window or tokens),
        layers=len(kept),
        heads=each.key_heads,
        key=each.d_key,
        value=each.d_value,
        bytes=each.number_bytes,
        total=bytes_of(kept, tokens).own,
    )
    return said


def _rows(trace: AttentionTrace, kept: tuple[KeptLayer, ...]) -> list[dict[str, object]]:
    """Return a row a token: bytes as this model shares keys and values, and as others would."""
    grouped = _("grouped-query, {count} heads share one (bytes)", count=group_of(kept))
    rows: list[dict[str, object]] = []
    for place in range(max(0, len(trace.source) - MOST_ROWS), len(trace.source)):
        found = bytes_of(kept, place + 1)
        rows.append(
            {
                _("position"): int(position_name(place)),
                _("token"): visible(trace.source.texts[place]),
                _("this model (bytes)"): found.own,
                _("multi-head (bytes)"): found.multi_head,
                grouped: found.grouped,
                _("multi-query (bytes)"): found.multi_query,
            }
        )
    return rows
