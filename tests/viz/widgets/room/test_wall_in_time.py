"""What a room is sent while its teacher's page is being drawn stands on the wall: no other change is waited for."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from viz.pages.lessons import split
from viz.rooms.sentences import SplitResult
from viz.server.rooming import shared_rooming

FOUND = SplitResult(("luong-general",), ("Le chat.",), 0.25, 0.5)


def visit() -> None:
    """Show the app, on its page of lessons."""
    import streamlit as st

    from app import PAGES
    from viz.widgets.frame import show_app

    show_app(PAGES, first="lessons", icon=st.session_state["test-icon"])


@pytest.mark.parametrize("meanwhile", ["sent", "run", "removed"])
def test_what_comes_while_the_wall_is_drawn_is_on_it(
    meanwhile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTENTION_BENCH_ROOMS", str(tmp_path))
    monkeypatch.setattr("viz.server.splitting.Splitter.wake", lambda _splitter: None)
    app = AppTest.from_function(visit, default_timeout=200)
    app.session_state["test-icon"] = Path(__file__).parents[4] / "viz" / "icon.svg"
    app.run()
    next(each for each in app.button if each.label == "Open a room").click().run()
    store, code = shared_rooming().store, app.session_state["room-here"].code
    secret, changed, draw = store.join(code), list[str](), split._show_wall
    if meanwhile != "sent":
        store.gather(code, secret, "en-fr", "The cat drank.")

    def draw_and_change(*about: object) -> None:
        draw(*about)  # type: ignore[arg-type]
        if changed:
            return
        changed.append(meanwhile)
        if meanwhile == "sent":
            store.gather(code, secret, "en-fr", "The cat drank.")
        elif meanwhile == "run":
            store.settle_sentence(code, store.sentences(code)[0].number, FOUND)
        else:
            store.remove_sentence(code, app.session_state["room-here"].key, store.sentences(code)[0])

    monkeypatch.setattr(split, "_show_wall", draw_and_change)
    next(each for each in app.toggle if each.key == "split").set_value(True).run()
    assert not app.exception
    assert changed
    shown = "".join(each.proto.body for each in app.get("html"))
    assert (shown.count('class="sentence-card"'), shown.count('class="sentence-bar"')) == {
        "sent": (1, 0),
        "run": (1, 2),
        "removed": (0, 0),
    }[meanwhile]
