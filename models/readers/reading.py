"""What the readers on networks of our own do alike: texts are checked, cut into pieces, recorded; files are opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import PreTrainedTokenizerFast

from models.cards import read_fields
from models.edits import Edit
from models.errors import EMPTY, InputError
from models.hooks import Session
from models.huggingface.embedded import Local, tokenizer_of
from models.huggingface.files import WEIGHTS_FILE
from models.huggingface.loading import check_others, check_weights
from models.huggingface.reader import too_long
from models.huggingface.tokens import TextTokenizer, TokenizedText, clean
from models.messages import Message
from models.model import stacks_of
from models.recording import Recorder, versions
from models.sites import Site
from models.trace import AttentionTrace, Provenance, TokenSequence
from models.trace.tokens import RecordedTexts
from models.translation.words import check_characters


class Described(NamedTuple):
    """How a reader is recorded."""

    mechanism: str  # what records call it, and where its paper has it
    equation: str  # what records call it, and where its paper has it
    causal: bool = False  # whether its maps read what stands before alone
    alternatives: int = 0  # how many likeliest pieces are kept of a prediction; 0 if it predicts none


def read_within(tokenizer: TextTokenizer, source: str, longest: int) -> TokenizedText:
    """Return the pieces of a text; InputError if it is empty, or none of it is left, or it is too long."""
    if not clean(source):
        raise InputError(EMPTY["text"])
    check_characters(source)
    reading = tokenizer.read(source)
    if len(reading.tokens) == len(reading.tokens.specials):
        message = Message(
            "The tokenizer of this model leaves out the whole text ({characters}).", characters=reading.left_out or ""
        )
        raise InputError(message)
    if len(reading.tokens) > longest:
        raise InputError(too_long("text", len(reading.tokens), longest))
    return reading


class TextReader:
    """What reads one text and writes none; see `models.model.Model`. Safe to share between threads."""

    pair: str | None = None
    is_translation = False
    mask_token: str | None = None
    takes_pair = False
    has_chat = False

    def __init__(
        self,
        network: nn.Module,
        tokenizer: TextTokenizer,
        local: Local,
        card: Mapping[str, Any],
        heads: Mapping[Site, int],
        described: Described,
    ) -> None:
        self.key, self.title, self.sha256 = local.key, local.title, local.sha256
        network.eval().requires_grad_(False)
        self.tokenizer, self.card = tokenizer, card
        self.longest = int(card["recipe"]["context"])
        self.heads = heads
        self.stacks = stacks_of(heads)
        self.editable = bool(heads)
        about = Provenance(
            mechanism=described.mechanism,
            title=local.title,
            year=local.year,
            paper=local.paper,
            equation=described.equation,
            checkpoint=local.key,
            sha256=local.sha256,
            versions=versions("torch", "numpy", "tokenizers"),
            decoding="none",
        )
        causal = frozenset(heads) if described.causal else frozenset()
        self._recorder = Recorder(
            about,
            tuple(heads),
            causal,
            rows_sum_to_one=True,
            piece=tokenizer.piece if described.alternatives else str,
            alternatives=described.alternatives,
        )

    def read(self, source: str, target: str | None, pair: str | None) -> TokenizedText:
        """Return the pieces of a text; InputError if another text is given with it, or `read_within` refuses it."""
        if pair is not None or target is not None:
            raise InputError(Message("{title} takes one text and generates none.", title=self.title))
        return read_within(self.tokenizer, source, self.longest)

    def record(
        self,
        source: str,
        reading: TokenizedText,
        session: Session,
        edits: tuple[Edit, ...],
        notes: tuple[str, ...] = (),
        **told: Any,
    ) -> AttentionTrace:
        """Return the record of a run."""
        tokens, nothing = reading.tokens, TokenSequence((), (), (), ())
        return AttentionTrace(
            source=tokens,
            target=nothing,
            target_input=nothing,
            maps=self._recorder.maps(session, RecordedTexts(tokens, tokens, nothing), edits),
            steps=(),
            source_text=clean(source),
            output_text="",
            provenance=self._recorder.provenance(session, edits, "none", notes=(*notes, *reading.notes)),
            **told,
        )

    def fit(self, text: str, *, pair: str | None = None) -> tuple[str, int]:
        """Cut `text` after the last word that the model takes; see `models.model.Model.fit`."""
        return self.tokenizer.fit(text, self.longest)


def card_of(local: Local) -> dict[str, Any]:
    """Return the card in the folder of a reader, after its files are held against it."""
    check_weights(local.folder, local)
    check_others(local, local.folder)
    return read_fields(local.folder, {"network": dict, "recipe": {"context": int}})


@contextmanager
def opening(local: Local) -> Iterator[None]:
    """Turn whatever does not fit in the files of a reader into an InputError that names it."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        message = Message("{title} cannot be opened: {reason}", title=local.title, reason=str(error)[:400])
        raise InputError(message) from error


def weights_of(local: Local) -> dict[str, Tensor]:
    """Return the weights of a reader by their names, in float32."""
    return {name: values.float() for name, values in load_file(local.folder / WEIGHTS_FILE).items()}


def open_tokenizer(local: Local, card: Mapping[str, Any], **specials: str) -> TextTokenizer:
    """Return the tokenizer of a reader."""
    fast: Any = PreTrainedTokenizerFast
    file = str(tokenizer_of(local.folder, card))
    return TextTokenizer(fast(tokenizer_file=file, model_input_names=["input_ids"], **specials))
