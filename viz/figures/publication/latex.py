"""LaTeX of a figure: PGF rectangles, lines and words in the fonts of the paper that it is part of."""

from __future__ import annotations

import re
import unicodedata
from io import StringIO
from typing import Any

import numpy as np
from matplotlib.backends.backend_pgf import RendererPgf
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from viz.figures.publication.text import POINTS, extent_of

_ESCAPED = {each: f"\\{each}" for each in "_%&#${}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "`": r"\textasciigrave{}",
    "\u2581": r"\_",
}
_MATHS = {
    "\u2212": "-",
    "\u00d7": r"\times",
    "\u2248": r"\approx",
    "\u2260": r"\neq",
    "\u2264": r"\leq",
    "\u2265": r"\geq",
    "\u221e": r"\infty",
    "\u2190": r"\leftarrow",
    "\u2192": r"\rightarrow",
    "\u2191": r"\uparrow",
    "\u2193": r"\downarrow",
    "\u221a": r"\surd",
    "\u2211": r"\sum",
    "\u2299": r"\odot",
}
_LIGATURES = re.compile(r"(?<=[-',])(?=[-',])")  # TeX would make one character of two
_KNOWN = re.compile(r"[\x20-\u017f\u2013-\u2026]")  # what pdfLaTeX sets of itself
_CHINESE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_ALIGNED = {"left": "left", "right": "right", "center": ""}
_UPRIGHT = {"left": "top", "right": "bottom", "center": ""}  # of text that is turned: its top is at its left
_VERTICAL = {"top": "top", "bottom": "bottom", "baseline": "base", "center": "", "center_baseline": ""}
_TURNED = {"top": "right", "bottom": "left", "baseline": "left", "center": "", "center_baseline": ""}
_MACROS = r"""\providecommand{\BenchFont}{\sffamily}%
\begingroup%
\makeatletter%
\def\benchcell#1#2#3#4#5{\definecolor{benchcolour}{HTML}{#5}\pgfsetfillcolor{benchcolour}%
\pgfpathrectangle{\pgfqpoint{#1bp}{#2bp}}{\pgfqpoint{#3bp}{#4bp}}\pgfusepath{fill}}%
\def\benchword#1#2#3#4#5{\definecolor{benchcolour}{HTML}{#3}%
\pgftext[#1]{\sbox0{\BenchFont\fontsize{#2bp}{#2bp}\selectfont\strut\color{benchcolour}#5}%
\ifdim\wd0>#4bp \resizebox{#4bp}{!}{\usebox0}\else\usebox0\fi}}%
"""


def latex_of(figure: Figure, about: str) -> str:
    """Return the picture of a drawn figure; what it needs and shows is said in comments above it."""
    figure.set_dpi(POINTS)
    file = StringIO()
    renderer = _Renderer(figure, file)
    figure.draw(renderer)
    width, height = figure.get_size_inches() * POINTS
    picture = (
        rf"\pgfpathrectangle{{\pgfpointorigin}}{{\pgfqpoint{{{width:.4f}bp}}{{{height:.4f}bp}}}}%"
        "\n\\pgfusepath{use as bounding box}%\n"
    )
    head = "".join(f"% {line}\n" for line in (*about.splitlines(), *_needs("".join(renderer.words))))
    body = f"\\begin{{pgfpicture}}%\n{picture}{file.getvalue()}\\end{{pgfpicture}}%\n"
    return f"{head}{_MACROS}{body}\\makeatother%\n\\endgroup%\n"


def _needs(text: str) -> list[str]:
    """Return what a paper needs to set these words."""
    strange = {each for each in text if not _KNOWN.match(escaped(each))}
    lines = [r"Needs \usepackage{tikz}. Words are set in \BenchFont, which is \sffamily unless you define it."]
    if any(_CHINESE.match(each) for each in strange):
        lines.append(r"Its Chinese needs XeLaTeX or LuaLaTeX with \usepackage{ctex}.")
    elif strange:
        lines.append(
            rf"Needs XeLaTeX or LuaLaTeX, \usepackage{{fontspec}} and a font that has {' '.join(sorted(strange))}"
        )
    return lines


def escaped(text: str) -> str:
    """Return text as LaTeX sets it."""
    return "".join(map(_character, _LIGATURES.sub("\0", re.sub(r"\s", " ", text))))


def _character(each: str) -> str:
    if each == "\0":
        return "{}"
    if each in _ESCAPED or each in _MATHS:
        return _ESCAPED.get(each) or rf"\ensuremath{{{_MATHS[each]}}}"
    form, _space, codes = unicodedata.decomposition(each).partition("> ")
    if form in ("<super", "<sub"):
        return rf"\text{form[1:]}script{{{escaped(''.join(chr(int(code, 16)) for code in codes.split()))}}}"
    greek = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", unicodedata.name(each, ""))
    return _greek(greek[2], capital=greek[1] == "CAPITAL") if greek else each


def _greek(name: str, *, capital: bool) -> str:
    """Return the command of a Greek letter; one that looks like a Latin letter is this."""
    latin = {"ALPHA": "A", "BETA": "B", "EPSILON": "E", "ZETA": "Z", "ETA": "H", "IOTA": "I", "KAPPA": "K", "MU": "M"}
    latin |= {"NU": "N", "OMICRON": "O", "RHO": "P", "TAU": "T", "CHI": "X"}
    if (capital and name in latin) or name == "OMICRON":
        return latin[name] if capital else "o"
    name = {"LAMDA": "LAMBDA"}.get(name, name)
    return rf"\ensuremath{{\{name.title() if capital else name.lower()}}}"


class _Renderer(RendererPgf):
    """Matplotlib's PGF renderer, without a TeX to measure with: a line a cell and a line a word."""

    def __init__(self, figure: Figure, file: StringIO) -> None:
        super().__init__(figure, file)  # type: ignore[no-untyped-call]
        self.words: list[str] = []

    def draw_path(self, gc: Any, path: Any, transform: Any, rgbFace: Any = None) -> None:  # its name there
        points = transform.transform(path.vertices)
        (left, low), (right, high) = points.min(axis=0), points.max(axis=0)
        corners = {(left, low), (left, high), (right, low), (right, high)}
        is_cell = rgbFace is not None and gc.get_linewidth() == 0 and set(map(tuple, points)) == corners
        if not is_cell or len(points) > 5 or to_hex(rgbFace, keep_alpha=True)[7:] != "ff":
            super().draw_path(gc, path, transform, rgbFace)  # type: ignore[no-untyped-call]
            return
        if (box := gc.get_clip_rectangle()) is not None:
            left, right = np.clip((left, right), *sorted(box.intervalx))
            low, high = np.clip((low, high), *sorted(box.intervaly))
        numbers = "".join(f"{{{each:.3f}}}" for each in (left, low, right - left, high - low))
        self.fh.write(f"\\benchcell{numbers}{{{to_hex(rgbFace)[1:].upper()}}}%\n")

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float, ismath: Any = False, mtext: Any = None
    ) -> None:
        self.words.append("" if ismath else s)
        x, y = mtext.get_transform().transform(mtext.get_unitless_position())
        across, down = mtext.get_horizontalalignment(), mtext.get_verticalalignment()
        is_turned = angle and mtext.get_rotation_mode() != "anchor"
        anchors = (_TURNED[down], _UPRIGHT[across]) if is_turned else (_ALIGNED[across], _VERTICAL[down])
        options = (f"x={x:.3f}bp,y={y:.3f}bp", *anchors, f"rotate={angle:g}" if angle else "")
        place = ",".join(filter(None, options))
        text = s if ismath else escaped(s)
        text = rf"\bfseries {text}" if prop.get_weight() == "bold" else text
        colour = to_hex(gc.get_rgb())[1:].upper()
        room = extent_of(s, prop, ismath=ismath)[0]  # a wider font is made smaller, so that no words meet
        numbers = f"{{{prop.get_size_in_points():g}}}{{{colour}}}{{{room:.3f}}}"
        self.fh.write(f"\\benchword{{{place}}}{numbers}{{{text}}}%\n")

    def get_text_width_height_descent(self, s: str, prop: Any, ismath: Any) -> tuple[float, float, float]:
        return extent_of(s, prop, ismath=ismath)
