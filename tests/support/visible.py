"""Every text that a page shows: of elements, folds, tables, figures, and what canvases are fed with."""

from __future__ import annotations

import html
import json
import re
import struct
import zlib
from collections.abc import Iterator
from typing import Any

from google.protobuf.json_format import MessageToDict
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.testing.v1 import AppTest

# Of what is sent, what nobody reads: names of settings, sizes, code, values that a link carries; and a table as a file.
_UNSEEN = frozenset(
    "id key keys form_id element_id css_class icon format type url query_param_key component_name js_content "
    "css_content html_content filter_mode js_source_path css_source_path source_id mode kind alignment config "
    "direction align width_config height_config selection_mode click_mode justify gap style value default raw_value "
    "raw_values set_value autocomplete code_text filename bytes arrow_data file_name editing_mode columns theme "
    "language wrap anchor on_change deferred_file_id".split()
)
_OF_FIGURES = frozenset(
    "text title ticktext hovertemplate hovertext name label customdata ticksuffix tickprefix".split()
)
_FORM = frozenset("font bdata dtype shape side xanchor yanchor xref yref".split())  # how a figure's title stands
_OF_CANVASES = frozenset(
    "colours colors font fonts ids key code codes kind unit scale format formats scheme file name picture style site "
    "operation needs colour palette paper ink pick_colour step lit part at language languages of night window_colour "
    "formula reading quantity among".split()
)


def visible_texts(app: AppTest) -> Iterator[str]:
    """Return every text on the page, as it is sent."""
    for node in app._tree:
        proto = getattr(node, "proto", None)
        if proto is None or not hasattr(proto, "DESCRIPTOR"):
            continue
        sent = MessageToDict(proto, preserving_proto_field_name=True, use_integers_for_enums=True)
        kind = getattr(node, "type", "")
        if kind == "plotly_chart":
            yield from _strings_under(json.loads(sent["spec"]), _OF_FIGURES)
        elif kind == "bidi_component":
            if proto.bytes:
                yield from _strings(_header(proto.bytes), _OF_CANVASES)
        elif kind == "arrow_data_frame" or "arrow_data" in sent:
            yield from _cells(proto.arrow_data.data)
            yield from _strings(json.loads(sent.get("columns") or "{}"), frozenset(("type_config", "type")))
        else:
            yield from _strings(sent, _UNSEEN)


def _strings(value: Any, unseen: frozenset[str]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, each in value.items():
            if name not in unseen:
                yield from _strings(each, unseen)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each, unseen)


def _strings_under(value: Any, seen: frozenset[str]) -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            if name in seen:
                yield from _strings(each, _FORM)
            else:
                yield from _strings_under(each, seen)
    elif isinstance(value, list):
        for each in value:
            yield from _strings_under(each, seen)


def _header(payload: bytes) -> Any:
    inner = zlib.decompress(payload)
    (length,) = struct.unpack("<I", inner[:4])
    return json.loads(inner[4 : 4 + length])


def _cells(data: bytes) -> Iterator[str]:
    if not data:
        return
    frame = convert_arrow_bytes_to_pandas_df(data)
    for name in frame.columns:
        yield str(name)
        yield from (each for each in frame[name].tolist() if isinstance(each, str))
    yield from (each for each in frame.index.tolist() if isinstance(each, str))


def english_words(text: str) -> list[str]:
    """Return the words of `text` that stand in plain letters, outside markup, formulas, icons and entities."""
    spoken = re.sub(r"<style>.*?</style>|<script.*?</script>", " ", text, flags=re.DOTALL)
    spoken = re.sub(r"<[^<>]*>", _told_by_tag, spoken)
    spoken = re.sub(r"\$\$?[^$]+\$\$?", _told_by_formula, spoken)
    spoken = re.sub(r":[a-z]+/\w+:|:[a-z]+\[|%?\{[^{}]*\}|`[^`]*`", " ", spoken)
    spoken = re.sub(r"\]\([^()\s]*\)", "] ", spoken)  # where links go
    spoken = re.sub(r"#[0-9a-f]{6}\b|\b[0-9a-f]{12}\b", " ", spoken)  # colours, hashes
    return re.findall(r"[A-Za-z]{2,}", html.unescape(spoken))


def _told_by_tag(tag: re.Match[str]) -> str:
    """Return what a reader is told by a tag: its title, and what is read aloud."""
    return " " + " ".join(re.findall(r'(?:title|aria-label|alt|placeholder)="([^"]*)"', tag[0])) + " "


def _told_by_formula(formula: re.Match[str]) -> str:
    return " " + " ".join(re.findall(r"\\text(?:bf|it)?\{([^{}]*)\}", formula[0])) + " "
