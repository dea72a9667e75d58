"""Which families of `transformers` open here, and whether their maps are their own. `python -m benchmarks.families`.

Every family is built tiny from its own configuration, opened, and run on one token, a sentence, and a text longer than
every window; each map is held against what the model itself gives with eager attention. `--write` puts the table into
`docs/models.md`; names of families after the command try these alone.
"""

from __future__ import annotations

import argparse
import logging
import signal
import tempfile
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers

from benchmarks.tiny_families import build, families
from models.errors import InputError
from models.huggingface.layers import settle_attention
from models.huggingface.loading import load_folder
from models.huggingface.model import PretrainedModel

TEXTS = ("a", "The cat drank the milk because it was hungry.", "The cat, the cat: it sat. " * 6)
SECONDS = 120
PAGE = Path(__file__).parents[1] / "docs" / "models.md"
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
    """Return the largest distance between the maps of `model` and those of `own`, the same network with eager attention."""
    text, _left_out = model.fit(text)
    target = text if model.is_translation else None
    trace = model.attend(text, target)
    inputs = {name: each for name, each in model.reader.inputs(model.reader.read(text)).items()}
    if model.is_translation:
        inputs["decoder_input_ids"] = torch.tensor([trace.target_input.ids])
    with torch.inference_mode():
        output = own(**inputs, output_attentions=True, use_cache=False)
    pairs = []
    for stack, kind, name in (
        ("encoder", "self", "encoder_attentions"),
        ("decoder", "self", "decoder_attentions"),
        ("decoder", "cross", "cross_attentions"),
    ):
        mine = [trace[site].weights for site in trace.sites if (site.stack, site.kind) == (stack, kind)]
        if not model.is_translation:
            name = "attentions"
            if not mine:
                continue
        given = getattr(output, name)
        layers = [site.layer for site in trace.sites]
        if (
            not model.is_translation and len(given) > len(mine) and max(layers) < len(given)
        ):  # one a layer, attending or not
            given = [given[layer] for layer in layers]
        theirs = [each[0].float().numpy() for each in given if each is not None]
        if len(mine) != len(theirs):
            message = f"{len(mine)} maps of {len(theirs)}"
            raise AssertionError(message)
        pairs += list(zip(mine, theirs, strict=True))
    return max(float(abs(mine - theirs).max()) for mine, theirs in pairs)


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
        worst = max(worst_difference(model, own, text) for text in TEXTS)
    except InputError as error:
        return Found(family, "failed", _line(error), **facts)
    return Found(family, "opened" if worst <= 1e-5 else "failed", worst=worst, **facts)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__


def main() -> None:
    """Try the families, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("families", nargs="*")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    for name in ("transformers", "huggingface_hub"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    signal.signal(signal.SIGALRM, _too_slow)
    for family in asked.families or families():
        signal.alarm(SECONDS)
        with tempfile.TemporaryDirectory() as folder:
            try:
                each = try_family(family, Path(folder) / family)
            except Exception as error:
                if asked.families:
                    traceback.print_exc()
                each = Found(family, "failed", f"{type(error).__name__}: {_line(error)}")
        signal.alarm(0)
        print(each, flush=True)


def _too_slow(*_: Any) -> None:
    message = f"more than {SECONDS} s"
    raise TimeoutError(message)


if __name__ == "__main__":
    main()
