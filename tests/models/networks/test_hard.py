"""Hard attention: what is drawn is what is read, as often as its probability says, with the gradient of the papers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from models.edits import Edit, harden, mask_key, sample, scale_scores, set_row, uniform_row
from models.hooks import Session, capture
from models.mechanisms import mechanisms
from models.networks.hard import ChosenWeights
from models.networks.sampling import chosen, gumbel_noise, noisy_logarithms, relaxed, straight_through
from models.sites import Site
from tests.support import reference_networks
from tests.support.small_models import network

PLACE = "decoder.0.cross"
SOURCE, INPUTS = [5, 9, 5, 3, 2], [1, 7, 4, 7, 3, 8, 4]
DRAWS = 4000
FAR = 4.5  # standard errors: one test of 100,000 with the right frequencies goes beyond


def made() -> Any:
    return network("hard", vocabulary=11).double()


def forced(*edits: Edit, model: Any = None, source: list[int] = SOURCE) -> tuple[Session, Tensor]:
    """Return what the hooks saw, and the logits, [target, vocabulary], of the forced `INPUTS`."""
    model = model or made()
    with torch.no_grad(), capture([f"{PLACE}.*"], edits) as session:
        logits = model.decode(model.encode(torch.tensor([source])), torch.tensor([INPUTS]))[0]
    return session, logits


def rows(session: Session, quantity: str) -> Any:
    return session[f"{PLACE}.{quantity}"][0, 0].numpy()


def assert_frequencies(counts: Any, probabilities: Any) -> None:
    """Check counts of `DRAWS` draws against what they were drawn from."""
    error = np.sqrt(probabilities * (1 - probabilities) / DRAWS)
    assert np.abs(counts / DRAWS - probabilities).max() > 0
    assert (np.abs(counts / DRAWS - probabilities) <= FAR * error + 1e-12).all()


@pytest.mark.parametrize("seed", range(4))
def test_a_drawn_run_equals_the_reference_that_reads_the_places_drawn(seed: int) -> None:
    model = made()
    session, logits = forced(sample(PLACE, None, None, seed), model=model)
    drawn = rows(session, "weights")
    assert sorted(set(drawn.ravel())) == [0, 1]
    assert (drawn.sum(-1) == 1).all()
    seen = []

    def choose(weights: Any, row: int) -> Any:
        seen.append(weights)
        return drawn[row]

    parameters = {key: value.numpy() for key, value in model.state_dict().items()}
    want, _maps = reference_networks.bahdanau(parameters, SOURCE, INPUTS, choose)
    np.testing.assert_allclose(logits.numpy(), want, atol=1e-10, rtol=1e-10)
    np.testing.assert_allclose(rows(session, "probabilities"), seen, atol=1e-10, rtol=1e-10)
    noisy = np.log(np.array(seen)) + rows(session, "noise")
    np.testing.assert_array_equal(drawn, np.eye(len(SOURCE))[noisy.argmax(-1)])
    states = rows(session, "value")
    np.testing.assert_array_equal(rows(session, "context"), states[drawn.argmax(-1)])  # c_i = h_j, section 4.1


def test_without_a_seed_the_likeliest_place_is_read_and_the_row_it_comes_from_is_the_softmax() -> None:
    session, _logits = forced()
    probabilities = rows(session, "probabilities")
    assert not rows(session, "noise").any()
    np.testing.assert_array_equal(rows(session, "weights"), np.eye(len(SOURCE))[probabilities.argmax(-1)])
    powers = np.exp(rows(session, "scores"))
    np.testing.assert_allclose(probabilities, powers / powers.sum(-1, keepdims=True), atol=1e-12)


def test_one_seed_draws_alike_word_by_word_and_in_one_pass_and_another_draws_otherwise() -> None:
    model = made()
    edit = sample(PLACE, None, None, 3)
    session, logits = forced(edit, model=model)
    with torch.no_grad(), capture([f"{PLACE}.*"], [edit]) as steps:
        memory = model.encode(torch.tensor([SOURCE]))
        state = model.start(memory)
        for position, token in enumerate(INPUTS):
            step, state = model.step(memory, state, torch.tensor([token]), position)
            torch.testing.assert_close(step[0], logits[position], atol=1e-10, rtol=1e-10)
    np.testing.assert_array_equal(rows(steps, "weights"), rows(session, "weights"))
    others = [rows(forced(sample(PLACE, None, None, seed), model=model)[0], "weights") for seed in range(5)]
    assert len({each.tobytes() for each in others}) > 2


def test_a_row_alone_is_drawn_and_the_others_read_their_likeliest() -> None:
    plain = rows(forced()[0], "weights")
    for seed in range(20):
        session, _logits = forced(sample(PLACE, None, 2, seed))
        drawn = rows(session, "weights")
        np.testing.assert_array_equal(drawn[:2], plain[:2])
        assert not rows(session, "noise")[[0, 1, 3, 4, 5, 6]].any()
        if not np.array_equal(drawn[2], plain[2]):
            return
    pytest.fail("twenty seeds drew the likeliest place")


def test_seeds_draw_each_place_as_often_as_its_probability_says() -> None:
    """The first row, whose probabilities no draw before it moves; on hard attention and on a softmax alike."""
    probabilities = rows(forced()[0], "probabilities")[0]
    row = probabilities[None, None]
    for quantity, values in (("noise", np.zeros_like(row)), ("weights", row)):
        counts = np.zeros(len(SOURCE))
        for seed in range(DRAWS):
            given = sample(PLACE, None, None, seed).apply_at(Site("decoder", 0, "cross", quantity), values)[0, 0]
            counts[(np.log(probabilities) + given if quantity == "noise" else given).argmax()] += 1
        assert_frequencies(counts, probabilities)


def test_training_draws_each_place_as_often_as_its_probability_says() -> None:
    torch.manual_seed(7)
    scores = torch.tensor([1.5, 0.0, -1.0, 0.5]).expand(DRAWS, 1, 1, 4)
    mask = torch.tensor([True, True, True, False])
    weights = ChosenWeights(Site.parse(PLACE), 1.0).train()(scores, mask)
    probabilities = scores[0, 0, 0].masked_fill(~mask, -torch.inf).softmax(-1)
    assert not weights[..., 3].any()
    assert_frequencies(weights.sum(dim=(0, 1, 2)).numpy(), probabilities.numpy())


def test_the_noise_is_of_a_standard_gumbel_distribution() -> None:
    """Its mean is Euler's constant, its variance pi^2 / 6, and P(g <= x) = exp(-exp(-x))."""
    torch.manual_seed(1)
    noise = gumbel_noise(torch.empty(200_000, dtype=torch.float64))
    assert float(noise.mean()) == pytest.approx(np.euler_gamma, abs=0.015)
    assert float(noise.var()) == pytest.approx(np.pi**2 / 6, rel=0.03)
    for place in (-1.0, 0.0, 1.0, 3.0):
        assert float((noise <= place).double().mean()) == pytest.approx(np.exp(-np.exp(-place)), abs=0.006)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_the_gradient_is_that_of_the_relaxation_and_the_value_that_of_the_choice(temperature: float) -> None:
    """Jang et al. 2017: z goes forward, and dz / d log a is taken as dy / d log a, y_j (1[j = k] - y_k) / tau."""
    rng = np.random.default_rng(2)
    scores, noise, upstream = rng.normal(size=5), rng.gumbel(size=5), rng.normal(size=5)
    given = torch.tensor(scores, requires_grad=True)
    noisy = noisy_logarithms(given.softmax(-1), torch.tensor(noise))
    out = straight_through(chosen(noisy), relaxed(noisy, temperature))
    (out * torch.tensor(upstream)).sum().backward()

    logarithms = scores - np.log(np.exp(scores).sum()) + noise
    np.testing.assert_array_equal(out.detach(), np.eye(5)[logarithms.argmax()])
    powers = np.exp(logarithms / temperature)
    soft = powers / powers.sum()
    of_logarithms = (np.diag(soft) - np.outer(soft, soft)) @ upstream / temperature
    softmax = np.exp(scores) / np.exp(scores).sum()
    want = of_logarithms - softmax * of_logarithms.sum()  # through log softmax(e)
    assert given.grad is not None
    np.testing.assert_allclose(given.grad, want, atol=1e-12)


def test_in_training_the_context_is_the_state_drawn_and_every_gradient_is_finite_beside_padding() -> None:
    model = made().train()
    torch.manual_seed(0)
    batch, inputs = torch.tensor([SOURCE, [5, 2, 0, 0, 0]]), torch.tensor([INPUTS, INPUTS])
    with capture([f"{PLACE}.*"]) as session:
        logits = model.decode(model.encode(batch, batch != 0), inputs)
    weights = session[f"{PLACE}.weights"][:, 0]
    assert sorted(set(weights.ravel().tolist())) == [0, 1]
    assert not weights[1, :, 2:].any()
    assert not torch.equal(weights[0], torch.eye(len(SOURCE)).double()[session[f"{PLACE}.scores"][0, 0].argmax(-1)])
    logits.logsumexp(-1).sum().backward()
    learnt = {name: each.grad for name, each in model.named_parameters()}
    assert all(grad is not None and bool(grad.isfinite().all()) for grad in learnt.values())
    assert learnt["query_weight.weight"].abs().sum() > 0


class TestEdits:
    def test_to_harden_it_changes_nothing(self) -> None:
        (plain, want), (edited, got) = forced(), forced(harden(PLACE, None, None))
        assert torch.equal(want, got)
        np.testing.assert_array_equal(rows(plain, "weights"), rows(edited, "weights"))

    def test_a_temperature_acts_upon_the_row_before_the_choice(self) -> None:
        """Sharper or flatter, the likeliest place is the same; a seed draws from the row as the temperature left it."""
        plain, sharp, flat = (forced(scale_scores(PLACE, factor))[0] for factor in (1, 50, 0))
        np.testing.assert_array_equal(rows(plain, "weights")[0], rows(sharp, "weights")[0])
        assert rows(sharp, "probabilities")[0].max() > rows(plain, "probabilities")[0].max()
        np.testing.assert_allclose(rows(flat, "probabilities"), 1 / len(SOURCE))
        drawn = {
            int(rows(forced(scale_scores(PLACE, 0), sample(PLACE, None, 0, seed))[0], "weights")[0].argmax())
            for seed in range(40)
        }
        assert drawn == set(range(len(SOURCE)))

    def test_a_row_forced_on_a_word_reads_that_word(self) -> None:
        session, _logits = forced(set_row(PLACE, 0, 2, (0, 0, 0, 1.0), 1))
        assert rows(session, "weights")[2].tolist() == [0, 0, 0, 1, 0]
        np.testing.assert_array_equal(rows(session, "context")[2], rows(session, "value")[3])

    def test_a_row_spread_evenly_is_read_as_a_mean_and_the_others_as_they_choose(self) -> None:
        session, _logits = forced(uniform_row(PLACE, None, 1))
        weights = rows(session, "weights")
        np.testing.assert_allclose(weights[1], 1 / len(SOURCE))
        np.testing.assert_allclose(rows(session, "context")[1], rows(session, "value").mean(axis=0))
        assert sorted(set(np.delete(weights, 1, axis=0).ravel())) == [0, 1]

    def test_a_row_spread_evenly_is_drawn_from_where_a_seed_draws(self) -> None:
        spread = uniform_row(PLACE, None, 0)
        drawn = [rows(forced(spread, sample(PLACE, None, 0, seed))[0], "weights")[0] for seed in range(40)]
        assert {int(row.argmax()) for row in drawn} == set(range(len(SOURCE)))
        assert all(sorted(row) == [0, 0, 0, 0, 1] for row in drawn)

    def test_a_hidden_word_is_never_drawn(self) -> None:
        for seed in range(30):
            session, _logits = forced(mask_key(PLACE, 1), sample(PLACE, None, None, seed))
            assert not rows(session, "weights")[:, 1].any()
            assert not rows(session, "probabilities")[:, 1].any()


@pytest.mark.parametrize("temperature", [0, -1.0, float("nan")])
def test_a_temperature_that_divides_nothing_is_refused(temperature: float) -> None:
    build = partial(mechanisms()["hard"].build, vocabulary=11)
    with pytest.raises(ValueError, match="temperature divides, and is above 0; got"):
        build(temperature=temperature)
