"""What every loaded model offers, ours or pretrained: all that a page may ask of it. Importing it imports no torch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from models.edits import Edit
    from models.sites import Site
    from models.trace import AttentionTrace
    from models.translation.replaying import Replay
    from models.writing import Writing

Kind = Literal["translator", "encoder", "decoder", "encoder-decoder"]
"""One of our translation models, or a pretrained one: a stack that reads both ways, a causal one, or one of each."""

Predicts = Literal["none", "causal", "masked", "translation", "class"]
"""What it was trained to give: nothing, the next token, a masked word, that of a translation, the class of a text."""


def stacks_of(heads: Mapping[Site, int]) -> tuple[str, ...]:
    """Return the stacks that attend."""
    return tuple(dict.fromkeys(place.stack for place in heads))


class Model(Protocol):
    """A model with its tokenizer, loaded and ready to run; `models.load` returns one. Threads may share it."""

    @property
    def key(self) -> str:
        """What `models.load` takes for it."""

    @property
    def title(self) -> str:
        """Its name, as people write it."""

    @property
    def sha256(self) -> str:
        """The hash of its weights."""

    @property
    def kind(self) -> Kind:
        """What it is."""

    @property
    def heads(self) -> Mapping[Site, int]:
        """How many heads read at each place, ``stack.layer.kind``; empty without attention."""

    @property
    def stacks(self) -> tuple[str, ...]:
        """The stacks that attend, ``encoder`` and ``decoder``."""

    @property
    def pair(self) -> str | None:
        """The language pair that it was trained on, such as ``en-fr``; None for a pretrained one."""

    @property
    def is_translation(self) -> bool:
        """Whether it writes a text of its own for the one that it reads."""

    @property
    def editable(self) -> bool:
        """Whether its attention can be edited."""

    @property
    def predicts(self) -> Predicts:
        """What it has a trained head for."""

    @property
    def mask_token(self) -> str | None:
        """How a masked word is typed for it, such as ``[MASK]``; None if its tokenizer knows none."""

    @property
    def takes_pair(self) -> bool:
        """Whether it reads two texts together."""

    @property
    def has_chat(self) -> bool:
        """Whether its tokenizer has a chat template, into which a text can be put."""

    def attend(
        self,
        source: str,
        target: str | None = None,
        *,
        pair: str | None = None,
        edits: Iterable[Edit] = (),
        sites: Iterable[str | Site] = ("*.weights",),
        write: int | Writing | None = None,
    ) -> AttentionTrace:
        """Run the model on a text and return what it attended to.

        Parameters
        ----------
        source : str
            The text to read.
        target : str, optional
            A text to force on a model that writes; without it the model writes its own, greedily.
        pair : str, optional
            A second text, for a model that takes one.
        edits : iterable of Edit
            Interventions, applied in this order.
        sites : iterable of str or Site
            What to capture, as patterns ``stack.layer.kind.quantity``; ``*`` matches; without a quantity the weights.
        write : int or Writing, optional
            Of a causal model that predicts the next token: how many tokens it goes on with, 1 to 40, or the settings.
            They stand behind the text in ``source``, and have rows as they had them when they were written;
            ``written`` says which they are. Of a translator: ``Writing(0, begin=ids)``, the beginning that it is made
            to write, before it goes on greedily to its end.

        Returns
        -------
        AttentionTrace

        Raises
        ------
        InputError
            If it cannot take a text, or an edit leaves a word nothing to read.
        CaptureError
            If a site or an edit names a place that the model does not have.
        """

    def fit(self, text: str, *, pair: str | None = None) -> tuple[str, int]:
        """Cut `text` after the last word that the model takes.

        Parameters
        ----------
        text : str
        pair : str, optional
            A second text, for which room is left.

        Returns
        -------
        text : str
            `text` as it is if it fits; else its beginning.
        left_out : int
            How many words of `text` are not, or not whole, in it.
        """

    def replay(self, trace: AttentionTrace, *, pair: str | None = None) -> Replay:
        """Return the texts of `trace`, which this model gave with nothing edited, ready to be run again.

        Parameters
        ----------
        trace : AttentionTrace
        pair : str, optional
            The second text, if there was one.

        Returns
        -------
        Replay
        """
