"""A run of a recipe: its updates, what it measures of itself, and what it keeps to go on from.

It writes to ``OUT/<key>/``: ``state.safetensors`` (to resume from), ``average.safetensors`` (the weights to evaluate
and ship), ``log.jsonl`` (loss, tokens seen, tokens/s, held-out loss).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from tqdm import tqdm

from models.mechanisms import mechanisms
from models.translation.checkpoints import CARD_FILE, find_tokenizer, read_card
from models.translation.tokenizer import PairTokenizer
from models.vocabulary import PAD
from training.batches import Batch, epoch_batches, make_batch
from training.data import encode_pairs, load_pairs, load_tokenizer, read_pairs
from training.loss import output_loss
from training.optimizers import build_optimizers, restore_state, stored_state
from training.pieces import in_pieces, rows_for
from training.progress import (
    Progress,
    ProgressStart,
    kept_points,
    learning_rate,
    read_progress,
    read_start,
    start_of,
)
from training.recipes import Recipe, RecipeError
from training.teach import write_taught

TOKENIZERS = Path(__file__).parents[1] / "models" / "weights"
SAVE_SECONDS = 240.0
LOG_STEPS = 100
LOG_FILE = "log.jsonl"


class Trainer:
    """One run of one recipe."""

    def __init__(
        self,
        recipe: Recipe,
        data: Path,
        out: Path,
        device: str,
        *,
        workers: int = 1,
        precision: torch.dtype = torch.bfloat16,
    ) -> None:
        self.recipe, self.device, self.workers, self.precision = recipe, device, workers, precision
        self._pool = ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,))
        self.folder = out / recipe.key
        self.folder.mkdir(parents=True, exist_ok=True)
        tokenizer_path = TOKENIZERS / recipe.pair / f"{recipe.tokenizer}.json"
        self.tokenizer_path = tokenizer_path
        tokenizer = load_tokenizer(recipe, data, tokenizer_path)
        write_taught(recipe, data, out / "cache")
        self.pairs = load_pairs(recipe, data, tokenizer_path, out / "cache")
        torch.manual_seed(recipe.seed)
        network = mechanisms()[recipe.mechanism].build(vocabulary=recipe.vocabulary, **recipe.network)
        self.network = network.to(device)
        self.average = {name: value.detach().clone() for name, value in self.network.state_dict().items()}
        self.optimizers = build_optimizers(self.network, recipe)
        self.progress = Progress()
        self.start: ProgressStart | None = None
        held_out = [pair for path in sorted((data / recipe.pair).glob("*.dev.tsv.xz")) for pair in read_pairs(path)]
        if not held_out:
            message = f"{data / recipe.pair} has no *.dev.tsv.xz; a run measures itself on held-out pairs"
            raise RecipeError(message)
        self.held_out = encode_pairs(tokenizer, held_out[:: max(1, len(held_out) // 1000)])

    def _loss(self, batch: Batch) -> Tensor:
        network = self.network
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.precision == torch.bfloat16):
            states = network.decode_states(network.encode(batch.source), batch.inputs)
        return output_loss(
            states,
            network.embedding.weight,
            network.output_bias,
            batch.labels,
            ignore=PAD,
            smoothing=self.recipe.label_smoothing,
            precision=self.precision,
        )

    def _gradients(self, batch: Batch) -> tuple[float, list[Tensor | None]]:
        loss = self._loss(batch)
        return float(loss.detach()), list(torch.autograd.grad(loss, list(self.network.parameters()), allow_unused=True))

    def _all_gradients(self, batches: Sequence[Batch]) -> float:
        """Return the loss of all `batches` per target token, its gradients put where the optimizers look for them."""
        found = list(map(self._gradients, batches) if len(batches) == 1 else self._pool.map(self._gradients, batches))
        tokens = [int((batch.labels != PAD).sum()) for batch in batches]
        shares = [count / sum(tokens) for count in tokens]
        for place, parameter in enumerate(self.network.parameters()):
            parts = [(share, own[place]) for share, (_, own) in zip(shares, found, strict=True)]
            given = [each if share == 1 else each * share for share, each in parts if each is not None]
            parameter.grad = torch.stack(given).sum(dim=0) if len(given) > 1 else next(iter(given), None)
        return sum(share * loss for share, (loss, _) in zip(shares, found, strict=True))

    def update(self, *batches: Batch) -> float:
        """Make one update on all `batches`; give the loss in nats per target token (with label smoothing)."""
        rate = learning_rate(self.recipe, self.progress)
        for group in (group for optimizer in self.optimizers.values() for group in optimizer.param_groups):
            group["lr"] = rate
        loss = self._all_gradients(batches)
        nn.utils.clip_grad_norm_(self.network.parameters(), self.recipe.clip_norm)
        steps = [optimizer.step for optimizer in self.optimizers.values()]
        list(self._pool.map(lambda step: step(), steps) if self.workers > 1 else map(lambda step: step(), steps))
        self.network.zero_grad(set_to_none=True)
        decay = min(self.recipe.average_decay, (1 + self.progress.step) / (10 + self.progress.step))
        weights = self.network.state_dict()
        torch._foreach_lerp_(list(self.average.values()), [weights[name] for name in self.average], 1 - decay)
        self.progress.step += 1
        self.progress.tokens += sum(int((batch.labels != PAD).sum()) for batch in batches)
        return loss

    @torch.no_grad()
    def held_out_loss(self) -> float:
        """Return the mean loss of the averaged weights on the held-out pairs, as in training, dropout off."""
        current = {name: value.clone() for name, value in self.network.state_dict().items()}
        self.network.load_state_dict(self.average)
        self.network.eval()
        total, count = 0.0, 0
        for indices in epoch_batches(self.held_out, 3000, 0, 0):
            batch = make_batch(self.held_out, indices).to(self.device)
            tokens = int((batch.labels != PAD).sum())
            total += float(self._loss(batch)) * tokens
            count += tokens
        self.network.train()
        self.network.load_state_dict(current)
        return total / count

    def save(self) -> None:
        """Write state and averaged weights, each by a rename, so that a cut run leaves whole files."""
        state: dict[str, Tensor] = {f"model.{k}": v for k, v in self.network.state_dict().items()}
        state |= {f"average.{k}": v for k, v in self.average.items()}
        state |= stored_state(self.optimizers)
        state["random"] = torch.get_rng_state()
        metadata = {"progress": json.dumps(asdict(self.progress))}
        if self.start is not None:
            metadata["start"] = json.dumps(asdict(self.start))
        for name, tensors in (("state", state), ("average", self.average)):
            partial = self.folder / f"{name}.partial"
            save_file({k: v.contiguous().cpu().clone() for k, v in tensors.items()}, partial, metadata)
            partial.rename(self.folder / f"{name}.safetensors")

    def resume(self) -> None:
        """Go on from the last save, if there is one."""
        path = self.folder / "state.safetensors"
        if not path.exists():
            return
        state = load_file(path, device=self.device)
        own = {k.removeprefix("model."): v for k, v in state.items() if k.startswith("model.")}
        self.network.load_state_dict(own)
        self.average = {k.removeprefix("average."): v for k, v in state.items() if k.startswith("average.")}
        restore_state(self.optimizers, state)
        torch.set_rng_state(state["random"].cpu())
        self.progress = read_progress(path)
        self.start = read_start(path)

    def _in_own_pieces(self, path: Path, weights: dict[str, Tensor]) -> dict[str, Tensor]:
        """Return the weights of a checkpoint, its tables turned to this run's tokenizer if its card names another."""
        if not (path.parent / CARD_FILE).is_file():
            return weights
        theirs = find_tokenizer(path.parent, read_card(path.parent), TOKENIZERS)
        if theirs.read_bytes() == self.tokenizer_path.read_bytes():
            return weights
        rows = rows_for(PairTokenizer.load(theirs), PairTokenizer.load(self.tokenizer_path))
        return {k: in_pieces(v, rows) if k in ("embedding.weight", "output_bias") else v for k, v in weights.items()}

    def start_from(self, path: Path) -> None:
        """Take the weights that fit, by name and shape, from a checkpoint: a sibling's, or one of this very key.

        Its target tokens count as seen: they bring the end of the run, and the fall of the rate, that much nearer.
        """
        start = start_of(path)
        if not start.key.endswith(f"-{self.recipe.pair}"):
            message = (
                f"{path}: weights of {start.key}; {self.recipe.key} can start from the pair {self.recipe.pair} only"
            )
            raise RecipeError(message)
        own = self.network.state_dict()
        stored = self._in_own_pieces(path, load_file(path))
        given = {k: v.float() for k, v in stored.items() if k in own and own[k].shape == v.shape}
        if not given:
            message = f"{path}: no tensor has a name and shape of {self.recipe.key}"
            raise RecipeError(message)
        self.network.load_state_dict(own | given)
        self.average = {name: value.detach().clone() for name, value in self.network.state_dict().items()}
        self.start = start
        self.progress.tokens = start.target_tokens
        self.log({"start": asdict(start), "taken": sorted(given), "fresh": sorted(set(own) - set(given))})

    def _keep(self, tokens_before: int) -> None:
        """Keep the averaged weights, in float16, if this update brought the run past one of `kept_points`."""
        begun = self.start.target_tokens if self.start else 0
        points = [begun + each for each in kept_points(self.recipe.target_tokens - begun)]
        if any(tokens_before < point <= self.progress.tokens for point in points):
            folder = self.folder / "kept"
            folder.mkdir(exist_ok=True)
            metadata = {"progress": json.dumps(asdict(self.progress))}
            halved = {name: values.half().contiguous() for name, values in self.average.items()}
            save_file(halved, folder / f"{self.progress.tokens:010}.safetensors", metadata)

    def batches(self) -> Iterator[Batch]:
        """Return batches from where the run stands, epoch after epoch."""
        while True:
            order = epoch_batches(self.pairs, self.recipe.tokens_per_batch, self.progress.epoch, self.recipe.seed)
            while self.progress.batch < len(order):
                indices = order[self.progress.batch]
                self.progress.batch += 1
                yield make_batch(self.pairs, indices).to(self.device)
            self.progress.epoch += 1
            self.progress.batch = 0

    def log(self, record: dict[str, Any]) -> None:
        """Add a line to ``log.jsonl``."""
        with (self.folder / LOG_FILE).open("a", encoding="utf8") as lines:
            lines.write(json.dumps(asdict(self.progress) | record) + "\n")

    def run(self, seconds: float) -> None:
        """Train until the recipe's target tokens are seen or `seconds` are over; keep a copy at `kept_points`."""
        started = logged = saved = time.monotonic()
        total, tokens, step = 0.0, self.progress.tokens, self.progress.step
        whole, key = self.recipe.target_tokens, self.recipe.key
        bar = tqdm(total=whole, initial=tokens, unit="tok", unit_scale=True, desc=key, disable=None)
        batches = self.batches()
        while True:
            before = self.progress.tokens
            total += self.update(*islice(batches, self.workers))
            self._keep(tokens_before=before)
            bar.update(self.progress.tokens - before)
            now = time.monotonic()
            if self.progress.step % LOG_STEPS == 0:
                speed = (self.progress.tokens - tokens) / (now - logged)
                self.progress.seconds += now - logged
                record = {"loss": round(total / (self.progress.step - step), 4), "tokens_per_second": round(speed)}
                bar.set_postfix(record)
                self.log(record)
                total, tokens, step, logged = 0.0, self.progress.tokens, self.progress.step, now
            over = self.progress.tokens >= self.recipe.target_tokens or now - started > seconds
            if over or now - saved > SAVE_SECONDS:
                self.log({"held_out_loss": round(self.held_out_loss(), 4)})
                self.save()
                saved = now
            if over:
                break
        bar.close()
