"""A recipe of a reader: everything that its training depends on, in one TOML file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from training.recipes import OPTIMIZERS, RecipeError, read_values

KINDS = ("gpt", "bert", "hops", "memory")
MEMORIES = ("attention", "key-value", "key-value-predict", "n-gram", "lstmn")


@dataclass(frozen=True, slots=True)
class TextFile:
    """One file of text: a column of a file of parallel text."""

    path: str  # below the data folder
    column: int = 0  # where the English stands: 0 or 1
    repeat: float = 1.0  # how often an epoch shows each line; a half shows each in every second epoch
    # share of its lines that the tokenizer is learned from: its pieces follow what people type
    tokenizer_share: float = 1.0
    # only so many of its distinct lines, from this one on; all that follow if `lines` is 0. The files are shuffled.
    begin: int = 0
    # only so many of its distinct lines, from this one on; all that follow if `lines` is 0. The files are shuffled.
    lines: int = 0
    label: str = ""  # of which kind its sentences are, for a classifier to tell
    pairs: bool = False  # only its lines of two sentences or more, none of which is held out or tested on


@dataclass(frozen=True, slots=True)
class ReaderRecipe:
    """What to train, on what, and how."""

    key: str  # name of the model, of its folder and of its run
    kind: str
    # to train on; to measure the run by; to measure the model by. No line of the last two is trained on.
    files: tuple[TextFile, ...]
    # to train on; to measure the run by; to measure the model by. No line of the last two is trained on.
    held_out: tuple[TextFile, ...]
    # to train on; to measure the run by; to measure the model by. No line of the last two is trained on.
    test: tuple[TextFile, ...]
    vocabulary: int = 6000  # pieces of the tokenizer, which is learned from `files`
    # sizes of the network; the feed-forward part is four times as wide. `context` is its longest text, in pieces.
    layers: int = 4
    # sizes of the network; the feed-forward part is four times as wide. `context` is its longest text, in pieces.
    width: int = 256
    # sizes of the network; the feed-forward part is four times as wide. `context` is its longest text, in pieces.
    heads: int = 8
    # sizes of the network; the feed-forward part is four times as wide. `context` is its longest text, in pieces.
    context: int = 128
    target_tokens: int = 7_000_000  # when to stop: tokens seen
    # of a GPT: share of the lines that are read one after another, up to the context, so that every position learns
    packed_share: float = 0.3
    pair_share: float = 0.8  # of a BERT: share of the lines of two sentences or more that are read as a pair
    wrong_from: str = "file"  # of a BERT: where the sentence that does not follow comes from, the same file or any
    start: str = ""  # the shipped reader that the first weights and the tokenizer are taken from
    low_precision: bool = False  # bfloat16 where torch's autocast has it
    # of a self-attentive reader, whose `width` is that of its embedding and of both directions together: its hops, and
    # the sizes of their hidden layer and of the classifier's. `layers` and `heads` are not its own.
    hops: int = 8
    # of a self-attentive reader, whose `width` is that of its embedding and of both directions together: its hops, and
    # the sizes of their hidden layer and of the classifier's. `layers` and `heads` are not its own.
    d_attention: int = 64
    # of a self-attentive reader, whose `width` is that of its embedding and of both directions together: its hops, and
    # the sizes of their hidden layer and of the classifier's. `layers` and `heads` are not its own.
    d_hidden: int = 64
    labels: tuple[str, ...] = ()  # what a classifier tells apart
    penalty: float = 0.0  # what ||A A' - I||_F^2 counts beside the classifier's loss
    dropout: float = 0.0  # of a self-attentive reader
    memory: str = ""  # of a language model with a memory, whose `width` is that of its embedding: what it remembers by
    hidden: int = 0  # its recurrent state, all parts together; how many tokens back it attends; N of an N-gram RNN
    window: int = 15  # its recurrent state, all parts together; how many tokens back it attends; N of an N-gram RNN
    order: int = 4  # its recurrent state, all parts together; how many tokens back it attends; N of an N-gram RNN
    optimizer: str = "muon"
    tokens_per_batch: int = 2048  # as in `training.recipes`
    learning_rate: float = 3e-3  # as in `training.recipes`
    warmup_steps: int = 100  # as in `training.recipes`
    decay_share: float = 0.4  # as in `training.recipes`
    clip_norm: float = 1.0  # as in `training.recipes`
    weight_decay: float = 0.0  # as in `training.recipes`
    seed: int = 1  # as in `training.recipes`


def read_reader_recipe(path: Path) -> ReaderRecipe:
    """Read a TOML recipe; RecipeError names what is wrong in it."""
    texts = ("files", "held_out", "test")
    values = read_values(
        path,
        ReaderRecipe,
        ("key", "kind", *texts),
        {"kind": KINDS, "optimizer": OPTIMIZERS, "memory": MEMORIES, "wrong_from": ("file", "corpus")},
    )
    try:
        for name in texts:
            values[name] = tuple(TextFile(**each) for each in values[name])
        return ReaderRecipe(**values | {"labels": tuple(values.get("labels", ()))})
    except TypeError as error:
        message = f"{path.name}: {error}"
        raise RecipeError(message) from error
