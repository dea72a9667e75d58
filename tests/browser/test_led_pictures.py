"""Where a teacher goes on, the class sees the pictures before its own pages run: whoever looks alike, from one run."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.test_rooms import open_room
from tests.support.browsing import settle, until_link
from tests.support.waiting import until

CANVASES = {"bench": ".alignment", "steps": ".walk", "heads": ".overview", "surgery": ".comparison"}
"""The first canvas of each page on which a teacher types."""

NEVER = "window.attentionBenchRoom.tell = () => {}"
"""What the room says lets the page run no more."""

PICTURE = """(name) => {
  const roots = [...document.querySelectorAll('*')].map((each) => each.shadowRoot).filter(Boolean);
  const figure = roots.map((root) => root.querySelector(name)).find(Boolean), stage = figure?.querySelector('.stage');
  return figure ? [figure.textContent, stage?.getAttribute('aria-label'), stage?.dataset.drawn].join('|') : '';
}"""
TYPED = "The tall baker sold warm bread to nine sailors."


def led(teacher: Page, page: str, *students: Page) -> None:
    """Lead to a page, and wait for the class."""
    teacher.get_by_test_id("stHeader").get_by_role("link", name=page.capitalize(), exact=True).click()
    for each in students:
        until_link(each, lambda url: page in url or (page == "bench" and "lessons" not in url))
    for each in (teacher, *students):
        settle(each)


def sentence(page: Page) -> str:
    return page.locator(".st-key-sentence input").input_value()


def type_into(page: Page, text: str) -> None:
    page.locator(".st-key-sentence input").fill(text)


def test_a_page_that_does_not_run_shows_what_the_teacher_types(open_page: Callable[..., Page], address: str) -> None:
    teacher = open_page(f"{address}/lessons")
    student = open_page(address, room=open_room(teacher))
    for page, picture in CANVASES.items():
        typed = TYPED.replace("nine", page)
        led(teacher, page, student)
        before, held = student.evaluate(PICTURE, picture), sentence(student)
        assert before, page
        student.evaluate(f"window.tell = window.attentionBenchRoom.tell; {NEVER}")
        type_into(teacher, typed)
        until(lambda: student.evaluate(PICTURE, picture) != before, what=page)  # noqa: B023 - called at once
        assert sentence(student) == held != typed, "the page has not run"
        settle(teacher)
        shown = [each.evaluate(PICTURE, picture).split("|")[:2] for each in (student, teacher)]
        assert shown[0] == shown[1], page
        student.evaluate("window.attentionBenchRoom.tell = window.tell")


def test_one_phone_of_a_width_draws_for_the_others_and_every_page_runs_in_the_end(
    open_page: Callable[..., Page], address: str
) -> None:
    teacher = open_page(f"{address}/lessons")
    code = open_room(teacher)
    phone = {"width": 390, "height": 844, "touch": True}
    one, two = (open_page(address, room=code, **phone) for _phone in range(2))
    chinese = open_page(address, room=code, lang="zh", **phone)
    led(teacher, "bench", one, two, chinese)
    before = two.evaluate(PICTURE, ".alignment")
    two.evaluate(NEVER)
    type_into(teacher, TYPED)
    until(lambda: two.evaluate(PICTURE, ".alignment") != before)
    for each in (one, chinese):
        expect(each.locator(".st-key-sentence input")).to_have_value(TYPED)
        settle(each)
    shown = [each.evaluate(PICTURE, ".alignment").split("|")[0] for each in (one, two, chinese)]
    assert shown[0] == shown[1] != shown[2]
    assert sentence(two) != TYPED
