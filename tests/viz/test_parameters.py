"""Functions of six parameters or more: those of the public API, and a few that are named here."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import viz.canvas
import viz.figures
import viz.notebook

VIZ = Path(__file__).parents[2] / "viz"
MOST = 5
PUBLIC = {*viz.figures.__all__, *viz.canvas.__all__, *viz.notebook.__all__}
KNOWN = {
    "canvas/comparison.py encode_comparison",
    "command_line.py start",
    "figures/drawing/grid.py arrange",
    "figures/drawing/heatmap.py draw_panels",
    "figures/effects.py effect_heatmap",
    "figures/publication/export.py publication_file",
    "figures/publication/sheet.py write",
    "walk/steps.py look_at",
    "widgets/panels.py show_panels",
    "widgets/prediction.py predict",
    "widgets/wrong_word.py show_replaced",
}


def long_ones(source: str) -> Iterator[str]:
    for each in ast.walk(ast.parse(source)):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            told = each.args
            names = [*told.posonlyargs, *told.args, *told.kwonlyargs, *filter(None, (told.vararg, told.kwarg))]
            if len([name for name in names if name.arg not in {"self", "cls"}]) > MOST:
                yield each.name


def test_what_a_run_passes_goes_in_records() -> None:
    found = {
        f"{path.relative_to(VIZ).as_posix()} {name}"
        for path in VIZ.rglob("*.py")
        for name in long_ones(path.read_text("utf8"))
        if name not in PUBLIC
    }
    assert found == KNOWN


def test_all_kinds_of_parameters_are_counted() -> None:
    assert [*long_ones("def f(a, b, /, c, *d, e, **g): pass")] == ["f"]
    assert [*long_ones("class A:\n async def f(self, a, b, c, d, *, e): pass")] == []
