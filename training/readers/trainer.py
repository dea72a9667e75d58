"""A run of a reader's recipe: its updates, what it measures of itself, and what it keeps to go on from.

It writes to ``OUT/<key>/``: ``state.safetensors`` (to resume from), ``tokenizer.json``, ``corpus.npz`` (the lines as
ids) and ``log.jsonl`` (loss, tokens seen, seconds, held-out loss).
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from tqdm import tqdm

from models.huggingface.embedded import READERS
from training.optimizers import build_optimizers, restore_state, stored_state
from training.progress import Progress, learning_rate, read_progress
from training.readers.batches import BatchCorpus, TextRow, encode, epoch_batches
from training.readers.networks import bert_losses, build, gpt_loss, open_network, training_loss
from training.readers.recipe import ReaderRecipe
from training.readers.sentences import measured_hops
from training.readers.texts import read_lines, tokenizer_for, training_lines

SAVE_SECONDS, LOG_STEPS, HELD_OUT_STEPS = 120.0, 50, 300
HELD_OUT_LINES = 300
"""So many lines of each held-out file measure a run."""


class ReaderTrainer:
    """One run of one recipe."""

    def __init__(self, recipe: ReaderRecipe, data: Path, out: Path) -> None:
        self.recipe = recipe
        self.folder = out / recipe.key
        self.folder.mkdir(parents=True, exist_ok=True)
        tokenizer = tokenizer_for(recipe, data, self.folder / "tokenizer.json")
        kept = self.folder / "corpus.npz"
        if not kept.is_file():
            parts = [(file.repeat, lines) for file, lines in training_lines(recipe, data)]
            encode(tokenizer, parts, recipe.context - 2).save(kept)
        self.corpus = BatchCorpus.load(kept)
        held_out = [(1.0, lines[:: max(1, len(lines) // HELD_OUT_LINES)]) for lines in self._held_out(data)]
        apart = replace(recipe, files=recipe.held_out)
        self.held_out = epoch_batches(encode(tokenizer, held_out, recipe.context - 2), apart, 0)
        self.network = open_network(recipe, READERS / recipe.start).train() if recipe.start else build(recipe)
        self.optimizers = build_optimizers(self.network, recipe)
        self.progress = Progress()

    def _held_out(self, data: Path) -> Iterator[list[str]]:
        for file in self.recipe.held_out:
            yield read_lines(file, data)

    def update(self, rows: list[TextRow]) -> float:
        """Make one update on `rows`; return the loss."""
        rate = learning_rate(self.recipe, self.progress)
        for group in (group for optimizer in self.optimizers.values() for group in optimizer.param_groups):
            group["lr"] = rate
        self.network.zero_grad(set_to_none=True)
        seed = self.recipe.seed * 1_000_000_000 + self.progress.step
        with torch.autocast("cpu", torch.bfloat16, enabled=self.recipe.low_precision):
            loss: Any = training_loss(self.network, rows, seed, self.recipe.penalty)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), self.recipe.clip_norm)
        for optimizer in self.optimizers.values():
            optimizer.step()
        self.progress.step += 1
        self.progress.tokens += sum(len(row.ids) for row in rows)
        return float(loss.detach())

    def measured(self) -> dict[str, float]:
        """Return the loss on the held-out lines, and what else `measure` says of them."""
        return measure(self.network, self.held_out, self.recipe.kind)

    def save(self) -> None:
        """Write the state by a rename, so that a cut run leaves a whole file."""
        state = {f"model.{name}": value for name, value in self.network.state_dict().items()}
        state |= stored_state(self.optimizers)
        partial = self.folder / "state.partial"
        metadata = {"progress": json.dumps(asdict(self.progress))}
        save_file({name: value.contiguous().clone() for name, value in state.items()}, partial, metadata)
        partial.rename(self.folder / "state.safetensors")

    def resume(self) -> None:
        """Go on from the last save, if there is one."""
        path = self.folder / "state.safetensors"
        if path.exists():
            state = load_file(path)
            own = {name.removeprefix("model."): value for name, value in state.items() if name.startswith("model.")}
            self.network.load_state_dict(own)
            restore_state(self.optimizers, state)
            self.progress = read_progress(path)

    def _batches(self) -> Iterator[list[TextRow]]:
        while True:
            order = epoch_batches(self.corpus, self.recipe, self.progress.epoch)
            while self.progress.batch < len(order):
                self.progress.batch += 1
                yield order[self.progress.batch - 1]
            self.progress.epoch, self.progress.batch = self.progress.epoch + 1, 0

    def log(self, entry: dict[str, Any]) -> None:
        """Add a line to the log."""
        with (self.folder / "log.jsonl").open("a", encoding="utf8") as file:
            file.write(json.dumps(entry) + "\n")

    def run(self, seconds: float = math.inf) -> None:
        """Train until the recipe's tokens are seen, or the time is over; save often."""
        begun, saved, before = time.monotonic(), time.monotonic(), self.progress.seconds
        total, count = 0.0, 0
        tokens, seen = self.recipe.target_tokens, self.progress.tokens
        bar = tqdm(total=tokens, initial=seen, unit="tok", unit_scale=True, desc=self.recipe.key, disable=None)
        for rows in self._batches():
            total, count = total + self.update(rows), count + 1
            bar.update(self.progress.tokens - bar.n)
            now = time.monotonic()
            self.progress.seconds = before + now - begun
            over = self.progress.tokens >= self.recipe.target_tokens or now - begun >= seconds
            if over or self.progress.step % LOG_STEPS == 0:
                entry = asdict(self.progress) | {"loss": round(total / count, 4)}
                if over or self.progress.step % HELD_OUT_STEPS == 0:
                    entry |= self.measured()
                self.log(entry)
                total, count = 0.0, 0
            if over or now - saved >= SAVE_SECONDS:
                self.save()
                saved = now
            if over:
                return


@torch.no_grad()
def measure(network: Any, batches: list[list[TextRow]], kind: str) -> dict[str, float]:
    """Return the loss per token, and for a BERT the share of the next sentences that it tells, on `batches`.

    Of a self-attentive reader: the loss per sentence, the share told right and the penalty.
    """
    network.eval()
    if kind == "hops":
        of_sentences = measured_hops(network, batches)
        network.train()
        return of_sentences
    total, count, right, pairs = 0.0, 0, 0.0, 0
    for index, rows in enumerate(batches):
        if kind in ("gpt", "memory"):
            loss, tokens = gpt_loss(network, rows)
        else:
            loss, tokens, _, told = bert_losses(network, rows, index)
            right, pairs = right + float(told.sum()), pairs + len(told)
        if tokens:
            total, count = total + float(loss) * tokens, count + tokens
    network.train()
    found = {"held_out_loss": round(total / max(1, count), 4)}
    return found | ({"held_out_next": round(right / pairs, 4), "held_out_pairs": pairs} if pairs else {})
