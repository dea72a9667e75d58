"""The catalogues of the interface: complete, of messages that there are, their places of values kept."""

from __future__ import annotations

import io
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from fontTools.ttLib import TTFont

from tests.support.catalogue import ROOT, messages
from viz.text.language import CATALOGUES, ENGLISH, _n, languages, own_name, use_language

SOURCES = sorted(CATALOGUES.glob("*/LC_MESSAGES/bench.po"))
FONTS = ("BenchSans.woff2", "NotoSansSC.woff2")


def texts(entry: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (entry,) if isinstance(entry, str) else tuple(entry)


def places(text: str) -> set[tuple[str, str]]:
    return {(name, form or "") for _text, name, form, _conversion in Formatter().parse(text) if name is not None}


def edges(text: str) -> tuple[str, str]:
    return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]


def catalogue(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.parents[1].name)


def entries(path: Path) -> list[Message]:
    return [each for each in catalogue(path) if each.id]


def test_there_is_chinese_beside_english() -> None:
    assert languages() == (ENGLISH, "zh")
    assert own_name("zh") == "中文"
    assert {path.parents[1].name for path in SOURCES} == set(languages()) - {ENGLISH}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.parents[1].name)
class TestCatalogue:
    def test_no_message_is_missing_and_none_is_left_over(self, path: Path, tmp_path: Path) -> None:
        told = {each.id: each.string for each in entries(path) if not each.fuzzy}
        said = {each.id for each in messages(tmp_path) if each.id}
        assert said - set(told) == set(), "not in the catalogue"
        assert set(told) - said == set(), "no longer in the code"
        assert all(text.strip() for string in told.values() for text in texts(string))

    def test_places_of_values_and_edges_are_kept(self, path: Path) -> None:
        for each in entries(path):
            for text in texts(each.string):
                assert places(text) == places(texts(each.id)[-1]), each.id
                if any(map(str.isalpha, texts(each.id)[-1])):  # marks alone take no space in Chinese
                    assert edges(text) == edges(texts(each.id)[-1]), each.id
                for mark in ("`", "**", "$"):
                    assert text.count(mark) == texts(each.id)[-1].count(mark), each.id

    def test_what_is_read_is_made_of_what_is_written(self, path: Path) -> None:
        made = io.BytesIO()
        write_mo(made, catalogue(path))
        assert path.with_suffix(".mo").read_bytes() == made.getvalue()

    def test_every_character_is_in_the_fonts_that_come_with_the_app(self, path: Path) -> None:
        drawn = {code for name in FONTS for code in TTFont(ROOT / "static" / name).getBestCmap()}
        english = {character for each in entries(path) for text in texts(each.id) for character in text}
        wanted = {character for each in entries(path) for text in texts(each.string) for character in text}
        assert {each for each in wanted - english if ord(each) not in drawn} == set()


def test_one_form_stands_for_any_count() -> None:
    one, many = "Similarity of {count} head", "Similarity of {count} heads"
    use_language("zh")
    try:
        said = [_n(one, many, count) for count in (1, 5)]
    finally:
        use_language(ENGLISH)
    assert said[0].replace("1", "5") == said[1] != many.format(count=5)
