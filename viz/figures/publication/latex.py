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
    **dict(
        zip(
            "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a7\u03bf",
            "ABEZHIKMNOPTXo",
            strict=True,
        )
    ),
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
_KNOWN = re.compile(  # what pdfLaTeX sets of itself, and of this what it sets in the T1 encoding alone
    r"[\x20-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e\u2010-\u2015\u2018-\u201a\u201c-\u201e\u2020-\u2022"
    r"\u2026\u2039\u203a]*"
)
_T1 = re.compile(
    r"[\xab\xbb\xd0\xde\xf0\xfe\u0104\u0105\u0110\u0111\u0118\u0119\u012e\u012f\u014a\u014b\u0172\u0173\u201a\u201e\u2039\u203a]"
)
_CHINESE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_ALIGNED = {"left": "left", "right": "right", "center": ""}
_UPRIGHT = {"left": "top", "right": "bottom", "center": ""}  # of text that is turned: its top is at its left
_VERTICAL = {"top": "top", "bottom": "bottom", "baseline": "base", "center": "", "center_baseline": ""}
_TURNED = {"top": "right", "bottom": "left", "baseline": "left", "center": "", "center_baseline": ""}
_MACROS = r"""\providecommand{\BenchFont}{\sffamily}%
\begingroup%
\makeatletter%
\def\benchcell#1#2#3#4#5{\begingroup\definecolor{benchcolour}{HTML}{#5}\pgfsetfillcolor{benchcolour}%
\pgfpathrectangle{\pgfqpoint{#1bp}{#2bp}}{\pgfqpoint{#3bp}{#4bp}}\pgfusepath{fill}\endgroup}%
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
    strange = {each for each in text if not _KNOWN.fullmatch(escaped(each))}
    lines = [r"Needs \usepackage{tikz}. Words are set in \BenchFont, which is \sffamily unless you define it."]
    if _T1.search(escaped(text)):
        lines.append(r"With pdfLaTeX it needs \usepackage[T1]{fontenc} too.")
    if any(_CHINESE.match(each) for each in strange):
        lines.append(r"Its Chinese needs XeLaTeX or LuaLaTeX with \usepackage{ctex}.")
    elif strange:
        lines.append(
            rf"Needs XeLaTeX or LuaLaTeX, \usepackage{{fontspec}} and a font that has {' '.join(sorted(strange))}"
        )
    return lines


def escaped(text: str) -> str:
    """Return text as LaTeX sets it."""
    return "".join(map(_character, _LIGATURES.sub("\0", re.sub(r"[\s\x00-\x1f\x7f-\x9f]", " ", text))))


def _character(each: str) -> str:
    if each == "\0":
        return "{}"
    if each in _ESCAPED or each in _MATHS:
        return _ESCAPED.get(each) or rf"\ensuremath{{{_MATHS[each]}}}"
    form, _space, codes = unicodedata.decomposition(each).partition("> ")
    if form in ("<super", "<sub"):
        return rf"\text{form[1:]}script{{{escaped(''.join(chr(int(code, 16)) for code in codes.split()))}}}"
    greek = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", unicodedata.name(each, ""))
    if greek is None or not "\u0391" <= each <= "\u03c9":  # an old letter has no command
        return each
    name = greek[2].replace("LAMDA", "LAMBDA")
    return rf"\ensuremath{{\{name.title() if greek[1] == 'CAPITAL' else name.lower()}}}"


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
        if not is_cell or len(points) > 5 or tuple(rgbFace[3:]) not in ((), (1,)):
            super().draw_path(gc, path, transform, rgbFace)  # type: ignore[no-untyped-call]
            return
        if (box := gc.get_clip_rectangle()) is not None:
            left, right = np.clip((left, right), *sorted(box.intervalx))
            low, high = np.clip((low, high), *sorted(box.intervaly))
        numbers = "".join(f"{{{each:.3f}}}" for each in (left, low, right - left, high - low))
        self.fh.writelines([f"\\benchcell{numbers}{{{to_hex(rgbFace)[1:].upper()}}}%\n"])

    def draw_text(self, gc: Any, *placed: Any, ismath: Any = False, mtext: Any = None) -> None:
        _x, _y, s, prop, angle = placed  # where Matplotlib's own font would begin
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
        self.fh.writelines([f"\\benchword{{{place}}}{numbers}{{{text}}}%\n"])

    def get_text_width_height_descent(self, s: str, prop: Any, ismath: Any) -> tuple[float, float, float]:
        return extent_of(s, prop, ismath=ismath)
