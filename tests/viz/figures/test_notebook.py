"""What a notebook shows of a trace where a page shows more than one figure: the text, the profile, a minimal pair."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from plotly.graph_objects import Figure

from models.measures.heads import MEASURES
from models.trace import AttentionTrace, TokenSequence
from tests.support.figure_samples import AWKWARD, pieces
from tests.support.head_samples import KINDS, transformer, weights_of
from tests.support.huggingface_samples import tiny_model
from tests.support.shaded_words import Words
from viz.captions.measures import label_name, meaning_of, name_of
from viz.figures import (
    HeadPlace,
    Hiding,
    head_profiles,
    hide_specials,
    matched_difference,
    sentence_difference,
    text_reading,
)
from viz.figures.drawing.shaded_text import STYLE
from viz.figures.drawing.theme import text_on, weight_colour
from viz.measures.head_profile import columns_of, ordered
from viz.pages.heads.shown import HeadSelection
from viz.server.caching import BoundedCache
from viz.text.tokens import escape, visible
from viz.views.hiding import NOTHING
from viz.views.matching import Matching

HEAD = HeadPlace(1, 5)
HUNGRY = "the cat drank milk , for it was hungry . </s>".split()
SWEET = "the cat drank milk , for it was very sweet . </s>".split()
ATTACK = ("<img src=x onerror=alert(1)>", '" onmouseover="alert(1)', "</style><script>alert(1)</script>")


def on_page(trace: AttentionTrace, sites: str = "encoder.*.self", hiding: Hiding = NOTHING) -> HeadSelection:
    """Return what the Heads page has of a trace."""
    return HeadSelection(trace, "one", BoundedCache(10**7), sites, "word", hiding)


def said_on(figure: Figure) -> str:
    return " ".join(each.text for each in figure.layout.annotations).replace("<br>", " ")


class TestText:
    def test_it_is_that_of_the_page_and_brings_its_style(self) -> None:
        trace = transformer(HUNGRY)
        found = text_reading(trace, head=HEAD, word=1)
        html = found._repr_html_()
        assert html.startswith(STYLE)
        words = Words(html.removeprefix(STYLE)).words
        weights = weights_of(trace, "encoder.*.self", *HEAD)[1]
        assert [each["title"] for each in words] == [
            f"“{text}”: {w:.4f}" for text, w in zip(HUNGRY, weights, strict=True)
        ]
        assert f"background:{weight_colour(float(weights[3]), 'root')};" in words[3]["style"]
        linear = text_reading(trace, head=HEAD, word=1, colour="linear").html
        assert f"background:{weight_colour(float(weights[3]), 'linear')};" in Words(linear).words[3]["style"]
        assert found.title == "What “cat” attends to"
        assert repr(found) == "TextReading(title='What “cat” attends to')"

    @pytest.mark.parametrize(
        ("way", "asked", "shaded"),
        [
            ("reads", "query: the word that attends: “cat”", "shaded: key: the word attended to"),
            ("read_by", "key: the word attended to: “cat”", "shaded: query: the word that attends"),
        ],
    )
    def test_it_says_who_is_query_and_key_and_what_a_colour_means(self, way: str, asked: str, shaded: str) -> None:
        html = text_reading(transformer(HUNGRY), head=HEAD, word="cat", way=way)._repr_html_()  # type: ignore[arg-type]
        assert f"{asked} · {shaded}" in html
        assert "layer 1, head 5" in html
        assert "attention weight (colour: square root)" in html

    def test_a_word_is_named_by_its_text_where_that_stands_once(self) -> None:
        trace = transformer((" a", "b", "a ", "c"))
        assert text_reading(trace, head=HEAD, word=" c").html == text_reading(trace, head=HEAD, word=3).html
        with pytest.raises(ValueError, match="“a” stands at 0, 2, from 0: give the position"):
            text_reading(trace, head=HEAD, word="a")
        with pytest.raises(ValueError, match="no word “d” to choose among the 4"):
            text_reading(trace, head=HEAD, word="d")
        with pytest.raises(ValueError, match="no word 4"):
            text_reading(trace, head=HEAD, word=4)
        with pytest.raises(ValueError, match="no head 8 in layer 1"):
            text_reading(trace, head=HeadPlace(1, 8), word=1)
        with pytest.raises(ValueError, match="colour is one of"):
            text_reading(trace, head=HEAD, word=1, colour="red")  # type: ignore[arg-type]

    def test_special_tokens_can_be_hidden(self) -> None:
        text = replace(pieces(HUNGRY), specials=(len(HUNGRY) - 1,))
        trace = transformer(text)
        words = Words(text_reading(trace, head=HEAD, word=0, hiding=hide_specials(trace)).html).words
        assert words[-1]["title"] == f"“⟨hidden⟩”: {weights_of(trace, 'encoder.*.self', *HEAD)[0, -1]:.4f}"

    @pytest.mark.parametrize("name", AWKWARD)
    def test_any_text_is_text_and_nothing_else(self, name: str) -> None:
        texts = (*AWKWARD[name], *ATTACK)
        html = text_reading(transformer(texts), head=HEAD, word=len(texts) - 1).html
        found = Words(html.removeprefix(STYLE))
        assert [word["text"] for word in found.words] == [visible(text) for text in texts]
        assert found.tags <= {"div", "p", "strong", "small", "ul", "li", "bdi", "span"}


class TestProfiles:
    @pytest.mark.parametrize("sites", KINDS)
    @pytest.mark.parametrize("by", ["place", "score", "first"])
    def test_its_cells_are_the_numbers_of_the_page(self, sites: str, by: str) -> None:
        trace = transformer(("a", "b", "a", "c", "</s>"))
        profiles = ordered(on_page(trace, sites).profiles(), by)
        (table,) = head_profiles(trace, sites=sites, by=by, picked=[HEAD]).data
        names = [name.replace("<br>", " ").removeprefix("<b>").removesuffix("</b>") for name in table.header.values]
        columns = dict(zip(names, table.cells.values, strict=True))
        measures = columns_of(profiles)
        assert names == ["picked", "layer", "head", "label", "score", *(name_of(measure) for measure in measures)]
        assert [HeadPlace(*each) for each in zip(columns["layer"], columns["head"], strict=True)] == [
            each.place for each in profiles
        ]
        assert list(columns["picked"]) == ["✓" if each.place == HEAD else "" for each in profiles]
        assert list(columns["label"]) == [label_name(each.label) for each in profiles]
        assert list(columns["score"]) == [each.label.score for each in profiles]
        for measure in measures:
            assert list(columns[name_of(measure)]) == [each.values[measure.key] for each in profiles]

    def test_shares_are_coloured_as_weights_are_and_bits_and_tokens_are_not(self) -> None:
        figure = head_profiles(transformer(HUNGRY))
        (table,) = figure.data
        shares = {"score", *(name_of(measure) for measure in MEASURES if measure.is_share)}
        cells = table.cells
        for number, header in enumerate(table.header.values):
            name = header.replace("<br>", " ")[3:-4]
            fill, ink = cells.fill.color[number], cells.font.color[number]
            expected = [
                weight_colour(value, "linear") if name in shares else "rgba(0,0,0,0)" for value in cells.values[number]
            ]
            assert list(fill) == expected
            if name in shares:
                assert list(ink) == [text_on(shade) for shade in fill]
        assert "coloured as weights are: 0 pale, 1 dark" in said_on(figure)

    def test_each_column_is_explained_and_what_is_left_out_too(self) -> None:
        trace = transformer(HUNGRY)
        said = said_on(head_profiles(trace, sites="decoder.*.cross"))
        for measure in columns_of(on_page(trace, "decoder.*.cross").profiles()):
            assert f"{name_of(measure)}: {meaning_of(measure)}" in said
        assert "Left out: distance, previous, itself, next and neighbours." in said

    def test_what_goes_to_a_sink_has_a_column(self) -> None:
        trace = tiny_model("gpt_oss").attend("the cat sleeps")
        figure = head_profiles(trace, sites="decoder.*.self", unit="piece")
        (table,) = figure.data
        assert table.header.values[-1].replace("<br>", " ") == "<b>on no token</b>"
        expected = [1 - head.sum(dtype=float) / len(head) for each in trace for head in each.weights]
        np.testing.assert_allclose(table.cells.values[-1], expected, atol=1e-5)
        assert "on no token: Share of all attention outside the text: on a sink beside it, or on nothing" in said_on(
            figure
        )

    @pytest.mark.parametrize("width", [340, 700, 1320])
    def test_it_says_its_width_and_each_row_has_room(self, width: int) -> None:
        figure = head_profiles(transformer(HUNGRY), width=width)
        (table,) = figure.data
        assert figure.layout.width == pytest.approx(max(width, sum(table.columnwidth)))
        low, high = table.domain.y
        assert 0 < low < high < 1
        assert (high - low) * figure.layout.height >= table.header.height + 24 * table.cells.height

    def test_what_there_is_not_is_refused(self) -> None:
        with pytest.raises(ValueError, match="ordered by place"):
            head_profiles(transformer(), by="beauty")
        with pytest.raises(KeyError, match="no map at"):
            head_profiles(transformer(), sites="encoder.*.cross")


class TestSentences:
    def test_each_cell_is_the_weight_in_the_first_less_that_in_the_second(self) -> None:
        one, other = transformer(HUNGRY, seed=1), transformer(SWEET, seed=50)
        (heatmap,) = (figure := sentence_difference(one, other, head=HEAD)).data
        a, b = (weights_of(trace, "encoder.*.self", *HEAD) for trace in (one, other))
        pairs = [(place, place) for place in range(8)] + [(9, 10), (10, 11)]
        assert heatmap.z.shape == (10, 11)
        for row, (query, its_query) in enumerate(pairs):
            for column, (key, its_key) in enumerate(pairs):
                assert heatmap.z[row, column] == pytest.approx(a[query, key] - b[its_query, its_key], abs=1e-6)
            alone = a[query, 8] - b[its_query, 8] - b[its_query, 9]
            assert heatmap.z[row, 10] == pytest.approx(alone, abs=1e-6)
        said = said_on(figure)
        assert "the first, layer 1, head 5 minus the second, layer 1, head 5" in said
        assert "query: the word that attends" in said
        assert "key: the word attended to" in said
        assert "above 0 (purple) the first" in figure.layout.coloraxis.colorbar.title.text.replace("<br>", " ")

    @pytest.mark.parametrize("specials", [True, False])
    def test_it_is_the_figure_of_the_page(self, specials: bool) -> None:
        texts = [replace(pieces(text), specials=(len(text) - 1,)) for text in (HUNGRY, SWEET)]
        one, other = transformer(texts[0], seed=1), transformer(texts[1], seed=50)
        hiding = Hiding(threshold=0.1)
        views = on_page(one, hiding=hiding).pick([HEAD])[0], on_page(other, hiding=hiding).pick([HeadPlace(2, 3)])[0]
        matching = Matching.of_maps(views[0].shown, views[1].shown, specials=specials)
        notes = () if specials else ("special tokens hidden; their weight: ⟨elsewhere⟩",)
        names = ("mine, layer 1, head 5", "its, layer 2, head 3")
        expected = matched_difference(*views, matching=matching, names=names, notes=notes, colour="root", width=900)
        found = sentence_difference(
            one,
            other,
            head=HEAD,
            other_head=HeadPlace(2, 3),
            specials=specials,
            threshold=0.1,
            names=("mine", "its"),
            colour="root",
            width=900,
        )
        assert found.to_json() == expected.to_json()
        assert len(found.data[0].z) == len(HUNGRY) - 1 - (not specials)

    def test_one_text_in_two_models_is_named_after_these(self) -> None:
        one, other = transformer(HUNGRY), transformer(HUNGRY, seed=9)
        other = replace(other, provenance=replace(other.provenance, title="<b>BERT</b> &amp;"))
        figure = sentence_difference(
            one, other, head=HEAD, other_head=HeadPlace(0, 0), other_sites="decoder.*.cross", sites="decoder.*.cross"
        )
        assert f"Multi-head, layer 1, head 5 minus {escape('<b>BERT</b> &amp;')}, layer 0, head 0" in said_on(figure)
        assert escape("<b>BERT</b>") in figure.data[0].hovertemplate
        assert "<b>BERT" not in figure.to_json().replace("\\u003c", "<")

    def test_nothing_in_common_is_refused(self) -> None:
        with pytest.raises(ValueError, match="no word is matched"):
            sentence_difference(transformer(("a",), ("x",)), transformer(("b",), ("y",)), head=HEAD)

    @pytest.mark.parametrize("name", AWKWARD)
    @pytest.mark.parametrize("sites", KINDS)
    def test_any_text_is_compared_with_itself(self, name: str, sites: str) -> None:
        texts: TokenSequence = pieces((*AWKWARD[name], *ATTACK))
        figure = sentence_difference(transformer(texts, texts), transformer(texts, texts), head=HEAD, sites=sites)
        assert not np.any(figure.data[0].z)
        shown = figure.to_json().replace("\\u003c", "<")
        assert "<img" not in shown
        assert "<script" not in shown
