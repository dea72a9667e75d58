"""All that one run left."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from os import PathLike
from typing import Any, BinaryIO, Literal, Self

from models.errors import InputError
from models.messages import Message
from models.sites import Site
from models.trace.arrays import parts_of
from models.trace.attention_map import AttentionMap
from models.trace.codec import MOST_BYTES, MOST_UPLOADED, read, write
from models.trace.provenance import Reading
from models.trace.trace_parts import TraceParts

_TOKEN_BYTES = 400  # about what Python spends on one token: text, step, alternatives


@dataclass(frozen=True, slots=True, eq=False)
class AttentionTrace(TraceParts):
    """All that one run left: maps, tokens, steps and where they come from.

    Parameters
    ----------
    source : TokenSequence
        The text that was read, with its closing ``</s>``; a one-stack model's only text.
    target : TokenSequence
        The tokens written, the closing ``</s>`` included; empty for a one-stack model.
    target_input : TokenSequence
        The tokens that the decoder read in: ``<s>``, y1, ...; as long as `target`.
    maps : tuple of AttentionMap
        One a site.
    steps : tuple of Step
        One a target token.
    source_text, output_text : str
        The two texts, decoded.
    provenance : Provenance
    predictions : tuple of Prediction, optional
        Of a one-stack model with a language head: what may follow, or what a masked token may be.
    vectors : float32 array, [token of source, d_model], optional
        The final vectors of the text that was read.
    classes : tuple of (str, float), optional
        What a classifier says of the text: each class with its probability.
    written : Continuation, optional
        Of a causal model that went on with its text: which tokens of `source` it wrote, how, and what it kept.
    quantity : {"weights", "moved", "zeroed"}, optional
        What its maps show when they are asked for; see `moved` and `zeroed`.

    Examples
    --------
    ``trace["decoder.0.cross"]`` is a map, ``trace.sites`` lists them, and
    ``trace["decoder.0.cross"].to_words()`` merges its pieces to words.
    """

    def __contains__(self, site: object) -> bool:
        return any(str(each.site) == str(site) for each in self.maps)

    def __getitem__(self, site: Site | str) -> AttentionMap:
        """Return the map at `site`; KeyError, naming the sites that there are, if it was not captured."""
        wanted = (Site.parse(site) if isinstance(site, str) else site).place
        for each in self.maps:
            if each.site == wanted:
                return self._shown(each)
        message = f"no map at {wanted}; captured: {', '.join(map(str, self.sites)) or 'none'}"
        raise KeyError(message)

    def read(self, site: Site | str, reading: Reading = "written") -> AttentionMap:
        """Return the map at `site` with its rows labelled by the token written or by the token just read in.

        Parameters
        ----------
        site : Site or str
            ``stack.layer.kind``.
        reading : {"written", "input"}
            What labels the rows of a cross map. ``"written"``: the token that the row's step writes.
            ``"input"``: the token that the step has just read in, so that a token's row is the one
            a step later than under ``"written"``; the row of ``<s>`` comes first and no row writes ``</s>``.
            In Transformers this reading is closer to word alignment (Chen et al. 2020). No weight
            changes, only the label. Self maps are labelled by the tokens read in under either reading.

        Returns
        -------
        AttentionMap
        """
        if reading not in ("written", "input"):
            message = f"reading is 'written' or 'input'; got {reading!r}"
            raise ValueError(message)
        found = self[site]
        if found.site.kind != "cross" or reading == "written":
            return found
        return replace(found, query_tokens=self.target_input)

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes in memory."""
        arrays = sum(each.weights.nbytes + sum(array.nbytes for array in each.companions.values()) for each in self)
        vectors = 0 if self.vectors is None else self.vectors.nbytes
        return arrays + vectors + _TOKEN_BYTES * (len(self.source) + 2 * len(self.target) + len(self.predictions) + 1)

    @property
    def has_moved(self) -> bool:
        """Whether what is moved can be computed of any map."""
        return any(each.has_moved for each in self.maps)

    def moved(self) -> Self:
        """Return the same record with what each key moves in the place of the weights; see `AttentionMap.moved`.

        Maps whose values are not known are left out. Each is computed when it is asked for; `maps` keeps the weights.

        Raises
        ------
        InputError
            If that is so of all.
        """
        if not self.has_moved:
            raise InputError(Message("This trace has no values, so it cannot show what a key moves."))
        return replace(self, quantity="moved", maps=tuple(each for each in self.maps if each.has_moved))

    def with_zeroed(self, values: Mapping[Site, Any]) -> Self:
        """Return the same record that knows value zeroing of some layers, which its file keeps.

        Parameters
        ----------
        values : mapping of Site to float32 array, [query, key]
            What `models.experiments.value_zeroing.value_zeroing` gave for each.
        """
        known = {site.place: found for site, found in values.items()}
        maps = (each.with_zeroed(known[each.site]) if each.site in known else each for each in self.maps)
        return replace(self, maps=tuple(maps))

    def zeroed(self) -> Self:
        """Return the same record with value zeroing in the place of the weights, one map a layer.

        Layers of which it was not computed are left out.

        Raises
        ------
        InputError
            If it was computed of none; see `with_zeroed`.
        """
        known = tuple(each for each in self.maps if each.has_zeroed)
        if not known:
            raise InputError(Message("Value zeroing of this trace was not computed."))
        return replace(self, quantity="zeroed", maps=known)

    def weighed(self) -> Self:
        """Return the same record with its attention weights, where it has what is moved in their place."""
        return replace(self, quantity="weights", maps=tuple(each.weighed() for each in self.maps))

    @classmethod
    def from_arrays(
        cls, maps: Mapping[str | Site, Any], *, source: Sequence[str], target: Sequence[str] = (), **about: Any
    ) -> Self:
        """Make a record of attention that was captured anywhere, in order to see and to save it.

        Parameters
        ----------
        maps : mapping of str or Site to array
            By ``stack.layer.kind``, such as ``encoder.0.self`` or ``decoder.1.cross``: weights, [head, query, key] or
            [query, key], from 0 to 1.
        source : sequence of str
            The tokens that were read.
        target : sequence of str, optional
            Those that were written; a decoder has read ``<s>`` and all of them but the last.
        **about
            ``source_words``, ``target_words``: for each token the number of its word, where tokens are pieces of words.
            ``probabilities``: of each token that was written. ``title``, ``year``, ``paper``, ``equation``, ``notes``:
            what a picture says of it. ``rows_sum_to_one``: False where rows need not.

        Raises
        ------
        TraceError
            If the arrays do not fit the tokens, or hold what cannot be attention.

        Examples
        --------
        >>> AttentionTrace.from_arrays({"encoder.0.self": [[0.5, 0.5], [0.1, 0.9]]}, source=["a", "cat"]).sites
        (Site(stack='encoder', layer=0, kind='self', quantity=''),)
        """
        return cls(**parts_of(maps, source=source, target=target, **about))

    @classmethod
    def from_transformers(
        cls,
        outputs: Any,
        tokenizer: Any,
        input_ids: Any = None,
        *,
        row: int | None = None,
        layers: int | Iterable[int] | None = None,
        **about: Any,
    ) -> Self:
        """Make a record of what a transformers model gave with ``output_attentions=True``.

        Parameters
        ----------
        outputs : ModelOutput, mapping or tuple
            What the model returned, or ``generate`` with ``return_dict_in_generate=True``; or the attentions alone, a
            layer each, [batch, head, query, key]. Steps of generation become one map a layer.
        tokenizer : PreTrainedTokenizerBase
            That of the model. Tokens are shown without its marks, and know their words.
        input_ids : tensor, list of int, list of str or mapping, optional
            What was read, [batch, token] or [token]; the tokenizer's whole answer, with its mask; or names of tokens.
            A decoder that generated says it in its sequences.
        row : int, optional
            Which text of the batch, from 0; with beams or samples, which sequence.
        layers : int or iterable of int, optional
            Which layers are kept, from 0; all if left out.
        **about
            ``attention_mask``: that of `input_ids`, [batch, token]; without it padding is what no token attends to.
            ``decoder_input_ids``: what an encoder-decoder's decoder read, [batch, token], unless it generated.
            ``title``, ``year``, ``paper``, ``equation``, ``notes``, ``rows_sum_to_one``: as in `from_arrays`.

        Raises
        ------
        TraceError
            If there is no attention, if it does not fit the tokens, or if rows do not sum to 1 (half precision within
            its rounding, which is noted); the message says what to do.

        Examples
        --------
        ``AttentionTrace.from_transformers(model(**inputs, output_attentions=True), tokenizer, inputs)``
        """
        made = import_module("..huggingface.outputs", __package__)  # it needs torch, and stands above this package
        return cls(**made.from_outputs(outputs, tokenizer, input_ids, row=row, layers=layers, **about))

    def save(self, file: str | PathLike[str] | BinaryIO, *, dtype: Literal["float32", "float16"] = "float32") -> None:
        """Write the record as an npz of plain numbers and JSON; the same record gives the same bytes.

        Parameters
        ----------
        file : str, path or binary file
        dtype : {"float32", "float16"}
            Of the weights. float16 takes half the room and rounds to three digits, which the record then says.

        Warns
        -----
        UserWarning
            If the file is larger than *Open …* on Bench and Heads takes; the warning says what makes it smaller.
        """
        if dtype not in ("float32", "float16"):
            message = f"dtype is 'float32' or 'float16'; got {dtype!r}"
            raise ValueError(message)
        size = write(self, file, dtype=dtype)
        if size > MOST_UPLOADED:
            smaller = "dtype='float16' halves it; " * (dtype == "float32")
            message = (
                f"the file has {size / 10**6:.0f} MB, and “Open …” in the app takes {MOST_UPLOADED / 10**6:.0f}: "
                f"{smaller}from_transformers(..., layers=[0, 1]) keeps some layers alone"
            )
            warnings.warn(message, stacklevel=2)

    @classmethod
    def load(cls, file: str | PathLike[str] | BinaryIO, *, most_bytes: int | None = None) -> Self:
        """Read what `save` wrote: checked in every field, nothing in it is executed.

        Parameters
        ----------
        file : str, path or binary file
            Whoever it comes from.
        most_bytes : int, optional
            What it may hold unpacked: it is counted before anything is. `models.trace.codec.MOST_BYTES` if left out.

        Raises
        ------
        TraceError
            If it is no such record, is not whole, is too large, or says what cannot be; the message says which.
        OSError
            If there is no such file.

        Examples
        --------
        >>> import io
        >>> from models import load
        >>> trace, file = load("bahdanau-en-fr").attend("The cat sleeps."), io.BytesIO()
        >>> trace.save(file)
        >>> AttentionTrace.load(file).output_text == trace.output_text
        True
        """
        return read(cls, file, most_bytes=MOST_BYTES if most_bytes is None else most_bytes)
