"""How far one wrong word runs, over a corpus: ``python -m training.wrong_words KEYS --data DIR``.

In each translation a word of the first half, drawn by a seed, gives its place to a word of another translation.
Decoding is forced up to there. It is free from there on (the model reads its own words), or forced on the translation
as it was (teacher forcing: it reads the right ones). Writes ``models/weights/en-fr/wrong-words.json``.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

import torch
from tqdm import tqdm

from models.command import Threads, run
from models.measures.wrong_word import with_word, words_until_same
from models.trace import AttentionTrace
from models.translation.checkpoints import WEIGHTS
from models.translation.translator import Translator
from models.translation.wrong_word_table import MOST_WORDS, WRONG_WORDS_FILE
from models.writing import Writing
from training.forced import Lines, held_out
from training.options import Data, Keys, translator


def figures(model: Translator, sources: Sequence[str], seed: int = 1) -> dict[str, Any]:
    """Return the share of translations that still differ, and what right words lose, by words after the wrong one."""
    draw = random.Random(seed)
    traces = [model.attend(source, sites=()) for source in sources]
    wrong = [text for trace in traces for text in trace.target.word_texts if text.isalpha()]
    runs: list[int] = []
    lost: list[list[float]] = [[] for _ in range(MOST_WORDS)]
    for trace in tqdm(traces, disable=None):
        places = [
            at for at, text in enumerate(trace.target.word_texts[: len(trace.target.word_texts) // 2]) if text.isalpha()
        ]
        if not places:
            continue
        word = draw.choice(places)
        other = draw.choice([text for text in wrong if text != trace.target.word_texts[word]])
        given = model.attend(trace.source_text, with_word(trace, word, other), sites=()).target
        free = model.attend(trace.source_text, sites=(), write=Writing(0, begin=given.ids[:-1]))
        known = len(given.word_texts) - 1
        until = words_until_same(trace, free, word, known)
        runs.append(MOST_WORDS if until is None else until)
        for after, nats in enumerate(_lost(model, trace, given.ids[:-1], word)[:MOST_WORDS]):
            lost[after].append(nats)
    return {
        "sentences": len(runs),
        "differ": [round(sum(run > after for run in runs) / len(runs), 3) for after in range(MOST_WORDS)],
        "lost": [round(sum(each) / len(each), 3) if each else 0.0 for each in lost],
    }


@torch.inference_mode()
def _lost(model: Translator, trace: AttentionTrace, begin: Sequence[int], word: int) -> list[float]:
    """Return what each right word after the wrong one loses of its log-probability, forced, in nats."""
    target = trace.target
    first = next((at for at, own in enumerate(target.words) if own > word), len(target))
    rest = list(target.ids[first:])
    ids = [*begin, *rest]
    now = model.network.decode(model.network.encode(torch.tensor([trace.source.ids])), torch.tensor([[1, *ids[:-1]]]))[
        0
    ]
    scores = now.log_softmax(-1)[range(len(begin), len(ids)), rest].tolist()
    words: dict[int, float] = {}
    for at, score in enumerate(scores):
        own = target.words[first + at]
        words[own] = words.get(own, 0.0) + trace.steps[first + at].log_probability - score
    return [words[own] for own in sorted(words)]


def main(keys: Keys, *, data: Data, lines: Lines = 100, threads: Threads = 1) -> None:
    """Measure models, and write the table; rows of others stay."""
    torch.set_num_threads(threads)
    path = WEIGHTS / "en-fr" / WRONG_WORDS_FILE
    table = json.loads(path.read_text(encoding="utf8")) if path.is_file() else {}
    sources = [source for source, _target in held_out(data / "en-fr" / "tatoeba.test.tsv.xz", lines, least=8)]
    for key in keys:
        table[key] = figures(translator(key), sources)
        path.write_text(json.dumps(table, indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    run(main)
