"""What the readers on networks of our own do alike: a text is checked and cut into pieces, files are opened."""

from __future__ import annotations

import json
from typing import Any

from safetensors.torch import load_file
from torch import Tensor
from transformers import PreTrainedTokenizerFast

from models.errors import EMPTY, InputError
from models.huggingface.embedded import Local
from models.huggingface.files import WEIGHTS_FILE
from models.huggingface.loading import check_others, check_weights
from models.huggingface.reader import too_long
from models.huggingface.tokens import Reading, TextTokenizer, clean
from models.messages import Message
from models.translation.checkpoints import CARD_FILE
from models.translation.words import check_characters


def read_within(tokenizer: TextTokenizer, source: str, longest: int) -> Reading:
    """Return the pieces of a text; InputError if it is empty, or none of it is left, or it is too long.

    Parameters
    ----------
    tokenizer : TextTokenizer
    source : str
    longest : int
        In pieces, special ones included.
    """
    if not clean(source):
        raise InputError(EMPTY["text"])
    check_characters(source)
    reading = tokenizer.read(source)
    if len(reading.tokens) == len(reading.tokens.specials):
        characters = reading.notes[0].values["characters"] if reading.notes else ""
        message = Message(
            "The tokenizer of this model leaves out all of the text ({characters}).", characters=characters
        )
        raise InputError(message)
    if len(reading.tokens) > longest:
        raise InputError(too_long("text", len(reading.tokens), longest))
    return reading


def card_of(local: Local) -> dict[str, Any]:
    """Return the card in the folder of a reader, after its files are held against it.

    Parameters
    ----------
    local : Local

    Raises
    ------
    InputError
        If they are not those that the card names.
    """
    check_weights(local.folder, local)
    check_others(local, local.folder)
    found: dict[str, Any] = json.loads((local.folder / CARD_FILE).read_text(encoding="utf8"))
    return found


def weights_of(local: Local) -> dict[str, Tensor]:
    """Return the weights of a reader by their names, in float32.

    Parameters
    ----------
    local : Local
    """
    return {name: values.float() for name, values in load_file(local.folder / WEIGHTS_FILE).items()}


def open_tokenizer(local: Local, **specials: str) -> TextTokenizer:
    """Return the tokenizer of a reader.

    Parameters
    ----------
    local : Local
    **specials : str
        Its special tokens, by the names that transformers has for them.
    """
    fast: Any = PreTrainedTokenizerFast
    file = str(local.folder / "tokenizer.json")
    return TextTokenizer(fast(tokenizer_file=file, model_input_names=["input_ids"], **specials))
