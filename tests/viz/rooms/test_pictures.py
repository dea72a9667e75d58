"""Pictures of a led page: one for all of a sight, of the latest step alone, and bounded."""

import json

from viz.rooms import pictures as bounds
from viz.rooms.pictures import LedPictures
from viz.rooms.room import MOST_ROOMS


def parts(frame: bytes) -> tuple[int, dict[str, bytes]]:
    """Return the step of a frame and its pictures."""
    end = 4 + int.from_bytes(frame[:4], "little")
    header, found = json.loads(frame[4:end]), {}
    for key, length in header["pictures"]:
        found[key] = frame[end : end + length]
        end += length
    assert end == len(frame)
    return header["lead"], found


def test_a_sight_that_has_no_pictures_is_made_by_one_and_awaited_by_the_others() -> None:
    kept = LedPictures()
    assert not kept.is_awaited("room", 1, "phone"), "nothing is on its way"
    kept.begin("room", 1, "desk", {"maps": b"wide", "points": b"dots"})
    assert parts(kept.frame("room", 1, "desk") or b"") == (1, {"maps": b"wide", "points": b"dots"})
    assert [kept.is_awaited("room", 1, "desk") for _page in range(3)] == [True] * 3
    assert [kept.is_awaited("room", 1, "phone") for _page in range(3)] == [False, True, True]
    assert kept.frame("room", 1, "phone") is None
    assert kept.share("room", 1, "phone", {"maps": b"narrow"})
    assert not kept.share("room", 1, "phone", {"maps": b"another"}), "the first stay"
    assert parts(kept.frame("room", 1, "phone") or b"") == (1, {"maps": b"narrow"})
    assert not kept.is_awaited("room", 1, ""), "a page that has not said how it looks waits for nothing"


def test_only_the_latest_step_of_a_room_is_kept_and_never_that_of_another_room() -> None:
    kept = LedPictures()
    kept.begin("room", 1, "desk", {"maps": b"one"})
    kept.begin("other", 1, "desk", {"maps": b"theirs"})
    kept.begin("room", 2, "desk", {"maps": b"two"})
    assert kept.frame("room", 1, "desk") is None
    assert not kept.share("room", 1, "phone", {"maps": b"late"})
    assert parts(kept.frame("room", 2, "desk") or b"") == (2, {"maps": b"two"})
    assert parts(kept.frame("other", 1, "desk") or b"") == (1, {"maps": b"theirs"})


def test_what_is_none_or_too_large_is_not_sent_and_not_awaited() -> None:
    kept = LedPictures()
    for number, pictures in enumerate(({}, {"maps": bytes(bounds.LARGEST), "more": b"x"})):
        kept.begin("room", number, "desk", pictures)
        assert kept.frame("room", number, "desk") == b""
        assert not kept.is_awaited("room", number, "desk")


def test_rooms_and_sights_are_bounded() -> None:
    kept = LedPictures()
    for number in range(MOST_ROOMS + 5):
        kept.begin(f"room {number}", 1, "desk", {"maps": b"x"})
    assert [kept.frame(f"room {number}", 1, "desk") is None for number in (0, 4, 5)] == [True, True, False]
    shared = [kept.share("room 9", 1, f"sight {number}", {"maps": b"x"}) for number in range(bounds.MOST_SIGHTS + 5)]
    assert shared.count(True) == bounds.MOST_SIGHTS - 1
