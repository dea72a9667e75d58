"""What the server does before somebody comes."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from viz.server import runtime
from viz.server.lifespan import lifespan


@pytest.mark.parametrize("fails", [False, True])
def test_models_are_opened_before_the_first_visitor_who_is_told_what_fails(
    monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    asked = Event()

    def shared_host() -> None:
        asked.set()
        if fails:
            raise OSError

    async def live() -> bool:
        async with lifespan(None):
            return await asyncio.to_thread(asked.wait, 20)

    monkeypatch.setattr(runtime, "shared_host", shared_host)
    with ThreadPoolExecutor(1) as beside:  # another test's loop may run in this thread
        assert beside.submit(asyncio.run, live()).result()
