"""Bundler: ES modules joined by their imports into one script, without their types and lines of comment."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_IMPORT = re.compile(r'^import \{\s*\w+(?:,\s*\w+)*,?\s*\} from "(\.{1,2}/[^"]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const|let) )", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b(?! default ).*", re.MULTILINE)
_DEFAULT = re.compile(r"^export default ", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?:/\*\*(?:(?!\*/).)*\*/[ \t]*|//[^\n]*)\n|/\*\*.*?\*/ ?", re.MULTILINE | re.DOTALL)
_DECLARED = re.compile(
    r"^(?:export )?(?:default )?(?:async )?(?:(?:function|class) (\w+)|(?:const|let) (.+))", re.MULTILINE
)
_INNER = re.compile(r"\([^()]*\)|\[[^][]*\]|\{[^{}]*\}")


class BundleError(ValueError):
    """Modules that cannot become one script."""


@cache
def bundled(entry: Path) -> str:
    """Return the module `entry` behind all that it imports, as one script; `BundleError` where that is not possible."""
    order: dict[Path, str] = {}
    _visit(entry.resolve(), order, ())
    _check(order, entry.resolve())
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in order.values())


def _visit(path: Path, order: dict[Path, str], above: tuple[Path, ...]) -> None:
    """Put a module into `order` behind what it imports."""
    if path in above:
        message = f"modules import each other: {' -> '.join(each.name for each in (*above, path))}"
        raise BundleError(message)
    if path in order:
        return
    text = _COMMENT.sub("", path.read_text(encoding="utf8"))
    for found in _IMPORT.finditer(text):
        _visit((path.parent / found[1]).resolve(), order, (*above, path))
    order[path] = text


def _check(order: dict[Path, str], entry: Path) -> None:
    """Refuse what joining would break: a name defined twice, an import or export of another form."""
    owners: dict[str, Path] = {}
    for path, text in order.items():
        other = _OTHER.search(_EXPORT.sub("", _IMPORT.sub("", text)))
        if other is None and path != entry:
            other = _DEFAULT.search(text)
        if other is not None:
            message = f"{path.name}: {other[0]!r} cannot be joined"
            raise BundleError(message)
        for name in _names(text):
            if name in owners:
                message = f"{name} is defined in {owners[name].name} and in {path.name}"
                raise BundleError(message)
            owners[name] = path


def _names(text: str) -> list[str]:
    """Return the names that a module defines at its top level."""
    names: list[str] = []
    for kind, declared in _DECLARED.findall(text):
        if kind:
            names.append(kind)
            continue
        if taken_apart := re.match(r"[{[](.*?)[}\]] =", declared):
            names += re.findall(r"(\w+)\s*(?=,|=|$)", taken_apart[1])
        outer, inner = declared, ""
        while inner != outer:
            inner, outer = outer, _INNER.sub("", outer)
        names += re.findall(r"(?:^|, )(\w+)(?= =|,|;|$)", outer)
    return names
