"""Chinese in a real browser: typed, cut into characters, drawn, hovered, saved, on the Bench and on the Heads."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import models
from models.translation.examples import EXAMPLES
from tests.support.bench_page import panel, wait_for_panels
from tests.support.browsing import query
from viz.views.view import View, choose_view

if TYPE_CHECKING:
    from playwright.sync_api import Download, Page

PAIR = "zh-en"
EXAMPLE = EXAMPLES[PAIR]["measure word"]
LITERARY = EXAMPLES[PAIR]["literary"]
TYPED = "那个男人在看书。"
KEYS = [key for key in models.catalog() if key.endswith(PAIR)]
LABELLED = """
words => {
    const stage = [...document.querySelectorAll('*')]
        .map(each => each.shadowRoot?.querySelector('.comparison .stage[data-drawn]')).find(each => each);
    return words.every(word => stage?.texts.filter(each => each === word).length >= 4) && stage.exact.every(Boolean);
}
"""
SVG = "{http://www.w3.org/2000/svg}"


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
    assert query(page)["sentence"] == [TYPED]
    assert query(page)["languages"] == [PAIR]


def ink(picture: NDArray[np.uint8], box: list[float], scale: float) -> NDArray[np.bool_]:
    """Return which pixels of a box of the page are dark in the picture, cut to what is dark."""
    left, top, width, height = (round(each * scale) for each in box)
    dark = picture[top : top + height, left : left + width] < 128
    rows, columns = np.flatnonzero(dark.any(1)), np.flatnonzero(dark.any(0))
    return dark[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def kept_picture(
    open_page: Callable[..., Page], address: str, sentence: str, shown: list[View], folder: Path, picture: str
) -> Path:
    page = open_page(address, languages=PAIR, sentence=sentence, mechanisms="luong-general", picture=picture)
    wait_for_panels(page, shown)
    with page.expect_download() as download:
        page.get_by_role("button", name=f"Download as {picture.upper()}").click()
    path = saved(download.value, folder)
    assert path.name == f"他和他的狗-luong-general.{picture}"
    return path


def columns_of(path: Path, count: int) -> list[ElementTree.Element]:
    """Return the names of the first columns in a saved SVG."""
    texts = ElementTree.parse(path).getroot().iter(f"{SVG}text")
    return [each for each in texts if each.get("text-anchor") == "middle" and float(each.get("font-size", 0)) == 13][
        :count
    ]


def test_a_saved_picture_holds_the_characters_and_no_boxes_in_their_place(
    open_page: Callable[..., Page], address: str, tmp_path: Path
) -> None:
    """Characters that a font lacks all look alike: here each looks like itself wherever it stands."""
    sentence = "他和他的狗。"
    view = choose_view(models.load(f"luong-general-{PAIR}").attend(sentence))
    glyphs = [
        (each.text, *(float(each.get(name)) for name in ("x", "y", "font-size")))
        for each in columns_of(kept_picture(open_page, address, sentence, [view], tmp_path, "svg"), len(sentence))
    ]
    path = kept_picture(open_page, address, sentence, [view], tmp_path, "png")
    picture = np.asarray(Image.open(BytesIO(path.read_bytes())).convert("L"))
    scale = 2  # pixels of the picture for each of the page's
    drawn = [ink(picture, [x - size / 2, y - size, size, size * 1.2], scale) for _text, x, y, size in glyphs]
    texts = [text for text, *_ in glyphs]
    assert texts[:6] == list(sentence)
    assert all(each.sum() > 20 for each in drawn[:5])
    alike = {
        (one, other): drawn[one].shape == drawn[other].shape and np.mean(drawn[one] == drawn[other]) > 0.9
        for one in range(5)
        for other in range(one)
    }
    assert {texts[one] + texts[other] for (one, other), same in alike.items() if same} == {"他他"}


def test_the_literary_sentence_is_shown_by_every_encoder_head(
    open_page: Callable[..., Page], address: str, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    page = open_page(urljoin(f"{address}/", "heads"), model=f"transformer-{PAIR}", picture="svg")
    choose_example(page, "literary")
    expect(page.get_by_label("Type a sentence in Chinese")).to_have_value(LITERARY)
    expect(page.get_by_role("radio", name="encoder self")).to_be_checked()
    trace = models.load(f"transformer-{PAIR}").attend(LITERARY)
    expect(page.get_by_text(trace.output_text, exact=True).first).to_be_visible()
    characters = [text for text in trace.source.to_words().texts if text != "</s>"]
    assert characters == list(LITERARY)
    page.wait_for_function(LABELLED, arg=characters)
    with page.expect_download() as download:
        page.locator(".comparison .save").click()
    written = saved(download.value, tmp_path).read_text(encoding="utf8")
    assert all(f">{each}<" in written for each in characters)
