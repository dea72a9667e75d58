"""A figure for a paper: every cell a shape, every word text, no two labels over each other."""

from xml.etree import ElementTree

import pytest

from tests.support.figure_samples import AWKWARD, bench, pieces, translation
from viz.figures import alignment_heatmap, difference_heatmap
from viz.figures.publication import WIDTHS, publication_file
from viz.figures.publication.layout import LABEL, LEADING, SMALLEST_LABEL, lay_out
from viz.figures.publication.text import lines_of, width_of

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: bytes) -> list[str]:
    return ["".join(each.itertext()) for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def cells(svg: bytes) -> int:
    """Count the shapes of the maps: those of the colour bar are the last collection."""
    groups = [each for each in ElementTree.fromstring(svg).iter(f"{SVG}g") if "PolyCollection" in each.get("id", "")]
    return sum(len(list(each.iter(f"{SVG}path"))) for each in groups[:-1])


def test_each_cell_is_a_shape_and_each_word_is_text() -> None:
    traces = bench()
    figure = alignment_heatmap(traces)
    svg = publication_file(figure, "svg")
    assert b"<image" not in svg
    written = texts(svg)
    for panel in figure.panels:
        assert panel.title in written
        assert panel.key_title in written
        assert set(panel.queries.texts) <= set(written)
    assert cells(svg) == sum(panel.values.size for panel in figure.panels)
    assert "attention weight" in " ".join(written)


def test_titles_can_stay_out_but_axes_and_colours_are_named() -> None:
    figure = alignment_heatmap(bench())
    written = texts(publication_file(figure, "svg", titles=False))
    assert figure.panels[0].title not in written
    assert figure.panels[0].key_title in written
    assert any("attention weight" in each for each in written)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("square", [False, True])
def test_labels_never_collide(width: str, square: bool) -> None:
    for words in (3, 14, 60):
        source, target = ([f"{side}{number}" for number in range(words)] for side in ("word", "mot"))
        figure = alignment_heatmap(translation(pieces(source), pieces(target)))
        panels = figure.panels
        layout = lay_out(panels, width, titles=True, square=square)  # type: ignore[arg-type]
        for panel, place in zip(panels, layout.places, strict=True):
            assert place.label >= SMALLEST_LABEL
            for side, every in zip(place.cell, reversed(place.every), strict=True):
                assert side * every >= place.label * LEADING - 1e-6
            if not place.upright:
                assert max(width_of(each, place.label) for each in panel.keys.texts) <= place.cell[0]
            assert place.left + place.cell[0] * len(panel.keys) <= WIDTHS[width] + 1e-6
            assert not square or place.cell[0] == place.cell[1]
            drawn = publication_file(figure, "svg", width=width, square=square) if words == 14 else b"<svg/>"  # type: ignore[arg-type]
            for each in ElementTree.fromstring(drawn).iter(f"{SVG}text"):
                if each.text in panel.keys.texts:
                    assert ("rotate(-90" in each.get("transform", "")) == place.upright


def test_the_same_figure_is_the_same_file_and_what_is_there_to_be_clicked_is_not_drawn() -> None:
    first, second = (publication_file(alignment_heatmap(bench(), clickable=click), "svg") for click in (False, True))
    assert first == second


@pytest.mark.parametrize("name", [name for name in AWKWARD if name != "broken"])
def test_any_text_is_drawn_as_it_stands(name: str) -> None:
    figure = alignment_heatmap(translation(pieces(AWKWARD[name]), pieces(AWKWARD[name])))
    written = texts(publication_file(figure, "svg"))
    if name == "special":
        assert "$x$" in written
        assert "<b>bold</b>" in written


def test_differences_are_drawn_too() -> None:
    same = pieces(AWKWARD["repeated"])
    first, second = translation(same, same), translation(same, same, seed=3)
    written = texts(publication_file(difference_heatmap(first, second), "svg"))
    assert "above 0" in " ".join(written)
    assert any("\u22121" in each or "-1" in each for each in written)


def test_chinese_is_drawn_in_the_font_that_the_app_brings() -> None:
    chinese = pieces(AWKWARD["chinese"])
    file = publication_file(alignment_heatmap(translation(chinese, chinese)), "pdf")
    assert b"NotoSansSC" in file


def test_lines_fit_and_hold_every_word() -> None:
    text = "Jensen-Shannon divergence, mean over queries: 0 same attention, 1 no token in common"
    lines = lines_of(text, LABEL, 90)
    assert " ".join(lines) == text
    assert all(width_of(line, LABEL) <= 90 for line in lines)


def test_an_unknown_format_is_named() -> None:
    with pytest.raises(ValueError, match="svg, pdf, png, tex; got 'gif'"):
        publication_file(alignment_heatmap(bench()), "gif")  # type: ignore[arg-type]
