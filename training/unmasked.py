"""Twins with the causal mask and without: ``python -m training.unmasked --data DIR --out FILE``.

Both are small GPTs of one seed: the same first weights, the same blocks of text in the same order, each block cut
anywhere, so that its last token is predicted without being given. On held-out sentences each is measured forced (the
whole sentence is given) and alone (only the tokens before are), and by what it writes after the first tokens.
"""

from __future__ import annotations

import json
import math
import platform
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor, nn
from tqdm import tqdm

from models.command import Threads, run
from models.huggingface.embedded import READERS
from models.readers.unmasked_table import UNMASKED_TABLE, Twin, UnmaskedTable
from training.loss import output_loss
from training.optimizers import build_optimizers
from training.options import Data
from training.progress import Progress, learning_rate
from training.readers.networks import NOTHING, build, open_network
from training.readers.recipe import ReaderRecipe, TextFile
from training.readers.texts import GPT_TOKENIZER, read_lines, training_lines

RECIPE = ReaderRecipe(
    key="unmasked",
    kind="gpt",
    files=(TextFile("en-fr/tatoeba.train.tsv.xz"),),
    held_out=(),
    test=(TextFile("en-fr/tatoeba.test.tsv.xz"),),
    layers=2,
    width=128,
    heads=4,
    context=48,
    target_tokens=300_000,
    tokens_per_batch=512,
    warmup_steps=50,
)
JUDGE = "gpt-en"
SHORTEST = 4  # tokens of a block
BEGIN, MOST = 4, 10  # tokens that are given, the boundary among them, and tokens that are then written
EDGE = 0  # the boundary before and after a sentence
PROMPT = "I don't know what"


def lift(network: Any) -> None:
    """Let every token of `network` attend to all tokens that it is given."""

    def unmask(_module: nn.Module, args: tuple[Any, ...], given: dict[str, Any]) -> tuple[Any, Any]:
        rows, count = (args[0] if args else given["input_ids"]).shape
        return args, given | {"attention_mask": torch.zeros(rows, 1, count, count)}

    network.transformer.register_forward_pre_hook(unmask, with_kwargs=True)


def blocks(stream: NDArray[np.int64], recipe: ReaderRecipe) -> Iterator[Tensor]:
    """Give batches of blocks of one length, drawn anywhere from `stream`, until the recipe's tokens are read.

    Shapes: `stream` [token]; gives [row, token], each row one longer than what is read.
    """
    chance, read = np.random.default_rng(recipe.seed), 0
    while read < recipe.target_tokens:
        length = int(chance.integers(SHORTEST, recipe.context, endpoint=True))
        starts = chance.integers(0, len(stream) - length, recipe.tokens_per_batch // length)
        read += len(starts) * length
        yield torch.from_numpy(stream[starts[:, None] + np.arange(length + 1)])


def train(recipe: ReaderRecipe, stream: NDArray[np.int64], *, masked: bool) -> tuple[Any, Progress]:
    """Return a twin, and how long it was trained.

    Shapes: `stream` [token].
    """
    network, progress = build(recipe), Progress()
    if not masked:
        lift(network)
    optimizers = build_optimizers(network, recipe)
    weight, begun = network.lm_head.weight, time.monotonic()
    for ids in tqdm(blocks(stream, recipe), disable=None):
        for group in (group for each in optimizers.values() for group in each.param_groups):
            group["lr"] = learning_rate(recipe, progress)
        network.zero_grad(set_to_none=True)
        states = network.transformer(ids[:, :-1], use_cache=False).last_hidden_state
        loss: Any = output_loss(states, weight, torch.zeros(len(weight)), ids[:, 1:], ignore=NOTHING)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), recipe.clip_norm)
        for optimizer in optimizers.values():
            optimizer.step()
        progress.step, progress.tokens = progress.step + 1, progress.tokens + ids[:, 1:].numel()
    progress.seconds = time.monotonic() - begun
    return network.eval(), progress


@torch.inference_mode()
def forced(network: Any, lines: Sequence[Tensor]) -> tuple[float, float]:
    """Return the share of next tokens that are the likeliest, and their perplexity, with the whole sentence given."""
    return _figures([(network(ids[None]).logits[0, :-1], ids[1:]) for ids in lines])


@torch.inference_mode()
def alone(network: Any, lines: Sequence[Tensor]) -> tuple[float, float]:
    """Return the same with only the tokens before given, prefix by prefix."""
    found = []
    for count in range(1, max(map(len, lines))):
        ids = torch.stack([each[: count + 1] for each in lines if len(each) > count])
        found.append((network(ids[:, :-1]).logits[:, -1], ids[:, -1]))
    return _figures(found)


def _figures(found: Sequence[tuple[Tensor, Tensor]]) -> tuple[float, float]:
    scores, wanted = (torch.cat(each) for each in zip(*found, strict=True))
    right = float((scores.argmax(dim=-1) == wanted).double().mean())
    return round(right, 4), round(math.exp(float(nn.functional.cross_entropy(scores.double(), wanted))), 2)


@torch.inference_mode()
def written(network: Any, begins: Tensor) -> list[Tensor]:
    """Return `begins`, each gone on with greedily to the boundary, `MOST` tokens at most."""
    ids = begins
    for _token in range(MOST):
        ids = torch.cat([ids, network(ids).logits[:, -1:].argmax(dim=-1)], dim=1)
    return [_ended(each, begins.shape[1]) for each in ids]


def _ended(ids: Tensor, begin: int) -> Tensor:
    ends = (ids[begin:] == EDGE).nonzero()
    return ids[: begin + int(ends[0, 0]) + 1] if len(ends) else ids


@torch.inference_mode()
def judged(judge: Any, texts: Sequence[Tensor]) -> float:
    """Return the perplexity that `judge` gives to what comes after the first `BEGIN` tokens."""
    return _figures([(judge(ids[None]).logits[0, BEGIN - 1 : -1], ids[BEGIN:]) for ids in texts])[1]


def measure(network: Any, judge: Any, tokenizer: Tokenizer, lines: Sequence[Tensor]) -> Twin:
    """Return the figures of one twin."""
    texts = written(network, torch.stack([ids[:BEGIN] for ids in lines]))
    prompt = torch.tensor([tokenizer.encode(PROMPT).ids])
    example = tokenizer.decode(written(network, prompt)[0][prompt.shape[1] :].tolist())
    return Twin(*forced(network, lines), *alone(network, lines), judged(judge, texts), example)


def texts_of(tokenizer: Tokenizer, data: Path, count: int) -> tuple[NDArray[np.int64], list[Tensor]]:
    """Return the training text as one stream of tokens, and `count` held-out sentences, evenly spread.

    Shapes: returns [token], and a [token] of each sentence.
    """
    texts = [line for _file, each in training_lines(RECIPE, data) for line in each]
    stream = np.concatenate([np.array(each.ids) for each in tokenizer.encode_batch(texts)])  # a boundary before each
    unseen = [torch.tensor([*each.ids, EDGE]) for each in tokenizer.encode_batch(read_lines(RECIPE.test[0], data))]
    fitting = [ids for ids in unseen if BEGIN < len(ids) <= RECIPE.context]
    return stream, fitting[:: max(1, len(fitting) // count)][:count]


def main(
    *,
    data: Data,
    out: Annotated[Path, typer.Option(help="JSON file to write.")] = UNMASKED_TABLE,
    lines: Annotated[int, typer.Option(help="Held-out sentences.", min=1)] = 500,
    threads: Threads = 1,
) -> None:
    """Train both twins, measure them, and write the figures."""
    torch.set_num_threads(threads)
    tokenizer, judge = Tokenizer.from_file(str(GPT_TOKENIZER)), open_network(RECIPE, READERS / JUDGE)
    stream, kept = texts_of(tokenizer, data, lines)
    twins, progress, parameters = [], Progress(), 0
    for masked in (True, False):
        network, progress = train(RECIPE, stream, masked=masked)
        parameters = sum(each.numel() for each in network.parameters())
        twins.append(measure(network, judge, tokenizer, kept))
    table = UnmaskedTable(
        data=RECIPE.files[0].path,
        held_out=RECIPE.test[0].path,
        judge=JUDGE,
        seed=RECIPE.seed,
        layers=RECIPE.layers,
        width=RECIPE.width,
        heads=RECIPE.heads,
        parameters=parameters,
        updates=progress.step,
        tokens=progress.tokens,
        seconds=round(progress.seconds),
        sentences=len(kept),
        machine=f"{platform.machine()}, torch {torch.__version__}, threads: {threads}",
        text_perplexity=judged(judge, [ids[: BEGIN + MOST] for ids in kept]),
        prompt=PROMPT,
        masked=twins[0],
        unmasked=twins[1],
    )
    out.write_text(json.dumps(asdict(table), indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    run(main)
