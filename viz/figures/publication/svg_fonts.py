"""Fonts of an SVG: the letters that it uses, in the file, so that it looks the same on every machine."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from io import BytesIO

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from matplotlib.figure import Figure
from matplotlib.text import Text

from viz.figures.publication.text import STATIC

_FACES = (("Bench Sans", "normal", "BenchSans-Regular"), ("Bench Sans", "bold", "BenchSans-Bold"))
_CHINESE = ("Noto Sans SC", "", "NotoSansSC")  # of one weight


def with_fonts(svg: bytes, figure: Figure) -> bytes:
    """Return the SVG of a drawn figure with the app's fonts in it, cut down to its letters."""
    letters = {"normal": set[str](), "bold": set[str]()}
    for text in figure.findobj(Text):
        letters["bold" if text.get_fontweight() == "bold" else "normal"].update(text.get_text())
    letters[""] = letters["normal"] | letters["bold"]
    faces = "".join(_face(family, weight, name, letters[weight]) for family, weight, name in (*_FACES, _CHINESE))
    return svg.replace(b"<defs>", f'<defs>\n  <style type="text/css">{faces}</style>'.encode(), 1)


def _face(family: str, weight: str, name: str, letters: set[str]) -> str:
    """Return the rule of a font that has these letters; nothing if none of them is of its script."""
    if not letters or (family == _CHINESE[0] and max(letters) < "\u2e80"):
        return ""
    font = TTFont(BytesIO(_unpacked(name)), recalcTimestamp=False)
    codes = {ord(each) for each in letters} & font.getBestCmap().keys()
    subsetter = Subsetter(Options(hinting=False, notdef_outline=True))
    subsetter.populate(unicodes=codes)
    subsetter.subset(font)
    file = BytesIO()
    font.flavor = "woff2"
    font.save(file)
    address = f"data:font/woff2;base64,{b64encode(file.getvalue()).decode()}"
    return f"@font-face{{font-family:'{family}';font-weight:{weight or 'normal'};src:url({address})}}"


@cache
def _unpacked(name: str) -> bytes:
    """Return a font of the app without what moves its letters, which takes most of the time to be cut down."""
    font = TTFont(STATIC / f"{name}.woff2", recalcTimestamp=False)
    for table in {"GPOS", "GSUB", "GDEF"} & set(font.keys()):
        del font[table]
    font.flavor = None
    file = BytesIO()
    font.save(file)
    return file.getvalue()
