"""A recipe of a reader: everything that its training depends on, in one TOML file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from models.training.recipes import OPTIMIZERS, RecipeError, read_values

KINDS = ("gpt", "bert", "hops", "memory")
MEMORIES = ("attention", "key-value", "key-value-predict", "n-gram", "lstmn")


@dataclass(frozen=True, slots=True)
class TextFile:
    """One file of text: a column of a file of parallel text.

    Parameters
    ----------
    path : str
        Below the data folder.
    column : int
        Where the English stands: 0 or 1.
    repeat : float
        How often an epoch shows each line; a half shows each in every second epoch.
    tokenizer_share : float
        Share of its lines that the tokenizer is learned from: its pieces follow what people type.
    begin, lines : int
        Only so many of its distinct lines, from this one on; all that follow if `lines` is 0. The files are shuffled.
    label : str
        Of which kind its sentences are, for a classifier to tell.
    """

    path: str
    column: int = 0
    repeat: float = 1.0
    tokenizer_share: float = 1.0
    begin: int = 0
    lines: int = 0
    label: str = ""


@dataclass(frozen=True, slots=True)
class ReaderRecipe:
    """What to train, on what, and how.

    Parameters
    ----------
    key : str
        Name of the model, of its folder and of its run.
    kind : {"gpt", "bert", "hops", "memory"}
    files, held_out, test : tuple of TextFile
        To train on; to measure the run by; to measure the model by. No line of the last two is trained on.
    vocabulary : int
        Pieces of the tokenizer, which is learned from `files`.
    layers, width, heads, context : int
        Sizes of the network; the feed-forward part is four times as wide. `context` is its longest text, in pieces.
    target_tokens : int
        When to stop: tokens seen.
    packed_share : float
        Of a GPT: share of the lines that are read one after another, up to the context, so that every position learns.
    pair_share : float
        Of a BERT: share of the lines of two sentences or more that are read as a pair.
    hops, d_attention, d_hidden : int
        Of a self-attentive reader, whose `width` is that of its embedding and of both directions together: its hops,
        and the sizes of their hidden layer and of the classifier's. `layers` and `heads` are not its own.
    labels : tuple of str
        What a classifier tells apart.
    penalty : float
        What ||A A' - I||_F^2 counts beside the classifier's loss.
    dropout : float
        Of a self-attentive reader.
    memory : {"attention", "key-value", "key-value-predict", "n-gram", "lstmn"}
        Of a language model with a memory, whose `width` is that of its embedding: what it remembers by.
    hidden, window, order : int
        Its recurrent state, all parts together; how many tokens back it attends; N of an N-gram RNN.
    optimizer : {"adam", "muon"}
    tokens_per_batch, learning_rate, warmup_steps, decay_share, clip_norm, weight_decay, seed
        As in `models.training.recipes`.
    """

    key: str
    kind: str
    files: tuple[TextFile, ...]
    held_out: tuple[TextFile, ...]
    test: tuple[TextFile, ...]
    vocabulary: int = 6000
    layers: int = 4
    width: int = 256
    heads: int = 8
    context: int = 128
    target_tokens: int = 7_000_000
    packed_share: float = 0.3
    pair_share: float = 0.8
    hops: int = 8
    d_attention: int = 64
    d_hidden: int = 64
    labels: tuple[str, ...] = ()
    penalty: float = 0.0
    dropout: float = 0.0
    memory: str = ""
    hidden: int = 0
    window: int = 15
    order: int = 4
    optimizer: str = "muon"
    tokens_per_batch: int = 2048
    learning_rate: float = 3e-3
    warmup_steps: int = 100
    decay_share: float = 0.4
    clip_norm: float = 1.0
    weight_decay: float = 0.0
    seed: int = 1


def read_reader_recipe(path: Path) -> ReaderRecipe:
    """Read a TOML recipe; RecipeError names what is wrong in it.

    Parameters
    ----------
    path : Path
        A TOML file.
    """
    texts = ("files", "held_out", "test")
    values = read_values(
        path, ReaderRecipe, ("key", "kind", *texts), {"kind": KINDS, "optimizer": OPTIMIZERS, "memory": MEMORIES}
    )
    try:
        for name in texts:
            values[name] = tuple(TextFile(**each) for each in values[name])
        return ReaderRecipe(**values | {"labels": tuple(values.get("labels", ()))})
    except TypeError as error:
        message = f"{path.name}: {error}"
        raise RecipeError(message) from error
