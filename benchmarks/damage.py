"""Damage every file of the weights in turn, and see what else still works: ``python -m benchmarks.damage [--pages]``.

The weights are copied by links, and one link is replaced by a damaged file at a time. Nothing else may be raised than
what names the damaged model, and every other model must be there as before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from tqdm import tqdm

import models
from models import loading
from models.captioning import entry as captioning
from models.command import run
from models.experiments import word_vectors
from models.huggingface import embedded
from models.readers import datastore
from models.translation import checkpoints, length_table
from models.translation.checkpoints import TOKENIZER_FILE, CheckpointError

WEIGHTS = checkpoints.WEIGHTS
FILES = tuple(sorted(str(path.relative_to(WEIGHTS)) for path in WEIGHTS.rglob("*") if path.is_file()))


def _flipped(data: bytes) -> bytes:
    place = Random(len(data)).randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << place % 7]) + data[place + 1 :]


WAYS: dict[str, Callable[[bytes], bytes | None]] = {
    "truncated": lambda data: data[: len(data) // 2],
    "a byte flipped": _flipped,
    "empty": lambda _data: b"",
    "not UTF-8": lambda data: b"\xff\xfe" + data,
    "missing": lambda _data: None,
}


@contextmanager
def linked_weights(folder: Path) -> Iterator[Path]:
    """Serve the weights from a copy in `folder`, made of links."""
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(WEIGHTS / name)
    places = (
        (checkpoints, "WEIGHTS", folder),
        (length_table, "WEIGHTS", folder),
        (embedded, "READERS", folder / "readers"),
        (captioning, "CAPTIONERS", folder / "captioners"),
        (word_vectors, "VECTORS", folder / "vectors"),
        (datastore, "DATASTORES", folder / "datastores"),
    )
    before = [(module, name, getattr(module, name)) for module, name, _place in places]
    try:
        for module, name, place in places:
            setattr(module, name, place)
        forget()
        yield folder
    finally:
        for module, name, place in before:
            setattr(module, name, place)
        forget()


def forget() -> None:
    """Forget what was read of the files, as a server that is started anew."""
    for each in (
        checkpoints.shipped_folders,
        checkpoints.kept_folders,
        embedded._trained_here,
        word_vectors.static_vectors,
        word_vectors.static_card,
        datastore.datastore_card,
        datastore.shipped_datastore,
    ):
        each.cache_clear()


@contextmanager
def damaged(folder: Path, name: str, way: str) -> Iterator[None]:
    """Put a damaged file in the place of one of a linked copy."""
    path = folder / name
    data = WAYS[way](path.read_bytes())
    path.unlink()
    if data is not None:
        path.write_bytes(data)
    forget()
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        path.symlink_to(WEIGHTS / name)
        forget()


def owner_of(name: str) -> str:
    """Return the key of the model whose file this is; empty if it is of several."""
    parts = Path(name).parts
    if parts[0] == "captioners":
        return parts[1]
    if parts[0] in ("readers", "training"):
        return f"hf:{parts[1]}" if parts[0] == "readers" else f"{parts[1]}@01"
    return parts[0] if parts[0] in models.catalog() else ""


def there() -> tuple[set[str], dict[str, str]]:
    """Return the keys of all models, and what is said of each that is not whole."""
    keys = {*models.catalog(), *captioning.captioners(), *(f"{key}@01" for key in models.training_runs())}
    wrong = {}
    for key in sorted(keys):
        try:
            models.describe(key)
        except CheckpointError as error:
            wrong[key] = str(error)
    readers = embedded.local_models()
    wrong |= {key: str(each.broken) for key, each in readers.items() if each.broken is not None}
    for key in readers:
        embedded.held_out_of(key)
    return keys | readers.keys(), wrong


def problems(folder: Path, name: str, way: str, before: Set[str]) -> list[str]:
    """Return what goes wrong in the library where one file of a linked copy is damaged; `before` are all its models."""
    owner = owner_of(name)
    with damaged(folder, name, way):
        try:
            after, wrong = there()
            found = [f"{key} is gone" for key in sorted(before - after)]
            found += [f"{key} is said to be broken" for key in wrong.keys() - {owner}]
            found += [
                f"{key}: its message does not name it: {said}"
                for key, said in wrong.items()
                if folder_of(key) not in said
            ]
            with suppress(CheckpointError):
                length_table.length_table("en-fr")
            with suppress(models.InputError):
                word_vectors.static_vectors()
            with suppress(models.InputError):
                datastore.shipped_datastore()
            _load(owner, name)
        except Exception as error:  # every other one is what is looked for
            return [f"{type(error).__name__}: {error}"]
        return found


def folder_of(key: str) -> str:
    """Return the name of the folder of a model."""
    return key.removeprefix("hf:").partition("@")[0]


def _load(owner: str, name: str) -> None:
    """Load the model of a damaged file, or one that shares it; it may be refused in words."""
    if name.endswith("log.jsonl"):  # no model reads it
        return
    if not owner and name.endswith("tokenizer.json"):
        pair = Path(name).parts[0]
        owner = next(key for key in models.catalog() if key.endswith(pair))
    for key in (owner, *_sharing(name)):
        with suppress(CheckpointError, models.InputError):
            if key.startswith("hf:") or captioning.is_captioner(key):
                models.load(key)
            elif key:
                loading.load_translator(key, at_rest=True)


def _sharing(name: str) -> Iterator[str]:
    """Yield the keys of the readers that have no tokenizer of their own but this one."""
    for key in embedded.local_models():
        if name == f"readers/{embedded.reader_card(key).get('tokenizer')}/{TOKENIZER_FILE}":
            yield key


def page_script(name: str) -> None:
    """Show a page: what `AppTest` runs."""
    from importlib import import_module

    import_module(f"viz.pages.{name}.page").PAGE.show()


VIEWS: tuple[tuple[str, dict[str, str]], ...] = (
    *((name, {}) for name in ("why", "bench", "steps", "heads", "surgery", "scenes", "training", "lessons")),
    ("heads", {"model": "hf:lstmn-en"}),
    ("heads", {"model": "hf:key-value-en"}),
    ("heads", {"model": "hf:self-attentive-en"}),
    ("heads", {"model": "hf:bert-en", "against": "word", "sentence": "He bought new shoes.", "other": "He is new."}),
)
"""Every page, and the views that read files of their own."""


def words_of(name: str, link: Mapping[str, str]) -> str:
    """Return what a page says, opened by a link; raises what the page raises."""
    from streamlit.testing.v1 import AppTest

    from viz.server.runtime import shared_host

    shared_host.clear()  # as a server that is started anew
    try:
        app = AppTest.from_function(page_script, args=(name,), default_timeout=200)
        for key, value in link.items():
            app.query_params[key] = value
        app.run()
    finally:
        shared_host.clear()  # it remembers what could not be loaded
    if app.exception:
        raise RuntimeError(app.exception[0].message)
    kinds = (app.caption, app.info, app.warning, app.error, app.markdown)
    return " ".join(each.value for kind in kinds for each in kind).replace("\\", "")


def problems_on_pages() -> list[str]:
    """Return which pages fail, and why."""
    found = []
    for name, link in VIEWS:
        try:
            words_of(name, link)
        except Exception as error:  # every one is what is looked for
            found.append(f"{name} {link}: {type(error).__name__}: {error}")
    return found


def main(
    *,
    pages: Annotated[bool, typer.Option("--pages", help="Open all pages too, for a file of each kind.")] = False,
    only: Annotated[str, typer.Option(help="Files whose name holds this.")] = "",
) -> None:
    """Damage all files in all ways, and write a table of what went wrong."""
    failed: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    with TemporaryDirectory() as place, linked_weights(Path(place)) as folder:
        before = there()[0]
        for name in tqdm([each for each in FILES if only in each], disable=None):
            for way in WAYS:
                found = problems(folder, name, way, before)
                if pages:
                    with damaged(folder, name, way):
                        found += problems_on_pages()
                kind = Path(name).name
                tried[kind] += 1
                failed[kind] += bool(found)
                for each in found:
                    typer.echo(f"{name}, {way}: {each}")
    typer.echo("\n| file | cases | failed |\n| --- | --: | --: |")
    for kind, count in sorted(tried.items()):
        typer.echo(f"| {kind} | {count} | {failed[kind]} |")
    raise typer.Exit(failed.total() > 0)


if __name__ == "__main__":
    run(main)
