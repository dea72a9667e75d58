"""What tests in a real browser share: one server and one browser for all of them, and pages that may not fail."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlencode, urlsplit

import psutil
import pytest
from streamlit.components.v2 import manifest_scanner

from tests.support.browsing import AT_REST, running
from tests.support.smollm2 import get_smollm2
from tests.support.waiting import end_warm_up
from viz.server.cores import collect_garbage
from viz.server.heap import give_back_memory
from viz.text.language import ENGLISH, use_language

if "PYTEST_XDIST_WORKER" in os.environ:  # a process a core: said before torch counts the cores
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads that wait by spinning take the other process's core
os.environ.setdefault("MALLOC_ARENA_MAX", "2")  # for the processes begun from here: an arena a thread took gigabytes
os.environ.setdefault("ATTENTION_BENCH_WORKERS", "0")  # no process for the models beside each that tests
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each server that is begun would compile the app anew
sys.dont_write_bytecode = False

manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
"""What is installed stays as it is: read at each run of an AppTest, it took most of the time of every page's tests."""

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Response

CHROMIUM = shutil.which("chromium-headless-shell") or "/usr/bin/chromium"
"""The shell is the same engine without windows of its own: a page costs half as much."""
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",  # letters as wide as in a window
)
PATIENCE = 120_000  # milliseconds: the server loads its models while the first page waits
DESKTOP = 1410  # pixels: a page is then as wide as it is first taken to be, and is drawn once
PROBES = ("/_stcore/health", "/_stcore/host-config")  # asked of the page's own path first, then of the root
TESTS = Path(__file__).parent
SLOW = (
    "browser",
    "models/experiments/test_chance.py",
    "models/experiments/test_paths.py",
    "models/huggingface/test_blocks.py",
    "models/huggingface/test_gguf.py",
    "models/huggingface/test_smollm2.py",
    "models/huggingface/test_trial.py",
    "models/huggingface/test_writing.py",
    "models/mechanisms",
    "models/test_damage.py",
    "models/test_edits_of_one_row.py",
    "models/translation/test_translator.py",
    "scale",
    "test_wheel.py",
    "test_notebooks.py",
    "training/test_training.py",
    "viz/figures/test_publication_drawn.py",
    "viz/figures/test_publication_files.py",
    "viz/pages",
    "viz/walk/test_causal.py",
)
"""What takes more than 10 seconds of a core, a folder or a file: left out, and not even imported, by the quick run."""


@cache
def is_slow(path: Path) -> bool:
    return any(path.is_relative_to(TESTS / each) for each in SLOW)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if config.option.markexpr == "not slow" and is_slow(collection_path) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_slow(item.path):
            item.add_marker(pytest.mark.slow)


LEFT, MOST_GROWN = pytest.StashKey[int](), 2**30
"""Bytes of the process when memory was last given back, and how many more it may take."""


def pytest_collection_finish() -> None:
    """Let no later collection of garbage look through all that was imported."""
    collect_garbage()


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Leave the next test, of whatever file, the language that it expects, and the memory that this file let go."""
    use_language(ENGLISH)
    memory = psutil.Process().memory_info
    if memory().rss - item.config.stash.get(LEFT, 0) > MOST_GROWN:
        collect_garbage(anew=True)  # a server holds its models for good, a test lets them go
        give_back_memory()
        item.config.stash[LEFT] = memory().rss


def pytest_sessionfinish() -> None:
    """Wait for models that are still being loaded: a thread inside torch must not outlive the interpreter."""
    end_warm_up()


@pytest.fixture(scope="session")
def smollm2() -> str:
    """Return the key of a language model that a command brings; it is run once where nobody has."""
    return get_smollm2()


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    with running("app.py") as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Return a way to open a link; nothing may fail there, be fetched from elsewhere, or offend the policy."""
    from playwright.sync_api import expect

    contexts, problems = [], []

    def check(answer: Response) -> None:
        if answer.status >= 400 and not urlsplit(answer.url).path.endswith(PROBES):
            problems.append(f"{answer.status} {answer.url}")

    def open_link(
        address: str,
        *,
        width: int = DESKTOP,
        height: int = 1400,
        scheme: Literal["light", "dark"] = "light",
        scale: float = 1,
        touch: bool = False,
        **link: str,
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            device_scale_factor=scale,
            has_touch=touch,
            is_mobile=touch,
        )
        contexts.append(context)
        context.add_init_script(path=AT_REST)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        own = (f"http://{urlsplit(address).netloc}/", "blob:", "data:")
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: request.url.startswith(own) or problems.append(request.url))
        page.on("console", lambda said: "Content Security Policy" in said.text and problems.append(said.text))
        page.on("response", check)
        page.goto(f"{address}?{urlencode(link)}")
        return page

    yield open_link
    for context in contexts:
        context.close()
    assert problems == []
