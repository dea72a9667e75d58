"""The model layer as a service for many servers of pages: ``python -m scale.serve``, or ``--plain`` without Ray."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from models.errors import InputError
from scale.serve.handler import MOST_WAITING
from scale.serve.model_cache import MOST_MODELS
from scale.serve.settings import TOKEN, ServiceSettings, SettingsError


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    given = _parser().parse_args(arguments)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        settings = ServiceSettings(
            host=given.host,
            port=given.port,
            token=_token(),
            folders=tuple(given.folder),
            hub=tuple(given.hub),
            most_models=given.models,
            most_waiting=given.waiting,
            batched=not given.unbatched,
            workers=given.workers,
        )
        settings.fetch()
        _serve(settings, given)
    except (SettingsError, InputError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _token() -> str:
    """Return the token of the environment; raises SettingsError if its variable is written otherwise."""
    wrong = [each for each in os.environ if each.upper() == TOKEN and each != TOKEN]
    if wrong:
        message = f"{wrong[0]} is written {TOKEN}"
        raise SettingsError(message)
    return os.environ.get(TOKEN, "")


def _serve(settings: ServiceSettings, given: argparse.Namespace) -> None:
    if given.plain:
        from scale.serve.plain import run_plain

        run_plain(settings)
        return
    from scale.serve.on_ray import run_on_ray

    run_on_ray(settings, given.ray)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scale.serve", description=__doc__, epilog="See docs/scale.md.")
    parser.add_argument("--plain", action="store_true", help="serve without Ray, on this machine")
    parser.add_argument("--host", default="127.0.0.1", help=f"where to listen; if others reach it, with {TOKEN}")
    parser.add_argument("--port", type=int, default=8600)
    parser.add_argument("--workers", type=int, default=1, help="processes with models; on Ray the most of them")
    parser.add_argument("--ray", default="local", metavar="ADDRESS", help="of a Ray cluster; one here if left out")
    parser.add_argument("--folder", type=Path, action="append", default=[], help="a transformers model served as well")
    parser.add_argument("--hub", action="append", default=[], metavar="OWNER/NAME", help="of the hub, served too")
    parser.add_argument("--models", type=int, default=MOST_MODELS, help="models that a process keeps")
    parser.add_argument("--waiting", type=int, default=MOST_WAITING, help="requests that may wait at a process")
    parser.add_argument("--unbatched", action="store_true", help="run each sentence alone, to the last bit")
    return parser


if __name__ == "__main__":
    sys.exit(main())
