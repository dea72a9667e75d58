"""One command line: all in it explains itself, imports only what it needs, and says in one line what is wrong."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperGroup

from models import AttentionTrace, Writing, load
from models.command import command_of
from tests.support.browsing import wait_until_it_answers
from tests.support.commands import exit_code
from tests.support.serving import free_port
from viz import attend, command_line
from viz.command_line import Later, all_commands
from viz.server import ports

ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]["version"]
OF_NO_PERSON = {
    "viz/server/worker_process.py",
    "models/huggingface/trial.py",
    "models/huggingface/unpacked.py",
    "models/huggingface/chat.py",
    "viz/__main__.py",
    "viz/command_line.py",
}
"""What a process of ours starts, and the command line itself."""


def leaves(group: TyperGroup, *path: str) -> Iterator[tuple[tuple[str, ...], Later]]:
    """Yield each command of a group, with its words."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from leaves(command, *path, name)
        else:
            assert isinstance(command, Later)
            yield (*path, name), command


COMMANDS = dict(leaves(all_commands()))


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "viz", *words]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env=os.environ | environment, timeout=120
    )


def test_every_file_that_runs_is_a_command() -> None:
    folders = ("models", "viz", "training", "scale", "benchmarks")
    files = [path for name in folders for path in (ROOT / name).rglob("*.py")]
    runs = {str(path.relative_to(ROOT)) for path in files if command_line.RUNS in path.read_text(encoding="utf8")}
    assert {str(command.file.relative_to(ROOT)) for command in COMMANDS.values()} == runs - OF_NO_PERSON
    assert len(COMMANDS) > 40
    assert not [command for command in COMMANDS.values() if command.hidden]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_each_argument_and_option_of_a_command_has_a_sentence(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    stub = COMMANDS[path]
    command = command_of(stub.function())
    assert exit_code(stub.function(), "--help") == 0
    shown = " ".join(capsys.readouterr().out.split())
    summary = stub.get_short_help_str()
    assert summary.strip(".")
    assert "python -m" not in summary
    assert (command.help or "").startswith(summary)
    options: list[Any] = command.params
    for each in options:
        assert each.help, each.name
        assert each.help[0] == each.help[0].upper(), each.help
        assert each.help.endswith("."), each.help
        assert each.metavar is None or each.metavar in shown


def test_the_app_and_its_groups_explain_themselves() -> None:
    options: list[Any] = all_commands().params
    assert {name for each in options for name in each.opts} == {
        *("--port", "--address", "--models", "--lang", "--no-browser", "--version"),
    }
    assert all(each.help.endswith(".") for each in options)
    shown = run("train", "readers", "--help").stdout
    assert {"evaluate", "publish", "run"} <= set(shown.split())
    assert "Measure a reader on unseen lines." in shown


@pytest.mark.parametrize("words", [("--help",), ("train", "--help"), ("bench", "--help"), ("--version",)], ids=" ".join)
def test_help_imports_nothing_that_runs_or_shows_models(words: tuple[str, ...]) -> None:
    script = (
        "import sys\nfrom viz.command_line import main\n"
        f"sys.argv = ['attention-bench', *{words!r}]\n"
        "try:\n    main()\nfinally:\n    sys.stderr.write(' '.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "viz.command_line" in done.stderr.split()
    assert {"torch", "numpy", "streamlit", "transformers", "plotly"}.isdisjoint(done.stderr.split())
    assert "attention-bench" in done.stdout


def test_the_version_is_that_of_the_checkout_or_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("--version").stdout == f"attention-bench {VERSION}\n"
    monkeypatch.setattr(command_line, "INSIDE", "typer")
    assert command_line.version_here().startswith("0.29.")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--prot", "8600"), "No such option: --prot"),
        (("--port", "0"), "--port"),
        (("--port", "eighty"), "--port"),
        (("--models", "no/such/folder"), "no/such/folder"),
        (("--models", "README.md"), "README.md"),
        (("--models", "models/weights/en-fr", "--lang", "xx"), "xx: choose from en, zh."),
        (("--address", "no.such.host.invalid"), "no.such.host.invalid"),
        (("--address", "192.0.2.1"), "192.0.2.1"),
        (("trian",), "'train'"),
        (("train", "evalute"), "'evaluate'"),
        (("attend",), "TEXT"),
        (("attend", ""), "type at least one word"),
        (("attend", "Hello.", "--model", "no-such-model"), "no-such-model"),
        (("attend", "Hello.", "--model", "bahdanau-en-fr@99"), "bahdanau-en-fr@99"),
        (("attend", "Hello.", "--out", "no/such/folder/trace.npz"), "no/such/folder/trace.npz"),
        (("capture", "--from", "no-such.json"), "no-such.json"),
        (("capture", "--from", "README.md"), "provenance"),
        (("lesson", "export", "no-such-lesson"), "no-such-lesson"),
        (("corpus", "hf:minilm", "no-such.txt", "--out", "{folder}"), "no-such.txt"),
        (("corpus", "hf:minilm", "README.md", "--out", "{folder}", "--no-gold", "--gold", "README.md"), "--no-gold"),
        (("serve", "--plain", "--host", "0.0.0.0"), "ATTENTION_BENCH_SERVE_TOKEN"),
        (("train", "evaluate", "no-such-model", "--data", "{folder}"), "no-such-model"),
        (("train", "evaluate", "hf:minilm", "--data", "{folder}"), "hf:minilm"),
        (("train", "evaluate", "bahdanau-en-fr", "--data", "no/such/folder"), "no/such/folder"),
        (("train", "evaluate", "bahdanau-en-fr", "--data", "{folder}"), "No such file"),
        (("train", "run", "README.md", "--data", "{folder}", "--out", "{folder}"), "README.md"),
        (("train", "publish", "no-such.toml", "--out", "{folder}"), "no-such.toml"),
        (("bench", "page", "--words", "12", "x"), "--words"),
        (("bench", "pictures", "no-such-picture"), "no-such-picture"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_what_cannot_be_is_said_in_one_line(
    words: tuple[str, ...],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("MALLOC_TRIM_THRESHOLD_", "OMP_NUM_THREADS"):  # a command sets it
        monkeypatch.setenv(name, "1")
    monkeypatch.delenv("ATTENTION_BENCH_SERVE_TOKEN", raising=False)
    assert exit_code(all_commands(), *(each.format(folder=tmp_path) for each in words)) == 2
    said = capsys.readouterr()
    lines = [line for line in said.err.splitlines() if line and "it/s]" not in line]
    assert len(lines) == 1, said.err
    assert says in lines[0]
    assert not said.out


def test_an_owners_setting_that_cannot_be_is_said_in_one_line() -> None:
    done = run("--no-browser", ATTENTION_BENCH_WORKERS="many")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "ATTENTION_BENCH_WORKERS is a whole number" in done.stderr


def test_commands_that_are_not_installed_are_not_listed_and_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "viz").mkdir()
    (tmp_path / "viz" / "attend.py").write_text('"""Run a model."""\n', encoding="utf8")
    monkeypatch.setattr(command_line, "ROOT", tmp_path)
    for words, code in (["--help"], 0), (["train", "run"], 2), (["serve"], 2):
        monkeypatch.setattr(sys, "argv", ["attention-bench", *words])
        with pytest.raises(SystemExit) as ended:
            command_line.main()
        assert int(ended.value.code or 0) == code
        said = capsys.readouterr()
        if code:
            assert said.err == f"{words[0]} is not part of the installed package: it runs in a clone of the project.\n"
        else:
            assert "attend" in said.out
            assert {"train", "bench", "serve", "corpus"}.isdisjoint(said.out.split())


def test_a_command_is_imported_from_where_the_package_is(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(command_line, "INSIDE", "attention_bench")
    monkeypatch.setattr(command_line, "import_module", lambda name: asked.append(name) or attend)
    Later("serve", ROOT / "scale" / "serve" / "__main__.py").function()
    assert asked == ["attention_bench.scale.serve.__main__"]


@pytest.mark.parametrize("key", ["bahdanau-en-fr", "transformer-en-fr", "seq2seq-en-fr", "hf:minilm"])
def test_a_text_is_attended_to_and_shown_or_saved(key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "trace.npz"
    assert exit_code(attend.main, "The cat sleeps.", "--model", key) == 0
    lines = capsys.readouterr().out.splitlines()
    assert exit_code(attend.main, "The cat sleeps.", "--model", key, "--out", str(out)) == 0
    trace = AttentionTrace.load(out)
    assert str(out) in capsys.readouterr().out
    assert (trace.output_text in lines) == bool(trace.output_text)
    if not trace.maps:
        assert lines[-1] == "This model has no attention."
        return
    rows = [line for line in lines if line.startswith(("chat ", "cat "))]
    assert len(rows) == 1
    weights = [float(word) for word in rows[0].split()[1::2]]
    assert weights == sorted(weights, reverse=True)
    assert len(weights) == attend.KEYS_SHOWN


def test_a_causal_model_writes_as_it_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    told = ("The old man", "--model", "hf:gpt-en", "--write")
    assert exit_code(attend.main, *told, "6 temperature=0.8 seed=3") == 0
    lines = capsys.readouterr().out.splitlines()
    trace = load("hf:gpt-en").attend("The old man", write=Writing(6, temperature=0.8, seed=3))
    assert lines[0].strip() == trace.output_text.strip()
    assert len(lines) == 2 + len(trace.source.word_texts)
    assert exit_code(attend.main, *told, "41") != 0
    assert "tokens is a whole number from 1 to 40" in capsys.readouterr().err


def test_a_translation_can_be_forced(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(attend.main, "The cat sleeps.", "--target", "Un chat mange.") == 0
    assert capsys.readouterr().out.startswith("Un chat mange.\n")


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (["--words", "12", "24", "--json"], {"words": [12, 24], "json": True}),
        (["--words", "12", "--words", "24"], {"words": [12, 24], "json": False}),
        (["--words=12", "--rounds", "3"], {"words": [12], "rounds": 3}),
    ],
)
def test_an_option_of_several_values_takes_them_all(words: list[str], given: dict[str, Any]) -> None:
    context = command_of(COMMANDS["bench", "page"].function()).make_context("page", words)
    assert given.items() <= context.params.items()


@pytest.mark.parametrize(
    ("words", "ray"), [([], None), (["--ray"], ""), (["--ray", "--workers", "2"], ""), (["--ray", "auto"], "auto")]
)
def test_an_option_whose_value_may_be_left_out_stands_alone(words: list[str], ray: str | None) -> None:
    context = command_of(COMMANDS["corpus",].function()).make_context("corpus", ["m", "t", "--out", "o", *words])
    assert context.params["ray"] == ray


def test_a_port_that_is_taken_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for words, host in (("--no-browser",), "localhost"), (("serve", "--plain"), "127.0.0.1"):
            assert exit_code(all_commands(), *words, "--port", str(port)) == 2
            assert capsys.readouterr().err == f"Port {port} of {host} is taken: choose another with --port.\n"


def test_the_first_port_that_is_free_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert port < ports.free_port("localhost", range(port, port + 100)) < port + 100


def test_the_app_starts_on_a_free_port_in_the_language_that_is_named() -> None:
    port = free_port()
    command = [sys.executable, "-m", "viz", "--port", str(port), "--lang", "zh", "--no-browser"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            wait_until_it_answers(server, f"http://localhost:{port}")
            assert server.stdout is not None
            assert server.stdout.readline() == f"Attention Bench: http://localhost:{port}/?lang=zh\n"
        finally:
            server.terminate()
            server.wait(30)


def test_the_browser_is_opened_once_the_app_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(command_line.webbrowser, "open", opened.append)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        command_line.open_browser("localhost", port, f"http://localhost:{port}/?lang=zh")
    assert opened == [f"http://localhost:{port}/?lang=zh"]


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("localhost", "localhost"),
        ("0.0.0.0", "localhost"),
        ("::", "localhost"),
        ("::1", "[::1]"),
        ("10.0.0.4", "10.0.0.4"),
    ],
)
def test_an_address_is_written_as_a_link_of_this_machine(address: str, host: str) -> None:
    assert command_line.shown_host(address) == host
