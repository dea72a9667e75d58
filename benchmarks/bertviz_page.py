"""BertViz 1.4.1 as a page of its own, without a network: what `benchmarks.heads` measures this app against.

It takes `pip install bertviz==1.4.1 ipython` (the benchmark alone needs them), and npm for the three JavaScript
libraries that BertViz otherwise fetches from a CDN while it is viewed.
"""

from __future__ import annotations

import re
import subprocess
import tarfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

LIBRARIES = {
    "require": ("requirejs@2.3.6", "package/require.js"),
    "d3": ("d3@5.7.0", "package/dist/d3.min.js"),
    "jquery": ("jquery@2.2.4", "package/dist/jquery.min.js"),
}
_CDN = re.compile(r"https://cdnjs\.cloudflare\.com/ajax/libs/(require|d3|jquery)[^'\"]*")


def fetch_libraries(folder: Path) -> None:
    """Put the three libraries into `folder`, from the npm registry, unless they are there."""
    for name, (package, member) in LIBRARIES.items():
        if (folder / f"{name}.js").is_file():
            continue
        packed = subprocess.run(
            ["npm", "pack", "--silent", package], cwd=folder, check=True, capture_output=True, text=True
        ).stdout.split()[-1]
        with tarfile.open(folder / packed) as archive:
            found = archive.extractfile(member)
            if found is None:
                message = f"{package} has no file {member}"
                raise FileNotFoundError(message)
            (folder / f"{name}.js").write_bytes(found.read())


def bertviz_html(view: str, attention: Sequence[Any], tokens: Sequence[str]) -> str:
    """Return the page that BertViz makes, its libraries served beside it.

    Shapes: `attention` [1, head, query, key].
    """
    show = getattr(import_module("bertviz"), view)
    html = show(list(attention), list(tokens), html_action="return").data

    def local(found: re.Match[str]) -> str:
        return f"{found[1]}.js" if found[1] == "require" else found[1]

    return f"<!doctype html><meta charset=utf-8>{_CDN.sub(local, html)}"
