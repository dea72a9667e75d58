"""The bundler: ES modules become one script in the order of their imports, or are refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from viz.canvas.bundle import BundleError, bundled
from viz.canvas.parts import _FILES, parts_of

FOLDER = Path(__file__).parents[3] / "viz"
LOW = 'import { a } from "./low.js";\n'


def write(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text, encoding="utf8")
    return folder / "entry.js"


def test_what_is_imported_comes_first_and_once(tmp_path: Path) -> None:
    entry = write(
        tmp_path,
        entry='import { b } from "./left.js";\nimport {\n c,\n} from "./two.js";\nexport default function show() {}\n',
        left='import { a } from "./low.js";\nexport const b = a;\n',
        two='import { a } from "./low.js";\nexport async function c() { return a; }\n',
        low="export const a = 1;\n",
    )
    lines = [line for line in bundled(entry).splitlines() if line]
    assert lines == [
        "const a = 1;",
        "const b = a;",
        "async function c() { return a; }",
        "export default function show() {}",
    ]


def test_modules_of_another_folder_are_found(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    write(tmp_path / "other", low="export const a = 1;\n")
    assert "const a = 1;" in bundled(write(tmp_path, entry='import { a } from "./other/low.js";\na();\n'))


def test_types_and_lines_of_comment_are_left_out(tmp_path: Path) -> None:
    text = "// f\n/**\n * @param {X} a */\nconst f = (a) => a; // b\n/** @type {X} */\nlet b = /** @type {X} */ (f);\n"
    field = "class C {\n  /** @type {X} */ d = 1;\n  /** @returns {X} */\n  e() {}\n}\n"
    bare = "const f = (a) => a; // b\nlet b = (f);\nclass C {\n  d = 1;\n  e() {}\n}\n"
    assert bundled(write(tmp_path, entry=text + field)) == bare


@pytest.mark.parametrize(
    ("entry", "low", "says"),
    [
        (LOW, 'import { b } from "./entry.js";\n', "entry.js -> low.js -> entry.js"),
        (LOW + "const x = 1;\n", "export const a = 1;\nconst x = 2;\n", "x is defined in low.js and"),
        (LOW + "class x {}\n", "export const a = f(1, 2), x = 2;\n", "x is defined"),
        (LOW + "function x() {}\n", "let a = 1, x;\n", "x is defined"),
        (LOW + "const { b: x } = a;\n", "const a = 1;\nasync function x() {}\n", "x is defined"),
        (LOW + "const [y, x] = a;\n", "export function a() {}\nexport class x {}\n", "x is defined"),
        (LOW, "export default function a() {}\n", "low.js: 'export default ' cannot be joined"),
        ('import { a as b } from "./low.js";\n', "", "cannot be joined"),
        ('import * as a from "./low.js";\n', "", "cannot be joined"),
        ('import a from "./low.js";\n', "", "cannot be joined"),
        ('import { a } from "library";\n', "", "cannot be joined"),
        ("const a = 1;\nexport { a };\n", "", "cannot be joined"),
        ('export * from "./low.js";\n', "", "cannot be joined"),
    ],
)  # fmt: skip
def test_what_cannot_become_one_script_is_refused(tmp_path: Path, entry: str, low: str, says: str) -> None:
    with pytest.raises(BundleError, match=re.escape(says)):
        bundled(write(tmp_path, entry=entry, low=low))


def test_names_inside_of_functions_and_brackets_may_be_equal(tmp_path: Path) -> None:
    low = "export const a = { x: 1, y: [2, 3] }, b = (x, y = 2) => x;\nfunction c() {\n  const x = 1;\n}\n"
    assert bundled(write(tmp_path, entry='import { a } from "./low.js";\nconst x = a, y = 1;\n', low=low))


@pytest.mark.parametrize("name", _FILES)
def test_a_canvas_is_one_script_whose_default_export_shows_it(name: str) -> None:
    script = parts_of(name).script
    assert re.findall(r"^(?:import|export).*?(?=\()", script, re.MULTILINE) == ["export default function show"]


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.js")), ids=lambda path: path.name)
def test_every_script_can_be_joined_and_no_type_is_sent(path: Path) -> None:
    script = bundled(path)
    assert script
    assert "/**" not in script
    assert not re.search(r"^import ", script, re.MULTILINE)
