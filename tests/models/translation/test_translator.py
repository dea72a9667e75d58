"""`Translator.attend`: which token a row belongs to, forcing, sites, edits, bad input, threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from functools import cache
from importlib.metadata import version
from threading import Barrier
from typing import Any, cast

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor, nn

from models.edits import (
    Edit,
    Harden,
    MaskKey,
    diagonal,
    harden,
    keep_heads,
    mask_key,
    scale_scores,
    set_row,
    uniform_row,
    window,
    zero_head,
)
from models.errors import InputError
from models.hooks import CaptureError, HookPoint, capture, current_session
from models.mechanisms import mechanisms
from models.networks.base import TranslationNetwork
from models.sites import VALUE_GRAM, Site
from models.trace import Alignment, AttentionMap, AttentionTrace
from models.translation.decoding import step_limit, translate_batch
from models.translation.texts import MAX_PIECES
from models.translation.translator import ALTERNATIVES, Translator
from models.vocabulary import BEGIN, END, PAD
from tests.support.small_models import ATTENTIVE, AWKWARD, KEYS, fluent, network, only_writing, tokenizer, translator

CROSS, OWN = Site("decoder", 0, "cross"), Site("decoder", 0, "self")
PLACE = "decoder.0.cross"
SENTENCE = "The old cat drinks the milk."
keys = pytest.mark.parametrize("key", KEYS)
attentive = pytest.mark.parametrize("key", ATTENTIVE)
local = pytest.mark.parametrize("key", [key for key in KEYS if mechanisms()[key].windows])


class Rotation(TranslationNetwork):
    """Made by hand: writes its source turned by one token, and can be read off its maps.

    Step t reads source position t + 1 alone (the last step but one position 0, the last one ``</s>``), and gives
    the token that it reads a probability of 0.6 and `OTHER` one of 0.3. Its self-attention spreads over the
    positions, up to its own, at which the token just read in was read in.
    """

    OTHER = 500

    def __init__(self) -> None:
        super().__init__()
        self.anything = nn.Parameter(torch.zeros(1))  # says on which device it is
        self.own = HookPoint(OWN.at("weights"))
        self.cross = HookPoint(CROSS.at("weights"))

    @property
    def heads(self) -> dict[Site, int]:
        return {OWN: 1, CROSS: 1}

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> Tensor:
        return source

    def start(self, memory: Tensor) -> Tensor:
        return memory[:, :0]  # the tokens read in so far

    def _advance(self, memory: Tensor, past: Tensor, token: Tensor, position: int) -> tuple[Tensor, Tensor]:
        past = torch.cat((past, token[:, None]), dim=1)
        same = (past == token[:, None]).float()
        self.own((same / same.sum(-1, keepdim=True))[:, None, None], position)  # [batch, 1, 1, key]
        end = memory.shape[1] - 1
        read = end if position >= end else (position + 1) % end
        weights = nn.functional.one_hot(torch.tensor([[[read]]]), end + 1).float()  # [1, 1, 1, source]
        weights = self.cross(weights, position)
        return past, memory[:, int(weights.argmax())]

    def decode_states(self, memory: Tensor, inputs: Tensor) -> Tensor:
        past, written = self.start(memory), []
        for position, token in enumerate(inputs.unbind(dim=1)):
            past, token = self._advance(memory, past, token, position)
            written.append(token)
        return torch.stack(written, dim=1)[..., None]

    def logits(self, states: Tensor) -> Tensor:
        rest = 0.1 / (len(tokenizer()) - 4)
        probabilities = torch.full((*states.shape[:-1], len(tokenizer())), rest)
        probabilities[..., [PAD, BEGIN]] = 0
        probabilities[..., self.OTHER] = 0.3
        return probabilities.scatter(-1, states, 0.6).log()

    def step(self, memory: Tensor, state: Tensor, token: Tensor, position: int) -> tuple[Tensor, Tensor]:
        state, written = self._advance(memory, state, token, position)
        return self.logits(written[:, None]), state


HAND_BUILT = translator("bahdanau", Rotation())
SOURCE = (" the", " cat", " the", " dog", "</s>")
WRITTEN = (" cat", " the", " dog", " the", "</s>")
READ_IN = ("<s>", " cat", " the", " dog", " the")
TURNED = np.eye(5, dtype=np.float32)[[1, 2, 3, 0, 4]]


def hand_built(target: str | None = None, **choices: Any) -> AttentionTrace:
    return HAND_BUILT.attend("the cat the dog", target, **choices)


def log_probabilities(trace: AttentionTrace) -> NDArray[np.float64]:
    return np.array([step.log_probability for step in trace.steps])


def assert_same(got: AttentionTrace, want: AttentionTrace) -> None:
    """Check that two traces are the same bit for bit, but for where they come from."""
    assert (got.source, got.target, got.target_input) == (want.source, want.target, want.target_input)
    assert (got.source_text, got.output_text, got.steps) == (want.source_text, want.output_text, want.steps)
    assert got.sites == want.sites
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one.weights, other.weights)


class TestLabelsOfAHandBuiltModel:
    def test_it_does_what_it_is_said_to_do(self) -> None:
        trace = hand_built()
        assert trace.source.texts == SOURCE
        assert trace.target.texts == WRITTEN
        assert trace.output_text == "cat the dog the"

    def test_row_t_of_a_cross_map_belongs_to_the_token_that_its_step_writes(self) -> None:
        cross = hand_built()[PLACE]
        np.testing.assert_array_equal(cross.weights, TURNED[None])
        assert cross.query_tokens.texts == WRITTEN
        assert cross.key_tokens.texts == SOURCE
        for row, text in zip(cross.weights[0], cross.query_tokens.texts, strict=True):
            assert cross.key_tokens.texts[row.argmax()] == text  # this model reads what it is about to write

    def test_the_row_of_the_end_is_kept(self) -> None:
        cross = hand_built()[PLACE]
        assert cross.query_tokens.texts[-1] == cross.key_tokens.texts[-1] == "</s>"
        assert cross.weights[0, -1].tolist() == [0, 0, 0, 0, 1]

    def test_both_axes_of_a_decoder_self_map_are_the_tokens_read_in(self) -> None:
        own = hand_built(sites=("*.weights",))["decoder.0.self"]
        assert own.query_tokens.texts == own.key_tokens.texts == READ_IN
        ids = own.query_tokens.ids
        for query, key in np.ndindex(5, 5):
            assert (own.weights[0, query, key] > 0) == (key <= query and ids[key] == ids[query])
        assert own.weights[0, 4].tolist() == [0, 0, 0.5, 0, 0.5]  # " the", read in at 2 and at 4
        assert own.causal

    def test_reading_input_labels_a_row_by_the_token_just_read_in_one_step_later(self) -> None:
        trace = hand_built()
        written, read_in = trace.read(PLACE, "written"), trace.read(PLACE, "input")
        assert read_in.query_tokens.texts == READ_IN
        np.testing.assert_array_equal(read_in.weights, written.weights)
        for step, text in enumerate(WRITTEN[:-1]):
            assert written.query_tokens.texts[step] == read_in.query_tokens.texts[step + 1] == text
        cat = read_in.query_tokens.texts.index(" cat")
        assert read_in.key_tokens.texts[read_in.weights[0, cat].argmax()] == " the"  # what " cat" is followed by

    def test_a_forced_target_labels_the_rows_and_is_what_is_read_in(self) -> None:
        trace = hand_built("dog cat")
        assert trace.target.texts == (" dog", " cat", "</s>")
        assert trace[PLACE].query_tokens == trace.target
        np.testing.assert_array_equal(trace[PLACE].weights[0], TURNED[:3])
        own = trace["decoder.0.self"]
        assert own.query_tokens.texts == own.key_tokens.texts == ("<s>", " dog", " cat")
        np.testing.assert_array_equal(own.weights[0], np.eye(3))

    def test_each_step_gives_the_probability_of_its_token_and_the_likeliest_others(self) -> None:
        for step in hand_built().steps:
            assert step.probability == pytest.approx(0.6, rel=1e-4)
            assert [text for text, _ in step.alternatives[:2]] == [step.text, tokenizer().piece(Rotation.OTHER)]
            assert [likely for _, likely in step.alternatives[:2]] == pytest.approx([0.6, 0.3], rel=1e-4)

    def test_a_forced_token_has_the_probability_that_the_model_gave_it(self) -> None:
        likely = [step.probability for step in hand_built("cat dog the").steps]
        rest = 0.1 / (len(tokenizer()) - 4)
        assert likely == pytest.approx([0.6, rest, rest, rest], rel=1e-4)  # " cat" alone is what it would write

    def test_an_edit_of_row_t_changes_what_step_t_writes(self) -> None:
        trace = hand_built(edits=(set_row(PLACE, 0, 1, (0, 0, 0, 1.0), 1),))
        assert trace.target.texts == (" cat", " dog", " dog", " the", "</s>")
        assert trace[PLACE].weights[0, 1].tolist() == [0, 0, 0, 1, 0]

    def test_a_translation_may_end_early_and_its_map_ends_there(self) -> None:
        trace = hand_built(edits=(set_row(PLACE, 0, 2, (0, 0, 0, 0, 1.0), 1),))
        assert trace.target.texts == (" cat", " the", "</s>")
        assert trace[PLACE].weights.shape == (1, 3, 5)
        assert trace.provenance.notes == ()


@keys
class TestForcing:
    def test_what_was_written_when_forced_gives_the_same_maps_and_probabilities(self, key: str) -> None:
        model = fluent(key, SENTENCE)
        own = model.attend(SENTENCE, sites=("*",))
        forced = model.attend(SENTENCE, own.output_text, sites=("*",))
        assert forced.target == own.target  # the text is cut into the pieces that wrote it
        assert bool(own.maps) == mechanisms()[key].has_attention
        assert (own.provenance.decoding, forced.provenance.decoding) == ("greedy", "forced")
        assert forced.sites == own.sites
        for one, other in zip(own, forced, strict=True):
            np.testing.assert_allclose(one.weights, other.weights, atol=1e-5)
            for quantity in ("query", "key", "value", "context", "output"):
                np.testing.assert_allclose(
                    one.companions[quantity], other.companions[quantity], atol=1e-4, rtol=1e-4, err_msg=quantity
                )
        np.testing.assert_allclose(log_probabilities(own), log_probabilities(forced), atol=1e-4)

    @pytest.mark.parametrize("text", ["repeated", "emoji"])
    def test_ids_that_no_text_has_give_the_same_maps_step_by_step_and_in_one_pass(self, key: str, text: str) -> None:
        model = translator(key)
        own = model.attend(AWKWARD[text])
        with torch.inference_mode(), capture([f"{site}.weights" for site in own.sites]) as session:
            memory = model.network.encode(torch.tensor([own.source.ids]))
            logits = model.network.decode(memory, torch.tensor([own.target_input.ids]))[0]
        for each in own:
            np.testing.assert_allclose(each.weights, session[each.site.at("weights")][0].numpy(), atol=1e-5)
        assert (logits[:, END:].argmax(dim=-1) + END).tolist() == list(own.target.ids)

    def test_probabilities_are_the_softmax_of_the_logits(self, key: str) -> None:
        model = translator(key)
        trace = model.attend("le chat", "the cat sleeps")
        with torch.inference_mode():
            memory = model.network.encode(torch.tensor([trace.source.ids]))
            logits = model.network.decode(memory, torch.tensor([trace.target_input.ids]))[0].double().numpy()
        logits = logits[:, END:]  # <pad> and <s> are never written
        whole = np.exp(logits - logits.max(-1, keepdims=True))
        whole /= whole.sum(-1, keepdims=True)
        for step, row in zip(trace.steps, whole, strict=True):
            assert step.probability == pytest.approx(row[step.id - END], rel=1e-4)
            best = np.sort(row)[::-1][:ALTERNATIVES]
            np.testing.assert_allclose([likely for _, likely in step.alternatives], best, rtol=1e-4)

    def test_alternatives_are_the_likeliest_first_and_no_more_than_all(self, key: str) -> None:
        for target in (None, "le chat est dans la maison"):
            trace = translator(key).attend(SENTENCE, target)
            for step, text in zip(trace.steps, trace.target.texts, strict=True):
                likely = [each for _, each in step.alternatives]
                assert len(likely) == ALTERNATIVES
                assert likely == sorted(likely, reverse=True)
                assert sum(likely) <= 1 + 1e-5
                assert step.probability <= likely[0] * (1 + 1e-5)
                assert step.text == text
                assert not {"<s>", "<pad>"} & {text for text, _ in step.alternatives}
                if target is None:
                    assert step.alternatives[0] == (text, pytest.approx(step.probability, rel=1e-5))

    def test_padding_and_the_beginning_are_never_written(self, key: str) -> None:
        made: Any = network(key)
        with torch.no_grad():
            made.output_bias[[PAD, BEGIN]] = 1e4
        model = translator(key, made)
        trace = model.attend(SENTENCE)
        assert min(trace.target.ids) > BEGIN
        assert all(text not in ("<pad>", "<s>") for step in trace.steps for text, _ in step.alternatives)
        assert all(sum(likely for _, likely in step.alternatives) > 1e-6 for step in trace.steps)
        (batched,) = translate_batch(made, torch.tensor([trace.source.ids]))
        assert batched == [token for token in trace.target.ids if token != END]

    def test_texts_are_given_as_the_model_sees_them(self, key: str) -> None:
        trace = translator(key).attend("  The\u00a0cat\n", "l\u2019accord  final")
        assert trace.source_text == "The cat"
        assert trace.output_text == "l'accord final"

    def test_a_translation_that_does_not_end_is_cut_and_says_so(self, key: str) -> None:
        model = translator(key, only_writing(network(key), tokenizer().encode_batch(["le"])[0]))
        trace = model.attend("the cat")
        count = step_limit(3)
        assert trace.target.texts == (" le",) * count
        assert trace.provenance.notes[-1] == f"cut after {count} tokens: the model did not end its translation"
        assert all(each.weights.shape[1] == count for each in trace if each.site.stack == "decoder")


def read_of_distances(key: str, read: AttentionMap) -> Any:
    """Return what relative positions add to a context, the sum of a_ij^V by the weights; 0 without them."""
    if "by_distance" not in read.companions:
        return 0.0
    stack = cast("nn.ModuleList", getattr(translator(key).network, read.site.stack))
    attention = cast("Any", stack[read.site.layer]).attention
    table = attention.distance_value.weight.detach().double().numpy()
    query, key_place = np.indices(read.weights.shape[1:])
    rows = np.clip(key_place - query, -attention.reach, attention.reach) + attention.reach
    return np.einsum("hqk,qkd->hqd", read.weights, table[rows])


@attentive
class TestSites:
    def test_without_a_wish_all_weights_and_nothing_else(self, key: str) -> None:
        trace = translator(key).attend("the cat")
        assert CROSS in trace.sites
        assert all(set(each.companions) <= {VALUE_GRAM} for each in trace)
        assert [site.stack for site in trace.sites] == sorted((site.stack for site in trace.sites), reverse=True)

    @pytest.mark.parametrize("pattern", [PLACE, "decoder.0.cross.weights", CROSS, CROSS.at("weights")])
    def test_one_map_by_its_address(self, key: str, pattern: str | Site) -> None:
        trace = translator(key).attend("the cat", sites=(pattern,))
        assert trace.sites == (CROSS,)
        np.testing.assert_array_equal(trace[PLACE].weights, translator(key).attend("the cat")[PLACE].weights)

    @pytest.mark.parametrize("target", [None, "le chat"])
    def test_everything_fits_its_map(self, key: str, target: str | None) -> None:
        trace = translator(key).attend("the cat sleeps", target, sites=("*",))
        assert trace.sites == translator(key).attend("the cat sleeps", target).sites
        for each in trace:
            found = each.companions
            heads, query, key_count = each.weights.shape
            assert found["scores"].shape == found["mask"].shape == each.weights.shape
            assert found["mask"].dtype == bool
            scores = np.where(found["mask"], found["scores"].astype(np.float64), -np.inf)
            want = np.exp(scores - scores.max(-1, keepdims=True))
            normalised = found.get("raw_weights", found.get("probabilities", each.weights))
            np.testing.assert_allclose(normalised, want / want.sum(-1, keepdims=True), atol=1e-5)
            assert found["query"].shape[:2] == (heads, query)
            assert found["key"].shape[:2] == found["value"].shape[:2] == (heads, key_count)
            read = each.weights @ found["value"] + read_of_distances(key, each)
            first = int(key.startswith("lstmn") and each.site.kind == "self")  # of a tape it reads a slot of no token
            np.testing.assert_allclose(read[:, first:], found["context"][:, first:], atol=1e-4, rtol=1e-4)
            assert found["output"].shape[-2] == query
            assert all(not values.flags.writeable for values in found.values())

    @pytest.mark.parametrize("pattern", ["*.scores", "decoder.0.cross.scores"])
    def test_another_quantity_comes_with_the_weights_of_its_place(self, key: str, pattern: str) -> None:
        trace = translator(key).attend("the cat", sites=(pattern,))
        assert CROSS in trace.sites
        for each in trace:
            assert set(each.companions) - {VALUE_GRAM} == {"scores"}
            assert each.companions["scores"].shape == each.weights.shape

    def test_no_site_gives_a_translation_without_maps(self, key: str) -> None:
        model = translator(key)
        trace = model.attend("the cat", sites=())
        assert trace.maps == ()
        assert trace.steps == model.attend("the cat").steps

    @pytest.mark.parametrize("pattern", ["decoder.9.cross", "decoder.0.cross.typo", "encoder.9.self.scores", "", "x.*"])
    def test_a_site_that_there_is_not_is_an_error_that_says_which_there_are(self, key: str, pattern: str) -> None:
        with pytest.raises(CaptureError, match=r"never fired; places that fired: .*decoder\.0\.cross"):
            translator(key).attend("the cat", sites=(pattern,))
        assert current_session() is None

    def test_asking_for_more_changes_no_weight(self, key: str) -> None:
        model = translator(key)
        assert_same(model.attend("the cat", sites=("*",)), model.attend("the cat"))


TARGET = "le chat est dans la maison"
CHANGING = [
    mask_key(PLACE, 1),
    scale_scores(PLACE, 0),
    scale_scores("*.*.cross", -1),
    uniform_row(PLACE, None, None),
    diagonal(PLACE, None, None),
    harden(PLACE, None, None),
    set_row(PLACE, None, None, (0, 0, 1.0), 0.9),
    window(PLACE, None, 0, 1),
    zero_head(PLACE, None),
]


@attentive
class TestEdits:
    @pytest.mark.parametrize(
        "edit",
        [mask_key(PLACE, 1), scale_scores(PLACE, 0.3), uniform_row(PLACE, None, 2), harden(PLACE, None, 2)],
        ids=str,
    )
    def test_so_it_does_under_an_edit(self, key: str, edit: Edit) -> None:
        model = fluent(key, SENTENCE)
        own = model.attend(SENTENCE, edits=(edit,))
        forced = model.attend(SENTENCE, own.output_text, edits=(edit,))
        count = len(own.target) - (own.target.ids[-1] != END)
        assert forced.target.ids[:count] == own.target.ids[:count]
        np.testing.assert_allclose(forced[PLACE].weights[:, :count], own[PLACE].weights[:, :count], atol=1e-5)

    @pytest.mark.parametrize("edit", CHANGING, ids=str)
    def test_an_edit_changes_how_likely_words_are(self, key: str, edit: Edit) -> None:
        model = translator(key)
        plain = model.attend(SENTENCE, TARGET)
        if isinstance(edit, MaskKey):  # a key that is read
            edit = mask_key(PLACE, int(plain[PLACE].weights.sum(axis=(0, 1)).argmax()))
        edited = model.attend(SENTENCE, TARGET, edits=(edit,))
        if key == "hard" and isinstance(edit, Harden):
            assert_same(edited, plain)
            return
        assert np.abs(log_probabilities(plain) - log_probabilities(edited)).max() > 1e-2
        assert np.abs(plain[PLACE].weights - edited[PLACE].weights).max() > 1e-2

    def test_an_edit_changes_what_is_written(self, key: str) -> None:
        model = translator(key)
        edits = (scale_scores("decoder.*.cross", -20),)
        assert model.attend(SENTENCE, edits=edits).target != model.attend(SENTENCE).target

    def test_a_hidden_key_gives_its_weight_to_the_others(self, key: str) -> None:
        model = translator(key)
        plain, edited = (
            model.attend(SENTENCE, TARGET, edits=edits, sites=("*",)) for edits in ((), (mask_key(PLACE, 1),))
        )
        weights, before = edited[PLACE].weights, plain[PLACE].weights
        assert not weights[..., 1].any()
        for name in ("raw_weights", "probabilities"):  # what the softmax gives, where that is not what is read
            if name in edited[PLACE].companions:
                weights, before = edited[PLACE].companions[name], plain[PLACE].companions[name]
        assert before[:, 0, 1].min() > 0
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
        others = [0, *range(2, weights.shape[-1])]  # the first row has the scores of the plain run
        want = before[:, 0, others] / before[:, 0, others].sum(-1, keepdims=True)
        np.testing.assert_allclose(weights[:, 0, others], want, atol=1e-5)

    def test_a_head_switched_off_need_not_sum_to_1_and_says_so(self, key: str) -> None:
        trace = translator(key).attend(SENTENCE, edits=(zero_head(PLACE, 0),))
        assert not trace[PLACE].weights[0].any()
        for each in trace:
            assert each.rows_sum_to_one == (each.site != CROSS)

    def test_edits_that_keep_row_sums_leave_that_said(self, key: str) -> None:
        edits = (uniform_row(PLACE, None, 0), mask_key(PLACE, 0), scale_scores(PLACE, 2))
        said = translator(key).attend(SENTENCE, edits=edits)[PLACE].rows_sum_to_one
        assert said == mechanisms()[key].rows_sum_to_one

    def test_an_edit_of_a_row_acts_from_its_step_on_and_not_before(self, key: str) -> None:
        model = translator(key)
        edit = set_row(PLACE, None, 2, (0, 1.0), 1)
        plain, edited = (model.attend(SENTENCE, TARGET, edits=edits) for edits in ((), (edit,)))
        change = np.abs(log_probabilities(plain) - log_probabilities(edited))
        np.testing.assert_allclose(change[:2], 0, atol=1e-5)
        assert change[2] > 1e-3
        rows = edited[PLACE].weights
        np.testing.assert_allclose(rows[:, :2], plain[PLACE].weights[:, :2], atol=1e-6)
        assert (rows[:, 2] == np.eye(rows.shape[-1])[1]).all()

    @pytest.mark.parametrize(
        "edit",
        [
            scale_scores("*.*.*", 1),
            set_row(PLACE, None, None, (1.0,), 0),
            uniform_row(PLACE, None, 10**6),
            window(PLACE, 10**6, 0, 0),
        ],
        ids=str,
    )
    def test_an_edit_that_asks_for_no_change_gives_the_very_same_bits(self, key: str, edit: Edit) -> None:
        model = translator(key)
        for target in (None, TARGET):
            assert_same(model.attend(SENTENCE, target, edits=(edit,)), model.attend(SENTENCE, target))

    def test_a_window_over_all_keys_shows_all_that_there_is(self, key: str) -> None:
        """The very same bits where every row may read all; where a row has a window of its own, none is left."""
        model = translator(key)
        edited = model.attend(SENTENCE, TARGET, edits=(window(PLACE, None, 0, 10**6),))
        if mechanisms()[key].windows:
            assert (edited[PLACE].weights > 0).all()
        else:
            assert_same(edited, model.attend(SENTENCE, TARGET))

    def test_keeping_all_heads_gives_the_very_same_bits(self, key: str) -> None:
        model = translator(key)
        plain = model.attend(SENTENCE)
        heads = tuple(range(len(plain[PLACE].head_names)))
        assert_same(model.attend(SENTENCE, edits=(keep_heads(PLACE, heads),)), plain)

    def test_an_edit_leaves_nothing_behind(self, key: str) -> None:
        model = translator(key)
        before = model.attend(SENTENCE)
        for edit in CHANGING:
            model.attend(SENTENCE, edits=(edit,))
        assert_same(model.attend(SENTENCE), before)

    @pytest.mark.parametrize(
        ("source", "edits", "row"),
        [
            (SENTENCE, (window(PLACE, 1, 99, 0),), 1),
            ("a", (mask_key(PLACE, 0), mask_key(PLACE, 1)), 0),
        ],
    )
    @pytest.mark.parametrize("target", [None, TARGET])
    def test_an_edit_that_leaves_nothing_to_read_is_for_the_reader_to_mend(
        self, key: str, source: str, edits: tuple[Edit, ...], row: int, target: str | None
    ) -> None:
        model = translator(key)
        with pytest.raises(
            InputError, match=rf"hide every key from a word. decoder.0.cross: query {row + 1} has"
        ) as caught:
            model.attend(source, target, edits=edits)
        named = [each.strip() for each in model.attend(source, TARGET).target.texts][row]
        assert str(caught.value).endswith(f"Query {row + 1} is “{named}”.") == (target is not None)
        assert current_session() is None
        assert_same(model.attend(source), translator(key).attend(source))

    def test_an_edit_of_a_place_that_there_is_not_is_an_error(self, key: str) -> None:
        with pytest.raises(CaptureError, match="Check its address"):
            translator(key).attend(SENTENCE, edits=(zero_head("decoder.9.cross", 0),))

    def test_an_edit_acts_where_nothing_is_captured(self, key: str) -> None:
        model = translator(key)
        edited = model.attend(SENTENCE, edits=(mask_key(PLACE, 1),))
        assert model.attend(SENTENCE, edits=(mask_key(PLACE, 1),), sites=()).steps == edited.steps


@keys
class TestProvenance:
    def test_it_says_all_that_makes_the_figure_again(self, key: str) -> None:
        edits = (mask_key(PLACE, 1), scale_scores(PLACE, 2)) if mechanisms()[key].has_attention else ()
        stored = {"site": PLACE, "head": "mean", "reading": "input"}
        found = translator(key, alignment=stored).attend(SENTENCE, edits=edits).provenance
        mechanism = mechanisms()[key]
        assert (found.mechanism, found.title, found.year) == (key, mechanism.title, mechanism.year)
        assert (found.paper, found.equation) == (mechanism.paper, mechanism.equation)
        assert (found.checkpoint, found.sha256) == (f"{key}-en-fr", "0" * 64)
        assert dict(found.versions) == {name: version(name) for name in ("torch", "numpy", "tokenizers")}
        assert found.edits == edits
        assert found.alignment == Alignment(CROSS, "mean", "input")
        assert found.exact
        assert hash(found) is not None

    def test_equal_runs_have_equal_provenance(self, key: str) -> None:
        model = translator(key)
        assert model.attend("a").provenance == model.attend("a").provenance
        assert model.attend("a").provenance != model.attend("a", "b").provenance

    def test_a_card_without_a_choice_names_the_first_cross_map(self, key: str) -> None:
        assert translator(key).attend("a").provenance.alignment == Alignment(CROSS, 0, "written")

    def test_a_trace_is_frozen_and_float32(self, key: str) -> None:
        trace = translator(key).attend("a")
        with pytest.raises(FrozenInstanceError):
            trace.maps = ()  # type: ignore[misc]
        for each in trace:
            assert each.weights.dtype == np.float32
            assert not each.weights.flags.writeable


LONGEST = " ".join(["the"] * MAX_PIECES)


@keys
class TestBadInput:
    @pytest.mark.parametrize("text", ["", " ", " \t\n\r ", "\x00\x1f\x7f", "\u00a0\u3000\u2028"], ids=ascii)
    def test_a_text_without_a_word(self, key: str, text: str) -> None:
        model = translator(key)
        before = model.attend("the cat")
        with pytest.raises(InputError, match="The sentence is empty: type at least one word"):
            model.attend(text)
        with pytest.raises(InputError, match="The translation is empty: type at least one word"):
            model.attend("the cat", text)
        assert current_session() is None
        assert_same(model.attend("the cat"), before)

    def test_a_text_that_is_too_long(self, key: str) -> None:
        model = translator(key)
        before = model.attend("the cat")
        problem = f"has {MAX_PIECES + 1} subwords; this model takes {MAX_PIECES} at most. Shorten it"
        with pytest.raises(InputError, match=f"^The sentence {problem}"):
            model.attend(f"{LONGEST} the")
        with pytest.raises(InputError, match=f"^The translation {problem}"):
            model.attend("the cat", f"{LONGEST} the")
        assert current_session() is None
        assert_same(model.attend("the cat"), before)

    def test_the_longest_text_is_taken(self, key: str) -> None:
        trace = translator(key).attend(LONGEST, LONGEST)
        assert len(trace.steps) == MAX_PIECES + 1
        for each in trace:
            assert each.weights.shape[1:] == (MAX_PIECES + 1, MAX_PIECES + 1)

    def test_an_error_inside_the_network_leaves_no_session_and_no_hook(self, key: str) -> None:
        model = translator(key)
        before = model.attend("the cat")
        with pytest.MonkeyPatch.context() as broken:
            broken.setattr(model.network, "logits", lambda states: states / torch.zeros(3, 5, 7))
            with pytest.raises(RuntimeError, match="must match the size"):
                model.attend("the cat")
        assert current_session() is None
        for module in model.network.modules():
            assert [*module._forward_hooks, *module._forward_pre_hooks, *module._backward_hooks] == []
        assert_same(model.attend("the cat"), before)

    @given(text=st.text(st.characters(exclude_categories=()), max_size=40), target=st.none() | st.text(max_size=20))
    @settings(max_examples=12)
    def test_any_text_is_taken_or_refused_in_words(self, key: str, text: str, target: str | None) -> None:
        model = cached_translator(key)
        try:
            trace = model.attend(text, target)
        except InputError as error:
            assert "is empty" in str(error) or "Shorten it" in str(error)  # noqa: PT017
            return
        assert len(trace.target) == len(trace.target_input) == len(trace.steps)
        for each in trace:
            queries = len(trace.source) if each.site.stack == "encoder" else len(trace.target)
            keys = len(trace.target) if (each.site.stack, each.site.kind) == ("decoder", "self") else len(trace.source)
            assert each.weights.shape[1:] == (queries, keys) == (len(each.query_tokens), len(each.key_tokens))
            assert each.to_words().weights.shape[1:] == (
                len(each.query_tokens.word_texts),
                len(each.key_tokens.word_texts),
            )


@cache
def cached_translator(key: str) -> Translator:
    return translator(key)


@keys
class TestSharing:
    def test_a_loaded_network_is_in_evaluation_mode_and_is_not_trained(self, key: str) -> None:
        model = translator(key, network(key).train())
        assert not any(module.training for module in model.network.modules())
        assert not any(parameter.requires_grad for parameter in model.network.parameters())

    def test_dropout_plays_no_part(self, key: str) -> None:
        model = translator(key, network(key, dropout=0.9).train())
        assert_same(model.attend(SENTENCE), model.attend(SENTENCE))

    def test_two_threads_on_one_model_give_what_each_gives_alone(self, key: str) -> None:
        model = translator(key)
        work: list[tuple[str, tuple[Edit, ...]]] = [
            ("the cat drinks the milk", ()),
            ("a house", (mask_key(PLACE, 0), scale_scores(PLACE, 0.5)) if mechanisms()[key].has_attention else ()),
        ]
        alone = [model.attend(text, edits=edits) for text, edits in work]
        together = Barrier(2)

        def run(number: int) -> list[AttentionTrace]:
            text, edits = work[number]
            traces = []
            for _ in range(10):
                together.wait()
                traces.append(model.attend(text, edits=edits))
            return traces

        with ThreadPoolExecutor(2) as pool:
            for want, got in zip(alone, pool.map(run, (0, 1)), strict=True):
                for each in got:
                    assert_same(each, want)
                    assert each.provenance == want.provenance


@local
class TestLocalAttention:
    def test_its_windows_come_with_the_record(self, key: str) -> None:
        trace = translator(key).attend(SENTENCE, TARGET, sites=("decoder.0.cross.centre",))
        windows = trace[PLACE].companions["centre"]
        assert windows.shape == (1, len(trace.target), 2)
        centre, width = windows[0, :, :1], windows[0, :, 1:]
        assert set(width.ravel().tolist()) == {4}
        near = np.abs(np.arange(len(trace.source)) - centre) <= width
        np.testing.assert_array_equal(trace[PLACE].weights[0] > 0, near)

    def test_a_row_is_moved_by_a_window_edit_alone_and_the_rest_of_the_words_follow(self, key: str) -> None:
        edit = window(PLACE, 1, 7, 1)
        plain, edited = (
            translator(key).attend(SENTENCE, TARGET, edits=edits, sites=("*.centre",)) for edits in ((), (edit,))
        )
        assert edited[PLACE].companions["centre"][0, 1].tolist() == [7, 1]
        assert edited[PLACE].weights[0, 1].nonzero()[0].tolist() == [6, 7, 8]
        change = np.abs(log_probabilities(plain) - log_probabilities(edited))
        assert change[0] == 0
        assert change[1] > 1e-3
        assert edited.provenance.edits == (edit,)
        assert not any("no effect" in note for note in edited.provenance.notes)

    def test_a_window_of_a_row_that_there_is_not_has_no_effect_and_says_so(self, key: str) -> None:
        trace = translator(key).attend(SENTENCE, TARGET, edits=(window(PLACE, 99, 0, 1),))
        assert any(note.startswith("no effect: row 100") for note in trace.provenance.notes)


@pytest.mark.parametrize("key", sorted(set(KEYS) - set(ATTENTIVE)))
class TestWithoutAttention:
    @pytest.mark.parametrize("sites", [("*.weights",), ("*",), ("decoder.*.cross",), ()])
    @pytest.mark.parametrize("target", [None, TARGET])
    def test_there_is_a_translation_and_no_map(self, key: str, target: str | None, sites: tuple[str, ...]) -> None:
        trace = translator(key).attend(SENTENCE, target, sites=sites)
        assert trace.maps == ()
        assert len(trace.steps) == len(trace.target) > 0
        assert "no attention: the decoder knows the source only through one vector" in (trace.provenance.notes)

    def test_a_place_by_its_address_is_an_error(self, key: str) -> None:
        fired = "" if key == "rctm" else "none"  # the rows of its pyramid stand at addresses
        with pytest.raises(CaptureError, match=rf"decoder.0.cross.weights: never fired; places that fired: {fired}"):
            translator(key).attend(SENTENCE, sites=(PLACE,))

    def test_an_edit_finds_no_place(self, key: str) -> None:
        with pytest.raises(CaptureError, match="Check its address"):
            translator(key).attend(SENTENCE, edits=(mask_key("decoder.*.cross", 0),))
        assert current_session() is None


def test_what_location_cannot_read_is_said() -> None:
    model = translator("luong-location", network("luong-location", max_source=4))
    trace = model.attend("the cat drinks the milk", TARGET)
    assert len(trace.source) > 4
    assert not trace[PLACE].weights[..., 4:].any()
    assert trace.provenance.notes == (
        f"only the first 4 of the {len(trace.source)} source subwords can get attention: the others have weight 0",
    )
    assert model.attend("the cat", TARGET).provenance.notes == ()


def test_local_p_says_that_rows_need_not_sum_to_1() -> None:
    trace = translator("luong-local-p").attend(SENTENCE, TARGET)
    assert trace.provenance.notes == (
        "rows need not sum to 1: each weight is multiplied by a Gaussian around the predicted position",
    )
    assert not trace[PLACE].rows_sum_to_one
    assert (trace[PLACE].weights.sum(-1) < 1).all()


def test_a_transformer_hides_what_its_self_attention_may_not_lose() -> None:
    """Row 0 of causal self-attention reads ``<s>`` alone: hiding that is an edit that no row 0 survives."""
    with pytest.raises(InputError, match=r"decoder\.1\.self: query 1 has no key to attend to"):
        translator("transformer").attend("the cat", edits=(mask_key("decoder.1.self", 0),))


def test_a_word_of_the_source_that_has_nothing_left_to_read_is_named() -> None:
    hidden = tuple(mask_key("encoder.0.self", key) for key in range(3))
    with pytest.raises(InputError, match=r"encoder\.0\.self: query 1 has no key to attend to.* Query 1 is “the”\."):
        translator("transformer").attend("the cat", edits=hidden)


def test_bahdanau_shows_the_features_of_its_score() -> None:
    model = translator("bahdanau")
    trace = model.attend("the cat", sites=("decoder.0.cross.features", "*.scores"))
    features, scores = (trace[PLACE].companions[name] for name in ("features", "scores"))
    assert features.shape == (len(trace.target), len(trace.source), 5)
    np.testing.assert_allclose(features @ model.network.score_vector.numpy(), scores[0], atol=1e-5)


def test_of_self_attention_the_word_that_was_read_in_is_named() -> None:
    model = translator("transformer")
    with pytest.raises(InputError, match="Query 1 is “<s>”"):
        model.attend(SENTENCE, TARGET, edits=(mask_key("decoder.0.self", 0),))


def test_a_piece_without_letters_is_named_by_its_word() -> None:
    model = translator("transformer")
    pieces = model.attend("喵 a").source
    assert pieces.texts[0] == " "
    edits = [mask_key("encoder.0.self", place) for place in range(len(pieces))]
    with pytest.raises(InputError, match="Query 1 is a subword of “喵”"):
        model.attend("喵 a", edits=edits)
