"""Which families of `transformers` open here, and whether their maps are their own. `python -m benchmarks.families`.

Every family is built tiny from its own configuration, opened, and run on one token, a sentence, and a text longer than
every window; each map is held against the model's own eager attention. `--write` puts the table into
`docs/families.md`; names of families after the command try these alone.
"""

from __future__ import annotations

import logging
import signal
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import transformers
import typer
from tqdm import tqdm

from benchmarks.tiny_families import build, families
from models.command import run
from models.errors import InputError
from models.huggingface.layers import own_weights, settle_attention
from models.huggingface.lengths import telling_length
from models.huggingface.loading import load_folder
from models.huggingface.model import PretrainedModel

TEXTS = ("a", "The cat drank the milk because it was hungry.")
LONG = "The cat, the cat: it sat. "
MOST = 1e-5  # distance between weights up to which they count as equal
LEAST = 150  # tokens of the longest text, or more where a configuration names more
SECONDS = 120
PAGE = Path(__file__).parents[1] / "docs" / "families.md"
BEGIN, END = "<!-- families:begin -->", "<!-- families:end -->"


@dataclass(frozen=True, slots=True)
class Found:
    """What became of one family."""

    family: str
    state: str  # "opened", "refused", "failed" or "not built"
    reason: str = ""  # why it is refused, failed or not built
    kind: str = ""
    predicts: str = ""
    layers: int = 0
    editable: bool = False
    worst: float = 0.0  # largest distance to the model's own weights, over all texts


def worst_difference(model: PretrainedModel, own: Any, text: str) -> float:
    """Return the largest distance between the maps of `model` and those of `own`, the same network, never observed."""
    text, _left_out = model.fit(text)
    target = text if model.is_translation else None
    trace = model.attend(text, target)
    inputs = dict(model.reader.inputs(model.reader.read(text)))
    if model.is_translation:
        inputs["decoder_input_ids"] = torch.tensor([trace.target_input.ids])
    with torch.inference_mode():
        output = own(**inputs, output_attentions=True, use_cache=False)
    pairs = []
    for place, given in own_weights(own, output).items():
        stack, kind = place if model.is_translation else (trace.sites[0].stack, "self")
        sites = [site for site in trace.sites if (site.stack, site.kind) == (stack, kind)]
        theirs = [each for each in given if each is not None]
        if len(theirs) != len(sites):  # one a layer, whatever takes the place of attention there
            theirs = [given[site.layer] for site in sites]
        pairs += [(trace[site].weights, each[0].numpy()) for site, each in zip(sites, theirs, strict=True)]
    return float(np.max([np.abs(mine - other).max() for mine, other in pairs]))  # NaN if one is


def texts(model: PretrainedModel) -> tuple[str, ...]:
    """Return one token, a sentence, and a text beyond every window that the configuration names, a byte a token."""
    tokens = max(LEAST, telling_length(model.network.config.to_dict(), model.longest))
    return (*TEXTS, LONG * (tokens // len(LONG) + 1))


def try_family(family: str, folder: Path) -> Found:
    """Build, open and compare one family."""
    try:
        kind = build(family, folder)
    except Exception as error:
        return Found(family, "not built", _line(error))
    try:
        model = load_folder(folder)
    except InputError as error:
        return Found(family, "refused", _line(error))
    facts = {"kind": model.kind, "predicts": model.predicts, "layers": len(model.sites), "editable": model.editable}
    own = kind.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
    settle_attention(own)
    try:
        worst = float(np.max([worst_difference(model, own, text) for text in texts(model)]))
    except InputError as error:
        return Found(family, "failed", _line(error), **facts)
    if worst <= MOST:
        return Found(family, "opened", worst=worst, **facts)
    return Found(family, "failed", f"opens, but differs by {worst:.2g}, more than {MOST:g}", worst=worst, **facts)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__


def table(found: Sequence[Found]) -> str:
    """Return what became of all families as Markdown."""
    kinds = {"decoder": "reads left to right", "encoder": "reads both ways", "encoder-decoder": "reads and writes"}
    opened = [each for each in found if each.state == "opened"]
    lines = [
        f"{len(found)} families of transformers {transformers.__version__} have a head over words. "
        f"{len(opened)} open; the largest distance to their own weights is {max(each.worst for each in opened):.1g}.",
        "",
        "| family | kind | predicts | maps | edited |",
        "| --- | --- | --- | --- | --- |",
        *(
            f"| `{e.family}` | {kinds[e.kind]} | {e.predicts} | {e.layers} | {'yes' if e.editable else 'no'} |"
            for e in opened
        ),
    ]
    for state, title in (("refused", "Refused"), ("failed", "Failed"), ("not built", "Not built tiny, so not tried")):
        others = [each for each in found if each.state == state]
        if others:
            reasons = (f"| `{each.family}` | {each.reason.replace('|', '/')} |" for each in others)
            lines += ["", f"{title}: {len(others)}.", "", "| family | reason |", "| --- | --- |", *reasons]
    return "\n".join(lines)


def write(found: Sequence[Found]) -> None:
    """Put the table between the marks of `PAGE`."""
    text = PAGE.read_text(encoding="utf8")
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{table(found)}\n{END}{after}", encoding="utf8")


def main(
    names: Annotated[list[str] | None, typer.Argument(metavar="FAMILY...", help="All if none is named.")] = None,
    *,
    write_table: Annotated[bool, typer.Option("--write", help="Put the table into docs/families.md.")] = False,
) -> None:
    """Try the families, and print or write the table."""
    for name in ("transformers", "huggingface_hub"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    signal.signal(signal.SIGALRM, _too_slow)
    found = []
    for family in tqdm(names or families(), disable=None):
        signal.alarm(SECONDS)
        with tempfile.TemporaryDirectory() as folder:
            try:
                found.append(try_family(family, Path(folder) / family))
            except Exception as error:
                found.append(Found(family, "failed", f"{type(error).__name__}: {_line(error)}"))
        signal.alarm(0)
        typer.echo(found[-1])
    if write_table and not names:
        write(found)


def _too_slow(*_: Any) -> None:
    message = f"more than {SECONDS} s"
    raise TimeoutError(message)


if __name__ == "__main__":
    run(main)
