"""Servers of notebooks for tests in a real browser: JupyterLab and marimo, each in a home of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import urlopen

import nbformat
import pytest

from tests.support.browsing import free_port
from tests.support.waiting import until

if TYPE_CHECKING:
    from playwright.sync_api import Page

KERNEL_IS_THERE = (
    "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.connectionStatus === 'connected'"
)


def write_notebook(path: Path, cells: Sequence[str]) -> None:
    """Write a notebook that nobody has run."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = [nbformat.v4.new_code_cell(each) for each in cells]
    nbformat.write(nbformat.v4.new_notebook(cells=made, metadata={"kernelspec": kernel}), path)


@contextmanager
def lab(folder: Path, home: Path, packages: Path) -> Iterator[str]:
    """Return the address of a JupyterLab that shows `folder` and knows nothing of who runs the test."""
    kept = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR")
    own = {name: str(home / name) for name in (*kept, "JUPYTERLAB_WORKSPACES_DIR", "IPYTHONDIR")}
    options = ("--IdentityProvider.token=", "--expose-app-in-browser", "--LabApp.extension_manager=readonly")
    quiet = "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"
    command = ["jupyterlab", "--no-browser", "--allow-root", f"--ServerApp.root_dir={folder}", *options, quiet]
    with _serving([*command, "--port={port}"], "/api/status", folder, PYTHONPATH=str(packages), **own) as address:
        yield address


@contextmanager
def marimo(notebook: Path, home: Path, packages: Path) -> Iterator[str]:
    """Return the address of a marimo notebook that is run."""
    command = ["marimo", "run", str(notebook), "--headless", "--no-token", "--port={port}"]
    own = {"XDG_CONFIG_HOME": str(home), "XDG_STATE_HOME": str(home), "PYTHONPATH": str(packages)}
    with _serving(command, "/health", notebook.parent, **own) as address:
        yield address


@contextmanager
def _serving(command: Sequence[str], asked: str, folder: Path, **environment: str) -> Iterator[str]:
    port = free_port()
    said = [sys.executable, "-m", *(each.format(port=port) for each in command)]
    known = os.environ | {"OMP_NUM_THREADS": "1"} | environment
    address = f"http://localhost:{port}"
    with subprocess.Popen(said, cwd=folder, env=known, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            until(lambda: server.poll() is not None or _answers(address + asked))
            if server.poll() is not None:
                pytest.fail(f"{command[0]} did not start; exit code {server.poll()}")
            yield address
        finally:
            server.terminate()
            try:  # a server that still starts a kernel may not hear it
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()


def _answers(address: str) -> bool:
    try:
        with urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def run_all(page: Page) -> None:
    """Run every cell of the notebook that JupyterLab shows."""
    page.wait_for_function(KERNEL_IS_THERE)
    command(page, "notebook:run-all-cells")


def command(page: Page, name: str, **arguments: str) -> None:
    """Ask JupyterLab for one of its commands, and do not wait for its end."""
    page.evaluate("([name, given]) => void window.jupyterapp.commands.execute(name, given)", [name, arguments])
