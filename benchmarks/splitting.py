"""A class of which every student sends a sentence at once, without browsers: until the models have run all of them.

The room is opened in the server's own file, which is looked into for what was run.
"""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import WebSocketException

from benchmarks.visitor import PATIENCE, SEND, TYPED, PageError, Visitor
from viz.rooms.store import Store
from viz.server.rooming import FILE

FAILED = (OSError, WebSocketException, PageError, TimeoutError, KeyError)
LOOK = 0.05  # seconds between two looks at how many were run


@dataclass(slots=True)
class Sender(Visitor):
    """A visitor who sends one sentence."""

    async def send_one(self, there: asyncio.Event, begin: asyncio.Event) -> None:
        """Open the page, wait for `begin`, then type a sentence and press the button."""
        try:
            async with self.connected() as self._socket:
                await self._open(random.Random(self.number))
                there.set()
                await begin.wait()
                text = f"{' '.join(self._words)} number {self.number}."
                self._states[TYPED] = WidgetState(id=self._ids[TYPED], string_value=text)
                self._states[SEND] = WidgetState(id=self._ids[SEND], trigger_value=True)
                await self._send(BackMsg(), changed=SEND)
                del self._states[SEND]
                await self._read("")
        except FAILED as error:
            self.errors.append(f"student {self.number}: {type(error).__name__} {error}".strip())
        finally:
            there.set()


async def send_all(first: int, count: int, seconds: float, port: int, folder: Path) -> tuple[list[float], list[str]]:
    """Let students send a sentence each, numbered from `first`; return the waits in milliseconds, and the errors."""
    store = Store(folder / FILE)
    code, _key = store.open_room()
    students = [
        Sender(number, port, page="lessons", query=f"room={code}&split=on") for number in range(first, first + count)
    ]
    there, begin = [asyncio.Event() for _student in students], asyncio.Event()
    sending = [asyncio.create_task(each.send_one(event, begin)) for each, event in zip(students, there, strict=True)]
    await asyncio.wait_for(asyncio.gather(*(event.wait() for event in there)), PATIENCE)
    start, waits = time.perf_counter(), list[float]()
    begin.set()
    while len(waits) < count and time.perf_counter() - start < seconds:
        await asyncio.sleep(LOOK)
        run = (await asyncio.to_thread(store.room, code)).run
        waits += [1000 * (time.perf_counter() - start)] * (run - len(waits))
    await asyncio.gather(*sending)
    store.close()
    return waits, [error for each in students for error in each.errors]
