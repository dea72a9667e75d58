"""Sentences folded to one row and one column: means, sums, names, and what stays open."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from models.trace import TokenSequence
from tests.support.head_samples import transformer
from viz.captions.maps import notes_of
from viz.figures.comparison import head_comparison
from viz.views.folding import sentence_names, sentences_of
from viz.views.heads import HeadPlace, view_at
from viz.views.hiding import Hiding

TEXT = ("The", "cat", "sleeps", ".", "It", "is", "tired", "!", "Is", "it", "?", "</s>")
SPECIAL = replace(TokenSequence.from_words(TEXT), specials=(11,))
TRACE = transformer(SPECIAL, layers=1, heads=2)
SITE = TRACE["encoder.0.self"].site


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat sleeps . It is tired ! Is it ?", [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2]),
        ("He said : “ Go ! ” She went .", [0, 0, 0, 0, 0, 0, 0, 1, 1, 1]),
        ("Why ?! No ... Yes .", [0, 0, 1, 1, 2, 2]),
        ("猫 睡 了 。 它 累 了 ！", [0, 0, 0, 0, 1, 1, 1, 1]),
        ("[CLS] One . [SEP] Two . [SEP]", [None, 0, 0, None, 1, 1, None]),
        ("A [MASK] sleeps . It", [0, None, 0, 0, 1]),
        ("no end at all", [0, 0, 0, 0]),
        ("", []),
    ],
)
def test_a_sentence_ends_with_its_sign_and_the_quotes_behind_it(text: str, expected: list[int | None]) -> None:
    assert sentences_of(TokenSequence.from_words(text.split())) == expected


@pytest.mark.parametrize("opened", [(), (0,), (1,), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("hidden", [(), (11,)])
def test_a_folded_row_is_a_mean_a_folded_column_a_sum(opened: tuple[int, ...], hidden: tuple[int, ...]) -> None:
    view = view_at(TRACE, SITE, "word", Hiding(source=hidden, opened=opened))
    whole = TRACE[SITE].weights[0].astype(np.float64)
    groups = []
    for number, places in enumerate((range(4), range(4, 8), range(8, 11))):
        groups += [[place] for place in places] if number in opened else [list(places)]
    rows = [np.mean(whole[each], axis=0) for each in [*groups, *([] if hidden else [[11]])]]
    expected = np.stack([[row[each].sum() for each in [*groups, [11]]] for row in rows])
    np.testing.assert_allclose(view.weights, expected, atol=1e-6)
    np.testing.assert_allclose(view.weights.sum(axis=-1), 1, atol=1e-5)
    assert view.shown.key_tokens.texts[-1] == ("⟨hidden⟩" if hidden else "</s>")
    assert view.folded == 3 - len(opened)
    said = [note for note in notes_of(view) if "folded" in note]
    assert bool(said) == (len(opened) < 3)
    assert all(note.startswith(str(3 - len(opened))) for note in said)


def test_names_are_numbers_and_first_words() -> None:
    names = sentence_names(SPECIAL)
    assert names == ("1: The cat sleeps .", "2: It is tired !", "3: Is it ?")
    view = view_at(TRACE, SITE, "word", Hiding(opened=(1,)))
    assert view.shown.key_tokens.texts == ("1:The…", "It", "is", "tired", "!", "3:Is…", "</s>")
    assert view.shown.key_tokens.specials == (6,)


def test_what_lies_ahead_stays_unread() -> None:
    site = TRACE["decoder.0.self"].site
    assert not np.triu(view_at(TRACE, site, "word", Hiding(opened=())).weights, 1).any()


def test_a_figure_takes_it_and_says_so() -> None:
    figure = head_comparison(TRACE, sites="encoder.*.self", heads=[HeadPlace(0, 1)], hiding=Hiding(opened=()))
    assert figure.data[0].z.shape == (4, 4)
    assert any("3 sentences folded" in each.text for each in figure.layout.annotations)
