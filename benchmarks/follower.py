"""A teacher who leads a room, and students whose pages go where the teacher's page goes, without browsers.

A student listens as a browser does, at the route beside the pages, and lets the page run again only when that says that
the teacher has moved. The room is opened in the server's own file.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from benchmarks.visitor import HOST, LARGEST, PATIENCE, ROOM, SENTENCE, PageError, Visitor
from viz.rooms.store import Store
from viz.server.room_sockets import path_of
from viz.server.rooming import FILE
from viz.widgets.room.who import TEACHER

AWAITED, LATER = 0.8, (0.3, 2.5)
"""Seconds that a page waits for pictures, and after them until it runs: as in `viz/widgets/room/room.js`."""

FAILED = (OSError, WebSocketException, PageError, TimeoutError)
_TEACHER = 1000  # whose sentences are the teacher's: those of no student


@dataclass(slots=True)
class Step:
    """What the teacher shows now: the word by which its picture is known, its number, and when it was sent."""

    word: str = ""
    number: int = 0
    at: float = 0.0


@dataclass(slots=True)
class Teacher(Visitor):
    """A visitor who leads."""

    pauses: tuple[float, float] = (0.0, 0.0)
    """Seconds between two steps, at least and at most: somebody who says something about what is seen."""

    async def lead(self, step: Step, opened: asyncio.Event, everybody: asyncio.Event, seconds: float) -> None:
        """Open the page, wait for the class, then edit after each pause; each edit is a step."""
        chance = random.Random(self.number)
        try:
            async with self.connected() as self._socket:
                await self._open(chance)
                opened.set()
                await everybody.wait()
                stop = time.monotonic() + seconds
                while time.monotonic() < stop:
                    step.word = self._type(self.number + step.number)
                    step.number, step.at = step.number + 1, time.perf_counter()
                    await self._send(BackMsg(), changed=SENTENCE)
                    await self._read(step.word)
                    await asyncio.sleep(chance.uniform(*self.pauses))
        except FAILED as error:
            self.errors.append(f"teacher: {type(error).__name__} {error}".strip())
            opened.set()


@dataclass(slots=True)
class Student(Visitor):
    """A visitor who follows."""

    waits: list[float] = field(default_factory=list)
    """Milliseconds, of each step that was seen before the next one came."""

    async def follow(self, step: Step, channel: str, there: asyncio.Event) -> None:
        """Open the page, then see what the teacher has moved to, as a browser does, until cancelled."""
        try:
            async with (
                self.connected() as self._socket,
                connect(f"ws://{HOST}:{self.port}{path_of(channel)}", max_size=LARGEST) as room,
            ):
                known = json.loads(await room.recv())["lead"]
                await self._open(random.Random(self.number))
                await room.send(self.told[ROOM]["sight"].encode())
                there.set()
                while True:
                    told = json.loads(await _text_of(room))
                    while told["lead"] != known:
                        known = told["lead"]
                        told = await self._see(step, room, told)
        except FAILED as error:
            self.errors.append(f"student {self.number}: {type(error).__name__} {error}".strip())
            there.set()

    async def _see(self, step: Step, room: ClientConnection, told: dict[str, Any]) -> dict[str, Any]:
        """See a step: its pictures if they come, and the page when it has run; return the latest numbers."""
        number, word, seen = step.number, step.word, False
        pause = AWAITED if told["awaits"] else 0.0
        while pause:
            try:
                async with asyncio.timeout(pause):
                    message = await room.recv()
            except TimeoutError:
                break
            if isinstance(message, str):
                newer = json.loads(message)
                if newer["lead"] != told["lead"]:
                    return dict(newer)
            elif word.encode() in _plain(message):
                seen = self._note(step, number)
                pause = random.uniform(*LATER)
        self._states[ROOM] = WidgetState(id=self._ids[ROOM], json_value=json.dumps({"moved": told}))
        await self._send(BackMsg(), changed=ROOM)
        await self._read(word)
        if not seen:
            self._note(step, number)
        return told

    def _note(self, step: Step, number: int) -> bool:
        if number == step.number:
            self.waits.append(1000 * (time.perf_counter() - step.at))
        return True


async def _text_of(room: ClientConnection) -> str:
    """Return the next numbers; pictures that come after their page has run are passed over."""
    while not isinstance(message := await room.recv(), str):
        pass
    return message


def _plain(frame: bytes) -> bytes:
    """Return what the pictures of a frame say."""
    end = 4 + int.from_bytes(frame[:4], "little")
    parts = []
    for _key, length in json.loads(frame[4:end])["pictures"]:
        parts.append(zlib.decompress(frame[end : end + length]))
        end += length
    return b"".join(parts)


async def follow_teacher(
    count: int, seconds: float, port: int, folder: Path, pauses: tuple[float, float]
) -> tuple[list[float], list[str], int]:
    """Let students follow a teacher; return the waits in milliseconds, sorted, the errors, and the number of steps."""
    store = Store(folder / FILE)
    code, key = store.open_room()
    channel = store.room(code).channel
    store.close()
    query, step, opened, everybody = f"room={code}", Step(), asyncio.Event(), asyncio.Event()
    teacher = Teacher(_TEACHER + count, port, query=query, cookie=f"{TEACHER}={code}.{key}", pauses=pauses)
    students = [Student(number, port, query=query) for number in range(count)]
    there = [asyncio.Event() for _student in students]
    leading = asyncio.create_task(teacher.lead(step, opened, everybody, seconds))
    await asyncio.wait_for(opened.wait(), PATIENCE)
    following = [
        asyncio.create_task(each.follow(step, channel, event)) for each, event in zip(students, there, strict=True)
    ]
    await asyncio.wait_for(asyncio.gather(*(event.wait() for event in there)), PATIENCE)
    everybody.set()
    await leading
    for task in following:
        task.cancel()
    await asyncio.gather(*following, return_exceptions=True)
    errors = [error for each in (teacher, *students) for error in each.errors]
    return sorted(wait for each in students for wait in each.waits), errors, step.number
