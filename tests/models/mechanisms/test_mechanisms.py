"""What every mechanism promises, and every figure of every mechanism: each is picked up from its folder."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import pkgutil
import re
from collections.abc import Callable
from functools import cache
from itertools import combinations, product
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from torch import Tensor

import models.mechanisms
import viz.figures
from models import catalog, describe
from models.hooks import HookPoint, Session, capture
from models.mechanisms import Mechanism, mechanisms
from models.networks.base import TranslationNetwork
from models.sites import Site
from models.trace import AttentionTrace
from models.translation.checkpoints import read_weights
from models.vocabulary import BEGIN, END, PAD
from tests.support.small_models import ATTENTIVE, AWKWARD, KEYS, network, translator

CROSS = Site("decoder", 0, "cross")
VOCABULARY = 12
SOURCES = {  # ids, closed by </s>
    "a sentence": [5, 9, 4, 3, END],
    "one word again and again": [7, 7, 7, 7, 7, END],
    "one token": [5, END],
    "nothing": [END],
    "specials within": [BEGIN, 5, PAD, END, 6, END],
    "long": [3 + index % 9 for index in range(40)] + [END],
}
TARGETS = {
    "a sentence": [BEGIN, 7, 4, 8],
    "one token": [BEGIN],
    "one word again and again": [BEGIN, 6, 6, 6, 6],
    "specials within": [BEGIN, END, PAD, BEGIN, 3],
}
keys = pytest.mark.parametrize("key", KEYS)
attentive = pytest.mark.parametrize("key", ATTENTIVE)


@cache
def small(key: str) -> TranslationNetwork:
    return network(key, vocabulary=VOCABULARY)


def weights_of(made: TranslationNetwork) -> tuple[str, ...]:
    """Return the pattern of all weights, or none where there is no hook on any."""
    hooks = (part.site.quantity for part in made.modules() if isinstance(part, HookPoint))
    return ("*.weights",) if "weights" in hooks else ()


def one_pass(
    made: TranslationNetwork, source: Tensor, inputs: Tensor, sites: tuple[str, ...] | None = None, **how: bool
) -> tuple[Tensor, Session]:
    with torch.inference_mode(), capture(weights_of(made) if sites is None else sites, **how) as session:
        return made.decode(made.encode(source), inputs), session


def step_by_step(
    made: TranslationNetwork, source: Tensor, inputs: Tensor, sites: tuple[str, ...] | None = None, **how: bool
) -> tuple[Tensor, Session]:
    with torch.inference_mode(), capture(weights_of(made) if sites is None else sites, **how) as session:
        memory = made.encode(source)
        state, logits = made.start(memory), []
        for position, token in enumerate(inputs.unbind(dim=1)):
            each, state = made.step(memory, state, token, position)
            logits.append(each)
    return torch.stack(logits, dim=1), session


class TestCatalogue:
    def test_every_file_exports_one_mechanism_under_its_own_name(self) -> None:
        files = [each.name for each in pkgutil.iter_modules(models.mechanisms.__path__)]
        for name in files:
            found = importlib.import_module(f"models.mechanisms.{name}").MECHANISM
            assert isinstance(found, Mechanism)
            assert found.key == name.replace("_", "-")
            assert mechanisms()[found.key] is found
        assert len(mechanisms()) == len(files)

    def test_older_papers_come_first(self) -> None:
        places = [(each.year, each.order) for each in mechanisms().values()]
        assert places == sorted(places)
        assert len(set(places)) == len(places)
        assert KEYS == (
            "rctm",
            "rnn-encoder-decoder",
            "seq2seq",
            "bahdanau",
            "luong-dot",
            "luong-general",
            "luong-concat",
            "luong-location",
            "luong-local-m",
            "luong-local-p",
            "luong-general-input-feeding",
            "hard",
            "lstmn-shallow",
            "lstmn-deep",
            "convs2s",
            "transformer-post-ln",
            "transformer",
            "transformer-relative",
        )

    @keys
    def test_its_sizes_in_full_make_the_same_network(self, key: str) -> None:
        plain, whole = mechanisms()[key].build(vocabulary=9), mechanisms()[key].sizes(vocabulary=9)
        again = mechanisms()[key].build(**whole)
        assert {"vocabulary", "dropout"} < set(whole)
        assert {k: v.shape for k, v in plain.state_dict().items()} == {
            k: v.shape for k, v in again.state_dict().items()
        }

    @keys
    def test_it_says_whether_it_has_a_map_and_a_window_of_its_own(self, key: str) -> None:
        found = {part.site.quantity for part in small(key).modules() if isinstance(part, HookPoint)}
        assert mechanisms()[key].has_attention == ("weights" in found)
        assert mechanisms()[key].windows == ("centre" in found)
        assert mechanisms()[key].rows_sum_to_one == ("raw_weights" not in found)

    @keys
    def test_it_says_in_words_what_it_is(self, key: str) -> None:
        each = mechanisms()[key]
        assert each.title
        assert str(each.year) in each.paper
        assert each.paper.count(",") >= 1
        assert each.equation

    @keys
    def test_its_formula_is_latex_that_closes_what_it_opens(self, key: str) -> None:
        formula = mechanisms()[key].formula
        assert "=" in formula
        assert "$" not in formula
        depth = np.cumsum([(each == "{") - (each == "}") for each in re.sub(r"\\[{}]", "", formula)])
        assert depth.min() >= 0
        assert depth[-1] == 0
        assert formula.count(r"\left") == formula.count(r"\right")

    @keys
    def test_its_departures_from_the_paper_are_stated_as_sentences(self, key: str) -> None:
        departures = mechanisms()[key].departures
        assert departures
        assert len(set(departures)) == len(departures)
        for each in departures:
            assert each[0].isupper()
            assert each.endswith(".")

    @keys
    def test_its_titles_are_told_apart(self, key: str) -> None:
        assert [each.title for each in mechanisms().values()].count(mechanisms()[key].title) == 1


@keys
class TestNetwork:
    def test_it_is_built_from_its_sizes(self, key: str) -> None:
        made = small(key)
        assert isinstance(made, TranslationNetwork)
        assert type(made).__doc__
        assert made.embedding.weight.shape[0] == made.output_bias.shape[0] == VOCABULARY  # the loss reads these two

    @pytest.mark.parametrize("target", TARGETS)
    @pytest.mark.parametrize("source", SOURCES)
    def test_step_by_step_equals_one_forced_pass(self, key: str, source: str, target: str) -> None:
        ids, inputs = torch.tensor([SOURCES[source]]), torch.tensor([TARGETS[target]])
        want, whole = one_pass(small(key), ids, inputs)
        got, steps = step_by_step(small(key), ids, inputs)
        assert want.shape == (1, inputs.shape[1], VOCABULARY)
        assert want.isfinite().all()
        torch.testing.assert_close(got, want, atol=1e-5, rtol=1e-5)
        assert set(steps.sites) == set(whole.sites)
        for site in whole.sites:
            torch.testing.assert_close(steps[site], whole[site], atol=1e-5, rtol=1e-5)

    def test_self_attention_of_a_decoder_looks_back_only(self, key: str) -> None:
        _, session = one_pass(small(key), torch.tensor([SOURCES["a sentence"]]), torch.tensor([TARGETS["a sentence"]]))
        for site in session.sites:
            if (site.stack, site.kind) == ("decoder", "self"):
                assert not session[site].triu(1).any()

    def test_no_row_knows_what_is_read_in_after_it(self, key: str) -> None:
        source = torch.tensor([SOURCES["a sentence"]])
        first, one = one_pass(small(key), source, torch.tensor([[BEGIN, 7, 4, 8]]))
        second, other = one_pass(small(key), source, torch.tensor([[BEGIN, 7, 9, 5]]))
        torch.testing.assert_close(first[:, :2], second[:, :2], atol=1e-6, rtol=1e-6)
        assert not torch.allclose(first[:, 2], second[:, 2])
        for site in one.sites:
            if site.stack == "decoder":
                torch.testing.assert_close(one[site][:, :, :2], other[site][:, :, :2], atol=1e-6, rtol=1e-6)

    def test_texts_of_a_batch_do_not_meet(self, key: str) -> None:
        sources, inputs = torch.tensor([[5, 9, END], [7, 7, END]]), torch.tensor([[BEGIN, 4, 8], [BEGIN, 3, 3]])
        together, session = one_pass(small(key), sources, inputs)
        for row in range(2):
            alone, own = one_pass(small(key), sources[row : row + 1], inputs[row : row + 1])
            torch.testing.assert_close(together[row], alone[0], atol=1e-5, rtol=1e-5)
            for site in own.sites:
                torch.testing.assert_close(session[site][row], own[site][0], atol=1e-5, rtol=1e-5)

    def test_padding_of_the_source_changes_nothing(self, key: str) -> None:
        made, inputs = small(key), torch.tensor([TARGETS["a sentence"]])
        short = SOURCES["one token"]
        source = torch.tensor([SOURCES["a sentence"], [*short, PAD, PAD, PAD]])
        with torch.inference_mode(), capture(weights_of(made)) as session:
            together = made.decode(made.encode(source, source != PAD), inputs.expand(2, -1))
        alone, own = one_pass(made, torch.tensor([short]), inputs)
        torch.testing.assert_close(together[1], alone[0], atol=1e-5, rtol=1e-5)
        for site in session.sites:
            if site.kind == "cross":
                torch.testing.assert_close(session[site][1, ..., :2], own[site][0], atol=1e-5, rtol=1e-5)
                assert not session[site][1, ..., 2:].any()

    def test_the_source_is_read(self, key: str) -> None:
        inputs = torch.tensor([TARGETS["a sentence"]])
        first, _ = one_pass(small(key), torch.tensor([[5, 9, END]]), inputs)
        second, _ = one_pass(small(key), torch.tensor([[9, 5, END]]), inputs)
        assert not torch.allclose(first, second, atol=1e-3)

    def test_capturing_changes_no_logit(self, key: str) -> None:
        made, source, inputs = small(key), torch.tensor([[5, 9, END]]), torch.tensor([[BEGIN, 4, 8]])
        with torch.inference_mode():
            bare = made.decode(made.encode(source), inputs)
        captured, _ = one_pass(made, source, inputs)
        assert torch.equal(bare, captured)

    def test_training_reaches_every_parameter(self, key: str) -> None:
        made = network(key, vocabulary=VOCABULARY).train()
        for count in range(2, 70) if key == "rctm" else (3,):  # which kernels fold a text is decided by its length
            source = torch.tensor([[*(3 + place % 9 for place in range(count - 1)), END]])
            states = made.decode_states(made.encode(source), torch.tensor([[BEGIN, 4, 8]]))
            made.logits(states).logsumexp(-1).sum().backward()
        for name, parameter in made.named_parameters():
            assert parameter.grad is not None, name
            assert parameter.grad.isfinite().all(), name

    def test_equal_seeds_give_equal_networks_and_a_state_that_loads(self, key: str) -> None:
        one, other = (network(key, vocabulary=VOCABULARY, seed=4) for _ in range(2))
        again = network(key, vocabulary=VOCABULARY, seed=5)
        again.load_state_dict(one.state_dict())
        source, inputs = torch.tensor([[5, 9, END]]), torch.tensor([[BEGIN, 4]])
        assert torch.equal(one_pass(one, source, inputs)[0], one_pass(other, source, inputs)[0])
        assert torch.equal(one_pass(one, source, inputs)[0], one_pass(again, source, inputs)[0])

    @pytest.mark.parametrize("way", [one_pass, step_by_step])
    def test_nothing_is_written_into_what_has_been_shown_to_a_hook(self, key: str, way: Any) -> None:
        every = ("*",) if weights_of(small(key)) else ()
        ids, inputs = torch.tensor([SOURCES["a sentence"]]), torch.tensor([TARGETS["a sentence"]])
        (_, copied), (_, shared) = (way(small(key), ids, inputs, every, copies=copies) for copies in (True, False))
        assert copied.sites == shared.sites
        for site in copied.sites:
            assert torch.equal(copied[site], shared[site]), site


@attentive
class TestMap:
    @pytest.mark.parametrize("source", SOURCES)
    def test_its_cross_attention_answers_to_one_address(self, key: str, source: str) -> None:
        ids, inputs = torch.tensor([SOURCES[source]] * 2), torch.tensor([TARGETS["a sentence"]] * 2)
        _, session = one_pass(small(key), ids, inputs)
        weights = session["decoder.0.cross.weights"]
        assert weights.dtype == torch.float32
        assert (weights.shape[0], *weights.shape[2:]) == (2, inputs.shape[1], ids.shape[1])
        assert weights.min() >= 0
        for site in session.sites:
            if mechanisms()[key].rows_sum_to_one:
                torch.testing.assert_close(session[site].sum(-1), torch.ones(session[site].shape[:-1]))
            else:
                assert session[site].sum(-1).max() <= 1 + 1e-6

    def test_weights_are_captured_before_dropout(self, key: str) -> None:
        made = network(key, vocabulary=VOCABULARY, dropout=0.5).train()
        source, inputs = torch.tensor([SOURCES["a sentence"]]), torch.tensor([TARGETS["a sentence"]])
        normalised = "weights" if mechanisms()[key].rows_sum_to_one else "raw_weights"
        with torch.inference_mode(), capture([f"*.{normalised}", "*.scores"]) as session:
            made.decode(made.encode(source), inputs)
        for site in session.sites:
            if site.quantity == normalised:
                torch.testing.assert_close(session[site].sum(-1), torch.ones(session[site].shape[:-1]))
                first = int(key.startswith("lstmn"))  # of a token dropped whole, before which nothing was read, it is 0
                scores, read = session[site.at("scores")][:, :, first:], session[site][:, :, first:]
                assert scores[read > 0].all()  # dropout would leave zeros


class TestTogether:
    """What tells mechanisms apart is their equations: not their weights, and not what random weights make of them."""

    LONG, TARGET = SOURCES["long"], [BEGIN, 7, 4, 8, 3, 5]

    def test_no_two_give_the_same_map_even_with_the_same_weights(self) -> None:
        """Each has every parameter of one seed that it shares, by name and shape, with those before it."""
        seen: dict[str, Tensor] = {}
        given: dict[str, Tensor] = {}
        for key in ATTENTIVE:
            made = network(key, vocabulary=VOCABULARY)
            own = made.state_dict()
            made.load_state_dict(own | {n: v for n, v in given.items() if n in own and own[n].shape == v.shape})
            given = own | given
            _, session = one_pass(made, torch.tensor([self.LONG]), torch.tensor([self.TARGET]))
            seen[key] = session[CROSS.at("weights")][0].mean(0)
        for one, other in combinations(seen, 2):
            assert (seen[one] - seen[other]).abs().max() > 1e-3, (one, other)

    def test_no_two_shipped_ones_share_a_weight_matrix(self) -> None:
        owners: dict[str, str] = {}
        for key in catalog():
            entry = describe(key)
            for name, values in read_weights(entry.folder, entry.card).items():
                if values.dim() > 1:
                    digest = hashlib.sha256(values.numpy().tobytes()).hexdigest()
                    assert owners.setdefault(digest, key) == key, (name, key, owners[digest])


# Every mechanism x every figure x awkward tokens.


FIGURES: dict[str, Callable[..., go.Figure]] = {
    name: function
    for name, function in inspect.getmembers(viz.figures, inspect.isfunction)
    if str(function.__annotations__.get("return")).rpartition(".")[2] == "Figure"
    and any("AttentionTrace" in str(hint) for hint in function.__annotations__.values())
}
"""Those that draw a trace; what draws views that were chosen before has tests of its own."""
OF_SELF_ATTENTION = ("rollout_heatmap",)  # from tokens to tokens of one text: of no cross map


@cache
def awkward_trace(key: str, name: str, decoding: str) -> AttentionTrace:
    """Return a trace of an awkward text: forced on itself (both axes awkward), or as random weights write."""
    return translator(key).attend(AWKWARD[name], AWKWARD[name] if decoding == "forced" else None)


@attentive
@pytest.mark.parametrize("name", AWKWARD)
def test_an_awkward_text_has_a_map_that_fits_its_words(key: str, name: str) -> None:
    for decoding in ("forced", "greedy"):
        trace = awkward_trace(key, name, decoding)
        for each in trace:
            merged = each.to_words()
            assert merged.weights.shape[1:] == (len(each.query_tokens.word_texts), len(each.key_tokens.word_texts))
            if each.rows_sum_to_one:
                np.testing.assert_allclose(merged.weights.sum(-1), 1, atol=1e-4)
        assert trace.read("decoder.0.cross", "input").to_words().query_tokens.texts[0] == "<s>"


def record_kind(key: str) -> tuple[object, ...]:
    """Return all in which the record of a mechanism may differ from another's: a figure sees nothing else of it."""
    trace = awkward_trace(key, "one token", "greedy")
    return tuple((each.site, len(each.head_names), each.rows_sum_to_one) for each in trace)


KINDS = tuple({record_kind(key): key for key in reversed(ATTENTIVE)}.values())
"""The first mechanism of each kind of record."""


def ways(name: str, trace: AttentionTrace) -> list[dict[str, Any]]:
    """Return the choices under which a figure is drawn: by word and by piece, and of each kind of map that there is."""
    patterns = sorted({f"{site.stack}.*.{site.kind}" for site in trace.sites})
    if name in OF_SELF_ATTENTION:
        patterns = [pattern for pattern in patterns if pattern.endswith("self")]
    offered = {"unit": ("word", "piece"), "sites": patterns}
    taken = [choice for choice in offered if choice in inspect.signature(FIGURES[name]).parameters]
    return [dict(zip(taken, each, strict=True)) for each in product(*(offered[choice] for choice in taken))]


def named_choices(name: str) -> list[dict[str, str]]:
    """Return each value that a figure offers by name, such as a unit, a reading or a colour scale, one at a time."""
    hints = get_type_hints(FIGURES[name])
    parts = {each: (hints[each], *get_args(hints[each])) for each in hints if each != "return"}
    return [
        {parameter: value}
        for parameter, types in parts.items()
        for each in types
        if get_origin(each) is Literal
        for value in get_args(each)
    ]


def draw(name: str, trace: AttentionTrace, choices: dict[str, Any]) -> go.Figure:
    """Draw a figure with all that it needs: a trace, or the same one twice; a head, or several, is the first one."""
    function = FIGURES[name]
    needed = [each for each in inspect.signature(function).parameters.values() if each.default is each.empty]
    traces = [trace for each in needed if "AttentionTrace" in str(each.annotation)]
    for each in needed:
        if "HeadPlace" in str(each.annotation):
            head = importlib.import_module(function.__module__).HeadPlace(layer=0, head=0)
            choices = choices | {each.name: [head, head] if "Sequence" in str(each.annotation) else head}
    return function(*traces, **choices)


def check(figure: go.Figure) -> None:
    """Check what holds for any figure: it can be sent, its numbers are finite, its axes have a label a position."""
    assert isinstance(figure, go.Figure)
    assert figure.data
    figure.to_json().encode("utf-8")
    for each in figure.data:
        if isinstance(each, go.Heatmap):
            drawn = np.asarray(each.z, dtype=np.float64)
            assert np.isfinite(drawn).any()
            assert not np.isinf(drawn).any()  # NaN is where nothing is drawn
    for name, axis in figure.layout.to_plotly_json().items():
        if name.startswith(("xaxis", "yaxis")) and axis.get("ticktext") is not None:
            assert len(axis["ticktext"]) == len(axis["tickvals"])
            assert not any(re.search(r"<(?!/?(b|br|i|span)\b)", text) for text in axis["ticktext"])


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_draws_awkward_text(figure: str, name: str) -> None:
    """Of a kind of record for each decoding, in turn: every pair of a kind with a text, or with a figure, is met."""
    turn = list(FIGURES).index(figure) + list(AWKWARD).index(name)
    for each, decoding in enumerate(("forced", "greedy")):
        trace = awkward_trace(KINDS[(turn + each) % len(KINDS)], name, decoding)
        for choices in ways(figure, trace):
            check(draw(figure, trace, choices))


@attentive
@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_of_every_mechanism_is_a_function_of_its_trace_alone(figure: str, key: str) -> None:
    trace = awkward_trace(key, "repeated", "forced")
    before = [each.weights.copy() for each in trace]
    for choices in ways(figure, trace)[:1]:
        check(draw(figure, trace, choices))
        first, second = (json.loads(draw(figure, trace, choices).to_json()) for _ in range(2))
        assert first == second
    for weights, each in zip(before, trace, strict=True):
        np.testing.assert_array_equal(weights, each.weights)


@pytest.mark.parametrize("key", KINDS)
@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_draws_whatever_it_offers_by_name(figure: str, key: str) -> None:
    trace = awkward_trace(key, "repeated", "forced")
    for way in ways(figure, trace)[:1]:
        for choices in named_choices(figure):
            check(draw(figure, trace, choices | ({"sites": way["sites"]} if "sites" in way else {})))


@pytest.mark.parametrize("figure", OF_SELF_ATTENTION)
def test_a_figure_of_self_attention_refuses_a_cross_map_in_words(figure: str) -> None:
    assert ways(figure, awkward_trace("transformer", "repeated", "forced"))
    with pytest.raises(ValueError, match="self-attention"):
        draw(figure, awkward_trace("bahdanau", "repeated", "forced"), {"sites": "decoder.*.cross"})


@pytest.mark.parametrize("key", sorted(set(KEYS) - set(ATTENTIVE)))
@pytest.mark.parametrize("figure", FIGURES)
def test_no_figure_is_made_of_a_mechanism_without_a_map(figure: str, key: str) -> None:
    trace = awkward_trace(key, "repeated", "forced")
    assert trace.maps == ()
    with pytest.raises((KeyError, ValueError)):
        draw(figure, trace, {})


def test_every_figure_of_the_folder_is_exported() -> None:
    found = set()
    for each in pkgutil.iter_modules(viz.figures.__path__):
        module = importlib.import_module(f"viz.figures.{each.name}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not name.startswith("_"):
                hints = function.__annotations__
                takes_a_trace = any("AttentionTrace" in str(hints[hint]) for hint in hints if hint != "return")
                if takes_a_trace and str(hints.get("return")).rpartition(".")[2] == "Figure":
                    found.add(name)
    assert found == set(FIGURES)
