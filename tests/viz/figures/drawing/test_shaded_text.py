"""Attention on the text: each word with its weight, escaped, legible on its shade."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.colours import luminance
from tests.support.figure_samples import AWKWARD
from tests.support.head_samples import transformer
from tests.support.shaded_words import Words
from viz.figures.drawing.shaded_text import text_html
from viz.figures.drawing.theme import text_on, weight_colour
from viz.text.tokens import visible
from viz.views.hiding import Hiding
from viz.views.view import View, choose_view, hide

TEXT = ("the", "cat", "the", "</s>")


def view_of(texts: tuple[str, ...] = TEXT, site: str = "encoder.1.self", head: int = 2) -> View:
    return choose_view(transformer(texts, texts), site=site, head=head, reading="written")


@pytest.mark.parametrize("site", ["encoder.1.self", "decoder.1.self", "decoder.1.cross"])
@pytest.mark.parametrize("way", ["reads", "read_by"])
def test_each_word_has_its_exact_weight(site: str, way: str) -> None:
    view = view_of(site=site)
    words = Words(text_html(view, position=1, way=way)).words  # type: ignore[arg-type]
    shown = view.shown
    texts = (shown.key_tokens if way == "reads" else shown.query_tokens).texts
    weights = view.weights[1] if way == "reads" else view.weights[:, 1]
    assert [word["text"] for word in words] == [visible(text) for text in texts]
    masked = np.zeros(len(texts), bool)
    if view.masked is not None:
        masked = view.masked[1] if way == "reads" else view.masked[:, 1]
        assert masked.any()
    for word, text, weight, hidden in zip(words, texts, weights, masked, strict=True):
        said = "masked" if hidden else f"{weight:.4f}"
        assert word["title"] == word["aria-label"] == f"“{visible(text)}”: {said}"
        if hidden:
            continue
        assert f"background:{weight_colour(float(weight), 'root')};" in word["style"]


def test_the_chosen_word_is_marked_in_its_own_text_alone() -> None:
    words = Words(text_html(view_of(), position=1)).words
    assert [word.get("class") for word in words] == [None, "chosen", None, None]
    words = Words(text_html(view_of(site="decoder.1.cross"), position=1)).words
    assert not any("class" in word for word in words)


@pytest.mark.parametrize(
    ("site", "way", "heading"),
    [
        ("encoder.1.self", "reads", "What “cat” attends to"),
        ("encoder.1.self", "read_by", "Which words attend to “cat”"),
        ("decoder.1.cross", "reads", "What the decoder attends to for “cat”"),
        ("decoder.1.cross", "read_by", "For which words the decoder attends to “cat”"),
    ],
)
def test_the_heading_says_who_reads_whom(site: str, way: str, heading: str) -> None:
    html = text_html(view_of(site=site), position=1, way=way)  # type: ignore[arg-type]
    assert f"<strong>{heading}</strong>" in html
    assert ("need not sum to 1" in html) == (way == "read_by")
    assert "attention weight" in html


@given(st.floats(0, 1), st.sampled_from(["linear", "root"]))
def test_text_stands_out_on_every_shade(weight: float, colour: str) -> None:
    shade = weight_colour(weight, colour)  # type: ignore[arg-type]
    light, dark = sorted((luminance(shade), luminance(text_on(shade))), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("way", ["reads", "read_by"])
def test_any_text_is_text_and_nothing_else(name: str, way: str) -> None:
    texts = (*AWKWARD[name], "<img src=x onerror=alert(1)>", '" onmouseover="alert(1)')
    html = text_html(view_of(texts), position=len(texts) - 2, way=way)  # type: ignore[arg-type]
    found = Words(html)
    assert [word["text"] for word in found.words] == [visible(text) for text in texts]
    assert found.tags <= {"div", "p", "strong", "small", "ul", "li", "bdi", "span"}
    assert all(set(word) <= {"text", "style", "title", "aria-label", "class", "aria-current"} for word in found.words)


def test_what_is_below_the_threshold_is_not_shaded_and_what_is_hidden_has_a_place() -> None:
    view = hide(view_of(), Hiding(source=(3,), threshold=0.3))
    words = Words(text_html(view, position=0)).words
    assert words[-1]["text"] == "⟨hidden⟩"
    for word, weight in zip(words, view.weights[0], strict=True):
        assert bool(word["style"]) == (weight >= 0.3)
    assert re.search("below 0.3: not shaded", text_html(view, position=0))


def test_what_there_is_not_is_refused() -> None:
    for position in (-1, 4):
        with pytest.raises(ValueError, match="no word"):
            text_html(view_of(), position=position)
    with pytest.raises(ValueError, match="'reads' or 'read_by'"):
        text_html(view_of(), position=0, way="writes")  # type: ignore[arg-type]
