"""Whole networks: equal to references from the papers, one pass equal to step by step, padding without effect."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from models.edits import mask_key, window
from models.hooks import Session, capture
from models.mechanisms import mechanisms
from models.networks.base import TranslationNetwork
from models.networks.fixed_vector import reverse_words
from models.networks.transformer import sinusoidal_positions
from tests.support import reference_lstmn, reference_networks
from tests.support.drawing import redrawn
from tests.support.reference_networks import luong
from tests.support.small_models import ATTENTIVE, KEYS

SOURCE, INPUTS = [5, 9, 5, 3, 2], [1, 7, 4, 7, 3, 8, 4]
SIZES = {"vocabulary": 11, "d_embedding": 6}
SMALL = {**SIZES, "d_encoder": 5, "d_decoder": 7}
SHAPE = {"heads": 2, "layers": 2}
KNOWN = 4  # source positions of which location-based attention has a row
REACH = 2  # k: shorter than both texts, so that distances are clipped on either side
LONGEST, WIDEST = 2, 2  # N and r: shorter than the source, so that a kernel is used again
WIDTH = 1  # D: the target is longer than the source, so that windows stop at its end

Reference = Callable[..., reference_networks.Result]
transformer: dict[str, Any] = {"vocabulary": 11, "d_model": 8, "d_feedforward": 12, **SHAPE}
CASES: dict[str, tuple[dict[str, Any], Reference]] = {
    "rctm": ({"vocabulary": 11, "d_model": 6, "longest": LONGEST}, partial(reference_networks.rctm, widest=WIDEST)),
    "seq2seq": ({**SIZES, "d_decoder": 7}, reference_networks.seq2seq),
    "rnn-encoder-decoder": ({**SMALL, "d_summary": 4}, reference_networks.encoder_decoder),
    "bahdanau": ({**SMALL, "d_attention": 4}, reference_networks.bahdanau),
    "hard": (
        {**SMALL, "d_attention": 4},
        partial(reference_networks.bahdanau, choose=reference_networks.likeliest),
    ),
    "luong-dot": ({**SIZES, "d_encoder": 4}, partial(luong, weigh=reference_networks.weigh_dot)),
    "luong-general": (SMALL, partial(luong, weigh=reference_networks.weigh_general)),
    "luong-concat": ({**SMALL, "d_attention": 4}, partial(luong, weigh=reference_networks.weigh_concat)),
    "luong-location": ({**SMALL, "max_source": KNOWN}, partial(luong, weigh=reference_networks.weigh_location)),
    "luong-local-m": (
        {**SMALL, "width": WIDTH},
        partial(luong, weigh=partial(reference_networks.weigh_local_monotonic, width=WIDTH)),
    ),
    "luong-local-p": (
        {**SMALL, "width": WIDTH, "d_position": 4},
        partial(luong, weigh=partial(reference_networks.weigh_local_predictive, width=WIDTH)),
    ),
    "luong-general-input-feeding": (SMALL, partial(luong, weigh=reference_networks.weigh_general)),
    "lstmn-shallow": ({**SIZES, "d_hidden": 5}, reference_lstmn.shallow),
    "lstmn-deep": ({**SIZES, "d_hidden": 5}, reference_lstmn.deep),
    "convs2s": (
        {"vocabulary": 11, "d_model": 6, "encoder_layers": 2, "decoder_layers": 2},
        partial(reference_networks.convs2s, layers=2, width=3),
    ),
    "transformer-post-ln": (transformer, partial(reference_networks.transformer, pre_norm=False, **SHAPE)),
    "transformer": (transformer, partial(reference_networks.transformer, pre_norm=True, **SHAPE)),
    "transformer-relative": (
        {**transformer, "reach": REACH},
        partial(reference_networks.transformer, pre_norm=True, reach=REACH, **SHAPE),
    ),
}
names = pytest.mark.parametrize("name", KEYS)
attentive = pytest.mark.parametrize("name", ATTENTIVE)


def network(name: str, **sizes: Any) -> Any:
    """Make the network in float64, every parameter drawn, biases and scales included."""
    made: nn.Module = redrawn(mechanisms()[name].build(**{**CASES[name][0], **sizes}).double().eval(), seed=3)
    if hasattr(made, "positions"):
        made.positions = sinusoidal_positions(16, 8)  # the buffer is kept in float32
    return made


def step_by_step(made: Any, source: Tensor, inputs: Tensor) -> Tensor:
    memory = made.encode(source)
    state = made.start(memory)
    logits = []
    for position, token in enumerate(inputs.unbind(dim=1)):
        step, state = made.step(memory, state, token, position)
        logits.append(step)
    return torch.stack(logits, dim=1)


def weights_of(name: str) -> list[str]:
    """Return the patterns of all that `name` may capture as weights: none without attention."""
    return ["*.weights"] if mechanisms()[name].has_attention else []


@names
def test_logits_and_maps_equal_the_reference(name: str) -> None:
    made = network(name)
    parameters = {key: value.numpy() for key, value in made.state_dict().items()}
    want_logits, want_maps = CASES[name][1](parameters, SOURCE, INPUTS)
    with torch.no_grad(), capture(weights_of(name)) as session:
        logits = made.decode(made.encode(torch.tensor([SOURCE])), torch.tensor([INPUTS]))
    np.testing.assert_allclose(logits[0].numpy(), want_logits, atol=1e-10, rtol=1e-10)
    assert {str(site.place) for site in session.sites} == set(want_maps)
    for site, want in want_maps.items():
        np.testing.assert_allclose(session[f"{site}.weights"][0].numpy(), want, atol=1e-10, rtol=1e-10)


@names
def test_step_by_step_equals_one_forced_pass(name: str) -> None:
    made = network(name).float()
    everything = ["*"] if mechanisms()[name].has_attention else []
    source, inputs = torch.tensor([SOURCE]), torch.tensor([INPUTS])
    with torch.no_grad(), capture(everything) as whole:
        want = made.decode(made.encode(source), inputs)
    with torch.no_grad(), capture(everything) as steps:
        got = step_by_step(made, source, inputs)
    torch.testing.assert_close(got, want, atol=1e-5, rtol=1e-5)
    assert set(steps.sites) == set(whole.sites)
    for site in steps.sites:
        if site.kind != "self" or site.quantity not in ("scores", "by_distance"):  # one pass has what it may not read
            torch.testing.assert_close(steps[site], whole[site], atol=1e-5, rtol=1e-5)


@names
def test_padding_of_a_batch_changes_nothing(name: str) -> None:
    made = network(name)
    short = SOURCE[1:3]
    batch = torch.tensor([SOURCE, [*short, 0, 0, 0]])
    with torch.no_grad(), capture(weights_of(name)) as session:
        together = made.decode(made.encode(batch, batch != 0), torch.tensor([INPUTS, INPUTS]))
    with torch.no_grad():
        alone = made.decode(made.encode(torch.tensor([short])), torch.tensor([INPUTS]))
    torch.testing.assert_close(together[1], alone[0], atol=1e-10, rtol=1e-10)
    for site in session.sites:
        if site.kind == "cross" or site.stack == "encoder":
            assert not session[site][1, ..., 2:].any()


@pytest.mark.parametrize("count", range(1, 30))
def test_every_length_of_a_source_is_folded_as_the_reference_folds_it(count: int) -> None:
    made = network("rctm", longest=9)
    widest = made.pyramid.widest
    assert widest == 5
    source = [3 + place % 8 for place in range(count)]
    parameters = {key: value.numpy() for key, value in made.state_dict().items()}
    want, _maps = reference_networks.rctm(parameters, source, INPUTS, widest=widest)
    with torch.no_grad(), capture(["encoder.0.self.input", "decoder.0.cross.output"]) as session:
        logits = made.decode(made.encode(torch.tensor([source])), torch.tensor([INPUTS]))
    np.testing.assert_allclose(logits[0].numpy(), want, atol=1e-10, rtol=1e-10)
    assert session["encoder.0.self.input"].shape == (1, 1, count, 6)
    assert session["decoder.0.cross.output"].shape == (1, 1, len(INPUTS), 6)


def test_the_rows_of_a_pyramid_stand_at_their_addresses_and_end_in_one_vector() -> None:
    made = network("rctm", longest=9)
    source, inputs = torch.tensor([[3, 4, 5, 6, 7, 8]]), torch.tensor([INPUTS])
    patterns = ["encoder.*.self.*", "decoder.0.cross.*"]
    with torch.no_grad(), capture(patterns) as whole:
        memory = made.encode(source)
        made.decode(memory, inputs)
    with torch.no_grad(), capture(patterns) as steps:
        step_by_step(made, source, inputs)
    rows = [whole[f"encoder.{row}.self.final"][0, 0] for row in range(3)]
    assert [len(row) for row in rows] == [5, 3, 1]  # a sentence of six words, figure 2 of the paper
    torch.testing.assert_close(rows[-1], memory)
    assert set(steps.sites) == set(whole.sites)
    for site in whole.sites:
        torch.testing.assert_close(steps[site], whole[site], atol=1e-10, rtol=1e-10)


@names
def test_a_network_offers_what_every_network_offers(name: str) -> None:
    assert isinstance(network(name), TranslationNetwork)


@pytest.mark.parametrize(("name", "moves"), [("bahdanau", False), ("luong-general", True)])
def test_bahdanau_reads_with_the_previous_state_and_luong_with_the_current_one(name: str, moves: bool) -> None:
    """Another token read in at step 1 moves row 1 of Luong's map and leaves that of Bahdanau, who reads before it."""
    made = network(name)
    rows = []
    for token in (4, 8):
        with torch.no_grad(), capture() as session:
            made.decode(made.encode(torch.tensor([SOURCE])), torch.tensor([[1, token, 3]]))
        rows.append(session["decoder.0.cross.weights"][0, 0])
    assert torch.equal(rows[0][0], rows[1][0])
    assert torch.equal(rows[0][1], rows[1][1]) is not moves
    assert not torch.equal(rows[0][2], rows[1][2])


def test_the_first_state_of_bahdanau_comes_from_the_backward_state_of_the_first_token() -> None:
    made = network("bahdanau")
    with torch.no_grad():
        memory = made.encode(torch.tensor([SOURCE]))
        first = torch.tanh(made.initial(memory.states[:, 0, SMALL["d_encoder"] :]))
        torch.testing.assert_close(made.start(memory), first, atol=1e-12, rtol=0)


@attentive
def test_every_quantity_of_a_map_can_be_captured_and_fits_it(name: str) -> None:
    made = network(name)
    with torch.no_grad(), capture(["*"]) as session:
        step_by_step(made, torch.tensor([SOURCE]), torch.tensor([INPUTS]))
    site = next(site.place for site in session.sites if site.kind == "cross")
    weights, value, context = (session[site.at(quantity)] for quantity in ("weights", "value", "context"))
    torch.testing.assert_close(weights @ value, context, atol=1e-12, rtol=0)
    mask = session[site.at("mask")]
    before = [session[site.at(name)] for name in ("raw_weights", "probabilities") if site.at(name) in session.sites]
    normalised = (*before, weights)[0]
    scores = session[site.at("scores")].masked_fill(~mask, -torch.inf)
    torch.testing.assert_close(scores.softmax(-1), normalised, atol=1e-12, rtol=0)
    assert mask.all() == (name not in ("luong-location", "luong-local-m", "luong-local-p"))
    assert session[site.at("query")].shape[-2] == session[site.at("output")].shape[-2] == len(INPUTS)
    assert session[site.at("key")].shape[-2] == len(SOURCE)


# One network as another: what is left when what tells them apart is taken away.


def with_weights_of(other: Any, name: str, **sizes: Any) -> Any:
    """Make the network `name` with every parameter of `other` that it has."""
    made = network(name, **sizes)
    own = made.state_dict()
    given = {key: value for key, value in other.state_dict().items() if key in own}
    assert all(own[key].shape == value.shape for key, value in given.items())
    made.load_state_dict(own | given)
    return made


def cross_weights(made: Any, source: list[int] = SOURCE, **choices: Any) -> tuple[Tensor, Tensor]:
    """Return the weights, [query, key], and the logits of the forced `INPUTS`."""
    with torch.no_grad(), capture(["decoder.0.cross"], **choices) as session:
        logits = made.decode(made.encode(torch.tensor([source])), torch.tensor([INPUTS]))
    return session["decoder.0.cross.weights"][0, 0], logits


def test_local_p_with_a_very_wide_window_is_the_general_score() -> None:
    general = network("luong-general")
    local = with_weights_of(general, "luong-local-p", width=1000 * len(SOURCE))
    for got, want in zip(cross_weights(local), cross_weights(general), strict=True):
        torch.testing.assert_close(got, want, atol=1e-5, rtol=1e-5)


def test_local_m_with_a_window_wider_than_the_sentence_is_the_general_score() -> None:
    general = network("luong-general")
    local = with_weights_of(general, "luong-local-m", width=len(SOURCE))
    for got, want in zip(cross_weights(local), cross_weights(general), strict=True):
        torch.testing.assert_close(got, want, atol=0, rtol=0)


def test_input_feeding_with_its_fed_columns_zeroed_is_the_general_score() -> None:
    general = network("luong-general")
    fed = with_weights_of(general, "luong-general-input-feeding")
    assert not torch.allclose(cross_weights(fed)[1], cross_weights(general)[1], atol=1e-2)
    with torch.no_grad():
        fed.feed.weight.zero_()
    for got, want in zip(cross_weights(fed), cross_weights(general), strict=True):
        torch.testing.assert_close(got, want, atol=1e-12, rtol=0)


def test_input_feeding_begins_as_the_network_without_it() -> None:
    """Before any training its fed columns are 0: a warm start from the sibling begins where that one is."""
    made = mechanisms()["luong-general-input-feeding"].build(**SMALL)
    assert not made.feed.weight.any()


def test_the_attentional_state_is_what_is_fed() -> None:
    """An edit of the map at step 1 moves the query of step 2 with input feeding, and no query without it."""
    for name, moves in (("luong-general-input-feeding", True), ("luong-general", False)):
        made, queries = network(name), []
        for edits in ((), (window("decoder.0.cross", 1, 0, 0),)):
            with torch.no_grad(), capture(["*.query"], edits) as session:
                made.decode(made.encode(torch.tensor([SOURCE])), torch.tensor([INPUTS]))
            queries.append(session["decoder.0.cross.query"][0, 0])
        torch.testing.assert_close(queries[0][:2], queries[1][:2], atol=0, rtol=0)
        assert torch.equal(queries[0][2], queries[1][2]) is not moves


def test_concat_is_the_score_of_bahdanau_in_another_data_flow() -> None:
    made = network("luong-concat")
    with torch.no_grad(), capture(["*"]) as session:
        made.decode(made.encode(torch.tensor([SOURCE])), torch.tensor([INPUTS]))
    found = {name: session[f"decoder.0.cross.{name}"].numpy() for name in ("query", "value", "scores", "features")}
    parts = [each.detach().numpy() for each in (made.query_weight.weight, made.key_weight.weight, made.score_vector)]
    want = reference_networks.additive_scores(found["query"][0, 0], found["value"][0, 0], *parts)
    np.testing.assert_allclose(found["scores"][0, 0], want, atol=1e-10)
    np.testing.assert_allclose(found["features"][0] @ parts[2], want, atol=1e-10)


def test_the_two_orders_of_normalisation_have_the_same_parameters_but_for_the_last_ones() -> None:
    before, after = (set(network(name).state_dict()) for name in ("transformer", "transformer-post-ln"))
    assert after < before
    assert {name.partition(".")[0] for name in before - after} == {"encoder_norm", "decoder_norm"}


# Local attention.


class TestWindows:
    """Five source tokens, seven target tokens, D = 1; both networks with the same parameters where they share them."""

    @staticmethod
    def captured(name: str, edits: Any = (), *, source: list[int] = SOURCE) -> Session:
        made = network(name)
        with torch.no_grad(), capture(["*"], edits) as session:
            made.decode(made.encode(torch.tensor([source])), torch.tensor([INPUTS]))
        return session

    def test_local_m_reads_around_its_own_position_up_to_the_last(self) -> None:
        session = self.captured("luong-local-m")
        centre = session["decoder.0.cross.centre"]
        assert centre.shape == (1, 1, 7, 2)
        assert centre[0, 0, :, 0].tolist() == [0, 1, 2, 3, 4, 4, 4]
        assert set(centre[0, 0, :, 1].tolist()) == {WIDTH}
        read = session["decoder.0.cross.weights"][0, 0] > 0
        assert [row.nonzero()[:, 0].tolist() for row in read] == [
            [0, 1],
            [0, 1, 2],
            [1, 2, 3],
            [2, 3, 4],
            [3, 4],
            [3, 4],
            [3, 4],
        ]

    def test_local_p_reads_around_the_position_that_it_predicts(self) -> None:
        session = self.captured("luong-local-p")
        made = network("luong-local-p")
        queries = session["decoder.0.cross.query"][0, 0].numpy()
        _, positions = reference_networks.local_predictive_weights(
            session["decoder.0.cross.scores"][0, 0].numpy(),
            queries,
            made.position_weight.weight.detach().numpy(),
            made.position_vector.detach().numpy(),
            width=WIDTH,
        )
        np.testing.assert_allclose(session["decoder.0.cross.centre"][0, 0, :, 0].numpy(), positions, atol=1e-10)
        raw, weights = (session[f"decoder.0.cross.{name}"][0, 0] for name in ("raw_weights", "weights"))
        torch.testing.assert_close(raw.sum(-1), torch.ones(7, dtype=torch.float64))
        assert (weights.sum(-1) < 1).all()
        near = np.abs(np.arange(5) - positions[:, None]) <= WIDTH
        np.testing.assert_array_equal(raw.numpy() > 0, near)

    def test_the_length_is_that_of_the_text_without_its_padding(self) -> None:
        for name in ("luong-local-m", "luong-local-p"):
            made = network(name)
            batch = torch.tensor([SOURCE, [9, 5, 2, 0, 0]])
            with torch.no_grad(), capture(["*.centre"]) as session:
                made.decode(made.encode(batch, batch != 0), torch.tensor([INPUTS, INPUTS]))
            alone = self.captured(name, source=[9, 5, 2])
            centre = session["decoder.0.cross.centre"]
            torch.testing.assert_close(centre[1:], alone["decoder.0.cross.centre"], atol=1e-12, rtol=0)
            assert centre[1, 0, :, 0].max() <= 3

    @pytest.mark.parametrize(("sign", "position"), [(-1, 0), (1, 5)])
    def test_a_position_at_either_end_leaves_something_to_read(self, sign: int, position: int) -> None:
        made = network("luong-local-p")
        made.hook_query.register_forward_hook(lambda *_: torch.ones(1, 1, 7, 7, dtype=torch.float64))
        with torch.no_grad(), capture(["*.centre", "*.weights"]) as session:
            made.position_weight.weight.fill_(float(sign))
            made.position_vector.fill_(1e4)
            made.decode(made.encode(torch.tensor([SOURCE])), torch.tensor([INPUTS]))
        assert set(session["decoder.0.cross.centre"][0, 0, :, 0].tolist()) == {position}
        weights = session["decoder.0.cross.weights"][0, 0]
        assert [row.nonzero()[:, 0].tolist() for row in weights] == [[0, 1] if sign < 0 else [4]] * 7

    def test_the_position_is_learned_through_the_gaussian(self) -> None:
        made = network("luong-local-p")
        made.decode(made.encode(torch.tensor([SOURCE])), torch.tensor([INPUTS]))[0, :, 3].sum().backward()
        for part in (made.position_vector, made.position_weight.weight):
            assert part.grad is not None
            assert part.grad.abs().max() > 1e-6

    @pytest.mark.parametrize("name", ["luong-local-m", "luong-local-p"])
    def test_a_window_that_could_be_empty_is_refused(self, name: str) -> None:
        with pytest.raises(ValueError, match="width is D, the half-width of a window, 1 or more; got 0"):
            network(name, width=0)

    @pytest.mark.parametrize("name", ["luong-local-m", "luong-local-p"])
    def test_a_window_edit_stands_in_the_place_of_the_window(self, name: str) -> None:
        """Row 0 is moved to position 3, which its own window of D = 1 would not reach; other rows stay."""
        plain, edited = self.captured(name), self.captured(name, (window("decoder.0.cross", 0, 3, 1),))
        weights, before = (each["decoder.0.cross.weights"][0, 0] for each in (edited, plain))
        assert edited["decoder.0.cross.centre"][0, 0, 0].tolist() == [3, 1]
        assert (weights[0] > 0).tolist() == [False, False, True, True, True]
        torch.testing.assert_close(weights[1:], before[1:], atol=0, rtol=0)
        torch.testing.assert_close(
            edited["decoder.0.cross.centre"][:, :, 1:], plain["decoder.0.cross.centre"][:, :, 1:], atol=0, rtol=0
        )

    def test_the_gaussian_stands_around_the_edited_centre(self) -> None:
        edited = self.captured("luong-local-p", (window("decoder.0.cross", None, 2, 4),))
        raw, weights = (edited[f"decoder.0.cross.{name}"][0, 0] for name in ("raw_weights", "weights"))
        bell = torch.exp(-((torch.arange(5) - 2.0) ** 2) / (2 * 2.0**2)).double()  # sigma = D / 2 = 2
        torch.testing.assert_close(weights, raw * bell, atol=1e-7, rtol=0)

    def test_a_window_of_one_position_reads_it_alone(self) -> None:
        for name in ("luong-local-m", "luong-local-p"):
            weights = self.captured(name, (window("decoder.0.cross", None, 2, 0),))["decoder.0.cross.weights"][0, 0]
            assert weights.tolist() == [[0, 0, 1, 0, 0]] * 7

    def test_a_hidden_key_stays_hidden_in_a_window(self) -> None:
        edits = (window("decoder.0.cross", 0, 3, 1), mask_key("decoder.0.cross", 3))
        for order in (edits, edits[::-1]):
            weights = self.captured("luong-local-m", order)["decoder.0.cross.weights"][0, 0]
            assert (weights[0] > 0).tolist() == [False, False, True, False, True]

    def test_elsewhere_a_window_only_narrows(self) -> None:
        session = self.captured("luong-location", (window("decoder.0.cross", 0, 4, 1),))
        assert (session["decoder.0.cross.weights"][0, 0, 0] > 0).tolist() == [False, False, False, True, False]

    @pytest.mark.parametrize("name", ["luong-local-m", "luong-local-p"])
    def test_windows_moved_step_by_step_are_those_of_one_pass(self, name: str) -> None:
        made, edits = network(name), (window("decoder.0.cross", 2, 4, 0), window("decoder.0.cross", 5, 1, 2))
        whole = self.captured(name, edits)
        with torch.no_grad(), capture(["*"], edits) as steps:
            step_by_step(made, torch.tensor([SOURCE]), torch.tensor([INPUTS]))
        for site in whole.sites:
            torch.testing.assert_close(steps[site], whole[site], atol=1e-10, rtol=0)


def test_a_source_longer_than_location_knows_is_read_up_to_there_and_said() -> None:
    made = network("luong-location")
    weights, _ = cross_weights(made)
    assert (weights[:, :KNOWN] > 0).all()
    assert not weights[:, KNOWN:].any()
    assert made.notes(KNOWN) == ()
    assert made.notes(5) == ("only the first 4 of the 5 source subwords can get attention: the others have weight 0",)


# The source in reverse.


def test_words_are_turned_round_and_the_end_stays_last() -> None:
    source = torch.tensor([[5, 6, 7, 8, 2], [5, 6, 2, 0, 0], [2, 0, 0, 0, 0]])
    assert reverse_words(source, source != 0).tolist() == [[8, 7, 6, 5, 2], [6, 5, 2, 0, 0], [2, 0, 0, 0, 0]]
    assert reverse_words(source[:1]).tolist() == [[8, 7, 6, 5, 2]]
    assert reverse_words(torch.tensor([[2]])).tolist() == [[2]]


# What training depends on.

SHIPPED_PARAMETERS = {
    "bahdanau": """output_bias score_vector embedding.weight encoder.layer.weight_ih_l0 encoder.layer.weight_hh_l0
        encoder.layer.bias_ih_l0 encoder.layer.bias_hh_l0 encoder.layer.weight_ih_l0_reverse
        encoder.layer.weight_hh_l0_reverse encoder.layer.bias_ih_l0_reverse encoder.layer.bias_hh_l0_reverse
        initial.weight initial.bias query_weight.weight key_weight.weight cell.weight_ih cell.weight_hh cell.bias_ih
        cell.bias_hh readout.weight readout.bias""",
    "luong-general": """output_bias general_weight embedding.weight encoder.layer.weight_ih_l0
        encoder.layer.weight_hh_l0 encoder.layer.bias_ih_l0 encoder.layer.bias_hh_l0
        encoder.layer.weight_ih_l0_reverse encoder.layer.weight_hh_l0_reverse encoder.layer.bias_ih_l0_reverse
        encoder.layer.bias_hh_l0_reverse initial.weight initial.bias initial_cell.weight initial_cell.bias
        decoder.weight_ih_l0 decoder.weight_hh_l0 decoder.bias_ih_l0 decoder.bias_hh_l0 combine.weight combine.bias""",
}


@pytest.mark.parametrize("name", SHIPPED_PARAMETERS)
def test_parameters_keep_their_names_and_order(name: str) -> None:
    """A saved run finds them by name, and what its optimiser keeps of each by its place."""
    assert [name for name, _ in network(name).named_parameters()] == SHIPPED_PARAMETERS[name].split()


def test_every_mechanism_has_a_reference() -> None:
    assert set(CASES) == set(KEYS)
