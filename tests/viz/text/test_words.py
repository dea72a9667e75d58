"""Every word of the interface passes through the catalogue: Babel finds it, and no literal goes past it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import pytest

from models.mechanisms import mechanisms
from models.translation.entry import LANGUAGES
from models.translation.examples import EXAMPLES
from tests.support.catalogue import COMMAND, ROOT, messages, pseudo, wide

FILES = sorted(path for path in (ROOT / "app.py", *ROOT.glob("viz/**/*.py"), *ROOT.glob("models/**/*.py")))
TEXTS = {"_": 1, "mark": 1, "Message": 1, "_n": 2, "CountMessage": 2}
"""How many texts each way to say something takes."""

SAYING = (*TEXTS, "say")
SHOWN_FIRST = frozenset(
    "markdown caption write title header subheader info warning error success toast text button toggle checkbox radio "
    "selectbox multiselect segmented_control pills slider select_slider text_input text_area number_input expander "
    "popover spinner metric download_button link_button badge dialog html".split()
)
"""What Streamlit shows of its first argument."""

SHOWN_NAMED = frozenset("label help placeholder title caption body message text hover_text".split())
"""Arguments that people read, of Streamlit's functions and of ours."""

# Not the interface's: the name of the project, sentences that a visitor could have typed, and how to measure again.
NAMES = (
    "Attention Bench",
    "The cat drank the milk",
    "The dog drank the milk.",
    "When Mary and John went out",
    "When Anna and John went out",
    "He bought new shoes.",
    "He moved to New York.",
    "When the children came home from school",
    " (`python -m training.lengths",
    "A first run.",
)


@cache
def tree(path: Path) -> ast.Module:
    parsed = ast.parse(path.read_text(encoding="utf8"))
    for node in ast.walk(parsed):
        for child in ast.iter_child_nodes(node):
            child.parent = node  # type: ignore[attr-defined]
    return parsed


def called(node: ast.AST) -> str:
    """Return the name of what a call calls."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def calls(*names: str) -> Iterator[tuple[Path, ast.Call]]:
    for path in FILES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and called(node) in names:
                yield path, node


def places(text: str) -> set[str]:
    return {name for _text, name, _spec, _conversion in Formatter().parse(text) if name is not None}


def test_babel_finds_every_message(tmp_path: Path) -> None:
    found = {text for each in messages(tmp_path) for text in ([each.id] if isinstance(each.id, str) else each.id)}
    assert COMMAND.replace("-q ", "") in (ROOT / "pyproject.toml").read_text(encoding="utf8")
    told = {text for each in mechanisms().values() for text in (each.title, each.equation, *each.departures)}
    told |= {name for examples in EXAMPLES.values() for name in examples} | set(LANGUAGES.values())
    assert told <= found
    literals = {
        text.value
        for _path, call in calls(*TEXTS)
        for text in call.args[: TEXTS[called(call)]]
        if isinstance(text, ast.Constant)
    }
    assert len(literals) > 500
    assert literals <= found


def test_what_is_said_is_a_literal_and_its_places_are_filled() -> None:
    """A text put together first would not be in any catalogue; a place without a value would be an error on a page."""
    for path, call in calls(*TEXTS):
        where = f"{path.relative_to(ROOT)}:{call.lineno}"
        values = {each.arg for each in call.keywords if each.arg}
        open_ended = any(each.arg is None for each in call.keywords)
        counted = {"count"} if called(call) in ("_n", "CountMessage") else set()
        for text in call.args[: TEXTS[called(call)]]:
            if not isinstance(text, ast.Constant):
                assert called(call) == "_", where
                assert not isinstance(text, ast.JoinedStr | ast.BinOp), where
                assert called(text) not in ("str", "format", "join"), where
            elif called(call) != "mark" and (values or counted) and not open_ended:
                assert places(text.value) <= values | counted, where
                assert values <= places(text.value), where


def spoken(text: str) -> bool:
    """Return whether `text` has a word for people once markup, entities and icons are gone."""
    plain = re.sub(r"`[^`]*`|<style>.*|<[^<>]*>?|&#?\w+;|:[a-z]+/\w+:|:[a-z]+\[|^[^<>]*>", " ", text, flags=re.DOTALL)
    return re.search(r"[A-Za-z]{2,}", plain) is not None


def literal_parts(node: ast.AST) -> Iterator[str]:
    """Return the literals of an expression, as they stand; not those inside a call, nor what is compared."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "0" for part in node.values)
    elif isinstance(node, ast.BinOp):
        yield from (*literal_parts(node.left), *literal_parts(node.right))
    elif isinstance(node, ast.IfExp):
        yield from (*literal_parts(node.body), *literal_parts(node.orelse))


def is_of_terminal(path: Path) -> bool:
    """Return whether a file is a command of the terminal, which speaks English as a server's log does."""
    return "\nimport typer\n" in path.read_text(encoding="utf8")


def test_what_streamlit_shows_is_no_literal() -> None:
    for path in FILES:
        if "viz" not in path.parts or is_of_terminal(path):
            continue
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.Call) or called(node) in SAYING:
                continue
            shown = [each.value for each in node.keywords if each.arg in SHOWN_NAMED]
            logged = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "_LOG"
            if isinstance(node.func, ast.Attribute) and node.func.attr in SHOWN_FIRST and not logged:
                shown += node.args[:1]
            for part in (part for each in shown for part in literal_parts(each)):
                assert not spoken(part), f"{path.relative_to(ROOT)}:{node.lineno} shows {part!r}"


def belongs_elsewhere(node: ast.AST, *, of_settings: bool) -> bool:
    """Return whether a literal is said already, is documentation, is told to programmers, or names a file.

    A constant of a module of settings names what settings belong to: none of it is shown.
    """
    while hasattr(node, "parent"):
        above = node.parent
        if called(above) in (*SAYING, "compile"):
            return True
        if isinstance(above, ast.Expr | ast.Raise):
            return True
        if isinstance(above, ast.Assign) and getattr(above.targets[0], "id", "") == "message":
            return True
        if isinstance(above, ast.keyword) and above.arg == "name":
            return True
        if isinstance(above, ast.Assign) and of_settings and isinstance(node, ast.Constant | ast.Tuple):
            return True
        node = above
    return False


def test_no_sentence_goes_past_the_catalogue() -> None:
    """Three words in a row are a sentence, wherever they stand: in a constant, a table, what a canvas is fed with.

    What an owner sets wrongly is told where the server starts, to nobody else.
    """
    for path in FILES:
        if "models" in path.parts or path.name == "configuration.py" or is_of_terminal(path):
            continue
        for node in ast.walk(tree(path)):
            if (
                not isinstance(node, ast.Constant)
                or not isinstance(node.value, str)
                or belongs_elsewhere(node, of_settings=path.name == "settings.py")
            ):
                continue
            text = re.sub(r"<[^<>]*>", " ", node.value)
            if re.search(r"[{}\\]|export default", text) or node.value.startswith(NAMES):
                continue
            assert not re.search(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}", text), f"{path}:{node.lineno} {text!r}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{count} words", "⟦{count} " + wide("words") + "⟧"),
        ("ends with </s>, <b>bold</b>", "⟦" + wide("ends with ") + "</s>, <b>" + wide("bold") + "</b>⟧"),
        (r"\text{x} %{y:.1f}", r"⟦\text{x} %{y:.1f}⟧"),
    ],
)
def test_the_pseudo_language_leaves_values_and_markup(text: str, said: str) -> None:
    assert pseudo(text) == said
