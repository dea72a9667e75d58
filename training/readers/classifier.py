"""A classifier on [CLS]: ``python -m training.readers.classifier --data DIR --out DIR [--run NAME]``.

The small BERT of `models/weights/readers/bert-en` gets a linear layer on the last state of [CLS] (Devlin et al. 2019,
section 4.1), and the task and sentences of the self-attentive reader. ``before`` trains that layer alone on states of
the frozen network; ``after`` trains the four layers with it, the embeddings kept. Each run writes its weights to OUT.
``--run figures`` measures them all on held-out sentences, says which heads changed, and writes what is shipped.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from safetensors.torch import load_file, save, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from tqdm import tqdm
from transformers import BertModel

from models.cards import read_fields
from models.command import run
from models.huggingface.embedded import READERS
from models.huggingface.files import TOKENIZER_FILE, WEIGHTS_FILE
from models.readers.cls_table import CLASSIFIER_FIGURES, CLASSIFIER_WEIGHTS
from models.translation.checkpoints import file_hash, write_card
from training.options import Data, Out
from training.progress import Progress, learning_rate
from training.readers.batches import FEWEST, TextRow, encode, epoch_batches, read_batch
from training.readers.recipe import ReaderRecipe, TextFile, read_reader_recipe
from training.readers.texts import BERT_SPECIALS, read_lines, training_lines

RECIPE = replace(
    read_reader_recipe(Path(__file__).parent / "recipes" / "self-attentive-en.toml"),
    optimizer="adam",
    learning_rate=5e-4,
    warmup_steps=30,
    decay_share=0.9,
    tokens_per_batch=1024,
    target_tokens=250_000,
)
BASE = READERS / "bert-en"
BEFORE_SENTENCES = 6_000  # whose states the linear layer alone is trained on
HEADS_SENTENCES = 20  # of each class: the first of its test file, on which the change of heads is measured
RUNS = {"after": 1, "seed": 2, "shuffled": 3}
"""What is trained whole, each with its seed: what is shipped, the same anew, and on labels shuffled over sentences."""

Named = Annotated[str, typer.Option("--run", help="What to do: before, after, seed, shuffled or figures.")]


def with_marks(rows: Sequence[TextRow]) -> Tensor:
    """Return the ids of sentences between [CLS] and [SEP].

    Shapes: returns [row, token].
    """
    ids, _segments, _follows = read_batch(rows)
    first, last = (BERT_SPECIALS.index(each) for each in ("[CLS]", "[SEP]"))
    return torch.cat([ids.new_full((len(ids), 1), first), ids, ids.new_full((len(ids), 1), last)], dim=1)


def labels_of(rows: Sequence[TextRow]) -> Tensor:
    """Return what kind each sentence is of, [row]."""
    return torch.tensor([row.label for row in rows])


def batches(recipe: ReaderRecipe, data: Path, epoch: int, *, shuffled: bool = False) -> Iterator[list[TextRow]]:
    """Give batches of training sentences; `shuffled` deals their labels out anew."""
    tokenizer = Tokenizer.from_file(str(BASE / TOKENIZER_FILE))
    tokenizer.no_truncation()
    parts = [(file.repeat, lines) for file, lines in training_lines(recipe, data)]
    found = epoch_batches(encode(tokenizer, parts, recipe.context - 2), recipe, epoch)
    if shuffled:
        rows = [row for each in found for row in each]
        dealt = iter(np.random.default_rng(recipe.seed).permutation([row.label for row in rows]).tolist())
        found = [[replace(row, label=next(dealt)) for row in each] for each in found]
    return iter(found)


def open_base() -> Any:
    """Return the network of the small BERT in float32, without its heads of pretraining."""
    network: Any = BertModel.from_pretrained(
        BASE, dtype=torch.float32, add_pooling_layer=False, attn_implementation="eager", local_files_only=True
    )
    return network


def train_before(recipe: ReaderRecipe, data: Path) -> dict[str, Tensor]:
    """Return the linear layer on states of the frozen network, trained until its loss falls no more."""
    network, states, labels, count = open_base().eval(), [], [], 0
    for rows in batches(recipe, data, 0):
        with torch.inference_mode():
            states.append(network(with_marks(rows)).last_hidden_state[:, 0])
        labels.append(labels_of(rows))
        count += len(rows)
        if count >= BEFORE_SENTENCES:
            break
    given, wanted = torch.cat(states).clone(), torch.cat(labels)
    layer = nn.Linear(given.shape[1], len(recipe.labels))
    optimizer: Any = torch.optim.LBFGS(layer.parameters(), max_iter=300, line_search_fn="strong_wolfe")

    def again() -> Any:
        optimizer.zero_grad()
        loss: Any = nn.functional.cross_entropy(layer(given), wanted) + 1e-4 * layer.weight.square().sum()
        loss.backward()
        return loss

    optimizer.step(again)
    return {f"classifier.{name}": values.detach() for name, values in layer.state_dict().items()}


def train_after(recipe: ReaderRecipe, data: Path, *, shuffled: bool) -> tuple[dict[str, Tensor], Progress]:
    """Return the four layers and the linear layer, trained together, and how long that took."""
    torch.manual_seed(recipe.seed)
    network = open_base().train()
    network.embeddings.requires_grad_(False)
    layer, progress, begun = nn.Linear(network.config.hidden_size, len(recipe.labels)), Progress(), time.monotonic()
    parameters = [*network.encoder.parameters(), *layer.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=0.0, betas=(0.9, 0.98), fused=True)
    for rows in tqdm(batches(recipe, data, 0, shuffled=shuffled), disable=None):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(recipe, progress)
        ids = with_marks(rows)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16):
            scores = layer(network(ids).last_hidden_state[:, 0])
        loss: Any = nn.functional.cross_entropy(scores.float(), labels_of(rows))
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, recipe.clip_norm)
        optimizer.step()
        progress.step, progress.tokens = progress.step + 1, progress.tokens + ids.numel()
        if progress.step % 25 == 0:
            logging.warning("%d tokens, loss %.3f", progress.tokens, float(loss.detach()))
        if progress.tokens >= recipe.target_tokens:
            break
    progress.seconds = time.monotonic() - begun
    found = {f"encoder.{name}": values.detach() for name, values in network.encoder.state_dict().items()}
    return found | {f"classifier.{name}": values.detach() for name, values in layer.state_dict().items()}, progress


def test_rows(recipe: ReaderRecipe, data: Path, file: TextFile) -> list[list[TextRow]]:
    """Return the held-out sentences of one kind, in batches of one length each."""
    tokenizer = Tokenizer.from_file(str(BASE / TOKENIZER_FILE))
    corpus = encode(tokenizer, [(1.0, read_lines(file, data))], recipe.context - 2)
    return epoch_batches(corpus, replace(recipe, files=(file,)), 0)


def open_run(weights: dict[str, Tensor]) -> tuple[Any, nn.Linear]:
    """Return the network and the linear layer of a run."""
    network = open_base()
    encoder = {name.removeprefix("encoder."): each for name, each in weights.items() if name.startswith("encoder.")}
    if encoder:
        network.encoder.load_state_dict({name: values.float() for name, values in encoder.items()})
    layer = nn.Linear(network.config.hidden_size, weights["classifier.bias"].numel())
    layer.load_state_dict({name: weights[f"classifier.{name}"].float() for name in ("weight", "bias")})
    return network.eval(), layer.eval()


@torch.inference_mode()
def measure_right(recipe: ReaderRecipe, data: Path, weights: dict[str, Tensor]) -> dict[str, Any]:
    """Return the share of held-out sentences that are told right, of each kind and as their mean."""
    network, layer = open_run(weights)
    found: dict[str, Any] = {}
    for file in recipe.test:
        right = []
        for rows in test_rows(recipe, data, file):
            scores = layer(network(with_marks(rows)).last_hidden_state[:, 0])
            right.append(scores.argmax(dim=1) == labels_of(rows))
        told = torch.cat(right)
        found[file.label] = {"sentences": len(told), "right": round(float(told.double().mean()), 4)}
    return found | {"mean": round(sum(each["right"] for each in found.values()) / len(found), 4)}


@torch.inference_mode()
def head_changes(recipe: ReaderRecipe, data: Path, several: dict[str, dict[str, Tensor]]) -> dict[str, Any]:
    """Return how far each head of each run is from the frozen one's: total variation of its rows, means of sentences.

    On the first sentences of each test file. ``rows`` is the mean of all rows, ``cls`` that of [CLS] alone; each
    [layer, head].
    """
    tokenizer = Tokenizer.from_file(str(BASE / TOKENIZER_FILE))
    texts: list[list[int]] = []
    for file in recipe.test:
        ids = [tokenizer.encode(line).ids for line in read_lines(file, data)[: 5 * HEADS_SENTENCES]]
        texts += [each for each in ids if FEWEST <= len(each) - 2 <= recipe.context - 2][:HEADS_SENTENCES]
    networks = {name: open_run(weights)[0] for name, weights in several.items()}
    base, sums = open_base().eval(), {name: [torch.zeros(1), torch.zeros(1)] for name in several}
    for text in texts:
        given = torch.tensor([text])
        own = torch.cat(base(given, output_attentions=True).attentions)  # [layer, head, query, key]
        for name, network in networks.items():
            other = torch.cat(network(given, output_attentions=True).attentions)
            distance = (own - other).abs().sum(dim=-1) / 2  # [layer, head, query]
            sums[name] = [sums[name][0] + distance.mean(dim=-1), sums[name][1] + distance[..., 0]]
    return {
        "sentences": len(texts),
        **{
            name: {
                part: [[round(float(each), 4) for each in row] for row in total / len(texts)]
                for part, total in zip(("rows", "cls"), totals, strict=True)
            }
            for name, totals in sums.items()
        },
    }


def write_figures(recipe: ReaderRecipe, data: Path, out: Path) -> None:
    """Measure every run that is there, and write the weights and figures that are shipped."""
    runs = {name: load_file(out / f"{name}.safetensors") for name in ("before", *RUNS)}
    halves = {name: {k: v.half() for k, v in each.items()} for name, each in runs.items()}
    told = read_fields(READERS / "self-attentive-en", {})["held_out"]
    hops = {name: told[name] for name in recipe.labels} | {"mean": told["mean"]["right"]}
    figures = {
        "base": BASE.name,
        "base_sha256": file_hash(BASE / WEIGHTS_FILE),
        "labels": list(recipe.labels),
        "right": {name: measure_right(recipe, data, each) for name, each in halves.items()} | {"self-attentive": hops},
        "heads": head_changes(recipe, data, {name: halves[name] for name in RUNS}),
        "runs": {name: json.loads((out / f"{name}.json").read_text(encoding="utf8")) for name in ("before", *RUNS)},
    }
    CLASSIFIER_FIGURES.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf8")
    shipped = {f"before.{name}": each for name, each in halves["before"].items()}
    shipped |= {f"after.{name}": each for name, each in halves["after"].items()}
    CLASSIFIER_WEIGHTS.write_bytes(save({name: each.contiguous() for name, each in shipped.items()}))
    card = read_fields(BASE, {})
    hashes = card["sha256"] | {CLASSIFIER_WEIGHTS.name: file_hash(CLASSIFIER_WEIGHTS)}
    write_card(BASE, card | {"sha256": hashes})


def main(*, data: Data, out: Out, named: Named = "figures") -> None:
    """Train a classifier on [CLS], or measure those that were trained."""
    torch.set_num_threads(1)
    logging.getLogger("transformers").setLevel(logging.ERROR)
    out.mkdir(parents=True, exist_ok=True)
    if named == "figures":
        write_figures(RECIPE, data, out)
        return
    recipe, begun = replace(RECIPE, seed=RUNS.get(named, 1)), time.monotonic()
    if named == "before":
        found, said = train_before(recipe, data), {"sentences": BEFORE_SENTENCES}
    else:
        found, progress = train_after(recipe, data, shuffled=named == "shuffled")
        said = {"tokens": progress.tokens, "updates": progress.step, "seed": recipe.seed}
    save_file({name: values.contiguous() for name, values in found.items()}, out / f"{named}.safetensors")
    seconds = round(time.monotonic() - begun)
    (out / f"{named}.json").write_text(json.dumps(said | {"seconds": seconds}), encoding="utf8")


if __name__ == "__main__":
    run(main)
