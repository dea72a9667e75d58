"""Heads ranked by a pair of words and by patterns, against sums written out and draws counted one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.measures.asking import ASKABLE, Word, pattern_cells, patterns_of, rank_pair, rank_pattern, words_of
from models.sites import Site
from models.trace import AttentionMap, TokenSequence

TEXT = ("[CLS]", "The", "cat", ",", "which", "saw", "the", "dog", ",", "hid", ".", "It", "ran", ".")


def attention(texts: tuple[str, ...] = TEXT, *, causal: bool = False, heads: int = 3, seed: int = 0) -> AttentionMap:
    tokens = TokenSequence.from_words(texts)
    if texts[0] == "[CLS]":
        tokens = TokenSequence(tokens.texts, tokens.ids, tokens.words, tokens.word_texts, specials=(0,))
    weights = np.random.default_rng(seed).exponential(size=(heads, len(texts), len(texts)))
    weights = np.tril(weights) if causal else weights
    weights /= weights.sum(axis=-1, keepdims=True)
    site = Site.parse("decoder.0.self" if causal else "encoder.0.self")
    return AttentionMap(site, weights, tokens, tokens, causal=causal)


def places(pattern: str, texts: tuple[str, ...] = TEXT, *, causal: bool = False) -> set[tuple[str, int, str, int]]:
    cells = np.argwhere(pattern_cells(pattern, attention(texts, causal=causal)))
    return {(texts[row], int(row), texts[column], int(column)) for row, column in cells}


class TestWhichCells:
    def test_a_pronoun_to_an_earlier_word_neither_a_mark_nor_the_one_before(self) -> None:
        found = places("pronoun")
        assert {query for query, *_rest in found} == {"It"}
        assert {key for *_rest, key, _at in found} == {"The", "cat", "which", "saw", "the", "dog", "hid"}

    def test_the_last_comma_is_the_nearest_before(self) -> None:
        commas = {row: column for _query, row, _key, column in places("comma")}
        assert commas == {4: 3, 5: 3, 6: 3, 7: 3, 8: 3, 9: 8, 10: 8, 11: 8, 12: 8, 13: 8}

    def test_the_first_word_of_its_own_sentence(self) -> None:
        firsts = {row: column for _query, row, _key, column in places("sentence")}
        assert firsts == {2: 1, 4: 1, 5: 1, 6: 1, 7: 1, 9: 1, 12: 11}

    def test_the_same_word_and_what_followed_it(self) -> None:
        assert places("same") == {("The", 1, "the", 6), ("the", 6, "The", 1)}
        assert places("same", causal=True) == {("the", 6, "The", 1)}
        assert places("induction") == {("the", 6, "cat", 2)}

    @pytest.mark.parametrize("texts", [("他", "说", "，", "他", "累", "。"), ("Il", "dort", ",", "il", "mange", ".")])
    def test_pronouns_of_each_language(self, texts: tuple[str, ...]) -> None:
        assert {row for _query, row, *_key in places("pronoun", texts)} == {3}

    @given(st.lists(st.sampled_from([*TEXT[1:], "he", "!", "我"]), min_size=1, max_size=9), st.booleans())
    def test_no_cell_is_of_a_special_token_and_none_of_a_causal_map_looks_ahead(
        self, words: list[str], causal: bool
    ) -> None:
        texts = ("[CLS]", *words)
        for pattern in ASKABLE:
            cells = pattern_cells(pattern, attention(texts, causal=causal))
            assert not cells[0].any()
            assert not cells[:, 0].any()
            assert not (causal and np.triu(cells, 1).any())


class TestRanks:
    def test_a_pair_is_ranked_by_its_weight_with_the_even_share_as_chance(self) -> None:
        maps = {"one": [(attention(), False, False)], "other": [(attention(causal=True, seed=1), False, False)]}
        found = rank_pair(maps, Word("it"), Word("cat"))
        assert len(found) == 6
        assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
        for each in found:
            assert each.score == pytest.approx(float(each.shown.weights[each.head, 11, 2]), abs=1e-10)
            assert each.chance == pytest.approx(1 / (12 if each.shown.causal else 14), abs=1e-6)

    def test_capitals_count_for_nothing_and_occurrences_are_told_apart(self) -> None:
        codes = [each and each.code for each in words_of(attention().key_tokens)]
        assert codes[:3] == [None, "the", "cat"]
        assert codes[6] == "the-2"
        (first, *_rest) = rank_pair({"one": [(attention(), False, False)]}, Word("The", 1), Word("THE"))
        assert np.argwhere(first.cells).tolist() == [[6, 1]]

    def test_a_causal_map_lacks_a_later_key_and_a_word_of_a_translation_is_no_word_of_the_source(self) -> None:
        maps = {"one": [(attention(causal=True), False, False)]}
        assert rank_pair(maps, Word("cat"), Word("it")) == ()
        assert rank_pair(maps, Word("it", written=True), Word("cat")) == ()
        assert rank_pair({"one": [(attention(), True, False)]}, Word("it", written=True), Word("cat"))

    @pytest.mark.parametrize("causal", [False, True])
    def test_chance_of_one_of_several_keys_is_the_mean_over_all_ways_to_choose_them(self, causal: bool) -> None:
        shown = attention(("a", "b", "he", "c", "he", "d", "it"), causal=causal, seed=3)
        for each in rank_pattern({"one": [(shown, False, False)]}, "pronoun"):
            cells, expected = each.cells, []
            for row in np.flatnonzero(cells.any(axis=1)):
                weights = shown.weights[each.head, row, : row + 1 if causal else None].astype(np.float64)
                chosen = combinations(range(len(weights)), int(cells[row].sum()))
                expected.append(np.mean([max(weights[list(keys)]) for keys in chosen]))
            assert each.chance == pytest.approx(np.mean(expected), abs=1e-10)

    @pytest.mark.parametrize("pattern", ["induction", "comma", "sentence", "previous"])
    def test_a_head_that_does_nothing_else_comes_first_with_all_its_weight(self, pattern: str) -> None:
        shown = attention()
        cells = pattern_cells(pattern, shown)
        weights = np.array(shown.weights)
        weights[1] = np.where(
            cells.any(axis=1)[:, None], cells / np.maximum(cells.sum(axis=1, keepdims=True), 1), weights[1]
        )
        made = AttentionMap(shown.site, weights, shown.query_tokens, shown.key_tokens)
        first = rank_pattern({"one": [(made, False, False)]}, pattern)[0]
        assert (first.head, first.score) == (1, pytest.approx(1, abs=1e-6))

    def test_a_cell_is_named_after_its_patterns(self) -> None:
        assert patterns_of(attention(), (11, 2)) == ("pronoun",)
        assert patterns_of(attention(), (12, 11)) == ("sentence", "previous")
