"""The recipes of docs/python.md for attention of other libraries: each runs as it is written there.

TransformerLens and inseq are not installed: objects with the parts that a recipe names stand in for theirs, inseq's as
its version 0.7.1 has them.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from models import AttentionTrace
from tests.support.huggingface_samples import tiny_network, tiny_tokenizer

DOCS = Path(__file__).parents[2] / "docs" / "python.md"
TOKENIZER = tiny_tokenizer()
TEXT = "The cat sat."
INPUTS = TOKENIZER(TEXT, return_tensors="pt", return_token_type_ids=False)
WORDS = ("The", "cat", "sat", ".")


def stanzas() -> dict[str, str]:
    """Return the recipes of the page, by what stands before the colon of their first line."""
    (block,) = re.findall(
        r"```python\nfrom models import AttentionTrace\n\n(# transformers.*?)```",
        DOCS.read_text(encoding="utf8"),
        re.DOTALL,
    )
    found = [each.partition("\n") for each in block.strip().split("\n\n")]
    names = [first.removeprefix("# ").partition(":")[0] for first, _, _code in found]
    return {
        f"{name} {names[:place].count(name)}": code
        for place, (name, (_, _, code)) in enumerate(zip(names, found, strict=True))
    }


class Token(NamedTuple):
    """As inseq has it."""

    token: str
    id: int


def soft(*shape: int) -> NDArray[np.float32]:
    values = np.exp(np.random.default_rng(5).normal(size=shape))
    return (values / values.sum(-1, keepdims=True)).astype(np.float32)


@torch.no_grad()
def of_bert() -> tuple[Any, ...]:
    layers: tuple[Any, ...] = tiny_network("bert", attention="eager")(**INPUTS, output_attentions=True).attentions
    return layers


def transformer_lens() -> dict[str, Any]:
    """Return a model with the parts of its HookedTransformer that the recipe names, and a cache."""
    with torch.no_grad():
        layers = tiny_network("gpt2", attention="eager")(**INPUTS, output_attentions=True).attentions
    model = SimpleNamespace(
        cfg=SimpleNamespace(n_layers=len(layers)),
        tokenizer=TOKENIZER,
        to_tokens=lambda text: TOKENIZER(text, return_tensors="pt").input_ids,
    )
    return {"cache": {("pattern", n): each for n, each in enumerate(layers)}, "model": model, "text": TEXT}


def inseq() -> dict[str, Any]:
    """Return a sequence that was attributed to attention, as inseq 0.7.1 does: [source, target, layer, head]."""
    weights = torch.from_numpy(soft(2, 4, 3, 8)).permute(3, 2, 0, 1)
    source, target = ([Token("\u0120", each) for each in TOKENIZER(text).input_ids] for text in ("a cat!", "un"))
    one = SimpleNamespace(source=source, target=target, source_attributions=weights, attr_pos_start=1, attr_pos_end=4)
    return {"one": one, "model": SimpleNamespace(tokenizer=TOKENIZER)}


GIVEN: dict[str, Any] = {
    "transformers 0": lambda: {"model": tiny_network("bert", attention="eager"), "inputs": INPUTS},
    "transformers 1": lambda: {"model": tiny_network("gpt2", attention="eager"), "inputs": INPUTS},
    "BertViz 0": lambda: {
        "attention": of_bert(), "tokens": TOKENIZER.convert_ids_to_tokens(INPUTS["input_ids"][0])
    },
    "TransformerLens 0": transformer_lens,
    "inseq 0": inseq,
    "captum 0": lambda: {"output_attentions_all": torch.stack(of_bert()), "input_ids": INPUTS["input_ids"]},
    "Keras and TensorFlow 0": lambda: {
        "attention_plot": soft(11, 16), "result": "le chat <end> ", "sentence": "<start> the cat <end>"
    },
    "PyTorch 0": lambda: {
        "attentions": torch.from_numpy(soft(1, 10, 3)),
        "input_sentence": "the cat",
        "output_words": ["le", "chat", "<EOS>"]
    },
    "numpy 0": lambda: {"weights": soft(2, 4, 4)},
}  # fmt: skip
"""For each recipe what its library leaves in a notebook."""


def test_every_recipe_is_run() -> None:
    assert set(stanzas()) == set(GIVEN)


@pytest.mark.parametrize("name", GIVEN)
def test_a_recipe_makes_a_trace(name: str) -> None:
    names: dict[str, Any] = {"AttentionTrace": AttentionTrace, "tokenizer": TOKENIZER, **GIVEN[name]()}
    with torch.no_grad():
        exec(compile(stanzas()[name], name, "exec"), names)
    trace: AttentionTrace = names["trace"]
    assert trace.sites
    assert sum(line.startswith("trace = ") for line in stanzas()[name].splitlines()) == 1
    if "tokenizer" in stanzas()[name] and name != "inseq 0":
        assert trace.source.word_texts[1:5] == WORDS
        assert trace.source.ids[: INPUTS["input_ids"].shape[1]] == tuple(INPUTS["input_ids"][0].tolist())


def test_what_a_recipe_gives_is_what_the_library_had() -> None:
    names = {"AttentionTrace": AttentionTrace, **inseq()}
    exec(stanzas()["inseq 0"], names)
    trace: Any = names["trace"]
    assert (trace.source.texts, trace.target.texts) == (("<s>", *"a cat!", "</s>"), ("u", "n", "</s>"))
    assert (trace.source.word_texts, trace.target.word_texts) == (("<s>", "a", "cat", "!", "</s>"), ("un", "</s>"))
    own: Any = names["one"]
    assert np.array_equal(trace["decoder.1.cross"].weights[3], own.source_attributions[:, :, 1, 3].T.numpy())
    names = {"AttentionTrace": AttentionTrace, "weights": soft(2, 4, 4)}
    exec(stanzas()["numpy 0"], names)
    merged: Any = names["trace"]
    assert merged.source.word_texts == ("[CLS]", "a", "cats")
