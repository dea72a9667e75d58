"""A process of its own for what strangers made: it may take so much memory and time and no more.

Importing this module imports neither torch nor transformers.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

from models.errors import InputError
from models.messages import CountMessage, Message

REFUSED = 3
"""The exit status of one that has said why not."""

_STATUS, _DATA = Path("/proc/self/status"), "VmData:"
_ROOT = Path(__file__).parents[str(__package__).count(".") + 1]


def can_limit() -> bool:
    """Return whether the system can limit the memory of a process."""
    return sys.platform == "linux" and _STATUS.is_file()


def run_limited(module: str, given: tuple[str, ...], *, memory: int, seconds: float, shown: bool = False) -> None:
    """Run a module of ours in a process with limits; raise what it refuses, or that it took too much.

    It is given arguments, a title the last of them, then bytes and seconds; if `shown`, its stderr is seen.
    """
    title = given[-1]
    command = [sys.executable, "-m", module, *given, str(memory), str(round(seconds))]
    try:
        done = run_apart(command, seconds=seconds, shown=shown)
    except subprocess.TimeoutExpired as error:
        raise InputError(_too_much(title, memory, seconds)) from error
    if done.returncode == REFUSED:
        raise InputError(_read(json.loads(done.stdout.splitlines()[-1])))
    if done.returncode:
        raise InputError(_too_much(title, memory, seconds))


def refuse(error: InputError) -> NoReturn:
    """End this process, which another waits for, and say why."""
    sys.stdout.write("\n" + json.dumps(_written(error.args[0])) + "\n")
    sys.stdout.flush()
    os._exit(REFUSED)


def run_apart(
    command: list[str], *, seconds: float, given: bytes = b"", shown: bool = False
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process that uses one thread, has no network to fetch from, and ends after `seconds`."""
    environment = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    environment |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONPATH": str(_ROOT)}
    return subprocess.run(
        command,
        env=environment,
        input=given,
        stdout=subprocess.PIPE,
        stderr=None if shown else subprocess.DEVNULL,
        timeout=seconds,
        check=False,
    )


def limit(memory: int, seconds: int) -> None:
    """Let this process take no more than `memory` bytes beyond what it has, and `seconds` of the processor."""
    if not can_limit():
        return
    import resource

    held = next(line for line in _STATUS.read_text().splitlines() if line.startswith(_DATA))
    most = 1024 * int(held.split()[1]) + memory
    for name, value in ((resource.RLIMIT_DATA, most), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(name, (value, value))


def _too_much(title: str, memory: int, seconds: float) -> Message:
    return Message(
        "{title} was not opened: it exceeded the limit of {memory} MB of memory or {seconds} seconds.",
        title=title,
        memory=f"{memory / 1e6:,.0f}",
        seconds=round(seconds),
    )


def _written(value: object) -> Any:
    """Return a message, and the messages in it, as JSON holds them; anything else as its text."""
    if not isinstance(value, Message):
        return value if isinstance(value, int | float) else str(value)
    _make, (kind, texts, values) = value.__reduce__()
    return [kind.__name__, list(texts), {name: _written(each) for name, each in values.items()}]


def _read(held: Any) -> Any:
    if not isinstance(held, list):
        return held
    kind, texts, values = held
    make: Any = CountMessage if kind == CountMessage.__name__ else Message
    return make(*texts, **{name: _read(each) for name, each in values.items()})
