"""Pictures of the place where a teacher stands: made once for all who see the same, and sent to them as bytes."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

from viz.rooms.room import MOST_ROOMS

LARGEST = 2**20
"""Bytes of the pictures of a page that are sent ahead of it, at most."""

MOST_SIGHTS = 16
"""Kinds of pages in a room, by language and width, for which pictures are kept."""

_LENGTH = struct.Struct("<I")


@dataclass(slots=True)
class _Led:
    lead: int
    frames: dict[str, bytes] = field(default_factory=dict)  # by sight; empty where its page has no pictures to send
    asked: set[str] = field(default_factory=set)  # sights of which somebody makes the pictures


class LedPictures:
    """The pictures of the latest step of each room's teacher. Safe for threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._led: dict[str, _Led] = {}

    def begin(self, channel: str, lead: int, sight: str, pictures: Mapping[str, bytes]) -> None:
        """Let pictures be shared of the step `lead` of a room's teacher, whose own these are, by key."""
        with self._lock:
            self._led.pop(channel, None)
            while len(self._led) >= MOST_ROOMS:
                del self._led[next(iter(self._led))]
            self._led[channel] = _Led(lead)
        self.share(channel, lead, sight, pictures)

    def share(self, channel: str, lead: int, sight: str, pictures: Mapping[str, bytes]) -> bool:
        """Keep the pictures of a sight, if they are of the latest step and the first; return whether they are."""
        is_small = sum(map(len, pictures.values())) <= LARGEST
        with self._lock:
            led = self._led.get(channel)
            if led is None or led.lead != lead or sight in led.frames or len(led.frames) >= MOST_SIGHTS:
                return False
            led.frames[sight] = _frame(lead, pictures) if pictures and is_small else b""
            return True

    def frame(self, channel: str, lead: int, sight: str) -> bytes | None:
        """Return what is sent to a page of a sight; empty for nothing, None if it is not there yet, or will not be."""
        with self._lock:
            led = self._led.get(channel)
            return led.frames.get(sight) if led and led.lead == lead else None

    def is_awaited(self, channel: str, lead: int, sight: str) -> bool:
        """Return whether a page waits for pictures to come; the first of a sight does not, but makes them."""
        with self._lock:
            led = self._led.get(channel)
            if led is None or led.lead != lead or not sight:
                return False
            if sight in led.frames:
                return bool(led.frames[sight])
            is_asked = sight in led.asked
            led.asked.add(sight)
            return is_asked


def _frame(lead: int, pictures: Mapping[str, bytes]) -> bytes:
    header = json.dumps({"lead": lead, "pictures": [[key, len(data)] for key, data in pictures.items()]}).encode()
    return b"".join((_LENGTH.pack(len(header)), header, *pictures.values()))
