"""A lesson is read from a file that anybody may have written: what is wrong is named by file, line and key."""

from __future__ import annotations

import textwrap
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.lessons.document import LARGEST, MOST_PARTS, document_of
from viz.lessons.lesson import Lesson, LessonError, Question, Row
from viz.lessons.reading import MOVED, read_lesson

PAGES = {
    "bench": ("sentence", "mechanisms", "head-*"),
    "surgery": ("sentence", "model", "edits"),
    "heads": ("heads[0-9]",),
}
GOOD = """
title: "One word: *milk*"
language: en
about: What one word attends to.
minutes: 5
number: 3
steps:
  - title: A look
    text: |
      Two lines with a formula, $a = 1 < 2$,
      and the end, </s>.
    page: bench
    link: sentence=The cat drank the milk.&head-transformer=1.2
    point: {mechanism: bahdanau, word: lait}
    question:
      ask: Which word is read?
      choices: [milk, cat]
      right: 1
    hint: Point at it.
    answer: It is *milk*.
    expect:
      - {model: bahdanau-en-fr, word: lait, reads: milk, least: 0.5}
  - text: Mark what you expect.
    page: surgery
    link: {sentence: "A = B & C", model: bahdanau}
    edits:
      - mask_key(decoder.0.cross,3)
      - zero_head(decoder.0.cross,1)
    question: {ask: "What will it read?", mark: {mechanism: bahdanau, word: lait}}
"""


def read(text: str) -> Lesson:
    return read_lesson(textwrap.dedent(text).encode(), file="milk.yaml", name="milk", pages=PAGES)


def test_a_lesson_is_read_whole() -> None:
    lesson = read(GOOD)
    assert (lesson.name, lesson.title, lesson.language, lesson.kind) == ("milk", "One word: *milk*", "en", "lesson")
    assert (lesson.minutes, lesson.number, lesson.about) == (5, 3, "What one word attends to.")
    first, second = lesson.steps
    assert first.text.startswith("Two lines with a formula, $a = 1 < 2$,\nand the end, </s>.")
    assert first.link == {"sentence": "The cat drank the milk.", "head-transformer": "1.2"}
    assert first.point == Row("bahdanau", "lait")
    assert first.question == Question("Which word is read?", ("milk", "cat"), 1)
    assert (first.hint, first.answer) == ("Point at it.", "It is *milk*.")
    assert dict(first.expect[0].claims)["reads"] == "milk"
    assert second.link["sentence"] == "A = B & C"
    assert second.link["edits"] == "mask_key(decoder.0.cross,3)~zero_head(decoder.0.cross,1)"
    assert second.question == Question("What will it read?", mark=Row("bahdanau", "lait"))


def test_a_page_of_an_earlier_version_is_the_one_that_took_its_place() -> None:
    for old, new in MOVED.items():
        text = GOOD[: GOOD.index("  - text: Mark")].replace("page: bench", f"page: {old}")
        text = "\n".join(each for each in text.splitlines() if "link:" not in each)
        assert [step.page for step in read(text).steps] == [new]


WRONG = [
    ("minutes: 5", "minutes: five", 5, "minutes", "a number from 1 to 600"),
    ("about:", "abuot:", 4, "abuot", "unknown key; known keys"),
    ("title: A look", "titel: A look", 8, "steps 1, titel", "unknown key; known keys"),
    ("    page: bench\n", "    page: stepps\n", 12, "steps 1, page", "unknown value “stepps”"),
    ("    page: bench\n", "", 8, "steps 1", "the key “page” is missing"),
    ("&head-transformer", "&nonsense", 13, "steps 1, link", "the page has no setting “nonsense”"),
    ("&head-transformer=1.2", "&lesson=other", 13, "steps 1, link", "the page has no setting “lesson”"),
    ("&head-transformer=1.2", "&mechanisms=hf:gpt2/large", 13, "steps 1, link", "a lesson cannot open a Hub model: “"),
    ("model: bahdanau}\n", "model: hub}\n", 25, "steps 2, link, model", "a lesson cannot open a Hub model: “"),
    ("      right: 1", "      right: 3", 18, "steps 1, question, right", "a number from 1 to 2"),
    ("      right: 1\n", "", 16, "steps 1, question", "“choices” and “right”, or “mark”"),
    ("mask_key(decoder.0.cross,3)", "mask_key(decoder.0.cross)", 27, "steps 2, edits 1", "this is not a valid edit ("),
    (
        "{mechanism: bahdanau, word: lait}\n    question:\n",
        "{mechanism: x, word: a}\n    question:\n",
        14,
        "",
        "unknown value “x”",
    ),
    ("Point at it.", '"<img src=x onerror=alert(1)>"', 19, "steps 1, hint", "HTML is not allowed: <img"),
    (
        "It is *milk*.",
        '"![a](https://example.org/a.png)"',
        20,
        "steps 1, answer",
        "pictures are not allowed: the page itself is the picture",
    ),
    ("language: en", "language: [en]", 3, "language", "a text is expected"),
    ("language: en", "language: e n", 3, "language", "a language code is expected, such as “en” or “zh”"),
    ("minutes: 5", "minutes: 5\nminutes: 6", 6, "minutes", "twice"),
    ("number: 3", "number: &three 3", 6, "", "anchors and aliases"),
    ("number: 3", "number: !!python/object/apply:os.system [ls]", 6, "", "tags (!) are not allowed"),
    ("number: 3", "number: {3", 7, "", "this is not valid YAML ("),
    ("about: What", "about: \tWhat\n\tabout", 5, "", "this is not valid YAML ("),
]


@pytest.mark.parametrize(("before", "after", "line", "key", "reason"), WRONG)
def test_what_is_wrong_is_named_by_file_line_and_key(before: str, after: str, line: int, key: str, reason: str) -> None:
    assert before in GOOD
    with pytest.raises(LessonError) as caught:
        read(GOOD.replace(before, after, 1))
    said = str(caught.value)
    assert said.startswith(f"milk.yaml, line {line}" + (f", {key}: " if key else ""))
    assert reason in said


BOMB = "a: &a [x, x]\n" + "".join(
    f"{'abcdefghij'[n]}: &{'abcdefghij'[n]} [*{'abcdefghij'[n - 1]}, *{'abcdefghij'[n - 1]}]\n" for n in range(1, 10)
)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b"# only a remark\n", "the file is empty"),
        (b"? [a]\n: b\n", "unknown key; known keys"),
        (b"just words", "keys with values are expected"),
        (b"title: \xff\xfe", "not UTF-8 text"),
        (b"title: a\n---\ntitle: b\n", "a file contains exactly one lesson"),
        (BOMB.encode(), "anchors and aliases"),
        (b"[" * 5000, "this is more than a lesson may contain"),
        (b"{a: " * 5000, "this is more than a lesson may contain"),
        (b"- a\n" * (MOST_PARTS + 1), "this is more than a lesson may contain"),
        (b"a" * (LARGEST + 1), f"{LARGEST} at most"),
        (b"title: \x00", "this is not valid YAML ("),
    ],
    ids=[
        "empty",
        "remark",
        "key",
        "words",
        "bytes",
        "two",
        "bomb",
        "deep list",
        "deep mapping",
        "many",
        "large",
        "zero",
    ],
)
def test_hostile_files_get_a_message_at_once(data: bytes, reason: str) -> None:
    started = time.perf_counter()
    with pytest.raises(LessonError, match=r"milk\.yaml, line") as caught:
        read_lesson(data, file="milk.yaml", name="milk", pages=PAGES)
    assert reason in str(caught.value)
    assert time.perf_counter() - started < 5


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_whatever_a_file_holds_it_is_a_lesson_or_a_message(text: str) -> None:
    with pytest.raises(LessonError):
        read_lesson(text.encode("utf-8", "surrogatepass"), file="a.yaml", name="a", pages=PAGES)


def test_no_value_is_made_of_a_text() -> None:
    whole = document_of(b"language: no\nnumber: 0o17\nday: 2015-09-01\n", "a.yaml").named()
    assert [each.text() for each in whole.values()] == ["no", "0o17", "2015-09-01"]
