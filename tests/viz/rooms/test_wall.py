"""The wall as CSV and as one file: all of it is there, and what students typed is never markup or a formula."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser

from viz.rooms.room import RoomQuestion
from viz.rooms.sentences import Sentence, SplitResult
from viz.rooms.tally import Tally, csv_of_room
from viz.rooms.wall import html_of_sentences

HOSTILE = '=1+1 <img src=x onerror="alert(1)"> </li><script>'
RESULT = SplitResult(("bahdanau", "transformer"), ("<b>Un</b>", ""), 0.75, 0.25)
SENTENCES = (
    Sentence(3, "en-fr", HOSTILE, RESULT),
    Sentence(5, "en-fr", "Not run.", SplitResult()),
    Sentence(6, "en-fr", "Waits."),
)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_file_shows_every_sentence_and_no_markup_of_students() -> None:
    html = html_of_sentences(SENTENCES, {3: Tally((0.25, 0.5, 0.25), 4)}, str.upper)
    tags = Tags()
    tags.feed(html)
    assert not {"script", "img", "b"} & tags.seen
    for part in (HOSTILE, "<b>Un</b>", "Not run.", "Waits.", "BAHDANAU", "25%", "50%", "4 votes", "0.75", "0.25"):
        assert part in tags.text
    assert "default-src 'none'" in html


def test_the_table_has_a_row_for_each_model_of_a_sentence_beside_the_votes() -> None:
    question = SENTENCES[0].question()
    assert question == RoomQuestion("sentence-3", HOSTILE, ("bahdanau", "transformer", "none"), is_choice=True)
    rows = list(csv.DictReader(io.StringIO(csv_of_room([question], [[[0, 1, 0]]], SENTENCES))))
    votes, models = rows[:3], rows[3:]
    assert [row["share"] for row in votes] == ["0.0", "1.0", "0.0"]
    assert [(row["word"], row["translation"]) for row in models] == [("bahdanau", "<b>Un</b>"), ("transformer", "")]
    assert {(row["words_apart"], row["maps_apart"]) for row in models} == {("0.75", "0.25")}
    assert all(row["title"].startswith("'=") for row in rows)
