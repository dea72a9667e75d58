"""Widgets in JupyterLab and marimo: what is done on them comes back to Python; a saved notebook shows them alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.support.notebooks import command, lab, marimo, run_all, write_notebook
from tests.support.waiting import until
from tests.support.wheels import fresh_environment, site_of, wheels_of
from viz.notebook import head_view

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FrameLocator, Locator, Page

TEN_LINES = (
    "from attention_bench.models import load\nfrom attention_bench.viz.notebook import bench, head_view\n"
    'trace = load("transformer-en-fr").attend("The cat sleeps.")\nheads = head_view(trace, picked=[(0, 1)])\nheads',
    'both = bench("The cat sleeps.", ["bahdanau-en-fr", "transformer-en-fr"])\nboth',
    "heads.picked, heads.pointed, both.pointed, both.sentence, both.traces[0].output_text",
)
MARIMO = """
import marimo

app = marimo.App()


@app.cell
def _():
    from attention_bench.models import load
    from attention_bench.viz.notebook import head_view

    heads = head_view(load("transformer-en-fr").attend("The cat sleeps."), picked=[(0, 1)])
    heads
    return (heads,)


@app.cell
def _(heads):
    from pathlib import Path

    heads.observe(lambda change: Path("picked.txt").write_text(str([tuple(each) for each in change["new"]])), "picked")
    return


if __name__ == "__main__":
    app.run()
"""
OF_JUPYTER = "/static/"
"""Where an error of JupyterLab's own comes from; what is ours comes as a blob or stands in a frame."""
LIVE = ".attention-bench-live"
SAVED = ".attention-bench-saved"


@pytest.fixture
def open_notebook(browser: Browser) -> Iterator[Any]:
    """Return a way to open a page of which nothing may fail, nor be fetched from elsewhere."""
    contexts, problems = [], []

    def open_link(address: str, *, kernel: bool = True) -> Page:
        context = browser.new_context(viewport={"width": 1300, "height": 1500})
        contexts.append(context)
        page = context.new_page()
        own = (f"http://{address.split('/')[2]}/", "blob:", "data:")
        page.on("pageerror", lambda error: OF_JUPYTER in str(error.stack) or problems.append(str(error.stack)))
        page.on("request", lambda request: request.url.startswith(own) or problems.append(request.url))
        page.on("console", lambda said: "Content Security Policy" in said.text and problems.append(said.text))
        if not kernel:
            page.route(
                "**/api/sessions*", lambda route: route.abort() if route.request.method == "POST" else route.continue_()
            )
        page.goto(address)
        if not kernel:
            dialog = page.locator(".jp-Dialog")
            dialog.wait_for()
            dialog.evaluate("dialog => dialog.remove()")  # answered, it would ask for another kernel
        return page

    yield open_link
    for context in contexts:
        context.close()
    assert problems == []


def drawn(frame: FrameLocator, canvas: str) -> Locator:
    """Return the stage of a canvas of maps once it is drawn."""
    stage = frame.locator(f".{canvas} .stage[data-drawn]")
    stage.wait_for()
    return stage


def press_head(stage: Locator, head: int) -> None:
    """Click on the middle of a head's small map."""
    stage.scroll_into_view_if_needed()
    box = stage.evaluate("(stage, head) => stage.boxes[head]", head)
    stage.click(position={"x": box["left"] + box["width"] / 2, "y": box["top"] + box["height"] / 2})


def exact(stage: Locator, heads: int) -> None:
    """Wait until so many heads are shown with their exact weights."""
    until(lambda: stage.evaluate("stage => stage.exact") == [True] * heads)


def ground(frame: FrameLocator) -> str:
    colour: str = frame.locator("html").evaluate("page => getComputedStyle(page).backgroundColor")
    return colour


@pytest.fixture
def packages(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of packages of an environment into which the app was installed."""
    return site_of(fresh_environment(tmp_path / "fresh", wheels_of(tmp_path_factory.getbasetemp())[0]))


def test_ten_lines_in_jupyterlab_and_the_notebook_without_its_kernel(
    open_notebook: Any, tmp_path: Path, packages: Path
) -> None:
    from playwright.sync_api import expect

    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "models.py").write_text("raise RuntimeError\n")
    write_notebook(folder / "ten.ipynb", TEN_LINES)
    with lab(folder, tmp_path / "home", packages) as address:
        use(open_notebook(f"{address}/lab/tree/ten.ipynb"))
    saved = json.loads((folder / "ten.ipynb").read_text())
    assert (folder / "ten.ipynb").stat().st_size < 400_000
    saved["cells"][0]["source"] += "\n# changed by somebody else"
    (folder / "stranger.ipynb").write_text(json.dumps(saved))
    with lab(folder, tmp_path / "home", packages) as address:
        page = open_notebook(f"{address}/lab/tree/ten.ipynb?reset", kernel=False)
        frame = page.frame_locator(f"{SAVED} iframe").first
        press_head(drawn(frame, "overview"), 10)
        until(lambda: drawn(frame, "comparison").evaluate("stage => stage.boxes.length") == 2)
        expect(page.locator(f"{SAVED} iframe")).to_have_count(2)
        for text in ("Loading widget...", "Error displaying widget"):
            expect(page.get_by_text(text).locator("visible=true")).to_have_count(0)
        page = open_notebook(f"{address}/lab/tree/stranger.ipynb?reset", kernel=False)
        pictures = page.locator(".jp-OutputArea-output img")
        expect(pictures).to_have_count(2)
        assert all(each.is_visible() and each.evaluate("each => each.naturalWidth") > 200 for each in pictures.all())
        expect(page.locator(".jp-OutputArea iframe")).to_have_count(0)


def use(page: Page) -> None:
    """Do in JupyterLab what a reader does: run, pick, point, type, turn the light off and on, save."""
    from playwright.sync_api import expect

    run_all(page)
    frames = [page.frame_locator(f"{LIVE} iframe").nth(number) for number in (0, 1)]
    overview, comparison = (drawn(frames[0], each) for each in ("overview", "comparison"))
    press_head(overview, 10)
    exact(comparison, 2)
    line = page.locator(f"{LIVE} input")
    line.fill("The dog sleeps.")
    line.press("Enter")
    frames[1].locator(".tokens .word", has_text="dog").hover()
    expect(frames[1].locator(".translation", has_text="chien")).to_have_count(2)
    cell = page.locator(".jp-CodeCell").nth(2)
    cell.locator(".jp-InputArea-editor").click()
    page.keyboard.press("Shift+Enter")
    said = cell.locator(".jp-OutputArea-output")
    expect(said).to_contain_text("HeadPlace(layer=1, head=2)")
    for text in ("key='sleeps'", "key='dog'", "'The dog sleeps.'", "'Le chien dort.'"):
        expect(said).to_contain_text(text)
    expect(page.locator(f"{SAVED} iframe").locator("visible=true")).to_have_count(0)
    assert ground(frames[0]) == "rgb(255, 255, 255)"
    for theme, dark in (("JupyterLab Dark", True), ("JupyterLab Light", False)):
        before = comparison.evaluate("stage => stage.dataset.drawn")
        command(page, "apputils:change-theme", theme=theme)
        until(lambda wanted=dark: (ground(frames[0]) != "rgb(255, 255, 255)") == wanted)
        until(lambda known=before: comparison.evaluate("stage => stage.dataset.drawn") != known)
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    page.close()


def test_what_the_call_of_bertviz_returns_is_a_page_that_answers_without_python(
    browser: Browser, tmp_path: Path
) -> None:
    weights = [np.full((1, 2, 3, 3), 1 / 3)] * 2
    html_head_view = head_view(weights, ["[CLS]", "▁a", "猫"], html_action="return")
    with open(tmp_path / "head_view.html", "w", encoding="latin-1") as file:
        file.write(html_head_view.data)
    context, problems = browser.new_context(offline=True), []
    page = context.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: said.type in ("error", "warning") and problems.append(said.text))
    page.goto((tmp_path / "head_view.html").as_uri())
    frame = page.frame_locator("iframe")
    press_head(drawn(frame, "overview"), 3)
    until(lambda: drawn(frame, "comparison").evaluate("stage => stage.boxes.length") == 2)
    assert page.locator("img").is_hidden()
    context.close()
    assert problems == []


def test_a_click_comes_back_in_marimo(open_notebook: Any, tmp_path: Path, packages: Path) -> None:
    (tmp_path / "page.py").write_text(MARIMO)
    with marimo(tmp_path / "page.py", tmp_path / "home", packages) as address:
        frame = open_notebook(f"{address}/").frame_locator("iframe")
        press_head(drawn(frame, "overview"), 10)
        exact(drawn(frame, "comparison"), 2)
        until(
            lambda: (tmp_path / "picked.txt").exists() and (tmp_path / "picked.txt").read_text() == "[(0, 1), (1, 2)]"
        )
