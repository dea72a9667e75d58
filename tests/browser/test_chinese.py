"""Chinese in a real browser: typed, cut into characters, drawn, hovered, saved, on the Bench and on the Heads."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import models
from models.translation.examples import EXAMPLES
from tests.support.bench_page import panel, wait_for_panels
from tests.support.browsing import says
from viz.views.view import View, choose_view

if TYPE_CHECKING:
    from playwright.sync_api import Download, Page

PAIR = "zh-en"
EXAMPLE = EXAMPLES[PAIR]["measure word"]
CONTRAST = EXAMPLES[PAIR]["a contrast"]
TYPED = "那个男人在看书。"
KEYS = [key for key in models.catalog() if key.endswith(PAIR)]
LABELLED = """
words => {
    const stage = [...document.querySelectorAll('*')]
        .map(each => each.shadowRoot?.querySelector('.comparison .stage[data-drawn]')).find(each => each);
    return words.every(word => stage?.texts.filter(each => each === word).length >= 4) && stage.exact.every(Boolean);
}
"""


def views(sentence: str) -> list[View]:
    return [choose_view(models.load(key).attend(sentence)) for key in KEYS]


def saved(download: Download, folder: Path) -> Path:
    path = folder / download.suggested_filename
    download.save_as(path)
    return path


def choose_example(page: Page, name: str) -> None:
    page.get_by_role("button", name="Examples").click()
    page.get_by_role("menuitem", name=name).click()


def test_a_chinese_sentence_is_typed_and_every_character_is_a_column(
    open_page: Callable[..., Page], address: str
) -> None:
    from playwright.sync_api import expect

    page = open_page(address)
    page.get_by_role("combobox", name="Languages").click()
    page.get_by_role("option", name="Chinese to English").click()
    box = page.get_by_label("Type a sentence in Chinese")
    expect(box).to_have_value(next(iter(EXAMPLES[PAIR].values())))
    choose_example(page, "measure word")
    expect(box).to_have_value(EXAMPLE)
    wait_for_panels(page, views(EXAMPLE))
    box.fill("")
    box.press_sequentially(TYPED, delay=5)
    shown = views(TYPED)
    assert [text for text in shown[0].shown.key_tokens.texts if text in TYPED] == list(TYPED)
    wait_for_panels(page, shown)
    for number, view in enumerate(shown):
        expect(panel(page, number).locator(".translation")).to_have_text(view.trace.output_text)
    says(page, sentence=TYPED)
    says(page, languages=PAIR)


def ink(picture: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which pixels of a picture are dark, cut to what is dark."""
    dark = picture < 128
    rows, columns = np.flatnonzero(dark.any(1)), np.flatnonzero(dark.any(0))
    return dark[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def test_a_picture_to_keep_holds_the_characters_and_no_boxes_in_their_place(
    open_page: Callable[..., Page], address: str, tmp_path: Path
) -> None:
    """Characters that a font lacks all look alike: on the page and in the file each looks like itself."""
    sentence = "他和他的狗。"
    page = open_page(address, languages=PAIR, sentence=sentence, mechanisms="luong-general")
    wait_for_panels(page, [choose_view(models.load(f"luong-general-{PAIR}").attend(sentence))])
    labels = page.locator(".alignment .columns span").all()[: len(sentence)]
    drawn = [ink(np.asarray(Image.open(BytesIO(each.screenshot())).convert("L"))) for each in labels]
    assert all(each.sum() > 20 for each in drawn[:5])
    alike = {
        (one, other)
        for one in range(5)
        for other in range(one)
        if drawn[one].shape == drawn[other].shape and np.mean(drawn[one] == drawn[other]) > 0.9
    }
    assert {sentence[one] + sentence[other] for one, other in alike} == {"他他"}
    page.get_by_role("button", name="Save as").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    path = saved(download.value, tmp_path)
    assert path.name == "他和他的狗-luong-general.pdf"
    assert path.read_bytes().startswith(b"%PDF")


def test_a_longer_sentence_is_shown_by_every_encoder_head(
    open_page: Callable[..., Page], address: str, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    page = open_page(urljoin(f"{address}/", "heads"), model=f"transformer-{PAIR}", picture="svg")
    choose_example(page, "a contrast")
    expect(page.get_by_label("Type a sentence in Chinese")).to_have_value(CONTRAST)
    expect(page.get_by_role("radio", name="encoder self")).to_be_checked()
    trace = models.load(f"transformer-{PAIR}").attend(CONTRAST)
    expect(page.get_by_text(trace.output_text, exact=True).first).to_be_visible()
    characters = [text for text in trace.source.to_words().texts if text != "</s>"]
    assert characters == list(CONTRAST)
    page.wait_for_function(LABELLED, arg=characters)
    with page.expect_download() as download:
        page.locator(".comparison .save").click()
    written = saved(download.value, tmp_path).read_text(encoding="utf8")
    assert all(f">{each}<" in written for each in characters)
