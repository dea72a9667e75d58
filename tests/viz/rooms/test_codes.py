"""Codes that are typed from a projector, secrets that nobody guesses, and how often somebody may try."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from viz.rooms.allowance import MOST_KNOWN, Allowance
from viz.rooms.codes import ALPHABET, LENGTH, hash_of, is_secret, new_code, new_secret, read_code


@given(st.text(max_size=40))
def test_any_text_is_a_code_or_none(text: str) -> None:
    code = read_code(text)
    assert code is None or (len(code) == LENGTH and set(code) <= set(ALPHABET))


@given(st.text(alphabet=ALPHABET, min_size=LENGTH, max_size=LENGTH), st.sampled_from(["", " ", "-", "\u3000"]))
def test_a_code_is_read_as_people_write_it(code: str, between: str) -> None:
    assert read_code(f" {code[:3].lower()}{between}{code[3:]} ") == code


def test_a_code_begins_with_the_letter_of_its_server_and_another_comes_each_time() -> None:
    codes = {new_code("B") for _code in range(50)}
    assert {each[0] for each in codes} == {"B"}
    assert all(read_code(each) == each for each in codes)
    assert len(codes) > 45


@given(st.text(max_size=60))
def test_a_secret_alone_is_taken_for_itself(text: str) -> None:
    secret = new_secret()
    assert is_secret(secret, hash_of(secret))
    assert is_secret(text, hash_of(secret)) == (text == secret)
    assert not is_secret(secret * 100, hash_of(secret * 100))  # longer than any that was given


def test_one_tries_so_often_a_minute_and_all_so_often() -> None:
    now = [0.0]
    tries = Allowance(2, 3, clock=lambda: now[0])
    for who in ("ann", "ann", "ben"):
        assert tries.is_left(who)
        tries.count(who)
    assert not tries.is_left("ann")
    assert not tries.is_left("cem")  # three in all
    now[0] = 61.0
    assert tries.is_left("ann")


def test_who_has_tried_is_forgotten_in_the_end() -> None:
    tries = Allowance(1, 10 * MOST_KNOWN, clock=lambda: 0.0)
    for number in range(MOST_KNOWN + 5):
        tries.count(str(number))
    assert tries.is_left("0")
    assert not tries.is_left(str(MOST_KNOWN))
