"""A room in real browsers: a teacher and students who follow, answer, let go; keys, codes, a server that restarts."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.bench_page import maps
from tests.support.browsing import free_port, query, running, settle, until_link

LESSON = """
title: Milk and cats
language: en
steps:
  - text: Say it first.
    page: bench
    link: sentence=The cat drank the milk.&mechanisms=bahdanau
    question: {ask: "What is read?", mark: {mechanism: bahdanau, word: lait}}
  - text: Choose.
    page: surgery
    link: sentence=The dog sleeps.&model=bahdanau
    question: {ask: "Which word is read?", choices: [milk, cat], right: 1}
    answer: It is milk, says the answer.
"""


CONNECTED = '[data-test-connection-state="CONNECTED"][data-test-script-state="notRunning"]'


def serving(port: int, folder: Path) -> AbstractContextManager[str]:
    """Run the app, with its rooms and lessons in a folder, and kill it at the end."""
    kept = {"ATTENTION_BENCH_ROOMS": str(folder), "ATTENTION_BENCH_LESSONS": str(folder)}
    return running("app.py", port=port, kill=True, **kept)


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("school")
    (folder / "milk.yaml").write_text(LESSON, encoding="utf8")
    return folder


def room(page: Page) -> Locator:
    return page.locator(".st-key-room")


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).first.click()


def open_room(page: Page) -> str:
    press(page, "Open a room")
    expect(room(page)).to_contain_text("0 have joined")
    until_link(page, lambda url: "room=" in url)
    return query(page)["room"][0]


def marks(page: Page, *places: int) -> None:
    """Mark words, and send them to the class."""
    for place in places:
        page.locator(".prediction .column").nth(place).locator(".word").click()
        expect(page.locator(".prediction .column").nth(place)).to_have_class(re.compile("marked"))
    press(page, "Send to the class")
    expect(page.get_by_text("Sent, without your name.")).to_be_visible()


def test_a_class_follows_answers_and_lets_go_and_a_restarted_server_loses_nothing(
    open_page: Callable[..., Page], school: Path, tmp_path: Path
) -> None:
    port = free_port()
    with serving(port, school) as address:
        teacher = open_page(address, lesson="milk", step="1")
        expect(teacher.locator(".prediction .column").first).to_be_visible()
        code = open_room(teacher)
        one, two = (open_page(address, room=code) for _student in range(2))
        for each in (one, two):
            expect(each.locator(".prediction .column")).to_have_count(7)
            expect(maps(each)).to_have_count(0)
        expect(room(teacher)).to_contain_text("2 have joined")
        marks(one, 4)
        marks(two, 1, 4)
        expect(room(teacher)).to_contain_text("2 have answered")
        expect(one.locator(".class-picture")).to_have_count(0)
        key = next(each["value"] for each in teacher.context.cookies() if each["name"] == "attention-bench-teacher")
        key = key.partition(".")[2]
        assert len(key) > 30
        for each in (one, two):
            assert key not in each.content() + each.url + str(each.context.cookies())
        room(one).locator(".stCheckbox label").click()
        expect(room(one).get_by_role("switch")).not_to_be_checked()
        one.get_by_test_id("stHeader").get_by_role("link", name="Steps", exact=True).click()
        expect(one.locator(".walk")).to_be_visible()
    with serving(port, school):  # in mid-lesson
        for each in (teacher, one, two):
            each.wait_for_selector(CONNECTED)
            settle(each)  # a click before the new server has shown the page meets nothing there
        expect(room(teacher)).to_contain_text("2 have answered")
        press(teacher, "Reveal to the class")
        for each in (teacher, two):
            cells = each.locator(".class-picture li b:not(.model)")
            expect(cells).to_have_text(["0.00", "0.25", "0.00", "0.00", "0.75", "0.00", "0.00"])
            expect(maps(each)).to_have_count(1)
        expect(one.locator(".walk")).to_be_visible()  # it has let go
        expect(room(one).get_by_role("switch")).not_to_be_checked()
        teacher.keyboard.press("PageDown")
        until_link(two, lambda url: "/surgery" in url and "lesson=milk.2" in url)
        expect(two.locator(".st-key-sentence input")).to_have_value("The dog sleeps.")
        assert "/steps" in one.url
        room(one).locator(".stCheckbox label").click()
        until_link(one, lambda url: "/surgery" in url)
        for each, answer in ((one, "milk"), (two, "cat")):
            each.locator(".st-key-lesson .stRadio").get_by_text(answer, exact=True).click()
            press(each, "Send to the class")
            expect(each.get_by_text("Sent, without your name.")).to_be_visible()
            expect(each.get_by_text("Not yet")).to_have_count(0)
        press(teacher, "Reveal to the class")
        expect(two.locator(".class-picture li.right")).to_contain_text("0.50")
        expect(two.get_by_text("Not yet")).to_be_visible()
        expect(one.get_by_text("Right.", exact=True)).to_be_visible()
        press(teacher, "Answers")
        with teacher.expect_download() as download:
            teacher.get_by_role("button", name="All answers as CSV").click()
        download.value.save_as(tmp_path / "room.csv")
        with (tmp_path / "room.csv").open(encoding="utf8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == 2 * 7 + 2 * 2
        assert {row["question"] for row in rows} == {"milk.1", "milk.2"}
        teacher.keyboard.press("Escape")
        press(teacher, "Close the room")
        press(teacher, "Close it for all")
        for each in (one, two):
            expect(each.get_by_role("alert").filter(has_text=f"The room {code} is closed.")).to_be_visible()
            expect(room(each)).to_have_count(0)
            until_link(each, lambda url: "room=" not in url)


def test_two_teachers_have_two_rooms_and_nobody_takes_one_over(open_page: Callable[..., Page], address: str) -> None:
    first = open_page(f"{address}/lessons")
    code = open_room(first)
    first.get_by_role("link", name="中文").click()
    expect(first.locator('html[lang="zh"]')).to_be_attached()
    second = open_page(f"{address}/lessons", room=code)
    expect(room(second)).to_contain_text("1 has joined")
    expect(room(first)).to_contain_text("1 人已加入")  # in the teacher's language, though the bar alone ran again
    press(second, "Leave the room")
    expect(room(second)).to_have_count(0)
    press(second, "I have a key")
    second.get_by_label("Code of the room").last.fill(code)
    second.get_by_label("Teacher's key").last.fill("a key of nobody")
    press(second, "Lead")
    expect(second.get_by_text(f"This is not the key of the room {code}.")).to_be_visible()
    expect(room(second)).to_have_count(0)
    second.keyboard.press("Escape")
    other = open_room(second)
    assert other != code
    student = open_page(f"{address}/lessons")
    student.get_by_label("Code of the room").first.fill("AAA AAA")
    press(student, "Join")
    expect(student.get_by_role("alert").filter(has_text="No room AAAAAA found")).to_be_visible()
    student.get_by_label("Code of the room").first.fill(f"{code[:3].lower()}-{code[3:]}")
    press(student, "Join")
    expect(room(student)).to_contain_text(f"Room {code}")
    second.get_by_test_id("stHeader").get_by_role("link", name="Surgery", exact=True).click()
    expect(second.locator(".comparison .stage")).to_be_visible()
    first.get_by_test_id("stHeader").get_by_role("link", name="逐步计算", exact=True).click()
    until_link(student, lambda url: "/steps" in url and f"room={code}" in url)
    expect(student.locator(".walk")).to_be_visible()


def test_a_lesson_that_the_teacher_uploads_is_on_a_phone_that_joins_by_the_code_and_its_answer_after_the_reveal(
    open_page: Callable[..., Page], address: str
) -> None:
    teacher = open_page(f"{address}/lessons")
    teacher.locator("input[type=file]").set_input_files(
        {"name": "mine.yaml", "mimeType": "text/yaml", "buffer": LESSON.encode()}
    )
    press(teacher, "Begin “Milk and cats”")
    expect(teacher.locator(".prediction .column")).to_have_count(7)
    code = open_room(teacher)
    phone = open_page(f"{address}/lessons", width=390, height=844, touch=True)
    box = phone.get_by_label("Code of the room").first
    box.tap()
    box.press_sequentially(code.lower())
    box.press("Enter")
    expect(phone.get_by_text("Say it first.")).to_be_visible()
    expect(phone.get_by_text("What is read?")).to_be_visible()
    expect(phone.locator(".prediction .column")).to_have_count(7)
    expect(phone.get_by_text("The maps are hidden until")).to_be_visible()
    expect(maps(phone)).to_have_count(0)
    phone.locator(".prediction .column").nth(4).locator(".word").tap()
    phone.get_by_role("button", name="Send to the class").tap()
    expect(room(teacher)).to_contain_text("1 has answered")
    phone.reload()
    expect(phone.get_by_text("Sent, without your name.")).to_be_visible()
    expect(maps(phone)).to_have_count(0)
    press(teacher, "Reveal to the class")
    expect(phone.locator(".class-picture li b:not(.model)").nth(4)).to_have_text("1.00")
    expect(maps(phone)).to_have_count(1)
    teacher.keyboard.press("PageDown")
    expect(phone.get_by_text("Which word is read?")).to_be_visible()
    expect(phone.get_by_role("button", name="Answer", exact=True)).to_have_count(0)
    press(teacher, "Reveal to the class")
    phone.get_by_role("button", name="Answer", exact=True).tap()
    expect(phone.get_by_text("It is milk, says the answer.")).to_be_visible()
    press(teacher, "Close the room")
    press(teacher, "Close it for all")
    expect(phone.get_by_text(f"The room {code} is closed.")).to_be_visible()
