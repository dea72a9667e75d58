"""A lesson in a real browser: opened by its link, paged through with the keys of a clicker, found again later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.support.bench_page import box_of, maps
from tests.support.browsing import running, says, settle, until_link

FOLDERS = "ATTENTION_BENCH_LESSONS"

LESSON = """
title: Milk and cats
language: en
about: From [the milk page](https://milk.example/about).
steps:
  - text: The *first* step, $a^2$, [of ours](https://milk.example/text).
    page: bench
    link: sentence=The cat drank the milk.&mechanisms=bahdanau luong-general
    point: {mechanism: bahdanau, word: lait}
    question: {ask: "Which word is read?", choices: [milk, cat], right: 1}
    hint: See [the hint](https://milk.example/hint).
    answer: |
      It is milk, as [the answer][1] says.

      [1]: https://milk.example/answer
  - text: The **second** step, on the same page.
    page: bench
    link: sentence=The dog sleeps.&mechanisms=luong-general
  - text: The third step.
    page: surgery
    link: sentence=The cat drank the milk.&model=bahdanau
    edits: ["mask_key(decoder.0.cross,3)"]
"""


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("school")
    (folder / "milk.yaml").write_text(LESSON, encoding="utf8")
    (folder / "broken.yaml").write_text(LESSON.replace("right: 1", "rihgt: 1"), encoding="utf8")
    with running("app.py", **{FOLDERS: str(folder)}) as address:
        yield address


def bar(page: Page) -> Locator:
    return page.locator(".st-key-lesson")


def stands_at(page: Page, step: int, text: str) -> None:
    expect(bar(page)).to_contain_text(f"step {step} of 3")
    expect(bar(page)).to_contain_text(text)
    until_link(page, lambda url: f"lesson=milk.{step}" in url)


SAID_AFTER = "([css, text]) => getComputedStyle(document.querySelector(css), '::after').content.includes(text)"


def test_a_link_of_a_lesson_that_leads_elsewhere_shows_its_address(open_page: Callable[..., Page], school: str) -> None:
    page = open_page(school, width=1280, height=720, lesson="milk", step="1")
    stands_at(page, 1, "of ours")

    def shows(where: str) -> None:
        link = page.locator(f'a[href="https://milk.example/{where}"]')
        expect(link).to_be_visible()
        page.wait_for_function(SAID_AFTER, arg=[f'a[href="https://milk.example/{where}"]', f"milk.example/{where}"])

    shows("text")
    for label, where in (("Hint", "hint"), ("Answer", "answer")):
        bar(page).get_by_role("button", name=label).click()
        shows(where)
        page.keyboard.press("Escape")
    page.goto(f"{school}/lessons")
    shows("about")


COUNTED = """
() => {
    const send = WebSocket.prototype.send;
    window.sent = 0;
    WebSocket.prototype.send = function (message) { window.sent += 1; return send.call(this, message); };
}
"""


def test_a_lesson_opens_by_its_link_and_the_keys_of_a_clicker_turn_its_steps(
    open_page: Callable[..., Page], school: str
) -> None:
    page = open_page(school, width=1280, height=720, lesson="milk", step="1")
    stands_at(page, 1, "The first step")
    expect(maps(page)).to_have_count(2)
    expect(page.locator(".alignment .rows .here")).to_have_text("lait")
    bar(page).get_by_text("cat", exact=True).click()
    expect(bar(page)).to_contain_text("Not yet")
    bar(page).get_by_text("milk", exact=True).click()
    expect(bar(page)).to_contain_text("Right.")
    settle(page)
    page.evaluate(COUNTED)
    page.keyboard.press("PageDown")
    stands_at(page, 2, "The second step")
    expect(page.locator(".st-key-sentence input")).to_have_value("The dog sleeps.")
    expect(maps(page)).to_have_count(1)
    page.keyboard.press("PageDown")
    stands_at(page, 3, "The third step")
    expect(page.get_by_text("(subword “ank”) hidden").first).to_be_visible()
    says(page, edits="mask_key(decoder.0.cross,3)")
    settle(page)
    assert page.evaluate("window.sent") == 2  # one run for each key: how wide the page is has been said on the first
    for _time in range(3):  # before the page has answered
        page.go_back()
        page.go_forward()
    page.go_back()
    stands_at(page, 2, "The second step")
    expect(page.locator(".st-key-sentence input")).to_have_value("The dog sleeps.")
    page.go_back()
    stands_at(page, 1, "The first step")
    expect(page.locator(".st-key-sentence input")).to_have_value("The cat drank the milk.")
    expect(maps(page)).to_have_count(2)
    page.go_forward()
    stands_at(page, 2, "The second step")
    page.keyboard.press("PageUp")
    stands_at(page, 1, "The first step")


def test_the_box_for_a_file_speaks_the_language_of_the_interface(open_page: Callable[..., Page], school: str) -> None:
    page = open_page(f"{school}/lessons", lang="zh")
    box = page.locator("[data-testid=stFileUploader]")
    expect(box).to_contain_text("选择文件")
    expect(box).to_contain_text("不超过 1MB")
    expect(box).not_to_contain_text("Upload")
    expect(box).not_to_contain_text("per file")
    page.locator("[data-testid=stFileUploader] input").set_input_files(
        {"name": "mine.yaml", "mimeType": "text/yaml", "buffer": LESSON.encode()}
    )
    expect(page.get_by_role("button", name="开始“Milk and cats”")).to_be_visible()
    expect(box.get_by_role("button", name="移除 mine.yaml")).to_be_visible()


def test_the_reader_is_found_where_they_were(open_page: Callable[..., Page], school: str) -> None:
    page = open_page(school, lesson="milk", step="2")
    stands_at(page, 2, "The second step")
    page.get_by_role("link", name="Heads", exact=True).first.click()
    expect(page.locator(".overview .stage").first).to_be_visible()
    stands_at(page, 2, "The second step")
    page.get_by_role("button", name="Leave the lesson").click()
    expect(bar(page)).to_have_count(0)
    until_link(page, lambda url: "lesson" not in url)
    page.goto(f"{school}/lessons")
    page.get_by_role("button", name="Go on at step 2").click()
    stands_at(page, 2, "The second step")
    page.goto(f"{school}/?lesson=milk")
    stands_at(page, 2, "The second step")
    page.locator(".st-key-sentence input").fill("The horse eats.")
    until_link(page, lambda url: "horse" in url)
    page.reload()
    stands_at(page, 2, "The second step")
    expect(page.locator(".st-key-sentence input")).to_have_value("The horse eats.")


@pytest.mark.parametrize(
    ("lesson", "said"), [("broken", "broken.yaml, line 10, steps 1, question, rihgt"), ("no", "no")]
)
def test_a_lesson_that_is_none_is_named(open_page: Callable[..., Page], school: str, lesson: str, said: str) -> None:
    page = open_page(school, lesson=lesson, step="1")
    expect(page.get_by_role("alert").filter(has_text=said)).to_be_visible()
    expect(bar(page)).to_have_count(0)
    expect(maps(page)).to_have_count(3)


def test_the_bar_leaves_room_for_the_picture(open_page: Callable[..., Page], school: str) -> None:
    page = open_page(school, width=390, height=844, scheme="dark", lesson="milk", step="1")
    stands_at(page, 1, "The first step")
    for width, height in ((390, 844), (1280, 720), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        expect(maps(page)).to_have_count(2)
        box, first = box_of(bar(page)), box_of(maps(page).first)
        assert first["y"] + 80 < box["y"]
        assert box["y"] + box["height"] <= height
        for name in ("Previous", "Next", "Hide the text", "Leave the lesson"):
            button = box_of(bar(page).get_by_role("button", name=name))
            assert button["x"] >= 0
            assert button["x"] + button["width"] <= width
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    bar(page).get_by_role("button", name="Hide the text").click()
    expect(bar(page).get_by_text("The first step")).to_have_count(0)
    for width, height in ((1920, 1080), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        settle(page)
        assert box_of(bar(page))["height"] < 60


def test_axe_finds_nothing_in_a_lesson_whose_question_is_drawn(open_page: Callable[..., Page], address: str) -> None:
    page = open_page(address, width=1366, height=900, lesson="bahdanau-and-luong", step="1")
    columns = page.locator(".prediction .column")
    columns.nth(4).locator(".word").click()
    page.get_by_role("button", name="Reveal").click()
    expect(page.locator(".prediction .model").first).to_be_visible()
    page.get_by_test_id("stStatusWidget").wait_for(state="detached")
    found = Axe().run(page).response["violations"]
    assert [f"{each['id']}: {[node['html'][:120] for node in each['nodes'][:3]]}" for each in found] == []


def test_markup_of_a_teacher_is_text(open_page: Callable[..., Page], school: str) -> None:
    page = open_page(f"{school}/lessons")
    own = LESSON.replace("The third step.", "Less than a<b, </s> and `<i>`.")
    page.locator("input[type=file]").set_input_files(
        files=[{"name": "own.yaml", "mimeType": "text/yaml", "buffer": own.replace("`<i>`", "<script>").encode()}]
    )
    expect(page.get_by_role("alert").filter(has_text="HTML is not allowed")).to_be_visible()
    assert not list(Path(__file__).parents[2].glob("**/own.yaml"))
