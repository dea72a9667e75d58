"""Turn a run into a shipped checkpoint: ``python -m training.publish RECIPE --out DIR``.

Writes ``models/weights/<key>/``: the averaged weights as float16, the card, and ``log.jsonl``, the held-out loss as the
run went on (nats per target token, label smoothing as in training, averaged weights). Figures come from
`training.evaluate`, which writes them into the card afterwards.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from safetensors.torch import load_file

from models.command import run
from models.mechanisms import mechanisms
from models.messages import mark
from models.translation.checkpoints import CARD_FILE, WEIGHTS, file_hash, read_card, write_checkpoint
from training import trainer
from training.options import Out, RecipeFile, Weights
from training.progress import Progress, ProgressStart, curve_of, read_progress, read_start
from training.recipes import Recipe, read_recipe

CREDITS = {
    "tatoeba": {
        "name": mark("Tatoeba sentence pairs, selected by Anki"),
        "licence": "CC BY 2.0 FR",
        "credit": "tatoeba.org and manythings.org/anki",
    },
    "europarl": {
        "name": "Europarl v7",
        "licence": mark("no known restriction"),
        "credit": "Koehn 2005, Europarl: A Parallel Corpus for Statistical Machine Translation; Laali and Kosseim 2017",
    },
    "3am": {"name": mark("3AM image captions"), "licence": mark("MIT as published"), "credit": "Ma et al. 2024"},
    "novels": {
        "name": mark("Novels and their translations, aligned by sentence"),
        "licence": mark("public domain"),
        "credit": mark("Project Gutenberg editions"),
    },
    "stories": {
        "name": mark(
            "African Storybook tales, older translations of Andersen and Wilde, sentences of novels (TransRead)"
        ),
        "licence": mark("CC BY; public domain; CC BY-SA 4.0"),
        "credit": "African Storybook and its authors; Xu, Max and Yvon 2015",
    },
    "word-problems": {
        "name": mark("Word problems of GSM8K, translated by machine in MathOctopus"),
        "licence": "MIT",
        "credit": "Cobbe et al. 2021; Chen et al. 2023",
    },
    "dialogues": {
        "name": mark("Service dialogues of MultiWOZ and CrossWOZ, in ConvLab-2's form"),
        "licence": "Apache-2.0",
        "credit": "Budzianowski et al. 2018; Zhu et al. 2020",
    },
    "bible": {
        "name": mark("World English Bible and Union Version, by verse"),
        "licence": mark("public domain"),
        "credit": mark("their translators"),
    },
    "phrases": {
        "name": mark("Everyday phrases and words"),
        "licence": mark("that of this project"),
        "credit": mark("this project"),
    },
    "cedict": {
        "name": mark("Words of CC-CEDICT"),
        "licence": "CC BY-SA 4.0",
        "credit": mark("mdbg.net and its contributors"),
    },
    "hsk": {
        "name": mark("Everyday sentences by HSK level"),
        "licence": "CC BY-SA 4.0",
        "credit": mark("hsk-sentences-audio contributors"),
    },
    "x-risawoz": {
        "name": mark("Service dialogues of X-RiSAWOZ"),
        "licence": "BSD-3-Clause; CC BY 4.0",
        "credit": "Quan et al. 2020; Moradshahi et al. 2023",
    },
    "xpersona": {
        "name": mark("Chat between strangers of XPersona"),
        "licence": "MIT",
        "credit": "Zhang et al. 2018; Lin et al. 2021",
    },
    "renpy": {"name": mark("Texts of Ren'Py"), "licence": "MIT", "credit": mark("Ren'Py's translators")},
    "adarkroom": {"name": mark("Texts of A Dark Room"), "licence": "MPL-2.0", "credit": "doublespeak games"},
    "mlqe": {
        "name": mark("MLQE post-edited encyclopedia sentences"),
        "licence": "CC0",
        "credit": "Fomicheva et al. 2022",
    },
}


def make_card(
    recipe: Recipe, progress: Progress, parameters: int, start: ProgressStart | None = None
) -> dict[str, Any]:
    """Return the card of a run, its figures not yet in it.

    ``target_tokens_seen`` counts those of the checkpoint that the run started from, if it did; ``start`` names it.
    """
    mechanism = mechanisms()[recipe.mechanism]
    names = [file.path.rpartition("/")[2] for file in recipe.files]
    return {
        "key": recipe.key,
        "mechanism": recipe.mechanism,
        "pair": recipe.pair,
        "paper": mechanism.paper,
        "equation": mechanism.equation,
        "departures": list(mechanism.departures),
        "network": mechanism.sizes(vocabulary=recipe.vocabulary, **recipe.network),
        "parameters": parameters,
        "data": [credit for start, credit in sorted(CREDITS.items()) if any(name.startswith(start) for name in names)],
        "recipe": {key: value for key, value in asdict(recipe).items() if key not in ("mechanism", "pair", "network")},
        "target_tokens_seen": progress.tokens,
        **({"start": asdict(start)} if start else {}),
        "updates": progress.step,
        "training_seconds": round(progress.seconds),
        "seed": recipe.seed,
        "weights": f"exponential average of the training weights ({recipe.average_decay}), stored as float16",
    }


def publish(recipe: Recipe, out: Path, weights: Path = WEIGHTS) -> dict[str, Any]:
    """Write the checkpoint of the run of `recipe` in `out` to `weights`; give its card."""
    folder = out / recipe.key
    averaged = load_file(folder / "average.safetensors")
    path = folder / "average.safetensors"
    parameters = sum(values.numel() for values in averaged.values())
    tokenizer = trainer.TOKENIZERS / recipe.pair / f"{recipe.tokenizer}.json"
    card = make_card(recipe, read_progress(path), parameters, _first_start(recipe.key, read_start(path)))
    card |= {"tokenizer": tokenizer.name, "tokenizer_sha256": file_hash(tokenizer)}
    card = write_checkpoint(weights / recipe.key, averaged, card)
    curve = curve_of(folder / trainer.LOG_FILE)
    (weights / recipe.key / trainer.LOG_FILE).write_text(curve, encoding="utf8")
    return card


def _first_start(key: str, start: ProgressStart | None) -> ProgressStart | None:
    """Return where a model began: a run that went on from its own shipped weights began where those did."""
    if start is None or start.key != key or not (WEIGHTS / key / CARD_FILE).is_file():
        return start
    earlier = read_card(WEIGHTS / key).get("start", asdict(start))
    return start if earlier["key"] == key else ProgressStart(**earlier)


def main(recipe: RecipeFile, *, out: Out, weights: Weights = WEIGHTS) -> None:
    """Write the checkpoint of a run."""
    publish(read_recipe(recipe), out, weights)


if __name__ == "__main__":
    run(main)
