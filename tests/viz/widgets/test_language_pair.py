"""The language pair: one choice for all pages. Seen with two tiny Chinese models beside the shipped ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import viz.server.runtime
from models import registry
from models.keys import mechanism_of, pair_of
from models.mechanisms import mechanisms
from models.translation.checkpoints import TOKENIZER_FILE, WEIGHTS, shipped_folders, write_checkpoint
from tests.support.small_models import SIZES, network, only_writing, tokenizer
from viz.pages.training.settings import SHORT
from viz.widgets.language_pair import installed_pairs
from viz.widgets.sentence import examples_of, first_of

APP = str(Path(__file__).parents[3] / "app.py")
PATIENCE = 120
MADE = ("luong-general", "transformer")
CHINESE = "zh-en"


@pytest.fixture
def two_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add tiny models from Chinese, which write one word, to those that are shipped."""
    folders = {key: folder for key, folder in shipped_folders().items() if pair_of(key) != CHINESE}
    word = tokenizer().encode_batch(["apple"])[0]
    for mechanism in MADE:
        key, sizes = f"{mechanism}-{CHINESE}", SIZES[mechanism]
        made = only_writing(network(mechanism), word)
        card = {"key": key, "mechanism": mechanism, "pair": CHINESE, "departures": [], "data": [], "parameters": 1}
        card |= {"network": {"vocabulary": len(tokenizer()), **sizes}, "target_tokens_seen": 0}
        folders[key] = tmp_path / key
        write_checkpoint(folders[key], made.state_dict(), card)
        (folders[key] / TOKENIZER_FILE).write_bytes((WEIGHTS / "en-fr" / TOKENIZER_FILE).read_bytes())
    monkeypatch.setattr(registry, "shipped_folders", lambda: folders)
    viz.server.runtime.shared_host.clear()
    yield
    viz.server.runtime.shared_host.clear()


def opened(page: str = "", **link: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params.update(link)
    app.run()
    return app.switch_page(page).run() if page else app


def box(app: AppTest) -> str:
    return str(app.text_input(key="sentence").value)


def test_every_key_is_taken_apart() -> None:
    for mechanism in mechanisms():
        assert (mechanism_of(f"{mechanism}-zh-en"), pair_of(f"{mechanism}-zh-en")) == (mechanism, "zh-en")


def test_no_choice_is_shown_where_there_is_one_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    one = {key: folder for key, folder in shipped_folders().items() if pair_of(key) == "en-fr"}
    monkeypatch.setattr(registry, "shipped_folders", lambda: one)
    assert installed_pairs() == ("en-fr",)
    app = opened()
    assert "languages" not in {each.key for each in app.selectbox}


@pytest.mark.usefixtures("two_pairs")
class TestTwoPairs:
    def test_english_to_french_is_first(self) -> None:
        assert installed_pairs() == ("en-fr", "zh-en")
        app = opened()
        assert app.selectbox(key="languages").value == "en-fr"
        assert box(app) == first_of("en-fr")

    def test_another_pair_brings_its_models_its_examples_and_its_words(self) -> None:
        app = opened()
        app.selectbox(key="languages").set_value(CHINESE).run()
        assert not app.exception
        assert dict(app.query_params)["languages"] in (CHINESE, [CHINESE])
        assert box(app) == first_of(CHINESE)
        assert "in Chinese. Models translate it to English" in app.text_input(key="sentence").label
        assert {each.key for each in app.button_group if each.key.startswith("mechanisms-")} == {
            "mechanisms-luong-general",
            "mechanisms-transformer",
        }
        assert len(app.menu_button(key="examples").options) == len(examples_of(CHINESE))
        app.selectbox(key="languages").set_value("en-fr").run()
        assert box(app) == first_of("en-fr")
        assert "languages" not in app.query_params

    def test_a_sentence_of_the_readers_own_stays(self) -> None:
        app = opened()
        app.text_input(key="sentence").set_value("My own words.").run()
        app.selectbox(key="languages").set_value(CHINESE).run()
        assert box(app) == "My own words."
        assert not app.exception

    def test_a_link_opens_the_pair_and_an_unknown_one_is_named(self) -> None:
        app = opened(languages=CHINESE)
        assert app.selectbox(key="languages").value == CHINESE
        assert box(app) == first_of(CHINESE)
        app = opened(languages="xx-yy")
        assert app.selectbox(key="languages").value == "en-fr"
        assert any("languages" in each.value for each in app.warning)

    @pytest.mark.parametrize("align", ["text", "luong-general"])
    def test_all_align_on_one_translation(self, align: str) -> None:
        app = opened(languages=CHINESE, align=align, also="difference summary numbers")
        assert not app.exception
        assert not app.error
        assert not [each.value for each in app.warning if "missing" not in each.value]
        assert len(app.get("plotly_chart")) == 1

    def test_every_page_opens_with_the_pair(self) -> None:
        for page in ("steps", "surgery"):
            app = AppTest.from_string(f"from viz.pages.{page}.page import PAGE\nPAGE.show()", default_timeout=PATIENCE)
            app.query_params["languages"] = CHINESE
            app.run()
            assert not app.exception, page
            assert box(app) == first_of(CHINESE)
            assert app.get("plotly_chart") or app.get("bidi_component"), page

    def test_the_heads_show_the_model_of_the_pair_with_its_examples(self) -> None:
        app = AppTest.from_string("from viz.pages.heads.page import PAGE\nPAGE.show()", default_timeout=PATIENCE)
        app.query_params["model"] = f"transformer-{CHINESE}"
        app.run()
        assert not app.exception
        assert box(app) == first_of(CHINESE)
        assert "in Chinese. Models translate it to English" in app.text_input(key="sentence").label


class TestReaderOfChinese:
    """The shipped models, opened by a browser that asks for Chinese."""

    @pytest.fixture(autouse=True)
    def chinese(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(type(st.context), "locale", property(lambda _context: "zh-CN"))

    @pytest.mark.parametrize("page", ["bench", "steps", "surgery", "heads"])
    def test_a_visit_begins_with_chinese_to_english(self, page: str) -> None:
        app = alone(page)
        assert box(app) == first_of(CHINESE)
        name, value = ("model", f"transformer-{CHINESE}") if page == "heads" else ("languages", CHINESE)
        assert said(app) == {name: value}  # whoever is sent the link sees the same

    @pytest.mark.parametrize("page", ["bench", "steps", "surgery", "heads"])
    @pytest.mark.parametrize("link", [{"sentence": "The cat sleeps."}, {"unit": "piece"}, {"lang": "en"}])
    def test_a_link_that_says_anything_is_one_of_english_to_french(self, page: str, link: dict[str, str]) -> None:
        app = alone(page, **link)
        assert box(app) == link.get("sentence", first_of("en-fr"))
        assert not app.warning

    def test_what_is_chosen_stays_here_and_when_the_page_is_loaded_again(self) -> None:
        app = alone("bench")
        app.selectbox(key="languages").set_value("en-fr").run()
        assert box(app) == first_of("en-fr")
        assert said(app) == {"languages": "en-fr"}
        assert box(alone("bench", **said(app))) == first_of("en-fr")

    def test_a_page_that_is_there_in_english_alone_begins_in_english(self) -> None:
        app = alone("training")
        assert box(app) == SHORT
        assert app.get("bidi_component")


def alone(page: str, **link: str) -> AppTest:
    app = AppTest.from_string(f"from viz.pages.{page}.page import PAGE\nPAGE.show()", default_timeout=PATIENCE)
    app.query_params.update(link)
    app.run()
    assert not app.exception
    return app


def said(app: AppTest) -> dict[str, str]:
    """Return what the link says."""
    return {name: value[0] if isinstance(value, list) else value for name, value in app.query_params.items()}
