"""The command line: starts the app, or runs one of the commands of the project, each imported when it is asked for."""

from __future__ import annotations

import ast
import os
import runpy
import socket
import sys
import tomllib
import webbrowser
from collections.abc import Callable, Sequence
from importlib import import_module, metadata
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Annotated, Any, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from models.command import CommandError, check_known, command_of, run, summary

ROOT = Path(__file__).parents[1]
INSIDE = (__package__ or "").rpartition(".")[0]
"""The package that `viz` is a part of; empty in a checkout."""
FIRST_PORT = 8501
RUNS = 'if __name__ == "__main__"'
OTHER_NAMES = {"train": "run"}
COMMANDS = {
    "attend": "viz/attend.py",
    "capture": "models/capture.py",
    "corpus": "scale/corpus/__main__.py",
    "corpus-patterns": "scale/corpus/patterns.py",
    "corpus-ship": "scale/corpus/ship.py",
    "get": "models/huggingface/get.py",
    "serve": "scale/serve/__main__.py",
}
FOLDERS = {
    "train": ("training", "Train models, publish them and measure them."),
    "bench": ("benchmarks", "Measure the app and what it runs."),
}

Port = Annotated[
    int | None,
    typer.Option(
        metavar="PORT",
        help=f"Where to listen; {FIRST_PORT} or the next that is free.",
        min=1,
        max=65535,
        envvar="STREAMLIT_SERVER_PORT",
    ),
]
Address = Annotated[
    str, typer.Option(metavar="HOST", help="0.0.0.0 lets other machines in.", envvar="STREAMLIT_SERVER_ADDRESS")
]
Models = Annotated[
    list[Path] | None,
    typer.Option(metavar="FOLDER", help="A transformers model, or a GGUF file, that visitors may choose.", exists=True),
]


class Later(TyperCommand):
    """A command in a file that is read for its first line of help, and imported to be run."""

    def __init__(self, name: str, file: Path) -> None:
        super().__init__(name, hidden=not file.exists())
        self.file = file

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the first line of the docstring, whole."""
        return summary((ast.get_docstring(ast.parse(self.file.read_text(encoding="utf8"))) or "").partition("\n")[0])

    def function(self) -> Callable[..., None]:
        """Import the function that is the command; CommandError if it is not installed."""
        if self.hidden:
            message = f"{self.name} is not part of the installed package: it runs in a clone of the project."
            raise CommandError(message)
        parts = self.file.relative_to(ROOT).with_suffix("").parts
        found: Callable[..., None] = import_module(".".join([*filter(None, [INSIDE]), *parts])).main
        return found

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Let the command itself read its arguments."""
        return command_of(self.function()).make_context(info_name, args, parent, **extra)


def group(name: str, says: str, commands: dict[str, Any]) -> TyperGroup:
    """Return commands as a group that explains itself where none of them is named."""
    return TyperGroup(
        name=name, help=says, short_help=says, commands=commands, no_args_is_help=True, rich_markup_mode=None
    )


def commands_in(folder: Path) -> dict[str, Any]:
    """Return the commands of a folder, those of folders in it as groups."""
    found: dict[str, Any] = {}
    for path in sorted(folder.iterdir()):
        name, package = OTHER_NAMES.get(path.stem, path.stem.replace("_", "-")), path / "__init__.py"
        if (path / "__main__.py").is_file():
            found[name] = Later(name, path / "__main__.py")
        elif path.suffix == ".py" and RUNS in path.read_text(encoding="utf8"):
            found[name] = Later(name, path)
        elif package.is_file() and (inside := commands_in(path)):
            found[name] = group(name, Later(name, package).get_short_help_str(), inside)
    return dict(sorted(found.items()))


def all_commands() -> TyperGroup:
    """Return the whole command line."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, invoke_without_command=True)
    app.callback()(start)
    whole = cast(TyperGroup, get_command(app))
    for name, file in COMMANDS.items():
        whole.commands[name] = Later(name, ROOT / file)
    export = Later("export", ROOT / "viz" / "export_lesson" / "__main__.py")
    whole.commands["lesson"] = group("lesson", "Lessons as files.", {"export": export})
    for name, (folder, says) in FOLDERS.items():
        path = ROOT / folder
        whole.commands[name] = group(name, says, commands_in(path)) if path.is_dir() else Later(name, path)
    return whole


def start(
    context: typer.Context,
    *,
    port: Port = None,
    address: Address = "localhost",
    models: Models = None,
    lang: Annotated[str, typer.Option(help="Language of the first page: en or zh; the browser's if left out.")] = "",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Open no browser.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Attention mechanisms side by side: starts the app, or runs a command."""
    if version:
        typer.echo(f"attention-bench {version_here()}")
        raise typer.Exit
    if context.invoked_subcommand:
        return
    from viz.server.configuration import PREFIX, configuration
    from viz.server.ports import free_port
    from viz.text.language import languages

    check_known(filter(None, [lang]), languages())
    if models:
        check_models(models)
        os.environ[f"{PREFIX}MODELS"] = os.pathsep.join(str(each.resolve()) for each in models)
    configuration()  # raises where something is set that cannot be
    port = free_port(address, [port] if port else range(FIRST_PORT, FIRST_PORT + 100))
    url = f"http://{shown_host(address)}:{port}/{f'?lang={lang}' if lang else ''}"
    typer.echo(f"Attention Bench: {url}")
    if not no_browser and has_screen():
        Thread(target=open_browser, args=(address, port, url), daemon=True).start()
    sys.argv = ["streamlit", "run", str(ROOT / "app.py"), f"--server.port={port}", f"--server.address={address}"]
    runpy.run_module("streamlit", run_name="__main__")


def check_models(paths: Sequence[Path]) -> None:
    """Raise CommandError if a path is of no model that can be offered."""
    from models.huggingface.embedded import is_model

    if wrong := [each.name for each in paths if not is_model(each.resolve())]:
        message = f"{', '.join(wrong)}: not a folder and not a GGUF file with a plain name."
        raise CommandError(message)


def version_here() -> str:
    """Return the version of the package, or of the checkout."""
    if INSIDE:
        return metadata.version(INSIDE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    return str(project["version"])


def shown_host(address: str) -> str:
    """Return an address as a link of this machine writes it."""
    if address in ("0.0.0.0", "::"):
        return "localhost"
    return f"[{address}]" if ":" in address else address


def has_screen() -> bool:
    """Return whether a browser can be shown: on a Linux without a screen one would run in the terminal."""
    return sys.platform != "linux" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))


def open_browser(address: str, port: int, url: str) -> None:
    """Open the app as soon as it answers."""
    while True:
        try:
            socket.create_connection((address, port), 1).close()
        except OSError:
            sleep(0.1)
        else:
            webbrowser.open(url)
            return


def main() -> None:
    """Run the command line."""
    run(all_commands())
