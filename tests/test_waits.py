"""No test waits by the clock for something that it could look at."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.support.waiting import until

TESTS = Path(__file__).parent
ALLOWED = {
    "support/waiting.py until": "the step between two looks",
    "browser/test_late_requests.py look": "the page's handlers are called during it",
    "viz/shell/test_late_requests.py let_runs_begin": "no run may begin during it",
    "browser/test_steps.py test_play_goes_through_the_steps_and_pause_holds": "nothing happens during that time",
}
"""Each function that may sleep, and why."""


def is_sleep(node: ast.AST) -> bool:
    """Return whether a call only lets time pass: a sleep but of 0, a page's pause, or an event that nobody can set."""
    if not isinstance(node, ast.Call):
        return False
    name = ast.unparse(node.func)
    if name.rpartition(".")[2] in ("sleep", "wait_for_timeout"):
        return not (node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0)
    return name.endswith("Event().wait") and bool(node.args or node.keywords)


def sleeps(source: str) -> list[str]:
    """Return the innermost function around each sleep of a module."""
    found: list[str] = []

    def walk(node: ast.AST, inside: str) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inside = node.name
        if is_sleep(node):
            found.append(inside)
        for each in ast.iter_child_nodes(node):
            walk(each, inside)

    walk(ast.parse(source), "")
    return found


def test_each_sleep_of_the_tests_is_allowed_with_its_reason() -> None:
    found = [
        f"{path.relative_to(TESTS).as_posix()} {name}"
        for path in sorted(TESTS.rglob("*.py"))
        for name in sleeps(path.read_text(encoding="utf8"))
    ]
    assert sorted(found) == sorted(ALLOWED)


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("sleep(1)", True),
        ("time.sleep(PAUSE)", True),
        ("await asyncio.sleep(0.1)", True),
        ("page.wait_for_timeout(500)", True),
        ("threading.Event().wait(0.02)", True),
        ("await asyncio.sleep(0)", False),
        ("await asyncio.Event().wait()", False),
        ("went.wait(PATIENCE)", False),
        ("page.wait_for_function('x')", False),
    ],
)
def test_a_sleep_is_seen_whatever_it_is_called_by(line: str, seen: bool) -> None:
    assert sleeps(f"async def one():\n    {line}") == ["one"] * seen


def test_what_never_comes_fails_and_is_named() -> None:
    with pytest.raises(pytest.fail.Exception, match="still 0 after 0 seconds: the door"):
        until(lambda: 0, seconds=0, what="the door")
