"""A loaded captioner: a scene goes in, its caption and an `AttentionTrace` come out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from models.edits import Edit
from models.edits.edit import edits_given
from models.errors import InputError
from models.hooks import Session, capture
from models.messages import Message
from models.model import Kind, Predicts, stacks_of
from models.networks.seeding import Unfilled, building, seeded
from models.networks.show_tell import ShowTellNetwork
from models.recording import Recorder, filled_patches, versions
from models.scenes.things import CELLS, COLUMNS, ROWS, SIDE, Scene, codes_of, scene_of, to_text
from models.scenes.words import MOST_WORDS, WORDS, ids_of
from models.sites import Site, with_weights
from models.softmax import FullyMaskedRowError
from models.trace import AttentionTrace, Provenance, TokenSequence
from models.trace.tokens import RecordedTexts
from models.translation.checkpoints import CheckpointError, read_weights
from models.translation.decoding import greedy
from models.translation.entry import Entry
from models.translation.replay import TranslatorReplay
from models.translation.texts import cut_after
from models.vocabulary import BEGIN, END
from models.writing import Writing, refuse_writing

ALTERNATIVES = 5
"""How many of the likeliest words a step keeps."""

CELL_NAMES = tuple(f"{ROWS[cell // SIDE]}-{COLUMNS[cell % SIDE]}" for cell in range(CELLS))


def cell_tokens(scene: Scene) -> TokenSequence:
    """Return the cells of a scene as what a map's keys are called: what is there, or where an empty one is."""
    texts = [each.text.replace(" ", "-") if each else f"({CELL_NAMES[cell]})" for cell, each in enumerate(scene)]
    return TokenSequence.from_words(texts, codes_of(scene))


def word_tokens(ids: Sequence[int]) -> TokenSequence:
    """Return words of a caption by their numbers."""
    words = TokenSequence.from_words([WORDS[each] for each in ids], ids)
    texts = tuple(text if each <= END else f" {text}" for text, each in zip(words.texts, ids, strict=True))
    return TokenSequence(texts, words.ids, words.words, words.word_texts, _specials(ids))


def _specials(ids: Sequence[int]) -> tuple[int, ...]:
    return tuple(position for position, each in enumerate(ids) if each <= END)


class Captioner:
    """A captioner with its card; see `models.model.Model`. Safe to share between threads."""

    kind: Kind = "translator"
    predicts: Predicts = "translation"
    is_translation = True
    mask_token: str | None = None
    takes_pair = False
    has_chat = False
    editable = True

    def __init__(self, entry: Entry, network: ShowTellNetwork) -> None:
        self.entry, self.key, self.sha256 = entry, entry.key, entry.sha256
        self.title = entry.mechanism.title
        self.pair: str | None = entry.pair
        self.network = network.for_inference()
        self.heads: Mapping[Site, int] = network.heads
        self.stacks = stacks_of(self.heads)
        what = entry.mechanism
        about = Provenance(
            mechanism=what.key,
            title=what.title,
            year=what.year,
            paper=what.paper,
            equation=what.equation,
            checkpoint=self.key,
            sha256=self.sha256,
            versions=versions("torch", "numpy"),
            decoding="none",
        )
        self._recorder = Recorder(about, tuple(self.heads), frozenset(), True, WORDS.__getitem__, ALTERNATIVES)

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
        """Caption a scene, nine cells with commas between them; see `models.model.Model.attend`."""
        self._refuse(pair, write)
        scene = scene_of(source)
        forced = None if target is None else _read_caption(target)
        chosen = filled_patches(edits_given(edits), CELLS, lambda text: self.attend(text, target, sites=("*.context",)))
        try:
            with torch.inference_mode(), capture(with_weights(sites), chosen, copies=False, norms=True) as session:
                memory = self.network.encode(torch.tensor([codes_of(scene)]))
                ids, logits = self._greedy(memory) if forced is None else self._forced(memory, forced)
        except FullyMaskedRowError as error:
            raise InputError(Message("The edits hide every cell from a word. {error}.", error=error)) from error
        return self._record(scene, ids, session, logits, chosen, forced=forced is not None)

    def _greedy(self, memory: Any) -> tuple[list[int], Tensor]:
        steps = list(greedy(self.network, memory, batch=1, limit=MOST_WORDS))
        return [int(token) for token, _logits in steps], torch.cat([logits for _token, logits in steps])

    def _forced(self, memory: Any, ids: list[int]) -> tuple[list[int], Tensor]:
        logits = self.network.decode(memory, torch.tensor([(BEGIN, *ids[:-1])]))[0]  # [word, vocabulary]
        logits[:, :END] = -torch.inf
        return ids, logits

    def _record(
        self,
        scene: Scene,
        ids: list[int],
        session: Session,
        logits: Tensor,
        edits: tuple[Edit, ...],
        *,
        forced: bool,
    ) -> AttentionTrace:
        written = word_tokens(ids)
        texts = RecordedTexts(cell_tokens(scene), word_tokens((BEGIN, *ids[:-1])), written)
        decoding: Any = "forced" if forced else "greedy"
        return AttentionTrace(
            source=texts.source,
            target=written,
            target_input=texts.read_in,
            maps=self._recorder.maps(session, texts, edits),
            steps=self._recorder.steps(logits, written),
            source_text=to_text(scene),
            output_text=" ".join(WORDS[each] for each in ids if each > END),
            provenance=self._recorder.provenance(session, edits, decoding, cut=cut_after(written)),
        )

    def fit(self, text: str, *, pair: str | None = None) -> tuple[str, int]:
        """Return `text` as it is: a scene always fits. See `models.model.Model.fit`."""
        return text, 0

    def replay(self, trace: AttentionTrace, *, pair: str | None = None) -> TranslatorReplay:
        """Return the scene of `trace`, ready to be run again; see `models.model.Model.replay`."""
        self._refuse(pair, None)
        return TranslatorReplay(trace, self.network, self._fresh)

    def _fresh(self, seed: int) -> ShowTellNetwork:
        with seeded(seed):
            made: ShowTellNetwork = self.entry.mechanism.build(**self.entry.card["network"])
        return made.eval().requires_grad_(False)

    def _refuse(self, pair: str | None, write: int | Writing | None) -> None:
        if pair is not None:
            raise InputError(Message("{title} takes one scene.", title=self.title))
        refuse_writing(self.title, write)


def _read_caption(text: str) -> list[int]:
    """Return the words of a caption by their numbers, closed by ``</s>``; InputError of a word that captions lack."""
    words = text.lower().split()
    if not words:
        raise InputError(Message("Type a caption."))
    if unknown := [each for each in words if each not in WORDS[END + 1 :]]:
        known = ", ".join(sorted(WORDS[END + 1 :]))
        message = Message("Captions have no word “{word}”. They have: {words}.", word=unknown[0][:60], words=known)
        raise InputError(message)
    if len(words) >= MOST_WORDS:
        raise InputError(Message("A caption has {most} words at most.", most=MOST_WORDS - 1))
    return [*ids_of(words), END]


def load_captioner(entry: Entry) -> Captioner:
    """Load the captioner of `entry`, ready to `attend`; CheckpointError if its files are not those of its card."""
    weights = read_weights(entry.folder, entry.card)
    try:
        with building(), Unfilled():
            network: ShowTellNetwork = entry.mechanism.build(**entry.card["network"])
        network.load_state_dict(weights)
    except Exception as error:
        message = Message(
            "{folder}: the weights do not fit the network named on its card. {error}", folder=entry.key, error=error
        )
        raise CheckpointError(message) from error
    return Captioner(entry, network)
