"""Make and measure the datastore of the small GPT: ``python -m training.datastore --data DIR``.

Nothing is trained. The GPT reads verses that it never saw in training; its states there are the keys, the tokens that
followed are the values. Which state is the key, the temperature and the share of the memory are chosen on other verses
(dev), and measured on others again (test), and on held-out sentences of novels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tqdm import tqdm

from models.command import Threads, run
from models.huggingface.model import PretrainedModel
from models.huggingface.observed_pass import final_vectors, observed_pass
from models.loading import load
from models.messages import mark
from models.readers.datastore import (
    BOUNDARY,
    DATASTORE_FILE,
    DATASTORES,
    VERSES,
    Datastore,
    Ids,
    Numbers,
    mixed,
    next_tokens,
    quantised,
    read_datastore,
)
from models.translation.checkpoints import file_hash, write_card
from training.options import Data
from training.readers.recipe import TextFile
from training.readers.texts import read_lines

MODEL = "hf:gpt-en"
PLACES, MEASURED = 20_000, 6_000
NEIGHBOURS = 1024
TEMPERATURES = (10.0, 20.0, 30.0, 40.0, 60.0)
SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
FORMS = {"normed": "input of the last feed-forward layer", "final": "final vector, which the output layer reads"}
"""The states that are tried as keys: of the last layer, by the quantity of its place, and what each is."""

_BIBLE, _NOVELS = "zh-en/bible.train.tsv.xz", "en-fr/novels-longer.train.tsv.xz"
STORED = TextFile(_BIBLE, column=1, begin=8000)
DEV = {"verses": TextFile(_BIBLE, column=1, lines=4000), "novels": TextFile(_NOVELS, lines=1000)}
TEST = {
    "verses": TextFile(_BIBLE, column=1, begin=4000, lines=4000),
    "novels": TextFile(_NOVELS, begin=1000, lines=2000),
}
CREDIT = {
    "name": mark("World English Bible, single verses"),
    "licence": "public domain",
    "credit": "its translators",
}
DEPARTURES = [
    "20,000 places of a text that the model never read, instead of the 103 million of its training text: their "
    "section 4.3, domain adaptation.",
    "All distances are computed: no index (FAISS).",
    "The softmax is of the squared distance over {temperature:g}: with 1 a single neighbour has nearly all weight.",
    "Each coordinate of a key is a whole number of 8 bits times a step of its own.",
    "Each verse is read alone, from its boundary on; its end is predicted, too.",
]


class States(NamedTuple):
    """What a model was at each place of a text."""

    tokens: Ids  # [place]
    following: Ids  # [place]
    keys: dict[str, NDArray[np.float32]]  # by form, [place, d_model]
    own: Numbers  # [place] What the model gives to the token that followed


def states_of(model: PretrainedModel, lines: Iterable[str], count: int) -> States:
    """Return the states of the first `count` places of texts that are read one by one."""
    place = max(model.sites)
    table = model.blocks.parameters_at(None, ("table.weight",))["table.weight"].astype(np.float64)
    parts: list[tuple[Any, ...]] = []
    read = 0
    for line in tqdm(lines, desc="texts", disable=None):
        reading = model.tokenizer.read(model.fit(line)[0])
        ids = np.array([*reading.tokens.ids, BOUNDARY])
        inputs = model.reader.inputs(reading)
        done = observed_pass(model.network, model.watched.layers, inputs, patterns=(f"{place}.normed",), whole=False)
        normed = done.session[place.at("normed")][0, 0].numpy()
        vectors: Any = final_vectors(done.run)
        own = next_tokens(vectors, table)[np.arange(len(ids) - 1), ids[1:]]
        parts.append((ids[:-1], ids[1:], normed, vectors, own))
        read += len(own)
        if read >= count:
            break
    tokens, following, normed, final, own = (np.concatenate(each)[:count] for each in zip(*parts, strict=True))
    return States(tokens, following, {"normed": normed, "final": final}, own)


def retrieved(store: Datastore, states: States, form: str, temperatures: Iterable[float]) -> dict[float, Numbers]:
    """Return what p_kNN gives to the token that followed, [place], by temperature."""
    found: dict[float, list[Numbers]] = {each: [] for each in temperatures}
    for start in range(0, len(states.following), 200):
        rows = slice(start, start + 200)
        near = store.nearest(states.keys[form][rows], NEIGHBOURS)
        right = near.following == states.following[rows, None]
        for temperature, parts in found.items():
            parts.append((near.weights(temperature) * right).sum(axis=1))
    return {temperature: np.concatenate(parts) for temperature, parts in found.items()}


def perplexity(probabilities: Numbers) -> float:
    """Return the perplexity of tokens that were given these probabilities."""
    return math.exp(-float(np.log(probabilities).mean()))


def by_share(own: Numbers, memory: Numbers) -> Iterator[tuple[float, float]]:
    """Give the perplexity of the mixture, and the share of the memory."""
    return ((perplexity(mixed(own, memory, share)), share) for share in SHARES)


def frequencies(store: Datastore, states: States) -> Numbers:
    """Return how often the token that followed follows anywhere in the datastore, [place]: a memory without keys."""
    counts = np.bincount(store.following, minlength=int(states.following.max()) + 1)
    found: Numbers = counts[states.following] / len(store.following)
    return found


def choose(stores: dict[str, Datastore], dev: States) -> tuple[dict[str, Any], dict[str, float]]:
    """Return the form, temperature and share with the least perplexity, and the least of each form."""
    tried = []
    for form, store in stores.items():
        for temperature, memory in retrieved(store, dev, form, TEMPERATURES).items():
            tried += [(value, form, temperature, share) for value, share in by_share(dev.own, memory)]
    value, form, temperature, share = min(tried)
    best = {each: round(min(other[0] for other in tried if other[1] == each), 2) for each in FORMS}
    return {"form": form, "temperature": temperature, "share": share, "perplexity": round(value, 2)}, best


def measured(store: Datastore, dev: States, test: States, chosen: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of one source: its own share, and that of the frequencies, are chosen on its dev."""
    form, temperature = chosen["form"], chosen["temperature"]
    on_dev, on_test = (retrieved(store, each, form, [temperature])[temperature] for each in (dev, test))
    _, own_share = min(by_share(dev.own, on_dev))
    _, counted_share = min(by_share(dev.own, frequencies(store, dev)))
    return {
        "tokens": len(test.own),
        "without": round(perplexity(test.own), 2),
        "with": round(perplexity(mixed(test.own, on_test, chosen["share"])), 2),
        "own_share": own_share,
        "with_own_share": round(perplexity(mixed(test.own, on_test, own_share)), 2),
        "frequencies": round(perplexity(mixed(test.own, frequencies(store, test), counted_share)), 2),
        "frequencies_share": counted_share,
        "by_share": {f"{share:g}": round(value, 2) for value, share in by_share(test.own, on_test)},
    }


def stored(states: States, form: str, path: Path) -> Datastore:
    """Write a datastore, and return it as it is read again."""
    keys, scale = quantised(states.keys[form])
    ids = {name: getattr(states, name).astype(np.int16) for name in ("tokens", "following")}
    save_file({"keys": keys, "scale": scale, **ids}, path)
    path.chmod(0o644)
    return read_datastore(path)


def main(
    *,
    data: Data,
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = DATASTORES / VERSES,
    threads: Threads = 1,
) -> None:
    """Make the datastore, choose on dev, measure on test, and write the card."""
    import torch

    torch.set_num_threads(threads)
    model: Any = load(MODEL)
    out.mkdir(parents=True, exist_ok=True)
    path = out / DATASTORE_FILE
    states = states_of(model, read_lines(STORED, data), PLACES)
    dev, test = (
        {name: states_of(model, read_lines(file, data), MEASURED) for name, file in each.items()}
        for each in (DEV, TEST)
    )
    chosen, forms = choose({form: stored(states, form, path) for form in FORMS}, dev["verses"])
    store = stored(states, chosen["form"], path)
    card = {
        "key": VERSES,
        "title": "Datastore of the small GPT: 20,000 places of the World English Bible",
        "paper": "Khandelwal, Levy, Jurafsky, Zettlemoyer and Lewis 2020, Generalization through Memorization: Nearest "
        "Neighbor Language Models, ICLR, arXiv:1911.00172",
        "equation": "p(y|x) = λ p_kNN(y|x) + (1 - λ) p_LM(y|x), p_kNN(y|x) ∝ Σ 1[y = v] exp(-d(k, f(x)))",
        "year": 2020,
        "departures": [each.format(**chosen) for each in DEPARTURES],
        "licence": "public domain",
        "data": [CREDIT],
        "model": MODEL,
        "model_sha256": model.sha256,
        "key_site": str(max(model.sites).at(chosen["form"])),
        "key_is": FORMS[chosen["form"]],
        "places": len(store.following),
        "neighbours": NEIGHBOURS,
        "temperature": chosen["temperature"],
        "share": chosen["share"],
        "dev_by_key": {FORMS[form]: value for form, value in forms.items()},
        "test": {name: measured(store, dev[name], test[name], chosen) for name in TEST},
        "sha256": {DATASTORE_FILE: file_hash(path)},
    }
    write_card(out, card)


if __name__ == "__main__":
    run(main)
