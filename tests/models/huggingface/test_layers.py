"""What is said of the attention layers of a network: windows as wide as they are, every equation that there is."""

from dataclasses import replace

from models.huggingface.layers import Layers
from models.huggingface.run import Facts
from models.sites import Site

FACTS = Facts(20, 20, 2, 2, 4, 0.5, None, 5, biased=False, sinks=False)
FIRST, SECOND = Site("encoder", 0, "self"), Site("encoder", 1, "self")


def layers(*facts: Facts, causal: bool = False) -> Layers:
    sites = (FIRST, SECOND)[: len(facts)]
    return Layers({}, dict(zip(sites, facts, strict=True)), frozenset(sites if causal else ()), dict.fromkeys(sites, 2))


def test_a_window_that_opens_both_ways_is_nearly_twice_as_wide() -> None:
    assert any(str(note) == "sliding window of 9 tokens in layer 0" for note in layers(FACTS).notes(20))
    assert any(str(note) == "sliding window of 5 tokens in layer 0" for note in layers(FACTS, causal=True).notes(20))
    assert not any("window" in str(note) for note in layers(FACTS).notes(9))


def test_layers_that_weigh_differently_each_have_their_equation() -> None:
    assert layers(FACTS, FACTS).equation == "a = softmax(q k' / sqrt(d))"
    capped = replace(FACTS, softcap=30.0)
    assert layers(FACTS, capped).equation.count("a = softmax(") == 2
    assert layers(FACTS, capped).equation.endswith("a = softmax(30 tanh(q k' / sqrt(d) / 30))")
