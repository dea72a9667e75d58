"""Files for a paper: each kind of figure in each format, its width, its fonts, its metadata, its LaTeX."""

from __future__ import annotations

import re
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from fontTools.ttLib import TTFont
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from tests.support.figure_samples import AWKWARD, bench, pieces, translation
from tests.support.head_samples import transformer
from tests.viz.figures.test_publication_drawn import SHOWN, links, walk
from viz.figures import alignment_heatmap, difference_heatmap, head_profiles, save
from viz.figures.printable import PrintedWalk
from viz.figures.publication import FORMATS, WIDTHS, Format, Width, publication_file
from viz.figures.publication.latex import _KNOWN as KNOWN_TO_PDFLATEX
from viz.figures.publication.latex import _T1 as T1_ALONE
from viz.figures.publication.latex import escaped
from viz.figures.publication.layout import letters_of
from viz.figures.publication.sheet import fill_cells
from viz.widgets import keep

MILLIMETRES: dict[Width, float] = {"column": 85, "page": 178}
SVG = "{http://www.w3.org/2000/svg}"
POINT = 25.4 / 72  # millimetres


def is_whole(engine: str, part: str) -> bool:
    """Return whether this machine has an engine of TeX, and the part of it that Debian keeps in another package."""
    if not shutil.which(engine):
        return False
    return bool(subprocess.run(["kpsewhich", part], capture_output=True, check=False).stdout)


PARTS = {"pdflatex": "tikz.sty", "xelatex": "tikz.sty", "lualatex": "luaotfload.sty"}
ENGINES = [engine for engine, part in PARTS.items() if is_whole(engine, part)]
SPECIALS = '_%&#$|{}~^\\<>"`'


def difference() -> Any:
    same = pieces(AWKWARD["repeated"])
    return difference_heatmap(translation(same, same), translation(same, same, seed=3))


def chinese() -> Any:
    words = pieces(AWKWARD["chinese"])
    return alignment_heatmap(translation(words, words))


KINDS: dict[str, Callable[[], Any]] = SHOWN | {
    "maps": lambda: alignment_heatmap(bench()),
    "difference": difference,
    "chinese": chinese,
}
KNOWN = {  # of each kind: words of its model, of its sentence, of its quantity
    "walk": ("Bahdanau", "flumberdoodle drank", "weight"),
    "heads": ("Multi-head", "cat sleeps", "attention weight"),
    "links": ("Bahdanau", "the cat the cat", "thick"),
    "strips": ("Results", "k1 k2", "colours from 0 to 1"),
    "chart": ("Multi-head", "the cat sleeps", "divergence"),
    "maps": ("Luong", "European Economic Area", "attention weight"),
    "difference": ("Bahdanau", "cat", "above 0"),
    "chinese": ("Bahdanau", "语", "attention weight"),
}


@cache
def file_of(kind: str, form: Format) -> bytes:
    """Return the file of one kind; its width goes with the kind, for drawing takes its time."""
    return publication_file(KINDS[kind](), form, width=width_of(kind))


def width_of(kind: str) -> Width:
    return tuple(MILLIMETRES)[sorted(KINDS).index(kind) % 2]


def pdf_strings(file: bytes) -> str:
    """Return what the information of a PDF says."""
    found = []
    for raw in re.findall(rb"/(?:Title|Subject|Keywords) \(((?:[^()\\]|\\.)*)\)", file, re.DOTALL):
        text = re.sub(
            rb"\\([nrt()\\])", lambda each: {b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(each[1], each[1]), raw
        )
        found.append(text.decode("utf-16") if text.startswith(b"\xfe\xff") else text.decode("latin-1"))
    return " ".join(found)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_as_wide_as_a_column_or_a_page_to_the_micrometre(kind: str, form: Format) -> None:
    file, wanted = file_of(kind, form), MILLIMETRES[width_of(kind)]
    assert len(file) > 2000
    if form == "png":
        picture = Image.open(BytesIO(file))
        assert picture.width == wanted * 16
        assert picture.info["dpi"][0] == pytest.approx(16 * 25.4, abs=0.02)
        return
    patterns = {
        "pdf": rb"/MediaBox \[ ?0 0 ([\d.]+)",
        "svg": rb'<svg [^>]*width="([\d.]+)pt"',
        "tex": rb"pgfpointorigin\}\{\\pgfqpoint\{([\d.]+)bp",
    }
    found = re.search(patterns[form], file)
    assert found is not None
    assert float(found[1]) * POINT == pytest.approx(wanted, abs=1e-3)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_names_its_model_its_sentence_and_its_quantity(kind: str, form: Format) -> None:
    file = file_of(kind, form)
    if form == "png":
        said = " ".join(str(text) for text in Image.open(BytesIO(file)).info.values())
    elif form == "pdf":
        said = pdf_strings(file)
    elif form == "svg":
        metadata = ElementTree.fromstring(file).find("{http://www.w3.org/2000/svg}metadata")
        assert metadata is not None
        said = " ".join(metadata.itertext())
    else:
        said = " ".join(line[2:] for line in file.decode().splitlines() if line.startswith("% "))
    for text in KNOWN[kind]:
        assert text in said


@pytest.mark.parametrize("kind", KINDS)
def test_a_pdf_has_the_fonts_of_the_page_and_no_picture(kind: str) -> None:
    file = file_of(kind, "pdf")
    fonts = {each.decode().rpartition("-")[0].partition("+")[2] for each in re.findall(rb"/BaseFont /(\S+)", file)}
    assert "BenchSans" in fonts
    formula = {"DejaVuSans", ""} if kind == "walk" else set()
    assert fonts <= {"BenchSans", "NotoSansSC"} | formula
    assert b"/Subtype /Image" not in file


def drawn_smoothed(colours: np.ndarray) -> np.ndarray:
    """Return the pixels of cells as a viewer draws them that smooths every edge, at no whole number of pixels."""
    figure = Figure(figsize=(1, 1), dpi=97)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    rows, columns = colours.shape[:2]
    fill_cells(axes, np.arange(columns + 1.0), np.arange(rows + 1.0), colours)
    axes.set(xlim=(0, columns), ylim=(rows, 0))
    axes.collections[0].set_antialiased(True)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3]


@pytest.mark.parametrize("shape", [(1, 1), (1, 256), (7, 7), (31, 13), (90, 60)])
def test_no_line_is_seen_between_cells(shape: tuple[int, int]) -> None:
    dark = np.zeros((*shape, 4))
    dark[..., 3] = 1
    assert drawn_smoothed(dark).max() == 0


def test_a_cell_has_its_own_colour_and_an_empty_one_none() -> None:
    rng = np.random.default_rng(0)
    for seen in (np.tri(6, dtype=bool), np.tri(6, dtype=bool).T, rng.random((6, 6)) < 0.6):
        colours = np.concatenate([rng.random((6, 6, 3)) * 0.8, seen[..., None]], axis=-1)
        pixels = drawn_smoothed(colours)
        for row, column in np.ndindex(6, 6):
            inner = pixels[int(row * 97 / 6) + 3 : int((row + 1) * 97 / 6) - 2, int(column * 97 / 6) + 3 :]
            inner = inner[:, : 97 // 6 - 5].reshape(-1, 3)
            wanted = colours[row, column, :3] * 255 if seen[row, column] else np.full(3, 255)
            assert np.abs(inner - wanted).max() <= 1


def test_several_parts_have_letters_and_one_has_none() -> None:
    assert letters_of(1) == [""]
    assert letters_of(4) == ["(a)", "(b)", "(c)", "(d)"]
    assert len(set(letters_of(30))) == 30
    first = walk("bahdanau")
    two = PrintedWalk([*first.pictures] * 2, [*first.formulas] * 2, first.step)
    for shown, count in ((KINDS["maps"](), 3), (links(("a", "b")), 2), (two, 2), (chinese(), 0), (first, 0)):
        written = publication_file(shown, "svg", titles=False).decode()
        assert re.findall(r">(\([a-z]\))<", written) == letters_of(count)[:count] if count else "(a)" not in written


def commands(text: str) -> list[str]:
    """Return the commands of LaTeX in `text`, whose groups must be balanced and whose marks must be escaped."""
    lines = [line for line in text.splitlines() if not line.startswith("% ")]
    assert all(line.endswith("%") and not line.endswith("\\%") for line in lines)
    joined = "\n".join(line[:-1] for line in lines)
    depth, found = 0, []
    for command, mark in re.findall(r"\\([A-Za-z@]+|.)|([{}%&~^_#])", joined):
        found.append(command)
        depth += {"{": 1, "}": -1}.get(mark, 0)
        assert depth >= 0
        assert mark in "{}#^_"
    assert depth == 0
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_the_latex_of_a_figure_is_balanced_and_needs_tikz_alone(kind: str) -> None:
    text = file_of(kind, "tex").decode()
    assert r"\usepackage{tikz}" in text.partition("\\providecommand")[0]
    assert ("ctex" in text) == (kind == "chinese")
    found = commands(text)
    assert found.count("begin") == found.count("end") >= 1
    assert found.count("benchword") > 2
    assert "includegraphics" not in found


@pytest.mark.parametrize("mark", SPECIALS)
def test_a_special_character_of_latex_is_escaped_alone_doubled_and_before_letters(mark: str) -> None:
    for text in (mark, mark * 2, f"a{mark}b", f"{mark}{mark}@", f"{mark} x"):
        assert re.fullmatch(r"(?:\\[_%&#${}]|\\text\w+\{\}|\{\\char34\}|[ab@x ])+", escaped(text))


def test_characters_that_pdflatex_lacks_become_commands_and_ligatures_are_cut() -> None:
    assert escaped("\u22121 \u2192 \u03b1\u03a3\u0391") == (
        r"\ensuremath{-}1 \ensuremath{\rightarrow} \ensuremath{\alpha}\ensuremath{\Sigma}A"
    )
    assert escaped("h\u209c x\u00b2") == r"h\textsubscript{t} x\textsuperscript{2}"
    assert escaped("a--b ''c''") == "a-{}-b '{}'c'{}'"
    assert escaped("caf\u00e9\n\u8bed") == "caf\u00e9 \u8bed"


def special_words() -> bytes:
    words = pieces(
        ("_a", "50%", "A&B", "#1", "$x$", "{", "}", "~", "^", "\\alpha", "<s>", "|", '"', "`", "--", "@", "\u2581it")
    )
    return publication_file(alignment_heatmap(translation(words, words)), "tex", width="page")


def set_by(engine: str, name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", name]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)


@pytest.mark.parametrize("kind", [*KINDS, "special"])
def test_every_engine_there_is_sets_it_as_wide_as_it_says(kind: str, tmp_path: Path) -> None:
    """Run on each TeX of this machine: `.ci/run` brings pdfLaTeX; XeLaTeX and LuaLaTeX are tested where they are."""
    (tmp_path / "head.tex").write_bytes(special_words() if kind == "special" else file_of(kind, "tex"))
    is_chinese = kind == "chinese"
    wide = "page" if kind == "special" else width_of(kind)
    packages = r"\usepackage{tikz}" + (r"\usepackage[fontset=fandol]{ctex}" if is_chinese else "")
    measured = r"\setbox1=\hbox{\input{head.tex}}\typeout{WIDE \the\wd1}\shipout\box1"
    paper = rf"\documentclass{{article}}{packages}\begin{{document}}{measured}\end{{document}}"
    (tmp_path / "paper.tex").write_text(paper)
    for engine in ENGINES if not is_chinese else set(ENGINES) & {"xelatex"}:
        done = set_by(engine, "paper.tex", tmp_path)
        assert done.returncode == 0, done.stdout[-2000:]
        assert "Missing character" not in done.stdout
        found = re.search(r"WIDE ([\d.]+)pt", done.stdout)
        assert found is not None
        assert float(found[1]) / 72.27 * 25.4 == pytest.approx(MILLIMETRES[wide], abs=0.01)


@pytest.mark.parametrize("encoding", ["OT1", "T1"])
def test_pdflatex_sets_every_character_for_which_no_other_engine_is_asked(encoding: str, tmp_path: Path) -> None:
    known = [each for each in map(chr, range(0x20, 0x2100)) if KNOWN_TO_PDFLATEX.fullmatch(escaped(each))]
    alone = [each for each in known if T1_ALONE.search(escaped(each))]
    assert len(alone) > 20
    assert len(known) > 350
    lines = "\n".join(escaped(each) for each in known if encoding == "T1" or each not in alone)
    head = rf"\documentclass{{article}}\usepackage[{encoding}]{{fontenc}}\begin{{document}}\sffamily"
    (tmp_path / "all.tex").write_text(f"{head}\n{lines}\n\\end{{document}}")
    for engine in {*ENGINES} & {"pdflatex"}:
        done = set_by(engine, "all.tex", tmp_path)
        assert done.returncode == 0, done.stdout[-500:]


def test_a_figure_is_saved_under_the_ending_of_its_name(tmp_path: Path) -> None:
    figure = alignment_heatmap(translation(("a", "b"), ("c",)))
    for form in FORMATS:
        save(figure, tmp_path / f"head.{form.upper()}", width="column")
        assert (tmp_path / f"head.{form.upper()}").read_bytes() == publication_file(figure, form, width="column")
    save(figure, str(tmp_path / "page.svg"), titles=False)
    assert (tmp_path / "page.svg").read_bytes() == publication_file(figure, "svg", titles=False)


def test_what_cannot_be_saved_is_named(tmp_path: Path) -> None:
    figure = KINDS["chart"]()
    for name in ("head", "head.gif", "head.html", ".tex"):
        with pytest.raises(ValueError, match=r"ends in \.svg, \.pdf, \.png, \.tex; got"):
            save(figure, tmp_path / name)
    with pytest.raises(ValueError, match=r"'column', 'page'; got 'wide'"):
        save(figure, tmp_path / "head.tex", width="wide")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="saved by their write_html"):
        save(head_profiles(transformer()), tmp_path / "head.tex")
    for other in ("a figure", None, bench()):
        with pytest.raises(TypeError, match="save takes a figure of"):
            save(other, tmp_path / "head.tex")
    assert not list(tmp_path.iterdir())


def test_widths_are_those_of_a_column_and_a_page() -> None:
    assert {name: width * POINT for name, width in WIDTHS.items()} == pytest.approx(MILLIMETRES)


@pytest.mark.parametrize("kind", KINDS)
def test_an_svg_brings_the_letters_of_its_words(kind: str) -> None:
    root = ElementTree.fromstring(file_of(kind, "svg"))
    faces = re.findall(
        r"font-family:'([^']+)';font-weight:(\w+);src:url\(data:font/woff2;base64,([^)]+)\)",
        "".join(each.text or "" for each in root.iter(f"{SVG}style")),
    )
    fonts = {(family, weight): TTFont(BytesIO(b64decode(data))).getBestCmap() for family, weight, data in faces}
    assert (("Noto Sans SC", "normal") in fonts) == bool(re.search(r"[\u4e00-\u9fff]", "".join(root.itertext())))
    for each in root.iter(f"{SVG}text"):
        if each.find(f"{SVG}tspan") is not None:  # a formula
            continue
        weight = "bold" if re.search(r"bold|700", each.get("style", "")) else "normal"
        known = fonts["Bench Sans", weight] | fonts.get(("Noto Sans SC", "normal"), {})
        assert {ord(letter) for letter in "".join(each.itertext()).strip()} <= known.keys()
    assert len(file_of(kind, "svg")) < 400_000


def test_the_menu_of_the_app_offers_every_format_of_print() -> None:
    assert set(keep._PRINTED) == set(FORMATS) <= keep._MIME.keys()
