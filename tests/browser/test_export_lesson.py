"""A lesson in one file: opened from the disk with the network off, it turns, answers the pointer and what is chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import models
from tests.support.browsing import CELL
from tests.support.lesson_pages import PAGES
from viz.export_lesson import pictures
from viz.export_lesson.document import lesson_html
from viz.lessons.reading import read_lesson
from viz.measures.agreement import agreement, expected_row
from viz.views.view import choose_view

SENTENCE, SHORT = "The cat drank the milk.", "Dogs sleep."
LESSON = f"""
title: 牛奶和猫
language: zh
steps:
  - title: "<先看>"
    text: 第*一*步，$a^2$，&lt;script&gt;。
    page: bench
    link: sentence={SENTENCE}&mechanisms=bahdanau luong-general
    point: {{mechanism: bahdanau, word: lait}}
    question: {{ask: 读的是哪个词？, choices: [milk, cat], right: 1}}
    answer: 是 milk。
  - text: 先想一想。
    page: bench
    link: sentence={SENTENCE}&mechanisms=bahdanau
    question: {{ask: 写 chat 时读什么？, mark: {{mechanism: bahdanau, word: chat}}}}
  - text: 头。
    page: heads
    link: sentence={SHORT}&model=transformer-en-fr&map=cross&heads1=2
  - text: 一步一步。
    page: steps
    link: sentence={SHORT}&mechanism=bahdanau&step=scores
"""
RUNS = 13
"""Pages that are run for what can be chosen: 6 of Heads, and some of Steps."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lesson = read_lesson(LESSON.encode(), file="milk.yaml", name="milk", pages=PAGES)
    path = tmp_path_factory.mktemp("lesson") / "牛奶.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "MOST_RUNS", RUNS)
        path.write_text(lesson_html(lesson), encoding="utf8")
    return path


@pytest.fixture(scope="module")
def opened(browser: Browser, file: Path) -> Iterator[Page]:
    """Open the file as a double click does, without a network; nothing may fail, be asked for, or offend its policy."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, offline=True)
    page, problems = context.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: said.type in ("error", "warning") and problems.append(said.text))
    page.on("request", lambda asked: asked.url.startswith(("blob:", "data:")) or problems.append(asked.url))
    page.goto(file.as_uri())
    yield page
    assert [re.sub("#.*", "", each) for each in problems] == [file.as_uri()]
    context.close()


def step(page: Page, number: int) -> Locator:
    """Turn to a step."""
    page.goto(re.sub("#.*|$", f"#{number}", page.url, count=1))
    return page.locator(f"#step-{number}")


def test_the_file_holds_all_that_it_shows_and_names_no_other_place(file: Path) -> None:
    written = file.read_text(encoding="utf8")
    assert len(written) < 3_000_000
    assert set(re.findall(r"https?://[\w./]+", written)) <= {
        "http://www.w3.org/1998/Math/MathML",
        "http://www.w3.org/1999/xlink",
        "http://www.w3.org/2000/svg",
    }
    assert "unsafe-inline" not in re.findall("script-src[^;]*", written)[0]
    assert "&lt;先看&gt;" in written
    assert "<script>。" not in written


def test_steps_turn_by_button_key_and_history_and_questions_answer(opened: Page) -> None:
    first = step(opened, 1)
    expect(first.locator(".alignment .rows .here")).to_have_text("lait")  # what the step points at
    expect(first.locator(".alignment .says").first).to_contain_text("已固定")
    opened.keyboard.press("Escape")
    expect(first.locator(".alignment .says").first).not_to_contain_text("已固定")
    first.locator(".alignment .rows span", has_text="chat").first.hover()
    expect(first.locator(".alignment .says").first).to_contain_text("cat")
    first.locator(".choices").get_by_text("cat").click()
    expect(first.locator(".verdict")).to_contain_text("还不对")
    first.locator(".choices").get_by_text("milk").click()
    expect(first.locator(".verdict")).to_have_text("正确。")
    expect(first.get_by_text("是 milk。")).to_be_hidden()
    first.locator(".answer summary").click()
    expect(first.get_by_text("是 milk。")).to_be_visible()
    opened.keyboard.press("PageDown")
    expect(opened.locator("#step-2")).to_be_visible()
    expect(first).to_be_hidden()
    opened.get_by_role("button", name="下一步").click()
    expect(opened.locator("#step-3")).to_be_visible()
    opened.go_back()
    expect(opened.locator("#step-2")).to_be_visible()
    opened.keyboard.press("PageUp")
    expect(first).to_be_visible()
    expect(opened.locator(".bar progress")).to_have_attribute("value", "1")
    expect(opened.get_by_role("button", name="上一步")).to_be_disabled()


def test_a_row_is_marked_before_the_map_is_shown(opened: Page) -> None:
    second = step(opened, 2)
    expect(second.locator(".alignment")).to_be_hidden()
    second.locator(".prediction .column").nth(1).locator(".room").click()
    second.get_by_role("button", name="揭晓").click()
    expect(second.locator(".alignment .rows span").first).to_be_visible()
    view = choose_view(models.load("bahdanau-en-fr").attend(SENTENCE))
    row = view.weights[view.shown.query_tokens.texts.index("chat")]
    share = agreement(expected_row([0, 1, *[0] * (len(row) - 2)]), row).share
    expect(second.locator(".agreement")).to_contain_text(f"{share:.2f}")


def test_a_picked_head_stands_beside_the_other_with_its_weights_exact(opened: Page) -> None:
    third = step(opened, 3)
    overview, maps = third.locator(".overview .stage"), third.locator(".comparison .stage")
    expect(maps).to_have_attribute("data-drawn", re.compile(r"\d"))
    expect(overview).to_have_attribute("data-drawn", re.compile(r"\d"))
    opened.mouse.move(*overview.evaluate(CELL, [5, 0.5, 0.5]))
    expect(third.locator(".overview .tip")).to_be_visible()
    opened.mouse.click(*overview.evaluate(CELL, [5, 0.5, 0.5]))
    opened.wait_for_function(
        "stage => stage.exact?.length === 2 && stage.exact.every(Boolean)", arg=maps.element_handle()
    )
    trace = models.load("transformer-en-fr").attend(SHORT)
    weights = choose_view(trace, site="decoder.0.cross", head=5).weights
    opened.mouse.move(*maps.evaluate(CELL, [0, 0.5 / weights.shape[1], 0.5 / weights.shape[0]]))
    expect(third.locator(".comparison .tip")).to_contain_text(f"{weights[0, 0]:.4f}")


def test_a_walk_goes_on_and_follows_another_word(opened: Page) -> None:
    fourth = step(opened, 4)
    expect(fourth.locator(".walk [aria-current=step]")).to_have_count(1)
    before = fourth.locator(".walk [aria-current=step]").inner_text()
    fourth.locator(".walk .next").click()
    expect(fourth.locator(".walk [aria-current=step]")).not_to_have_text(before)
    words = fourth.locator(".walk .sentence button")
    held = opened.evaluate("[...document.querySelectorAll('script[data-at]')].map(each => each.dataset.at)")
    other = next(at for at in held if at.split(" ")[0] != held[0].split(" ")[0])
    words.and_(opened.locator(f"[data-row='{other.split(' ')[0]}']")).click()
    expect(words.and_(opened.locator("[aria-pressed=true]"))).to_have_attribute("data-row", other.split(" ")[0])
    rows = words.evaluate_all("each => each.map(word => word.dataset.row)")
    missing = next(row for row in rows if f"{row} " not in held)
    words.and_(opened.locator(f"[data-row='{missing}']")).click()
    expect(fourth.locator(".missing")).to_have_text("这个文件里没有这一项。")
