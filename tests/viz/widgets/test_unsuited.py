"""A sentence that translators read badly: said before, and a way to what reads it."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

APP = str(Path(__file__).parents[3] / "app.py")
PATIENCE = 120


def opened(sentence: str, **link: str) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params.update({"sentence": sentence, **link})
    return app.run()


def drawn(app: AppTest) -> bool:
    """Return whether anything is drawn of the sentence."""
    names = ("alignment", "walk", "overview", "comparison", "aligner")
    found = [each.proto.component_name for each in app.get("bidi_component")]
    grown = any("grow-source" in str(each.proto) for each in app.get("html"))
    return grown or any(name in each for each in found for name in names)


def said(app: AppTest) -> str:
    return " ".join(each.value for each in [*app.warning, *app.caption]).replace("\\", "")


@pytest.mark.parametrize(
    ("sentence", "link", "language", "switched"),
    [
        ("我爱吃苹果。", {}, "This looks like Chinese, but these models know only English", "zh-en"),
        (
            "The cat sleeps.",
            {"languages": "zh-en"},
            "This looks like English, but these models know only Chinese",
            None,
        ),
    ],
)
def test_a_text_in_the_other_script_can_be_read_by_one_click(
    sentence: str, link: dict[str, str], language: str, switched: str | None
) -> None:
    app = opened(sentence, **link)
    assert not app.exception
    assert language in said(app)
    app.button(key="switch-pair").click().run()
    assert not app.exception
    assert app.query_params.get("languages") in (switched, [switched])
    assert app.text_input(key="sentence").value == sentence
    assert language not in said(app)


def test_a_script_that_no_model_reads_is_said() -> None:
    app = opened("Где вокзал?")
    assert not app.exception
    assert "trained only on English. They cannot process this script" in said(app)


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("Le chat dort sur la table.", "This looks like French"),
        ("Ich habe einen Hund und eine Katze.", "This looks like German"),
        ("El perro come la manzana.", "This looks like Spanish"),
        ("Saya suka makan nasi goreng dengan ayam.", "This does not look like English"),
        ("She ordered a café au lait with François.", ""),
        ("Zorblat", ""),
    ],
)
def test_another_language_in_latin_letters_is_named_and_its_maps_are_drawn(sentence: str, named: str) -> None:
    app = opened(sentence)
    assert not app.exception
    assert named in said(app)
    assert ("look" in said(app)) == bool(named)
    assert drawn(app)


UNREADABLE = (
    *(("我爱吃苹果。", page, {}) for page in ("bench", "steps", "surgery", "heads", "training", "why")),
    ("Где вокзал?", "bench", {}),
    *(("The cat sleeps.", page, {"languages": "zh-en"}) for page in ("bench", "steps", "surgery")),
    ("The cat sleeps.", "heads", {"model": "transformer-zh-en"}),
)


@pytest.mark.parametrize(("sentence", "page", "link"), UNREADABLE)
def test_nothing_is_drawn_of_another_script_unless_that_is_asked_for(
    sentence: str, page: str, link: dict[str, str]
) -> None:
    app = AppTest.from_string(f"from viz.pages.{page}.page import PAGE\nPAGE.show()", default_timeout=PATIENCE)
    app.query_params.update({"long" if page == "why" else "sentence": sentence, **link})
    app.run()
    assert not app.exception
    assert re.search("these models know only|cannot process this script", said(app))
    assert not drawn(app)
    app.button(key="show-anyway").click().run()
    assert not app.exception
    assert drawn(app) or page == "why"  # too few words to grow
    assert "show-anyway" not in {each.key for each in app.button}


def test_heads_turn_to_the_model_that_reads_the_script() -> None:
    app = AppTest.from_string("from viz.pages.heads.page import PAGE\nPAGE.show()", default_timeout=PATIENCE)
    app.query_params["sentence"] = "我爱吃苹果。"
    app.run().button(key="switch-pair").click().run()
    assert not app.exception
    assert app.query_params["model"] in ("transformer-zh-en", ["transformer-zh-en"])
    assert drawn(app)
    assert "look" not in said(app)


def test_capitals_are_read_small_and_it_is_said() -> None:
    app = opened("THE CAT SLEEPS.")
    assert not app.exception
    assert "Processed as “The cat sleeps.”" in said(app)
    assert app.text_input(key="sentence").value == "THE CAT SLEEPS."


@pytest.mark.parametrize("page", ["bench", "steps"])
def test_a_word_in_capitals_is_read_small_and_it_is_said(page: str) -> None:
    app = AppTest.from_string(f"from viz.pages.{page}.page import PAGE\nPAGE.show()", default_timeout=PATIENCE)
    app.query_params["sentence"] = "I will NOT sell my TV."
    app.run()
    assert not app.exception
    assert "have hardly seen capitals: NOT" in said(app)
    assert "capitals: NOT TV" not in said(app)
    assert "hardly seen" not in said(opened("I will not sell my TV."))


def test_an_emoji_without_a_piece_is_said() -> None:
    app = opened("We won 🎉")
    assert not app.exception
    assert "no subword for this" in said(app)
    assert "🎉" in said(app)


def test_of_models_with_pieces_of_their_own_those_without_one_are_named() -> None:
    app = opened("My ticket costs 5 € today.", mechanisms="transformer luong-local-p")
    assert not app.exception
    assert re.search(r"about which the models learnt little: € \(Luong \(local-p\)[^,]*\)", said(app))
