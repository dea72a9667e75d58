"""The bottleneck beside attention: words, one box, lines as thick as weights."""

import re
from xml.etree import ElementTree

import pytest

from tests.support.figure_samples import AWKWARD, pieces, translation
from viz.figures.bottleneck import HEIGHT, WIDTH, drawing_of, many_looks, one_vector
from viz.views.view import choose_view

SVG = "{http://www.w3.org/2000/svg}"


def texts(figure: str) -> list[str]:
    return ["".join(each.itertext()) for each in ElementTree.fromstring(figure).iter() if each.tag.endswith("text")]


@pytest.mark.parametrize("name", [name for name in AWKWARD if name not in ("broken", "blank")])
def test_any_word_stands_inside_the_picture(name: str) -> None:
    words = AWKWARD[name]
    for picture in (
        one_vector(words, words, title="<b>", numbers=768),
        many_looks(choose_view(translation(pieces(words), pieces(words)))),
    ):
        figure = drawing_of(picture)
        assert len(texts(figure)) >= 2 * len(words)
        for x, y in re.findall(r'<text x="([-\d.]+)" y="([-\d.]+)"', figure):
            assert 0 <= float(x) <= WIDTH
            assert 0 <= float(y) <= HEIGHT


def test_every_word_goes_through_the_one_vector() -> None:
    figure = drawing_of(one_vector(("a", "b", "c"), ("d", "e"), title="Seq2seq, 2014", numbers=768))
    assert figure.count('class="link"') == 5
    assert "768 numbers for 3 words" in texts(figure)


def test_a_line_is_as_thick_as_its_weight() -> None:
    view = choose_view(translation(("a", "b", "c"), ("d", "e", "f")))
    thick = [float(each) for each in re.findall(r'stroke-width="([\d.]+)"', drawing_of(many_looks(view)))]
    shown = sorted(float(weight) for weight in view.weights.ravel() if weight >= 0.03)
    assert sorted(each / max(thick) for each in thick) == pytest.approx([each / shown[-1] for each in shown], abs=0.01)


def test_a_sentence_written_from_right_to_left_begins_at_the_right() -> None:
    words = ("החתול", "שתה", "חלב")
    figure = drawing_of(one_vector(words, ("le", "chat"), title="Seq2seq, 2014", numbers=768))
    at = {word: float(x) for x, word in re.findall(r'<text x="([-\d.]+)"[^>]*>([^<]+)<', figure)}
    assert at["החתול"] > at["שתה"] > at["חלב"]
    assert at["le"] < at["chat"]
