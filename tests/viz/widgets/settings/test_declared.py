"""What the pages declare: every setting goes through a link and back, whatever its value, and through the page too."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import viz.pages
from models.edits import (
    diagonal,
    harden,
    keep_heads,
    mask_key,
    sample,
    scale_scores,
    set_row,
    uniform_row,
    window,
    zero_head,
)
from models.scenes.things import THINGS, thing_of
from models.writing import Writing
from viz.canvas.payload import MOST_PICKED
from viz.pages.bench.hand_links import MOST_WORDS, HandLinks
from viz.pages.bench.settings import BY_HAND
from viz.pages.heads import settings as heads_settings
from viz.pages.heads.picks import read_picks, write_picks
from viz.pages.heads.pinned import MOST as MOST_PINNED
from viz.pages.heads.pinned import PINNED, PinnedRow
from viz.pages.scenes.settings import SCENE
from viz.pages.steps.settings import CELLS, MOST_CELLS
from viz.views.heads import HeadPlace
from viz.widgets.edits.history import History
from viz.widgets.edits.in_force import EDITS
from viz.widgets.frame import KNOWN, Page, known_pages
from viz.widgets.settings import Choice, Data, Heads, Several, Switch, TextSetting
from viz.widgets.writing import WRITE

ROOT = Path(__file__).parents[4]
APP = str(ROOT / "app.py")
FOLDERS = sorted(each.name for each in iter_modules(viz.pages.__path__))
PAGES: tuple[Page, ...] = tuple(import_module(f"viz.pages.{folder}.page").PAGE for folder in FOLDERS)
PATIENCE = 300  # seconds
DECLARED = [(page.address, setting) for page in PAGES for setting in page.settings]
CODES = st.text(st.characters(codec="utf8", exclude_categories=("Z", "C")), min_size=1, max_size=12)
"""What may be known at run time alone: no white space, which stands between several."""


def through_a_link(name: str, text: str | None) -> str | None:
    """Send a text through an address."""
    return dict(parse_qsl(urlencode({} if text is None else {name: text}), keep_blank_values=True)).get(name)


def codes_of(data: st.DataObject, setting: Choice | Several) -> Sequence[str]:
    if setting.choices:
        return tuple(setting.choices)
    return tuple(data.draw(st.lists(CODES, min_size=1, max_size=8, unique=True)))


@given(st.data())
def test_every_choice_text_and_switch_comes_back_from_its_link(data: st.DataObject) -> None:
    _page, setting = data.draw(st.sampled_from(DECLARED))
    if isinstance(setting, Choice):
        codes = codes_of(data, setting)
        value, default = (data.draw(st.sampled_from(codes)) for _each in range(2))
        text = setting.write(value, default)
        found = setting.read(through_a_link(setting.name, text), codes, default)
        again = setting.write(found.value, default)
    elif isinstance(setting, Several):
        codes = codes_of(data, setting)
        some = st.lists(st.sampled_from(codes), min_size=setting.least, unique=True)
        value, default = (tuple(sorted(data.draw(some), key=codes.index)) for _each in range(2))
        text = setting.write(value, default)
        found = setting.read(through_a_link(setting.name, text), codes, default)
        again = setting.write(found.value, default)
    elif isinstance(setting, Switch):
        value, preset = data.draw(st.booleans()), data.draw(st.booleans())
        text = setting.write(value, preset)
        found = setting.read(through_a_link(setting.name, text), preset)
        again = setting.write(found.value, preset)
    elif isinstance(setting, TextSetting):
        value, default = data.draw(st.text()), data.draw(st.text())
        text = setting.write(value, default)
        found = setting.read(through_a_link(setting.name, text), default)
        again = setting.write(found.value, default)
    else:
        return
    assert (found.value, found.unknown, again) == (value, None, text)


@given(st.data())
def test_whatever_a_link_says_a_choice_is_one_that_there_is(data: st.DataObject) -> None:
    _page, setting = data.draw(st.sampled_from([each for each in DECLARED if isinstance(each[1], Choice | Several)]))
    assert isinstance(setting, Choice | Several)
    codes, text = codes_of(data, setting), data.draw(st.text())
    if isinstance(setting, Choice):
        one = setting.read(text, codes, codes[0])
        assert one.value in codes
        assert one.unknown == (None if text in codes else text)
        return
    found = setting.read(text, codes, codes[:1])
    assert set(found.value) <= set(codes)
    assert len(found.value) >= setting.least
    assert (found.unknown is None) == (set(text.split()) <= set(codes) and len(set(text.split())) >= setting.least)


@given(st.lists(st.integers(1, 16), min_size=1, max_size=12), st.data())
def test_picked_heads_come_back_from_their_links(counts: list[int], data: st.DataObject) -> None:
    layers = dict(enumerate(counts))
    places = [HeadPlace(layer, head) for layer, heads in layers.items() for head in range(heads)]
    picked = data.draw(st.lists(st.sampled_from(places), max_size=MOST_PICKED, unique=True))
    texts = write_picks(picked, layers)
    sent = {layer: through_a_link(f"heads{layer}", text) for layer, text in texts.items()}
    assert read_picks(sent, layers) == tuple(sorted(picked))
    assert write_picks(read_picks(sent, layers), layers) == texts


SITES = st.sampled_from(("encoder.0.self", "encoder.*.self", "decoder.2.cross"))
PLACES = st.integers(0, 30)
ROWS = st.integers(1, 6).map(lambda count: (1 / count,) * count)
EDIT = st.one_of(
    st.builds(zero_head, SITES, PLACES),
    st.builds(uniform_row, SITES, PLACES, PLACES),
    st.builds(diagonal, SITES, PLACES, PLACES),
    st.builds(harden, SITES, PLACES, PLACES),
    st.builds(sample, SITES, PLACES, PLACES, PLACES),
    st.builds(mask_key, SITES, PLACES),
    st.builds(keep_heads, SITES, st.lists(PLACES, min_size=1, max_size=4, unique=True).map(tuple)),
    st.builds(scale_scores, SITES, st.sampled_from((0.1, 0.5, 2.0, 10.0))),
    st.builds(window, SITES, PLACES, PLACES, PLACES),
    st.builds(
        set_row, SITES, PLACES, PLACES, st.integers(1, 6).map(lambda n: (1 / n,) * n), st.sampled_from((0.25, 1.0))
    ),
)


@given(st.lists(st.lists(EDIT, min_size=1, max_size=3).map(tuple), max_size=5).map(tuple))
def test_edits_come_back_from_their_link(done: tuple[Any, ...]) -> None:
    history = History(done)
    text = EDITS.write(history)
    found = EDITS.read(through_a_link(EDITS.name, text))
    assert (found.value, found.unknown) == (history, None)
    assert EDITS.write(found.value) == text


SOME_LINKS = st.frozensets(st.tuples(st.integers(0, MOST_WORDS - 1), st.integers(0, MOST_WORDS - 1)), max_size=20)


@given(SOME_LINKS, SOME_LINKS)
def test_what_is_aligned_by_hand_comes_back_from_its_link(sure: frozenset[Any], possible: frozenset[Any]) -> None:
    links = HandLinks(sure, possible - sure)
    text = BY_HAND.write(links)
    found = BY_HAND.read(through_a_link(BY_HAND.name, text))
    assert (found.value, found.unknown) == (links, None)
    assert BY_HAND.write(found.value) == text


NUMBERS = st.floats(-1e9, 1e9) | st.none()


@given(st.data())
def test_tables_come_back_from_their_link(data: st.DataObject) -> None:
    sizes = st.integers(1, min(MOST_CELLS, 5))
    tables = {}
    for name in ("query", "key", "value", "mask"):
        rows, columns = data.draw(sizes), data.draw(sizes)
        cells = st.booleans() if name == "mask" else NUMBERS
        row = st.lists(cells, min_size=columns, max_size=columns)
        tables[name] = data.draw(st.lists(row, min_size=rows, max_size=rows))
    text = CELLS.write(tables)
    found = CELLS.read(through_a_link(CELLS.name, text), tables)
    assert (found.value, found.unknown) == (tables, None)
    assert CELLS.write(found.value) == text


@given(
    st.none()
    | st.builds(
        Writing,
        st.integers(1, 40),
        temperature=st.integers(0, 50).map(lambda tenths: tenths / 10),
        top_k=st.integers(0, 1000),
        top_p=st.integers(1, 100).map(lambda hundredths: hundredths / 100),
        seed=st.integers(0, 2**31 - 1),
        begin=st.lists(st.integers(0, 200_000), max_size=20).map(tuple),
        chat=st.booleans(),
    )
)
def test_how_a_model_goes_on_comes_back_from_its_link(writing: Writing | None) -> None:
    text = WRITE.write(writing)
    found = WRITE.read(through_a_link(WRITE.name, text))
    assert (found.value, found.unknown) == (writing, None)
    assert WRITE.write(found.value) == text


@pytest.mark.parametrize("setting", [heads_settings.ROWS, heads_settings.COLUMNS], ids=lambda each: each.name)
@given(st.none() | st.tuples(st.integers(0, 1023), st.integers(0, 1023)).map(sorted).map(tuple))
def test_a_part_of_a_map_comes_back_from_its_link(setting: Data, span: tuple[int, int] | None) -> None:
    text = setting.write(span)
    found = setting.read(through_a_link(setting.name, text), 1024)
    assert (found.value, found.unknown) == (span, None)
    assert setting.write(found.value) == text


ROW = st.builds(
    PinnedRow,
    st.builds(HeadPlace, st.integers(0, 99), st.integers(0, 99)),
    st.integers(0, 2000),
    st.none() | st.builds(Writing, st.just(0), begin=st.lists(st.integers(0, 200_000), min_size=1, max_size=20)),
)


@given(st.lists(ROW, max_size=MOST_PINNED, unique=True))
def test_pinned_rows_come_back_from_their_link(rows: list[PinnedRow]) -> None:
    text = PINNED.write(rows)
    found = PINNED.read(through_a_link(PINNED.name, text))
    assert (found.value, found.unknown) == (tuple(rows), None)
    assert PINNED.write(found.value) == text


@given(st.lists(st.integers(0, THINGS - 1), min_size=9, max_size=9))
def test_a_scene_comes_back_from_its_link(codes: list[int]) -> None:
    scene = tuple(map(thing_of, codes))
    found = SCENE.read(through_a_link(SCENE.name, SCENE.write(scene)) or None)
    assert (found.value, found.unknown) == (scene, None)


def test_every_kind_of_notation_is_tried_above() -> None:
    assert {setting.name for _page, setting in DECLARED if isinstance(setting, Data)} == {
        EDITS.name,
        CELLS.name,
        BY_HAND.name,
        WRITE.name,
        PINNED.name,
        heads_settings.ROWS.name,
        heads_settings.COLUMNS.name,
        SCENE.name,
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.address)
def test_no_two_settings_of_a_page_are_called_alike(page: Any) -> None:
    names = [setting.name for setting in page.settings]
    assert len(set(names)) == len(names)
    for setting in page.settings:
        name = f"{setting.name}0" if isinstance(setting, Heads) else setting.name.replace("*", "x")
        assert [each.name for each in page.settings if each.covers(name)] == [setting.name]


def opened(page: str, link: dict[str, str]) -> AppTest:
    app = AppTest.from_string(f"from viz.pages.{page}.page import PAGE\nPAGE.show()", default_timeout=PATIENCE)
    app.query_params.update(link)
    app.run()
    assert not app.exception
    return app


EXAMPLES: tuple[tuple[str, dict[str, str]], ...] = (
    (
        "bench",
        {
            "sentence": "The dog sleeps.",
            "mechanisms": "luong-dot transformer",
            "unit": "piece",
            "order": "entropy",
            "also": "difference numbers",
            "first": "transformer",
            "head-transformer": "2.3",
            "picture": "svg",
        },
    ),
    (
        "heads",
        {
            "sentence": "The dog sleeps.",
            "map": "cross",
            "heads1": "2 3",
            "hide": "on",
            "compare": "difference",
            "plus": "1.3",
            "minus": "1.2",
            "below": "table similarity",
            "colour": "root",
        },
    ),
    ("steps", {"sentence": "The dog sleeps.", "mechanism": "luong-general", "word": "2", "step": "softmax"}),
    ("steps", {"show": "lab", "preset": "causal", "scaling": "off", "temperature": "5"}),
    (
        "surgery",
        {
            "sentence": "The dog sleeps.",
            "model": "transformer",
            "edits": "zero_head(decoder.0.cross,1)",
            "shown": "decoder.1.cross.2",
            "colour": "root",
        },
    ),
    (
        "scenes",
        {
            "scene": ",,large green star,,,,,small red circle,",
            "cell": "3",
            "caption": "right",
            "draw": "2",
            "edit": "force",
            "colour": "root",
        },
    ),
    ("training", {"sentence": "The dog sleeps.", "point": "5", "align": "own", "unit": "piece", "colour": "root"}),
)


@pytest.mark.parametrize(("page", "link"), EXAMPLES, ids=lambda each: each if isinstance(each, str) else "")
def test_a_link_goes_through_its_page_and_comes_out_as_it_went_in(page: str, link: dict[str, str]) -> None:
    app = opened(page, link)
    assert not app.warning
    out = {name: value[0] if isinstance(value, list) else value for name, value in app.query_params.items()}
    assert {name: out.get(name) for name in link} == link


KNOWN_ANYWHERE = {
    pattern.replace("*", "x").replace("[0-9]", "0") for _page, setting in DECLARED for pattern in setting.patterns
}
"""A name of every setting of every page."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.address)
def test_what_another_page_declares_is_passed_over_in_silence_and_kept_for_it(page: Any) -> None:
    foreign = {name for name in KNOWN_ANYWHERE if not any(each.covers(name) for each in page.settings)}
    assert foreign
    app = AppTest.from_string(f"from viz.pages.{page.address}.page import PAGE\nPAGE.show()", default_timeout=PATIENCE)
    app.session_state[KNOWN] = known_pages(PAGES)
    app.query_params.update(dict.fromkeys(foreign, "1") | {"nonsense": "1"})
    app.run()
    assert not app.exception
    (named,) = [each.value.replace("\\", "") for each in app.warning if "nonsense" in each.value]
    assert "nonsense=1. " in named
    assert "=1, " not in named
    assert foreign <= set(app.query_params)
    assert app.session_state["settings-for-other-pages"] == dict.fromkeys(foreign, "1")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.address)
def test_what_a_page_does_not_declare_is_named(page: Any) -> None:
    app = opened(page.address, {"nonsense": "1"})
    assert "nonsense" not in app.query_params
    for _run in range(2):  # it stays until the reader changes something
        assert any("nonsense" in each.value for each in app.warning)
        app.run()


@pytest.mark.parametrize(
    ("words", "there"),
    [
        (
            r"query_params",
            {
                "viz/widgets/settings/link.py",
                "viz/widgets/settings/address.py",
                "viz/shell/bound_parameter.py",  # says what stands in a box
                "viz/shell/headless.py",  # opens pages by their links, as a browser does
                "viz/server/room_sockets.py",  # of the address of a websocket
            },
        ),
        (
            r"session_state",
            {
                "viz/widgets/settings/boxes.py",
                "viz/widgets/settings/link.py",
                "viz/widgets/settings/address.py",
                "viz/widgets/settings/controls.py",
                "viz/widgets/settings/texts.py",
                "viz/widgets/settings/unknown.py",
                "viz/shell/bound_parameter.py",  # the link, by way of Streamlit's state of the session
                "viz/widgets/session.py",  # what is no setting: results, and what components report
            },
        ),
        (r"bind=", {"viz/widgets/settings/texts.py"}),
        (
            r"use_language\(",
            {
                "viz/widgets/interface_language.py",
                "viz/text/language.py",
                "viz/export_lesson/document.py",  # the lesson's own
            },
        ),
    ],
    ids=["the link", "the session", "bound boxes", "the language"],
)
def test_one_module_carries_settings_and_chooses_the_language(words: str, there: set[str]) -> None:
    files = [ROOT / "app.py", *(ROOT / "viz").rglob("*.py")]
    found = {
        file.relative_to(ROOT).as_posix()
        for file in files
        if re.search(words, re.sub(r'""".*?"""', "", file.read_text(encoding="utf8"), flags=re.DOTALL))
    }
    assert found == there
