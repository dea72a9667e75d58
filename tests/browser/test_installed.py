"""The app as `pip install` and `attention-bench` bring it, in a folder with other files called as ours are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.bench_page import maps
from tests.support.browsing import free_port, says, settle, started
from tests.support.wheels import fresh_environment, wheels_of

SENTENCE = "My neighbour waters the flowers because it is hot."


@pytest.fixture
def address(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder, port = tmp_path / "notebook", free_port()
    folder.mkdir()
    for name in ("models.py", "viz.py", "app.py"):
        (folder / name).write_text("raise RuntimeError\n", encoding="utf8")
    program = fresh_environment(tmp_path / "fresh", wheels_of(tmp_path_factory.getbasetemp())[0]) / "attention-bench"
    with started([str(program), "--no-browser", "--port", str(port)], port, folder) as address:
        yield address


def test_a_sentence_is_drawn_by_three_mechanisms_and_missing_weights_are_named(
    open_page: Callable[..., Page], address: str
) -> None:
    page = open_page(address)
    box = page.locator(".st-key-sentence input")
    box.fill(SENTENCE)
    box.press("Enter")
    says(page, sentence=SENTENCE)
    settle(page)
    expect(maps(page)).to_have_count(3)
    page = open_page(f"{address}/training")
    expect(page.get_by_text("attention_bench_training-")).to_be_visible()
    page = open_page(address, mechanisms="bahdanau luong-dot")
    expect(page.get_by_text("attention_bench_translators-")).to_be_visible()
