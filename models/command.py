"""Terminal commands: the annotated parameters of a function `main` are its arguments and options."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Annotated, Any, NoReturn, cast

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.exceptions import TyperException
from typer.main import get_command

Threads = Annotated[int, typer.Option(help="Threads of torch.", min=1)]

_HOW_TO_RUN = re.compile(r"[.:]? ``?python -m .*")


class CommandError(ValueError):
    """Arguments or options that cannot be; the message says what to change."""


def check_known(given: Iterable[str], known: Collection[str]) -> None:
    """Raise CommandError if a word that was given is none of those that are known."""
    if unknown := [each for each in given if each not in known]:
        message = f"{', '.join(unknown)}: choose from {', '.join(known)}."
        raise CommandError(message)


class Command(TyperCommand):
    """A command that takes `--words 12 24` as two values, and `--ray` alone where its value may be left out."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put each value of an option behind its name, as the parser expects it."""
        options = {name: each for each in self.params if isinstance(each, TyperOption) for name in each.opts}
        words, several = list[str](), ""
        for word, following in zip(args, [*args, "--"][1:], strict=True):
            is_option = word.startswith("-")
            if several and not is_option and words[-1] != several:
                words.append(several)
            words.append(word)
            if is_option:
                option = options.get(word)
                several = word if option and option.multiple else ""
                if option and str(option.metavar).startswith("[") and following.startswith("-"):
                    words.append("")
        return super().parse_args(ctx, words)


def command_of(main: Callable[..., None]) -> Command:
    """Return a function as a command, explained by the docstring of its module."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    first, _, rest = inspect.cleandoc(sys.modules[main.__module__].__doc__ or "").partition("\n")
    said = f"{summary(first)}\n{rest}".replace("``", "`")
    app.command(cls=Command, help=said)(main)
    command = cast(Command, get_command(app))
    for each in command.params:
        several = isinstance(each, TyperOption) and each.multiple
        if each.metavar is None and (several or not isinstance(each, TyperOption)):
            each.metavar = f"{str(each.name).upper()}{'...' * several}"
    return command


def summary(line: str) -> str:
    """Return the first line of a docstring without how its module is run."""
    return _HOW_TO_RUN.sub("", line).rstrip(".") + "."


def run(command: Callable[..., None] | TyperGroup, arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and exit: 2 and one line where something that was given cannot be."""
    known = command if isinstance(command, TyperGroup) else command_of(command)
    try:
        status = known.main(arguments, standalone_mode=False)
    except TyperException as error:
        status = _say(error.format_message().replace("Value error, ", ""))
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] in sys.modules:
            raise
        status = _say(f"This command needs the Python package {error.name}, which is not installed.")
    except OSError as error:
        status = _say(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except (ValueError, RuntimeError) as error:
        if not _is_for_a_person(error):
            raise
        status = _say(str(error))
    sys.exit(status)


def _say(message: str) -> int:
    typer.echo(message, err=True)
    return 2


def _is_for_a_person(error: ValueError | RuntimeError) -> bool:
    """Return whether an error says what was wrong with something given: a bare ValueError is a fault of ours."""
    from models.errors import CaptureError
    from models.translation.checkpoints import CheckpointError

    if isinstance(error, ValueError):
        return type(error) is not ValueError
    return isinstance(error, (CaptureError, CheckpointError))
