"""Turn a run of a reader into a shipped model: ``python -m training.readers.publish RECIPE --out DIR``.

Writes ``models/weights/readers/<key>/`` (weights as float16, in the form of transformers where that has the network),
the card, and ``log.jsonl``, the held-out loss as the run went on. Figures come from `training.readers.evaluate`,
which writes them into the card.
"""

from __future__ import annotations

import logging
from dataclasses import asdict
from pathlib import Path
from shutil import copyfile
from typing import Any

import torch
from safetensors.torch import load_file, save
from transformers import PreTrainedTokenizerFast

from models.command import run
from models.huggingface.embedded import READERS
from models.huggingface.files import TOKENIZER_FILE, WEIGHTS_FILE
from models.translation.checkpoints import CARD_FILE, file_hash, write_card
from training.options import Out, RecipeFile, Weights
from training.progress import Progress, curve_of, read_progress
from training.publish import CREDITS
from training.readers.language import card_of_language
from training.readers.networks import build
from training.readers.recipe import ReaderRecipe, read_reader_recipe
from training.readers.sentences import sizes_of
from training.readers.texts import BOUNDARY
from training.trainer import LOG_FILE

ABOUT: dict[str, dict[str, Any]] = {
    "gpt": {
        "title": "Small GPT (trained here)",
        "paper": "Radford et al. 2019, Language Models are Unsupervised Multitask Learners (GPT-2)",
        "year": 2019,
        "departures": [
            "4 layers of 256 instead of 12 of 768, a context of 128, a vocabulary of 6,000 pieces of bytes.",
            "A text begins with <|endoftext|>, and a space is put before its first word, so that a word has one form.",
            "Most lines are read alone; three in ten after one another, up to the context.",
            "No dropout; Muon for the matrices inside the network, Adam for all else.",
        ],
    },
    "bert": {
        "title": "Small BERT (trained here)",
        "paper": "Devlin et al. 2019, BERT: Pre-training of Deep Bidirectional Transformers",
        "year": 2019,
        "departures": [
            "4 layers of 256 instead of 12 of 768, a context of 128, a vocabulary of 6,000 pieces of words, with "
            "capitals.",
            "Masked words alone are shown. Next sentence was in the training loss, with the parts of lines, but it was "
            "not learnt (docs/training.md).",
            "No dropout; Muon for the matrices inside the network, Adam for all else.",
        ],
    },
    "hops": {
        "paper": "Lin, Feng, dos Santos, Yu, Xiang, Zhou and Bengio 2017, A Structured Self-Attentive Sentence "
        "Embedding, ICLR, arXiv:1703.03130",
        "year": 2017,
        "departures": [
            "The task is ours: of which of six kinds of text an English sentence is. Each sentence is read by itself; "
            "those of 4 to 62 pieces were trained on.",
            "8 hops instead of 30; a BiLSTM of 64 in each direction instead of 300, d_a 64 instead of 350, a hidden "
            "layer of 64 in the classifier; 6,000 pieces of words, with capitals, embedded from random numbers.",
            "Adam with dropout and clipped gradients; no other weight decay.",
        ],
    },
}
TITLES = {True: "Self-attentive, penalty", False: "Self-attentive, no penalty"}
"""What a self-attentive reader is called: whether its hops were made to spread."""

SPECIALS: dict[str, dict[str, str]] = {
    "gpt": {"bos_token": BOUNDARY, "eos_token": BOUNDARY},
    "bert": {
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "mask_token": "[MASK]",
    },
}
INPUTS = {
    "gpt": ["input_ids", "attention_mask"],
    "bert": ["input_ids", "token_type_ids", "attention_mask"],
}


def credits_of(recipe: ReaderRecipe) -> list[dict[str, str]]:
    """Return name, licence and credit of the data of a recipe."""
    names = [file.path.rpartition("/")[2] for file in recipe.files]
    return [credit for start, credit in sorted(CREDITS.items()) if any(name.startswith(start) for name in names)]


def make_card(recipe: ReaderRecipe, progress: Progress, parameters: int) -> dict[str, Any]:
    """Return the card of a run, its figures and hashes not yet in it."""
    return {
        "key": recipe.key,
        **({"title": TITLES[recipe.penalty > 0], "network": sizes_of(recipe)} if recipe.kind == "hops" else {}),
        **(card_of_language(recipe) if recipe.kind == "memory" else ABOUT[recipe.kind]),
        "licence": "Apache-2.0",
        "parameters": parameters,
        "data": credits_of(recipe),
        "recipe": asdict(recipe),
        "tokens_seen": progress.tokens,
        "updates": progress.step,
        "training_seconds": round(progress.seconds),
        "weights": "those at the end of the run, stored as float16",
    }


def publish(recipe: ReaderRecipe, out: Path, weights: Path = READERS) -> dict[str, Any]:
    """Write the model of the run of `recipe` in `out` to `weights`; return its card."""
    run, folder = out / recipe.key, weights / recipe.key
    state = load_file(run / "state.safetensors")
    network = build(recipe)
    network.load_state_dict({k.removeprefix("model."): v for k, v in state.items() if k.startswith("model.")})
    parameters = sum(each.numel() for each in network.parameters())
    if recipe.kind in ("hops", "memory"):
        folder.mkdir(parents=True, exist_ok=True)
        halves = {name: values.half() for name, values in network.state_dict().items()}
        (folder / WEIGHTS_FILE).write_bytes(save(halves))
        copyfile(run / TOKENIZER_FILE, folder / TOKENIZER_FILE)
    else:
        _save_as_transformers(network, recipe, run, folder)
    card = make_card(recipe, read_progress(run / "state.safetensors"), parameters)
    names = sorted(each.name for each in folder.iterdir() if each.name not in (CARD_FILE, LOG_FILE))
    hashes = {name: file_hash(folder / name) for name in names}
    if recipe.kind in ("hops", "memory") and (owner := _owner_of_equal(folder)):
        card["tokenizer"] = owner
        (folder / TOKENIZER_FILE).unlink()
    card["sha256"] = hashes
    write_card(folder, card)
    (folder / LOG_FILE).write_text(curve_of(run / LOG_FILE), encoding="utf8")
    return card


def _owner_of_equal(folder: Path) -> str:
    """Return the folder of another reader whose tokenizer is the same, byte for byte; empty if there is none."""
    own = file_hash(folder / TOKENIZER_FILE)
    others = (path for path in sorted(folder.parent.glob(f"*/{TOKENIZER_FILE}")) if path.parent != folder)
    return next((path.parent.name for path in others if file_hash(path) == own), "")


def _save_as_transformers(network: Any, recipe: ReaderRecipe, run: Path, folder: Path) -> None:
    """Write the network, as float16, and its tokenizer as transformers reads them."""
    network.to(torch.float16).save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    fast: Any = PreTrainedTokenizerFast
    fast(
        tokenizer_file=str(run / TOKENIZER_FILE),
        model_max_length=recipe.context,
        model_input_names=INPUTS[recipe.kind],
        clean_up_tokenization_spaces=False,
        **SPECIALS[recipe.kind],
    ).save_pretrained(folder)


def main(recipe: RecipeFile, *, out: Out, weights: Weights = READERS) -> None:
    """Write the model of a run."""
    logging.getLogger("transformers").setLevel(logging.ERROR)
    publish(read_reader_recipe(recipe), out, weights)


if __name__ == "__main__":
    run(main)
