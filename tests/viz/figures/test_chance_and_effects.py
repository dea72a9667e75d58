"""The figures of the Surgery: cells inside the band of chance are grey, effects keep their sign, words name both."""

from __future__ import annotations

import numpy as np
import pytest

from models.trace import TokenSequence
from tests.support.hovering import hover_text
from tests.support.small_models import AWKWARD, translator
from viz.captions.chance import rows_without, sentence_of_chance
from viz.figures.chance import Band, chance_heatmap
from viz.figures.effects import effect_heatmap
from viz.text.tokens import full_label
from viz.views.view import choose_view

VIEW = choose_view(translator("bahdanau").attend("The cat sleeps in the house.", "le chat dort"), reading="written")


def bands(margin: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a band about each weight: without margin all cells lie inside; every other column is moved out."""
    low, high = VIEW.weights - margin, VIEW.weights + margin
    low[:, ::2] += 2 * margin + 0.001
    high[:, ::2] += 2 * margin + 0.001
    return (VIEW.weights < low) | (VIEW.weights > high), low, high


def test_what_chance_gives_too_is_grey_and_the_rest_has_its_colour() -> None:
    beyond, low, high = bands(0.01)
    figure = chance_heatmap(VIEW, Band(low, high, beyond, 0.05), chance="drawn here")
    inside, outside = (np.array(each.z, dtype=float) for each in figure.data)
    assert np.array_equal(np.isnan(inside), beyond)
    assert np.array_equal(np.isnan(outside), ~beyond)
    np.testing.assert_allclose(np.where(beyond, outside, inside), VIEW.weights)
    assert figure.data[0].coloraxis is None
    assert figure.data[1].coloraxis == "coloraxis"
    said = figure.layout.annotations[0].text.replace("<br>", " ")
    assert "drawn here" in said
    by_chance = round(0.05 * beyond.size)
    assert (
        f"{int(beyond.sum())} of {beyond.size} cells outside the chance range (about {by_chance} expected by chance)"
        in said
    )
    for number in (0, 1):
        assert hover_text(figure, 1, 2, number=number).endswith(f"chance range: {low[1, 2]:.4f} to {high[1, 2]:.4f}")
        assert hover_text(figure, 1, 2, number=number).startswith(f"<b>{VIEW.weights[1, 2]:.4f}</b>: writing <b>")


def test_rows_of_which_nothing_is_left_are_named() -> None:
    beyond = np.zeros(VIEW.weights.shape, dtype=bool)
    beyond[1:, 0] = True
    assert rows_without(beyond) == (0,)
    said = sentence_of_chance(VIEW, beyond, 0.0488, np.array([3, 9, 4]))
    by_chance = round(0.0488 * beyond.size)
    assert f"are outside the chance range (about {by_chance} expected by chance)." in said
    assert "Random samples, each compared with the others: 3 to 9." in said
    assert said.endswith("Rows with no weight outside the chance range: “le”.")
    assert "Nothing" not in sentence_of_chance(VIEW, ~beyond, 0.0488, np.array([3, 9, 4]))


def test_arrays_of_another_shape_are_refused() -> None:
    beyond, low, high = bands(0.01)
    with pytest.raises(ValueError, match="low: got shape"):
        chance_heatmap(VIEW, Band(low[:, 1:], high, beyond, 0.05), chance="")
    with pytest.raises(ValueError, match="losses: got shape"):
        effect_heatmap(low, VIEW.shown.key_tokens, VIEW.shown.query_tokens, title="")


@pytest.mark.parametrize("texts", AWKWARD.values(), ids=AWKWARD)
def test_effects_keep_their_sign_and_awkward_words_are_no_markup(texts: str) -> None:
    keys = TokenSequence.from_words([*texts.split(" "), "<b>"])
    losses = np.linspace(-0.5, 2.0, 2 * len(keys)).reshape(2, len(keys))
    figure = effect_heatmap(losses, TokenSequence.from_words(("le", "<i>")), keys, title="Model, 2015")
    np.testing.assert_allclose(figure.data[0].z, losses, atol=1e-6)
    assert (figure.layout.coloraxis.cmin, figure.layout.coloraxis.cmax) == (-2, 2)
    assert "2.00" in figure.layout.coloraxis.colorbar.title.text.replace("<br>", " ")
    assert "&lt;b&gt;" in figure.layout.xaxis.ticktext[-1]
    pair = f"“<b>&lt;i&gt;</b>” without “<b>{full_label(keys.texts[0])}</b>”"
    assert hover_text(figure, 1, 0) == f"{pair}: <b>{losses[1, 0]:+.4f}</b> nats lost"
    assert hover_text(figure, 1, -1).endswith("<b>+2.0000</b> nats lost")
