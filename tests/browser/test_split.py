"""A class that splits the models, in real browsers: a desk that leads, a phone and a Chinese student."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.support.browsing import query, settle, until_link

HARD = "The quiet painter brings the <b>camera</b> near the museum number 11."


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True).first


def send(page: Page, text: str, name: str) -> None:
    page.locator(".st-key-figure-split").get_by_role("textbox").fill(text)
    button(page, name).click()


def cards(page: Page) -> Locator:
    return page.locator(".sentence-card")


def test_three_visitors_send_vote_and_are_led_to_the_winner(
    open_page: Callable[..., Page], address: str, tmp_path: Path
) -> None:
    desk = open_page(f"{address}/lessons")
    button(desk, "Open a room").click()
    until_link(desk, lambda url: "room=" in url)
    code = query(desk)["room"][0]
    settle(desk)
    phone = open_page(f"{address}/lessons", width=390, height=844, touch=True, room=code)
    chinese = open_page(address, lang="zh", room=code)
    desk.locator(".st-key-split label").first.click()
    for each in (phone, chinese):
        until_link(each, lambda url: "split=on" in url)
        expect(each.locator(".st-key-sentence-send")).to_be_visible()
    send(phone, "我爱吃苹果。", "Send to the class")
    expect(phone.get_by_role("alert")).to_contain_text("These models only read English.")
    box = phone.locator(".st-key-figure-split").get_by_role("textbox")
    expect(box).to_have_value("我爱吃苹果。")
    send(phone, "x " * 150, "Send to the class")
    expect(phone.get_by_role("alert")).to_contain_text("at most 200 characters")
    assert len(box.input_value()) == 300
    send(phone, HARD, "Send to the class")
    expect(phone.get_by_role("status").filter(has_text=HARD)).to_be_visible()
    send(chinese, "The cat drank the milk.", "发送给全班")
    expect(chinese.get_by_role("status").filter(has_text="已匿名发送")).to_be_visible()
    expect(desk.locator(".sentence-bar")).to_have_count(4, timeout=60_000)
    expect(cards(desk).first).to_contain_text("• • •")
    assert HARD not in desk.locator(".st-key-sentences").inner_text()
    for each in (phone, chinese):
        expect(cards(each)).to_have_count(0)
    button(desk, "Look").click()
    expect(desk.locator(".sentence-look").filter(visible=True)).to_have_text(HARD)
    desk.get_by_role("button", name="Open for the class").filter(visible=True).click()
    for each in (desk, phone, chinese):
        expect(each.locator(".sentence-open")).to_have_text(HARD)
        expect(each.locator(".sentence-models")).to_have_count(0)
    for each, name, sent in ((phone, "Send to the class", "Send again"), (chinese, "发送给全班", "重新发送")):
        vote = each.locator(".st-key-sentence-opened")
        vote.locator(".stRadio label").nth(1).click()
        vote.get_by_role("button", name=name).click()
        expect(vote.get_by_role("button", name=sent)).to_be_disabled()
    expect(desk.locator(".st-key-room")).to_contain_text("2 have answered")
    button(desk, "Reveal to the class").click()
    for each in (desk, phone, chinese):
        expect(each.locator(".sentence-models tr")).to_have_count(3)
        expect(each.locator(".class-picture li b")).to_have_text(["1.00", "0.00", "0.00", "0.00"])
    expect(chinese.locator(".sentence-models")).to_contain_text("多头")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    with desk.expect_download() as download:
        button(desk, "The wall as one file (HTML)").click()
    download.value.save_as(tmp_path / "wall.html")
    assert "&lt;b&gt;camera" in (tmp_path / "wall.html").read_text(encoding="utf8")
    button(desk, "Answers").click()
    with desk.expect_download() as download:
        button(desk, "All answers as CSV").click()
    download.value.save_as(tmp_path / "room.csv")
    with (tmp_path / "room.csv").open(encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert sum(bool(row["translation"]) for row in rows) == 6
    assert {row["class"] for row in rows if row["word"] == "bahdanau" and row["share"]} == {"1.0"}
    desk.keyboard.press("Escape")
    desk.get_by_role("button", name="Take it to Surgery").click()
    for each in (desk, phone, chinese):
        until_link(each, lambda url: "/surgery" in url and "model=bahdanau" in url)
        expect(each.locator(".st-key-sentence").get_by_role("textbox")).to_have_value(HARD)


def test_what_a_teacher_removes_is_gone_for_all_and_its_sender_sends_no_other(
    open_page: Callable[..., Page], address: str
) -> None:
    desk = open_page(f"{address}/lessons")
    button(desk, "Open a room").click()
    until_link(desk, lambda url: "room=" in url)
    code = query(desk)["room"][0]
    settle(desk)
    desk.locator(".st-key-split label").first.click()
    until_link(desk, lambda url: "split=on" in url)
    student = open_page(f"{address}/lessons", room=code)
    expect(student.locator(".st-key-sentence-send")).to_be_visible()
    send(student, "Something rude.", "Send to the class")
    expect(desk.locator(".sentence-bar")).to_have_count(2, timeout=60_000)
    button(desk, "Look").click()
    desk.get_by_role("button", name="Open for the class").filter(visible=True).click()
    expect(student.locator(".sentence-open")).to_have_text("Something rude.")
    desk.locator(".st-key-remove-opened button").click()
    expect(student.locator(".sentence-open")).to_have_count(0)
    expect(student.get_by_text("Your teacher has removed your sentence.")).to_be_visible()
    expect(student.locator(".st-key-sentence-send")).to_have_count(0)
    expect(cards(desk)).to_have_count(0)


def test_a_class_is_asked_before_a_lesson_and_after_it(open_page: Callable[..., Page], address: str) -> None:
    desk = open_page(address, lesson="many-heads", step="0")
    expect(desk.locator(".st-key-lesson-stage .stRadio")).to_have_count(3)
    button(desk, "Open a room").click()
    until_link(desk, lambda url: "room=" in url)
    code = query(desk)["room"][0]
    settle(desk)
    phone = open_page(address, width=390, height=844, touch=True, room=code)
    chosen = phone.locator(".st-key-lesson-stage .stRadio")
    for stage, place in (("before", 0), ("after", 1)):
        expect(chosen).to_have_count(3)
        for number in range(3):
            chosen.nth(number).locator("label").nth(place + 1).click()
            settle(phone)
        button(phone, "Send to the class").click()
        expect(button(phone, "Send again")).to_be_visible()
        expect(phone.locator(".lesson-change")).to_have_count(0)
        if stage == "before":
            expect(desk.get_by_role("button", name="Reveal the change")).to_have_count(0)
            for _step in range(8):
                if desk.locator(".lesson-name").inner_text().endswith("after the lesson"):
                    break
                said = desk.locator(".lesson-name").inner_text()
                desk.keyboard.press("PageDown")
                expect(desk.locator(".lesson-name")).not_to_have_text(said)
                settle(desk)
            expect(phone.locator(".lesson-name")).to_contain_text("after the lesson")
    button(desk, "Reveal the change to the class").click()
    for each in (desk, phone):
        expect(each.locator(".lesson-change li")).to_have_count(3)
        expect(each.locator(".lesson-change")).to_contain_text("1 answered both times")
