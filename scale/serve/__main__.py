"""The model layer as a service for many servers of pages: ``python -m scale.serve``, or ``--plain`` without Ray."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from models.command import run
from models.huggingface.placement import Placement
from scale.serve.handler import MOST_WAITING
from scale.serve.model_cache import MOST_MODELS
from scale.serve.settings import TOKEN, ServiceSettings, SettingsError
from viz.server.ports import free_port


def main(
    *,
    plain: Annotated[bool, typer.Option("--plain", help="Serve without Ray, on this machine.")] = False,
    host: Annotated[str, typer.Option(help=f"Where to listen; if others reach it, with {TOKEN}.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen at.")] = 8600,
    workers: Annotated[int, typer.Option(help="Processes with models; on Ray the most of them.")] = 1,
    ray: Annotated[str, typer.Option(metavar="ADDRESS", help="A Ray cluster; one here if left out.")] = "local",
    folder: Annotated[list[Path] | None, typer.Option(help="A transformers model served as well.")] = None,
    hub: Annotated[list[str] | None, typer.Option(metavar="OWNER/NAME", help="Of the hub, served too.")] = None,
    device: Annotated[Literal["cpu", "auto", "cuda", "mps"], typer.Option(help="Where those compute.")] = "cpu",
    dtype: Annotated[Literal["float32", "bfloat16", "float16"], typer.Option(help="Their numbers.")] = "float32",
    models: Annotated[int, typer.Option(help="Models that a process keeps.")] = MOST_MODELS,
    waiting: Annotated[int, typer.Option(help="Requests that may wait at a process.")] = MOST_WAITING,
    unbatched: Annotated[bool, typer.Option("--unbatched", help="Run each sentence alone, to the last bit.")] = False,
) -> None:
    """Serve the models until the command is ended."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    settings = ServiceSettings(
        host=host,
        port=port,
        token=_token(),
        folders=tuple(folder or ()),
        hub=tuple(hub or ()),
        placement=Placement(device, dtype),
        most_models=models,
        most_waiting=waiting,
        batched=not unbatched,
        workers=workers,
    )
    free_port(host, [port])
    settings.fetch()
    if plain:
        from scale.serve.plain import run_plain

        run_plain(settings)
        return
    from scale.serve.on_ray import run_on_ray

    run_on_ray(settings, ray)


def _token() -> str:
    """Return the token of the environment; raises SettingsError if its variable is written otherwise."""
    wrong = [each for each in os.environ if each.upper() == TOKEN and each != TOKEN]
    if wrong:
        message = f"{wrong[0]} is written {TOKEN}"
        raise SettingsError(message)
    return os.environ.get(TOKEN, "")


if __name__ == "__main__":
    run(main)
