"""Bands of chance, recomputed from single runs; and what is put back where it stood, for every kind of model."""

from __future__ import annotations

import weakref
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from models import load
from models.errors import InputError
from models.experiments import chance as chances
from models.experiments.chance import ChanceBands, chance_bands, shuffled
from models.huggingface import model as pretrained
from models.huggingface.layers import own_weights
from models.huggingface.model import PretrainedModel
from models.mechanisms import mechanisms
from models.sites import Site
from models.trace import AttentionTrace, TokenSequence, merge_to_words
from models.translation.translator import Translator
from tests.support.huggingface_samples import FAMILIES, TRANSLATORS, tiny_model, tiny_network, tiny_tokenizer
from tests.support.small_models import KEYS, SIZES, network, translator
from tests.support.waiting import end_warm_up

SOURCE, TARGET = "The unbelievable cat sleeps in the house.", "le chat dort"
TEXT = "The cat, the cat: it sat."
READERS = [key for key in KEYS if mechanisms()[key].has_attention]
LEAST = chances.LEAST_SAMPLES


@cache
def small(key: str) -> tuple[Translator, AttentionTrace]:
    made = network(key)
    sizes = {"network": {**SIZES.get(key, {}), "vocabulary": made.embedding.num_embeddings}}  # type: ignore[union-attr]
    model = translator(key, made, **sizes)
    return model, model.attend(SOURCE, TARGET)


@cache
def tiny(family: str) -> tuple[PretrainedModel, AttentionTrace]:
    model = tiny_model(family)
    return model, model.attend(TEXT, TARGET if family in TRANSLATORS else None)


def held_against(bands: ChanceBands, drawn: list[np.ndarray]) -> None:
    """Hold bands against the range of maps, [head, query, key] each, that were drawn one by one."""
    maps = np.stack(drawn)
    np.testing.assert_allclose((bands.low, bands.high), (maps.min(axis=0), maps.max(axis=0)), atol=1e-5)
    means = maps.mean(axis=1)
    np.testing.assert_allclose(bands.of("mean"), (means.min(axis=0), means.max(axis=0)), atol=1e-5)
    assert np.ptp(maps, axis=0).max() > 1e-4  # draws of one and the same map would pass all of the above


@pytest.mark.parametrize("samples", [20, 39, 40, 100, 200])
@pytest.mark.parametrize("skewed", [False, True])
def test_a_new_draw_lies_outside_a_band_as_often_as_is_said(samples: int, skewed: bool) -> None:
    """At most one in twenty where there are samples enough; and each sample against the others as often, nearly."""
    generator = np.random.default_rng(samples)
    draw = generator.lognormal if skewed else generator.normal
    maps, new = (draw(size=(count, 3, 60, 60)).astype(np.float32) for count in (samples, 5))
    low, high, outside = chances._band(maps)
    mean_low, mean_high, mean_outside = chances._band(maps.mean(axis=1))
    bands = ChanceBands(
        Site("decoder", 0, "cross"), "order", "word", samples, low, high, mean_low, mean_high, outside, mean_outside
    )
    share = np.mean([bands.beyond(each[head], head) for each in new for head in range(3)])
    assert share == pytest.approx(bands.expected, abs=0.004)
    assert bands.expected <= 0.05 or samples < 39
    for head in (0, 2, "mean"):
        assert bands.by_sample(head).mean() / 3600 == pytest.approx(bands.expected, abs=0.008)
    others = np.delete(maps, 4, axis=0)
    rank = chances._rank(samples)
    ordered = np.sort(others, axis=0)
    beyond = (maps[4] < ordered[rank - 1] - chances.ROUNDING) | (maps[4] > ordered[-rank] + chances.ROUNDING)
    np.testing.assert_array_equal(outside[4], beyond.sum(axis=(-2, -1)))


@pytest.mark.parametrize("key", READERS)
def test_bands_of_fresh_weights_are_those_of_networks_run_one_by_one(key: str) -> None:
    model, trace = small(key)
    site = next(each.site for each in trace if each.site.kind == "cross")
    bands = chance_bands(model.replay(trace), site, how="weights", samples=LEAST, seed=3)
    drawn = [
        translator(key, model.fresh_network(seed)).attend(SOURCE, TARGET)[site].to_words()
        for seed in range(3, 3 + LEAST)
    ]
    held_against(bands, [each.weights for each in drawn])
    assert not any(bands.beyond(each.weights[0], 0).any() for each in drawn)  # the range of these very maps
    assert bands.beyond(bands.high[0] + 0.01, 0).all()
    assert bands.beyond(bands.mean_low - 0.01, "mean").all()


@pytest.mark.parametrize("key", READERS)
def test_bands_of_shuffled_words_are_those_of_texts_run_one_by_one(key: str) -> None:
    model, trace = small(key)
    site = next(each.site for each in trace if each.site.kind == "cross")
    replay = model.replay(trace)
    bands = chance_bands(replay, site, how="order", unit="piece", samples=LEAST)
    drawn = []
    for seed in range(LEAST):
        order = shuffled(trace.source, replay.free_words, np.random.default_rng(seed))
        one = replay.weights(order[None], site)[0]  # [head, query, key]
        drawn.append(one[..., np.argsort(order)])
    held_against(bands, drawn)


def own_map(eager: Any, ids: np.ndarray, trace: AttentionTrace, site: Site) -> np.ndarray:
    """Return the map at `site` of a network with the attention that transformers itself has, [head, query, key]."""
    inputs = {"input_ids": torch.from_numpy(ids)[None]}
    if trace.target:
        inputs["decoder_input_ids"] = torch.tensor([trace.target_input.ids])
    with torch.inference_mode():
        found = own_weights(eager, eager(**inputs, output_attentions=True, use_cache=False))
    values: np.ndarray = found[(site.stack if trace.target else "", site.kind)][site.layer][0].numpy()
    return values


@pytest.mark.parametrize("how", ["weights", "order"])
@pytest.mark.parametrize(
    ("family", "place"),
    [
        ("bert", "encoder.1.self"),
        ("gpt2", "decoder.2.self"),
        ("marian", "decoder.1.cross"),
        ("t5", "encoder.1.self"),
        ("deberta-v2", "encoder.0.self"),
    ],
)
def test_bands_of_pretrained_models_are_those_of_single_runs_of_their_own_attention(
    family: str, place: str, how: Any
) -> None:
    model, trace = tiny(family)
    site, ids = Site.parse(place), np.array(trace.source.ids)
    bands = chance_bands(model.replay(trace), site, how=how, unit="word", samples=LEAST, seed=5)
    drawn, eager = [], tiny_network(family, attention="eager")
    for seed in range(5, 5 + LEAST):
        if how == "weights":
            eager.load_state_dict(model.fresh_network(seed).state_dict())
            drawn.append(own_map(eager, ids, trace, site))
            continue
        order = shuffled(trace.source, model.replay(trace).free_words, np.random.default_rng(seed))
        found = own_map(eager, ids[order], trace, site)
        now = np.argsort(order)  # where each token stands in the shuffled text
        rows = now if site.kind == "self" else np.arange(found.shape[1])
        drawn.append(found[:, rows][:, :, now])
    shown = trace[site]
    words = {"query_words": shown.query_tokens.words, "key_words": shown.key_tokens.words}
    held_against(bands, [merge_to_words(each, **words) for each in drawn])


def without_positions(family: str) -> PretrainedModel:
    """Return a tiny model that does not know where a word of the source stands."""
    made = tiny_network(family)
    with torch.no_grad():
        for name, each in made.named_parameters():
            if "decoder" not in name and ("position_embeddings" in name or "relative_attention_bias" in name):
                each.zero_()
    return PretrainedModel(made, tiny_tokenizer(), key=f"hf:{family}", title=family, head=FAMILIES[family][0])


@pytest.mark.parametrize("family", ["bert", "t5"])
def test_shuffled_words_change_nothing_for_a_model_without_positions(family: str) -> None:
    """Every order gives the same map once rows and columns are put back: bands of no width, around that map."""
    model = without_positions(family)
    pair = "It sat: it sat." if family == "bert" else None
    trace = model.attend(TEXT, pair=pair) if pair else model.attend(TEXT, TARGET)
    for site in trace.sites:
        bands = chance_bands(model.replay(trace, pair=pair), site, how="order", unit="piece", samples=LEAST)
        for bound in (bands.low, bands.high):
            np.testing.assert_allclose(bound, trace[site].weights, atol=1e-4)


def test_rounding_does_not_leave_a_band_of_no_width() -> None:
    """Self-attention of the first decoder layer does not see the source: every order gives its map, to rounding."""
    model = load("transformer-en-fr")
    trace = model.attend("The cat drank the milk because it was hungry.")
    bands = chance_bands(model.replay(trace), "decoder.0.self", how="order", unit="piece", samples=LEAST)
    for head, weights in enumerate(trace["decoder.0.self"].weights):
        assert not bands.beyond(weights, head).any()
        assert bands.beyond(weights + 1e-3, head).all()


def test_columns_of_shuffled_words_are_put_back_to_their_words() -> None:
    """A model that reads by word alone, wherever the word stands, has one map under every order: a band of no width."""

    class ByWord(torch.nn.Module):
        """Gives each key the softmax of its id, whatever its place."""

        def __init__(self) -> None:
            super().__init__()
            from models.hooks import AttentionWeights

            self.attend = AttentionWeights(Site("decoder", 0, "cross"))

        def encode(self, source: torch.Tensor) -> torch.Tensor:
            return source

        def decode_states(self, memory: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
            scores = (memory % 17).float()[:, None, None, :].expand(-1, 1, inputs.shape[1], -1)
            weights: torch.Tensor = self.attend(scores, None, 0)
            return weights

    other, trace = translator("bahdanau"), small("bahdanau")[1]
    other._network = ByWord()  # type: ignore[assignment]
    bands = chance_bands(other.replay(trace), "decoder.0.cross", how="order", unit="piece", samples=30)
    expected = torch.softmax((torch.tensor(trace.source.ids) % 17).float(), 0).numpy()
    np.testing.assert_allclose(bands.low[0], np.broadcast_to(expected, bands.low[0].shape), atol=1e-6)
    np.testing.assert_allclose(bands.high[0], np.broadcast_to(expected, bands.high[0].shape), atol=1e-6)


@given(st.lists(st.integers(1, 3), min_size=1, max_size=9), st.data())
def test_words_are_shuffled_whole_in_their_own_text_and_special_ones_stay(
    sizes: list[int], data: st.DataObject
) -> None:
    special = data.draw(st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes)))
    cut = data.draw(st.integers(0, len(sizes)))
    owners = tuple(np.repeat(range(len(sizes)), sizes).tolist())
    names = tuple(map(str, range(len(owners))))
    source = TokenSequence(
        texts=names,
        ids=tuple(range(len(owners))),
        words=owners,
        word_texts=tuple(map(str, range(len(sizes)))),
        specials=tuple(position for position, word in enumerate(owners) if special[word]),
        segments=tuple(-1 if special[word] else int(word >= cut) for word in owners),
    )
    free = [word for word in range(len(sizes)) if not special[word]]
    order = shuffled(source, free, np.random.default_rng(data.draw(st.integers(0, 99)))).tolist()
    assert sorted(order) == list(range(len(owners)))
    words = list(dict.fromkeys(owners[position] for position in order))
    assert order == [position for word in words for position, owner in enumerate(owners) if owner == word]
    for place, word in enumerate(words):
        assert special[place] == special[word]
        assert word == place if special[place] else (word >= cut) == (place >= cut)


def test_words_do_move() -> None:
    source = tiny("bert")[1].source
    free = tiny_model("bert").replay(tiny("bert")[1]).free_words
    assert len({tuple(shuffled(source, free, np.random.default_rng(seed))) for seed in range(20)}) > 15


@pytest.mark.parametrize("how", ["weights", "order"])
def test_the_same_seed_gives_the_same_bands_and_leaves_the_random_numbers_alone(how: Any) -> None:
    model, trace = tiny("bert")
    end_warm_up()  # a network that is built in another thread draws from the same generator
    before = torch.get_rng_state()
    first = chance_bands(model.replay(trace), "encoder.0.self", how=how, samples=LEAST, seed=3)
    assert torch.equal(torch.get_rng_state(), before)
    torch.rand(5)
    again, other = (
        chance_bands(model.replay(trace), "encoder.0.self", how=how, samples=LEAST, seed=seed) for seed in (3, 40)
    )
    assert np.array_equal(first.low, again.low)
    assert not np.array_equal(first.low, other.low)


def test_each_fresh_network_is_gone_before_the_next_and_a_stop_ends_them(monkeypatch: pytest.MonkeyPatch) -> None:
    model, trace = tiny("bert")
    build, made = model.fresh_network, []

    def watched(seed: int) -> Any:
        assert all(each() is None for each in made)
        network = build(seed)
        assert not network.training
        made.append(weakref.ref(network))
        return network

    monkeypatch.setattr(model, "fresh_network", watched)

    class Stopped(Exception):
        pass

    def stop(share: float) -> None:
        if share >= 0.1:
            raise Stopped

    with pytest.raises(Stopped):
        chance_bands(model.replay(trace), "encoder.0.self", how="weights", samples=LEAST, on_progress=stop)
    assert len(made) == 2
    chance_bands(model.replay(trace), "encoder.0.self", how="weights", samples=LEAST)
    assert len(made) == 2 + LEAST


def test_what_would_be_too_much_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    model, trace = tiny("bert")
    site = "encoder.0.self"
    with pytest.raises(ValueError, match="20 samples"):
        chance_bands(model.replay(trace), site, how="order", samples=5)
    one = model.attend("cat")
    with pytest.raises(InputError, match="one word"):
        chance_bands(model.replay(one), site, how="order")
    monkeypatch.setattr(chances, "MOST_CELLS", 20 * trace[site].weights.size - 1)
    with pytest.raises(InputError, match="too long"):
        chance_bands(model.replay(trace), site, how="order", samples=LEAST)
    monkeypatch.setattr(pretrained, "MOST_FRESH", 1000)
    with pytest.raises(
        InputError, match=r"bert has [\d,]+ weights\. The random copy for comparison is limited to 1,000"
    ):
        chance_bands(model.replay(one), site, how="weights", samples=LEAST)
