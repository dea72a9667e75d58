"""What is saved on a page is what the page was: opened again, alone without a network, and made again in Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import models
from models.capture import main
from models.trace import AttentionTrace
from models.trace.asked import fingerprint
from tests.support.browsing import point
from tests.support.commands import exit_code
from tests.support.npz_files import saved, shares

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SENTENCE = "Our neighbour lost the key."
EDITS = "mask_key(decoder.0.cross,2)"
ARABIC = "الطفل الصغير يقرأ كتابا </s>".split()
ENGLISH = "the small child reads a book </s>".split()


def save(page: Page, form: str, folder: Path, shown: str) -> Path:
    """Save what the page shows in a format, chosen in the box that is open."""
    page.get_by_role("radio", name=form, exact=True).click()
    page.get_by_text(shown).wait_for()
    page.get_by_test_id("stStatusWidget").wait_for(state="detached")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_what_is_saved_opens_again_and_is_made_again(
    open_page: Callable[..., Page], browser: Browser, address: str, tmp_path: Path
) -> None:
    page = open_page(urljoin(f"{address}/", "surgery"), sentence=SENTENCE, model="luong-general", edits=EDITS)
    page.locator(".comparison .stage[data-drawn]").wait_for()
    page.get_by_role("button", name="Save as").first.click()
    record = save(page, "NPZ", tmp_path, "All weights of the run. Open the file with “Open …”")
    provenance = save(page, "JSON", tmp_path, "Model, texts and edits: enough to repeat the run in")
    alone = save(page, "HTML", tmp_path, "One interactive file. Double-click")
    again = tmp_path / "again.npz"
    assert exit_code(main, "--from", str(provenance), "--out", str(again), "--threads", "1") == 0
    assert again.read_bytes() == record.read_bytes()
    trace = AttentionTrace.load(record)
    assert trace.provenance.edits
    assert trace.provenance.sha256 == models.describe("luong-general-en-fr").sha256
    with browser.new_context(offline=True) as context:
        own, problems = context.new_page(), list[str]()
        own.on("pageerror", lambda error: problems.append(str(error)))
        own.goto(alone.as_uri())
        own.locator(".comparison .stage[data-drawn]").wait_for()
        said = point(own, 1, 0, 0, trace["decoder.0.cross"].to_words().weights.shape[1:], figure=".comparison")
        assert "Our" in said
        assert own.get_by_text(trace.provenance.sha256).first.is_visible()
        assert problems == []
    page = open_page(urljoin(f"{address}/", "open"), show="panels")
    page.locator("input[type=file]").set_input_files(record)
    page.locator(".alignment[data-drawn]").wait_for()
    page.locator(".alignment .rows span").first.hover()
    assert "attends to" in page.locator(".alignment .says").inner_text()
    page.get_by_role("button", name="Save as").first.click()
    assert fingerprint(
        AttentionTrace.load(save(page, "NPZ", tmp_path, "All weights of the run. Open the file with “Open …”"))
    ) == fingerprint(trace)


def test_a_sentence_that_runs_leftward_is_laid_out_so(
    open_page: Callable[..., Page], address: str, tmp_path: Path
) -> None:
    weights = {"decoder.0.cross": shares(1, len(ENGLISH), len(ARABIC))}
    file = tmp_path / "arabic.npz"
    file.write_bytes(saved(AttentionTrace.from_arrays(weights, source=ARABIC, target=ENGLISH, title="Mine")))
    page = open_page(address)
    page.get_by_role("button", name="Open …", exact=True).click()
    page.locator("input[type=file]").set_input_files(file)
    words = page.locator(".alignment[data-drawn] .tokens .word")
    words.filter(has_text=ARABIC[0]).wait_for()
    places = [word.bounding_box()["x"] for word in words.all()]  # type: ignore[index]
    assert places == sorted(places, reverse=True)
    written = [word.bounding_box()["x"] for word in page.locator(".alignment .translation .word").all()]  # type: ignore[index]
    assert written == sorted(written)
    columns = [label.bounding_box()["x"] for label in page.locator(".alignment .columns span").all()]  # type: ignore[index]
    assert columns == sorted(columns)  # in the order of the map
    page.locator(".alignment .tokens").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert page.locator(".alignment .tokens .here").inner_text() == words.nth(1).inner_text()
