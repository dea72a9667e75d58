"""Addresses: what parses, what is refused, and which patterns name which site."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.sites import KINDS, QUANTITIES, STACKS, Site, complete_pattern

sites = st.builds(
    Site, st.sampled_from(STACKS), st.integers(0, 999), st.sampled_from(KINDS), st.sampled_from(("", *QUANTITIES))
)


@given(sites)
def test_an_address_reads_back_from_its_text(site: Site) -> None:
    assert Site.parse(str(site)) == site
    assert hash(Site.parse(str(site))) == hash(site)
    assert pickle.loads(pickle.dumps(site)) == site


@given(sites)
def test_a_site_matches_itself_and_the_pattern_of_all(site: Site) -> None:
    full = site if site.quantity else site.at("weights")
    assert full.matches(str(site))
    assert full.matches("*")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "decoder",
        "decoder.0",
        "decoder.x.cross",
        "decoder.-1.cross",
        "decoder..cross",
        "decoder.\u0663.cross",
        "decoder.0.cross.weights.more",
    ],
)
def test_a_text_that_is_no_address_is_shown_beside_one_that_is(text: str) -> None:
    with pytest.raises(ValueError, match=r"a site reads stack.layer.kind\[.quantity\], such as decoder.0.cross"):
        Site.parse(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("middle.0.cross", "stack of a site is one of encoder, decoder; got 'middle'"),
        ("decoder.0.sideways", "kind of a site is one of self, cross, hops; got 'sideways'"),
        ("decoder.0.cross.colour", "quantity of a site is one of query, .*; got 'colour'"),
    ],
)
def test_a_part_that_cannot_be_is_named_with_those_that_can(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Site.parse(text)


def test_a_layer_counts_from_0() -> None:
    with pytest.raises(ValueError, match="layer of a site counts from 0; got -1"):
        Site("decoder", -1, "cross")


def test_a_site_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Site("decoder", 0, "cross").layer = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("site", "pattern", "named"),
    [
        ("decoder.2.cross.weights", "*.weights", True),
        ("decoder.2.cross.scores", "*.weights", False),
        ("decoder.2.cross.weights", "decoder.*.cross", True),
        ("decoder.2.cross.scores", "decoder.*.cross", False),
        ("decoder.2.cross.scores", "decoder.2.cross.*", True),
        ("decoder.12.cross.weights", "decoder.1.cross", False),
        ("decoder.12.cross.weights", "decoder.2.cross", False),
        ("encoder.0.self.weights", "*.*.cross", False),
        ("encoder.0.self.key", "*", True),
        ("encoder.0.self.key", "*.*.*", False),
        ("encoder.0.self.raw_weights", "*.weights", False),
        ("encoder.0.self.weights", "ENCODER.0.self", False),
    ],
)
def test_which_pattern_names_which_site(site: str, pattern: str, named: bool) -> None:
    assert Site.parse(site).matches(pattern) is named


@pytest.mark.parametrize(
    ("pattern", "full"),
    [
        ("*", "*"),
        ("*.weights", "*.weights"),
        ("decoder.0.cross", "decoder.0.cross.weights"),
        ("decoder.*.*", "decoder.*.*.weights"),
        ("decoder.0.cross.*", "decoder.0.cross.*"),
        ("*.cross", "*.cross.weights"),
    ],
)
def test_a_pattern_without_a_quantity_means_the_weights(pattern: str, full: str) -> None:
    assert complete_pattern(pattern) == full
    assert complete_pattern(full) == full


def test_the_place_is_the_address_without_its_quantity() -> None:
    site = Site.parse("decoder.3.self.scores")
    assert site.place == Site("decoder", 3, "self")
    assert site.place.at("scores") == site
    assert str(site.place) == "decoder.3.self"


def test_sites_sort_by_stack_layer_and_kind() -> None:
    texts = ["decoder.0.cross", "decoder.2.self", "decoder.10.cross", "encoder.0.self"]
    assert [str(site) for site in sorted(Site.parse(text) for text in reversed(texts))] == texts
