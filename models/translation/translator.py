"""A loaded translation model: runs a sentence and gives its `AttentionTrace`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

import torch
from torch import Tensor

from models.edits import Edit
from models.errors import EMPTY, InputError
from models.hooks import Session, capture
from models.mechanisms import Mechanism
from models.messages import CountMessage, Message
from models.model import Kind, Predicts, stacks_of
from models.networks.base import TranslationNetwork
from models.networks.seeding import seeded
from models.sites import Site, complete_pattern
from models.softmax import FullyMaskedRowError
from models.trace import AttentionMap, AttentionTrace, Provenance, Step, TokenSequence
from models.translation.checkpoints import alignment_of
from models.translation.decoding import greedy, step_limit
from models.translation.entry import Entry
from models.translation.replay import TranslatorReplay
from models.translation.tokenizer import PairTokenizer, normalise
from models.vocabulary import BEGIN, END

MAX_PIECES = 250
"""Longest source or forced target, in pieces, without ``</s>``."""

ALTERNATIVES = 5
"""How many of the likeliest tokens a step keeps."""


class Translator:
    """A translation model with its tokenizer and card; see `models.model.Model`. Safe to share between threads.

    Parameters
    ----------
    entry : Entry
    network : TranslationNetwork
        Put in evaluation mode; its weights are never changed.
    tokenizer : PairTokenizer
    """

    kind: Kind = "translator"
    predicts: Predicts = "translation"
    is_translation = True
    mask_token: str | None = None
    takes_pair = False

    def __init__(self, entry: Entry, network: TranslationNetwork, tokenizer: PairTokenizer) -> None:
        self.entry = entry
        self.key, self.title, self.sha256 = entry.key, entry.mechanism.title, entry.sha256
        self.pair: str | None = entry.pair
        self.network = network.for_inference()
        self.tokenizer = tokenizer
        self.heads: Mapping[Site, int] = network.heads
        self.stacks = stacks_of(self.heads)
        self.editable = bool(self.heads)

    @property
    def mechanism(self) -> Mechanism:
        """What it is, in words."""
        return self.entry.mechanism

    @property
    def card(self) -> dict[str, Any]:
        """What its ``card.json`` says."""
        return self.entry.card

    def attend(
        self,
        source: str,
        target: str | None = None,
        *,
        pair: str | None = None,
        edits: Iterable[Edit] = (),
        sites: Iterable[str | Site] = ("*.weights",),
    ) -> AttentionTrace:
        """Run the model on a sentence and return what it attended to.

        Parameters
        ----------
        source : str
            The sentence to translate.
        target : str, optional
            A translation to force: the model reads it word by word and says how likely each was. Without it
            the model writes its own, greedily.
        pair : str, optional
            For a `models.model.Model` that reads two texts; this one does not.
        edits : iterable of Edit
            Interventions, applied in this order.
        sites : iterable of str or Site
            What to capture, as patterns ``stack.layer.kind.quantity``; ``*`` matches; without a quantity the weights.
            Wherever another quantity is captured, the weights are too. A mechanism without attention has no place:
            there a pattern with ``*`` matches nothing, and the trace has no map.

        Returns
        -------
        AttentionTrace

        Raises
        ------
        InputError
            If a text is empty or too long, there is a second one, or an edit leaves a word nothing to read.
        CaptureError
            If a site or an edit names a place that the model does not have.

        Examples
        --------
        >>> from models import load
        >>> trace = load("bahdanau-en-fr").attend("The cat sleeps.")
        >>> trace["decoder.0.cross"].weights.shape[0]
        1
        """
        self._refuse_second(pair)
        source_tokens = self._tokens(source, "sentence")
        forced = None if target is None else self._tokens(target, "translation")
        chosen = tuple(edits)
        try:
            with torch.inference_mode(), capture(self._patterns(sites), chosen, copies=False) as session:
                memory = self.network.encode(torch.tensor([source_tokens.ids]))
                limit = step_limit(len(source_tokens))
                ids, logits = self._greedy(memory, limit) if forced is None else self._forced(memory, forced)
        except FullyMaskedRowError as error:
            raise InputError(self._nothing_to_read(error, source_tokens, forced)) from error
        written = forced or self.tokenizer.sequence(ids)
        notes = self._notes(session, source_tokens, written)
        return AttentionTrace(
            source=source_tokens,
            target=written,
            target_input=self.tokenizer.target_input(written),
            maps=self._maps(session, source_tokens, written, chosen),
            steps=self._steps(written, logits),
            source_text=normalise(source),
            output_text=self.tokenizer.decode(written.ids),
            provenance=self._provenance(chosen, notes, forced=forced is not None),
        )

    def _nothing_to_read(
        self, error: FullyMaskedRowError, source: TokenSequence, forced: TokenSequence | None
    ) -> Message:
        """Say which word has nothing left to read, where it is known: the word at a step is not, while it is chosen."""
        said = Message("The edits leave a word nothing to read. {reason}.", reason=error)
        place = Site.parse(str(error).partition(":")[0])
        if place.stack == "encoder":
            queries = source
        elif forced is None:
            return said
        else:
            queries = self.tokenizer.target_input(forced) if place.kind == "self" else forced
        piece, word = queries.texts[error.row].strip(), queries.word_texts[queries.words[error.row]].strip()
        query: dict[str, object] = {"said": said, "row": error.row, "piece": piece, "word": word}
        if piece == word:
            return Message("{said} Query {row} is “{word}”.", **query)
        if piece:
            return Message("{said} Query {row} is “{piece}” of “{word}”.", **query)
        return Message("{said} Query {row} is a piece of “{word}”.", **query)

    def replay(self, trace: AttentionTrace, *, pair: str | None = None) -> TranslatorReplay:
        """Return the texts of `trace`, which this model gave with nothing edited, ready to be run again.

        Parameters
        ----------
        trace : AttentionTrace
        pair : str, optional
            See `attend`.

        Returns
        -------
        TranslatorReplay
        """
        self._refuse_second(pair)
        return TranslatorReplay(trace, self.network, self.fresh_network)

    def _refuse_second(self, pair: str | None) -> None:
        if pair is not None:
            message = Message(
                "{title} reads one text; a pair of texts is for models that read both ways.", title=self.title
            )
            raise InputError(message)

    def fresh_network(self, seed: int) -> TranslationNetwork:
        """Return a network of this architecture with the weights that training starts from.

        Parameters
        ----------
        seed : int

        Returns
        -------
        TranslationNetwork
        """
        with seeded(seed):
            made: TranslationNetwork = self.mechanism.build(**self.card["network"])
        return made.eval().requires_grad_(False)

    def fit(self, text: str, *, pair: str | None = None) -> tuple[str, int]:
        """Cut `text` after the last word that fits into `MAX_PIECES`.

        Parameters
        ----------
        text : str
            A source or a target, of any length.
        pair : str, optional
            See `attend`.

        Returns
        -------
        text : str
            `text` as it is if it fits; else its beginning, normalised. A first word that is longer than that is
            cut inside.
        left_out : int
            How many words of `text` are not, or not whole, in it.

        Examples
        --------
        >>> from models import load
        >>> load("bahdanau-en-fr").fit("The cat sleeps.")
        ('The cat sleeps.', 0)
        """
        self._refuse_second(pair)
        tokens = self.tokenizer.source(text)
        pieces = len(tokens) - 1
        if pieces <= MAX_PIECES:
            return text, 0
        every = tokens.words[pieces]  # words before </s>
        end = tokens.words.index(tokens.words[MAX_PIECES]) or MAX_PIECES
        kept = self.tokenizer.decode(tokens.ids[:end])
        while len(self.tokenizer.encode_batch([kept])[0]) > MAX_PIECES:  # a cut may change how the rest is split
            end -= 1
            kept = self.tokenizer.decode(tokens.ids[:end])
        return kept, every - tokens.words[end]

    def _patterns(self, sites: Iterable[str | Site]) -> tuple[str, ...]:
        """Return what to capture: less the patterns that may match nothing, where there is no attention to match."""
        patterns = _with_weights(sites)
        return patterns if self.mechanism.has_attention else tuple(each for each in patterns if "*" not in each)

    def _tokens(self, text: str, name: str) -> TokenSequence:
        tokens = self.tokenizer.source(text)
        pieces = len(tokens) - 1
        if not pieces:
            raise InputError(EMPTY[name])
        if pieces > MAX_PIECES:
            raise InputError(_too_long(name, pieces))
        return tokens

    def _greedy(self, memory: Any, limit: int) -> tuple[Sequence[int], Tensor]:
        steps = list(greedy(self.network, memory, batch=1, limit=limit))
        return [int(token) for token, _ in steps], torch.cat([logits for _, logits in steps])

    def _forced(self, memory: Any, target: TokenSequence) -> tuple[Sequence[int], Tensor]:
        inputs = torch.tensor([(BEGIN, *target.ids[:-1])])
        logits = self.network.decode(memory, inputs)[0]  # [target, vocabulary]
        logits[:, :END] = -torch.inf
        return target.ids, logits

    def _steps(self, written: TokenSequence, logits: Tensor) -> tuple[Step, ...]:
        log_probabilities = logits.log_softmax(dim=-1)  # [target, vocabulary]
        chosen = log_probabilities.gather(1, torch.tensor(written.ids)[:, None])[:, 0].tolist()
        best, tokens = log_probabilities.topk(ALTERNATIVES, dim=-1)
        rows = zip(written.texts, written.ids, chosen, best.exp().tolist(), tokens.tolist(), strict=True)
        return tuple(
            Step(text, token, value, tuple(zip(map(self.tokenizer.piece, others), likely, strict=True)))
            for text, token, value, likely, others in rows
        )

    def _maps(
        self, session: Session, source: TokenSequence, written: TokenSequence, edits: tuple[Edit, ...]
    ) -> tuple[AttentionMap, ...]:
        read_in = self.tokenizer.target_input(written)
        maps = []
        for place in sorted({site.place for site in session.sites}, key=lambda site: (site.stack == "decoder", site)):
            own = source if place.stack == "encoder" else read_in
            queries, keys = (own, own) if place.kind == "self" else (written, source)
            others = [site for site in session.sites if site.place == place and site.quantity != "weights"]
            loose = any(edit.applies_to(place.at(edit.quantity)) and not edit.keeps_row_sums for edit in edits)
            each = AttentionMap(
                site=place,
                weights=session.take(place.at("weights"))[0].numpy(),
                query_tokens=queries,
                key_tokens=keys,
                companions={site.quantity: session.take(site)[0].numpy() for site in others},
                rows_sum_to_one=self.mechanism.rows_sum_to_one and not loose,
                causal=place.stack == "decoder" and place.kind == "self",
            )
            maps.append(each)
        return tuple(maps)

    def _notes(self, session: Session, source: TokenSequence, written: TokenSequence) -> tuple[str, ...]:
        """Say what a reader must know: of the mechanism, of edits without effect, of a translation that was cut."""
        notes = [*self.network.notes(len(source))]
        notes += [
            Message("no effect: {edit} (no such row or word here, or it is so already)", edit=edit.describe())
            for edit in session.idle_edits
        ]
        if written.ids[-1] != END:
            notes.append(
                CountMessage(
                    "cut after {count} token: the model did not end its translation",
                    "cut after {count} tokens: the model did not end its translation",
                    len(written),
                )
            )
        return tuple(notes)

    def _provenance(self, edits: tuple[Edit, ...], notes: tuple[str, ...], *, forced: bool) -> Provenance:
        return Provenance(
            mechanism=self.mechanism.key,
            title=self.mechanism.title,
            year=self.mechanism.year,
            paper=self.mechanism.paper,
            equation=self.mechanism.equation,
            checkpoint=self.key,
            sha256=self.entry.sha256,
            versions=_versions(),
            decoding="forced" if forced else "greedy",
            edits=edits,
            notes=notes,
            alignment=alignment_of(self.card),
        )


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    """Return the versions of what the figures depend on; read once, since it means a walk through site-packages."""
    return tuple((name, version(name)) for name in ("torch", "numpy", "tokenizers"))


def _too_long(name: str, pieces: int) -> Message:
    """Say that a sentence, or a translation, has too many pieces."""
    if name == "sentence":
        return CountMessage(
            "The sentence has {count} word piece; this model takes {most} at most. Shorten it.",
            "The sentence has {count} word pieces; this model takes {most} at most. Shorten it.",
            pieces,
            most=MAX_PIECES,
        )
    return CountMessage(
        "The translation has {count} word piece; this model takes {most} at most. Shorten it.",
        "The translation has {count} word pieces; this model takes {most} at most. Shorten it.",
        pieces,
        most=MAX_PIECES,
    )


def _with_weights(sites: Iterable[str | Site]) -> tuple[str, ...]:
    """Return the patterns of `sites` with the weights of the same places among them."""
    patterns = [complete_pattern(str(site)) for site in sites]
    weights = [pattern.rpartition(".")[0] + ".weights" for pattern in patterns if pattern != "*"]
    return tuple(dict.fromkeys(patterns + weights))
