"""Commands of Python that need not import torch again: each is a fork of a process that has imported so much."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEMPLATE = """
import importlib, json, os, runpy, signal, sys, traceback

def become(arguments, files):
    signal.alarm(600)  # seconds
    for number, path in enumerate(files):
        file = os.open(path, os.O_RDWR)
        os.dup2(file, number)
        os.close(file)
    code = 1
    try:
        sys.argv = ["-m", *arguments[1:]]
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)

for name in sys.argv[1:]:
    importlib.import_module(name)
print(flush=True)
while line := sys.stdin.readline():
    child = os.fork()
    if not child:
        become(*json.loads(line))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Forks:
    """A process that has imported modules, whose forks run others as `python -m` does."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process, self.folder = process, folder

    def run(self, command: Sequence[str], given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run what would be `python -m MODULE ARGUMENT...`, in a process of its own."""
        python, minus_m, *arguments = command
        if (python, minus_m) != (sys.executable, "-m"):
            raise ValueError(command)
        files = [self.folder / name for name in ("stdin", "stdout", "stderr")]
        for path, data in zip(files, (given, b"", b""), strict=True):
            path.write_bytes(data)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps([arguments, [str(path) for path in files]]) + "\n")
        self.process.stdin.flush()
        code = int(self.process.stdout.readline())
        return subprocess.CompletedProcess(command, code, files[1].read_bytes(), files[2].read_bytes())


@contextmanager
def forks_of(*imported: str) -> Iterator[Forks]:
    """Start a process that imports these modules, on one thread as what runs apart, until the block ends."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    variables = os.environ | one_thread
    variables |= {"TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", TEMPLATE, *imported]
    pipe = subprocess.PIPE
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, cwd=ROOT, env=variables, stdin=pipe, stdout=pipe, text=True) as process,
    ):
        assert process.stdout is not None
        process.stdout.readline()
        yield Forks(process, Path(folder))
