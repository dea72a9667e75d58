"""Pages run without a browser, by `AppTest`, and what the private protocol of its elements says of them.

Streamlit promises `AppTest` for tests; a way to run a page as data outside of them would replace this file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from streamlit import get_option
from streamlit.components.v2 import manifest_scanner
from streamlit.logger import set_log_level
from streamlit.testing.v1 import AppTest

manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
"""`AppTest` reads what is installed anew for each run: most of the time of a lesson that is saved as a file."""

COMPONENT = "bidi_component"
_KEY = re.compile(r"^\$\$ID-[0-9a-f]+-(?P<key>[\w-]+)$")
_HORIZONTAL = 2
"""The direction of a container whose elements are side by side."""


class PageError(Exception):
    """A page failed."""


def run_script(script: str, link: Mapping[str, str], *, seconds: float) -> Any:
    """Return the block with all that a script shows under a link; PageError if it fails."""
    app = AppTest.from_string(script, default_timeout=seconds)
    for name, value in link.items():
        app.query_params[name] = value
    app.run()
    if app.exception:
        raise PageError(app.exception[0].value)
    return app.main


def say_errors_alone() -> None:
    """Let Streamlit log no warning that nobody is connected."""
    get_option("logger.level")  # the settings are read when one is first asked for, which sets the level
    set_log_level("ERROR")


def is_block(part: Any) -> bool:
    """Return whether a part of a page holds other parts."""
    return hasattr(part, "children")


def parts_of(block: Any) -> Iterator[Any]:
    """Return the parts of a block in their order."""
    yield from block.children.values()


def elements_of(block: Any) -> Iterator[Any]:
    """Return the elements of a block in their order, those of blocks in it among them."""
    for each in parts_of(block):
        if is_block(each):
            yield from elements_of(each)
        else:
            yield each


def key_of(block: Any) -> str:
    """Return the key of a container; empty if it has none."""
    found = _KEY.match(getattr(block.proto, "id", "") or "")
    return found["key"] if found else ""


def is_across(block: Any) -> bool:
    """Return whether the elements of a block are side by side."""
    return bool(block.type == "flex_container" and block.proto.flex_container.direction == _HORIZONTAL)


def component_of(element: Any) -> str:
    """Return the name of the component that an element is; empty for any other."""
    return str(element.proto.component_name) if element.type == COMPONENT else ""


def bytes_of(element: Any) -> bytes:
    """Return the bytes that a component is fed with."""
    return bytes(element.proto.bytes)


def data_of(element: Any) -> Any:
    """Return the data, other than bytes, that a component is fed with."""
    return json.loads(element.proto.json)


def chart_of(element: Any) -> tuple[Any, Any, str]:
    """Return the figure of a Plotly chart, how it is shown, and its text for those who do not see it."""
    return json.loads(element.proto.spec), json.loads(element.proto.config), str(element.proto.alt)


def markup_of(element: Any) -> str:
    """Return what an element of HTML holds."""
    return str(element.proto.body)


def slid_to(element: Any) -> str:
    """Return the label at which a select slider stands."""
    return str(element.proto.options[round(element.proto.default[0])])
