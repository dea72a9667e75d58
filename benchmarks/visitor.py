"""A visitor without a browser: opens a page over Streamlit's websocket, types into its sentence, reads the replies.

What a browser would send is sent: the width of the page once it is known, what it holds of large elements. Only this
machine is spoken to.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

HOST = "127.0.0.1"
PATIENCE = 60.0
"""Seconds after which a reply that has not come is an error."""

LARGEST = 64 * 2**20  # bytes of a message
WIDTH = 1340  # pixels of the page in a window of 1440
SENTENCE, VIEWPORT, ROOM = "-sentence", "-viewport", "-room-listens"  # how the ids of these elements end
TYPED, SEND = "-sentence-typed", "-sentence-send"  # of a student's own sentence in a room
DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)

ADJECTIVES = "old young happy small tall quiet brave hungry tired clever".split()
PEOPLE = "teacher farmer doctor student singer baker soldier sailor painter driver".split()
VERBS = "sees follows helps remembers paints washes brings hears finds watches".split()
THINGS = "horse window letter picture bottle basket ticket blanket camera guitar".split()
PLACES = "garden kitchen river market bridge station church forest village mountain harbour castle hotel museum".split()


class PageError(RuntimeError):
    """The page shows an error, or ended its run with one."""


@dataclass(slots=True)
class Reply:
    """What an edit was answered with."""

    milliseconds: float  # from the message sent to the end of the run whose picture shows the new word
    bytes: int  # that were received meanwhile
    at: float  # when it was sent, in seconds of the monotonic clock


@dataclass(slots=True)
class Visitor:
    """One session with a sentence of its own."""

    number: int  # whose sentence it is: that of each number is another one
    port: int
    page: str = ""  # the page's part of the address, and what follows the question mark
    query: str = ""  # the page's part of the address, and what follows the question mark
    cookie: str = ""  # what the browser has kept
    replies: list[Reply] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    opened: float = 0.0
    """Milliseconds until the page stood, as wide as the browser has it."""
    told: dict[str, Any] = field(default_factory=dict)
    """What the element that listens to a room was last given."""
    _socket: ClientConnection | None = None
    _words: list[str] = field(default_factory=list)
    _page_hash: str = ""  # what the navigation calls the page: sent with every run, else the app takes it for a turn
    _link: dict[str, str] = field(default_factory=dict)
    _ids: dict[str, str] = field(default_factory=dict)
    _states: dict[str, WidgetState] = field(default_factory=dict)
    _fragments: dict[str, str] = field(default_factory=dict)  # of the page in which each of these stands
    _held: list[set[str]] = field(default_factory=list)  # hashes of the large elements of the latest runs

    async def visit(self, begin: asyncio.Event, end: float, pause: tuple[float, float]) -> None:
        """Open the page, wait for `begin`, then edit after each pause until `end`; errors are noted, none is raised."""
        chance = random.Random(self.number)
        try:
            async with self.connected() as self._socket:
                await self._open(chance)
                await begin.wait()
                stop = time.monotonic() + end
                while (left := stop - time.monotonic()) > 0:
                    await asyncio.sleep(min(chance.uniform(*pause), left))
                    if time.monotonic() < stop:
                        await self._edit()
        except (OSError, WebSocketException, PageError, TimeoutError) as error:
            self.errors.append(f"visitor {self.number}: {type(error).__name__} {error}".strip())

    def connected(self) -> connect:
        """Return the connection over which the page is spoken to."""
        return connect(
            f"ws://{HOST}:{self.port}/_stcore/stream",
            subprotocols=["streamlit"],
            additional_headers={"Cookie": self.cookie} if self.cookie else None,
            max_size=LARGEST,
            compression=None,
        )

    async def _open(self, chance: random.Random) -> None:
        start = time.perf_counter()
        kinds = (ADJECTIVES, PEOPLE, VERBS, THINGS)
        adjective, person, verb, thing = (chance.choice(kind) for kind in kinds)
        self._words = ["the", adjective, person, verb, "the", thing, "near", "the", "sea"]
        self._link = dict(parse_qsl(self.query))
        message = BackMsg()
        message.rerun_script.page_name = self.page
        await self._send(message)
        await self._read("")
        if VIEWPORT in self._ids:
            width = WidgetState(id=self._ids[VIEWPORT], json_value=json.dumps({"width": WIDTH}))
            self._states[VIEWPORT] = width
            await self._send(BackMsg(), changed=VIEWPORT)
            await self._read("")
        self.opened = 1000 * (time.perf_counter() - start)

    async def _edit(self) -> None:
        word = self._type(self.number + len(self.replies))  # no sentence comes twice: its answer would be there already
        start = time.perf_counter()
        await self._send(BackMsg(), changed=SENTENCE)
        received = await self._read(word)
        self.replies.append(Reply(1000 * (time.perf_counter() - start), received, time.monotonic()))

    def _type(self, turn: int) -> str:
        """Change the sentence, and return the word by which its picture is known."""
        self._words[-1] = PLACES[turn % len(PLACES)]
        self._words[5] = THINGS[turn // len(PLACES) % len(THINGS)]
        self._put(f"{' '.join(self._words)}.")
        return self._words[-1]

    def _put(self, sentence: str) -> None:
        """Put a sentence into the box, which is bound to the link: that is written before anything is sent."""
        self._states[SENTENCE] = WidgetState(id=self._ids[SENTENCE], string_value=sentence)
        self._link["sentence"] = sentence

    async def _send(self, message: BackMsg, *, changed: str = "") -> None:
        """Ask for a run: of the part of the page in which `changed` stands, or of the whole app."""
        state = message.rerun_script
        state.query_string = urlencode(self._link)
        context = state.context_info
        context.timezone, context.locale, context.color_scheme = "UTC", "en-US", "light"
        context.url = f"http://{HOST}:{self.port}/{self.page}"
        state.widget_states.widgets.extend(self._states.values())
        state.cached_message_hashes.extend(set().union(*self._held))
        state.page_script_hash = self._page_hash
        state.fragment_id = self._fragments.get(changed, "")
        self._held = [*self._held[-1:], set()]
        assert self._socket is not None
        await self._socket.send(message.SerializeToString())

    async def _read(self, word: str) -> int:
        """Read to the end of the run whose picture shows `word`; return how many bytes that were."""
        assert self._socket is not None
        received, shown = 0, not word
        async with asyncio.timeout(PATIENCE):
            while True:
                data = await self._socket.recv(decode=False)
                received += len(data)
                message = ForwardMsg.FromString(data)
                kind = message.WhichOneof("type")
                if kind == "navigation":
                    self._page_hash = message.navigation.page_script_hash
                elif kind == "page_info_changed":
                    self._link = dict(parse_qsl(message.page_info_changed.query_string))
                elif kind == "script_finished":
                    if message.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
                        said = "the script did not run"
                        raise PageError(said)
                    if shown and message.script_finished in DONE:
                        return received
                elif kind == "ref_hash":
                    self._held[-1].add(message.ref_hash)
                elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
                    shown = self._take(message, word) or shown

    def _take(self, message: ForwardMsg, word: str) -> bool:
        """Note what an element says of itself; return whether it is a picture that shows `word`."""
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "exception":
            said = f"{element.exception.type}: {element.exception.message}"
            raise PageError(said)
        if message.metadata.cacheable:
            self._held[-1].add(message.hash)
        own: Any = getattr(element, kind) if kind else None
        for ending in (SENTENCE, VIEWPORT, ROOM, TYPED, SEND):
            if str(getattr(own, "id", "")).endswith(ending):
                self._ids[ending] = own.id
                self._fragments[ending] = message.delta.fragment_id or self._fragments.get(ending, "")
                if ending == ROOM:
                    self.told[ROOM] = json.loads(own.json)
                if ending == SENTENCE and own.set_value:
                    self._put(own.value)
        return bool(word) and kind in ("bidi_component", "plotly_chart") and word in text_of(own)


def text_of(picture: Any) -> str:
    """Return the words of a picture, or what its bytes say where they are compressed."""
    data = bytes(getattr(picture, "bytes", b""))
    with suppress(zlib.error):
        data = zlib.decompress(data)
    return data.decode("utf-8", "ignore") if data else str(picture)
