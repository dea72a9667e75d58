"""Alignments as widgets: of traces that are there, and of models that read what the reader types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import traitlets

from models import load
from models.errors import InputError
from models.experiments.value_zeroing import has_value_zeroing, value_zeroing
from models.keys import is_pretrained, pair_of
from models.mechanisms import mechanisms, usual
from models.model import Model
from models.trace import AttentionTrace, Quantity, Reading
from viz.canvas.alignment import AlignmentView, encode_alignment
from viz.captions.written import written_words
from viz.figures import alignment_heatmap
from viz.figures.drawing.colour_bar import check_colour
from viz.figures.drawing.theme import Colour
from viz.notebook.widget import CanvasWidget, Pointed, text_at
from viz.text.language import _, mark, say
from viz.views.view import Head, Unit, choose_view

_ASKS = mark("Sentence")


class AlignmentWidget(CanvasWidget):
    """Maps of one sentence side by side: a word that is pointed at answers in all of them."""

    def __init__(
        self, traces: Sequence[AttentionTrace], *, colour: Colour, options: Mapping[str, Any], **traits: Any
    ) -> None:
        check_colour(colour)
        self._colour, self._options = colour, options
        super().__init__(traces[0].source_text, ("alignment",), **traits)
        self._show(traces)

    def _show(self, traces: Sequence[AttentionTrace]) -> None:
        panels = [_panel(each, self._options) for each in traces]
        views = [each.view for each in panels if each.view]
        texts = {view.shown.key_tokens.texts for view in views}
        if len(texts) > 1:
            said = "; ".join(" ".join(each) for each in sorted(texts))
            message = f"an alignment compares traces of one sentence, in the same words; got {said}"
            raise ValueError(message)
        self.traces, self._panels, self._title = tuple(traces), panels, traces[0].source_text
        self._payloads = [encode_alignment(panels, colour=self._colour)]

    def _point(self, at: Mapping[str, Any]) -> Pointed:
        number, row, column = at.get("panel") or 0, at.get("row"), at.get("key")
        panel = self._panels[min(number, len(self._panels) - 1)]
        query = text_at([each.text for each in written_words(panel.trace)], at.get("word"))
        if panel.view is None:
            return Pointed(number, None, row, column, query, text_at(panel.trace.source.word_texts, column))
        shown = panel.view.shown
        return Pointed(
            number,
            None,
            row,
            column,
            text_at(shown.query_tokens.texts, row) or query,
            text_at(shown.key_tokens.texts, column),
        )

    def _printed(self) -> Any:
        views = [each.view for each in self._panels if each.view]
        return alignment_heatmap(views, colour=self._colour) if views else None


class BenchWidget(AlignmentWidget):
    """A line to type a sentence into, and what each model attends to in it."""

    sentence = traitlets.Unicode().tag(sync=True)
    message = traitlets.Unicode().tag(sync=True)
    _asks = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        sentence: str,
        models: Sequence[Model],
        *,
        quantity: Quantity,
        colour: Colour,
        options: Mapping[str, Any],
    ) -> None:
        self.models, self._quantity = tuple(models), quantity
        traits = {"sentence": sentence, "_asks": _(_ASKS)}
        super().__init__(self._attend(sentence), colour=colour, options=options, **traits)

    def _attend(self, sentence: str) -> list[AttentionTrace]:
        traces = [each.attend(sentence) for each in self.models]
        if self._quantity == "zeroed":
            return [_zeroed(*each) for each in zip(self.models, traces, strict=True)]
        return [each.moved() if self._quantity == "moved" and each.sites else each for each in traces]

    @traitlets.observe("sentence")
    def _take_sentence(self, change: traitlets.Bunch) -> None:
        """Show another sentence; one that cannot be read is named, and the picture stays."""
        if not hasattr(self, "_panels"):  # the first one, which is shown when the widget is made
            return
        try:
            self._show(self._attend(change["new"]))
        except InputError as error:
            self.message = say(error)
        else:
            self.message = ""


def alignment(
    *traces: AttentionTrace | Sequence[AttentionTrace],
    unit: Unit = "word",
    site: str | None = None,
    head: Head | None = None,
    reading: Reading | None = None,
    colour: Colour = "linear",
) -> AlignmentWidget:
    """Show which word each word attends to: traces of one sentence side by side, as the Bench does.

    Parameters
    ----------
    *traces : AttentionTrace, or one sequence of them
        At least one, all of one sentence.
    unit : {"word", "piece"}, optional
        Words (subwords summed over a key word, averaged over a query word), or the tokens that the model reads.
    site, head, reading : optional
        Which map; left out, the one that each trace names as its alignment.
    colour : {"linear", "root"}, optional
        Whether a colour stands for the weight or for its square root.

    Returns
    -------
    AlignmentWidget
        ``pointed``: what was last pointed at. ``traces``: what is shown.

    Raises
    ------
    TypeError
        If something is no trace, or there is none.
    ValueError
        If the traces are of different sentences, or a choice is not one that there is.
    KeyError
        If nothing was captured at `site`.

    Examples
    --------
    >>> from models import load
    >>> alignment(load("bahdanau-en-fr").attend("The cat sleeps.")).traces[0].output_text
    'Le chat dort.'
    """
    given = [each for one in traces for each in ([one] if isinstance(one, AttentionTrace) else one)]
    if not given or not all(isinstance(each, AttentionTrace) for each in given):
        message = f"alignment takes traces, at least one; got {[type(each).__name__ for each in given]}"
        raise TypeError(message)
    options = {"unit": unit, "site": site, "head": head, "reading": reading}
    return AlignmentWidget(given, colour=colour, options=options)


def bench(
    sentence: str,
    models: Sequence[str | Model] | None = None,
    *,
    pair: str = "en-fr",
    quantity: Quantity = "weights",
    unit: Unit = "word",
    colour: Colour = "linear",
) -> BenchWidget:
    """Show what several models attend to in a sentence that can be typed anew.

    Parameters
    ----------
    sentence : str
        The first sentence.
    models : sequence of str or Model, optional
        What `models.load` takes or returns, or anything that has ``attend(sentence)``; left out, the mechanisms that
        the Bench shows first.
    pair : str, optional
        Whose translators are shown if `models` is left out.
    quantity : {"weights", "moved", "zeroed"}, optional
        Attention weights, how far each word moves the query's vector, or how far that vector turns without the word's
        value, in the layer that the model names as its alignment. The last is of Transformers, and texts of up to 64
        tokens; the others show weights beside it.
    unit : {"word", "piece"}, optional
        Words (subwords summed over a key word, averaged over a query word), or the tokens that the model reads.
    colour : {"linear", "root"}, optional
        Whether a colour stands for the weight or for its square root.

    Returns
    -------
    BenchWidget
        ``sentence``: what is shown, which can be set too. ``pointed``: what was last pointed at. Both can be observed.
        ``traces``: one a model. ``message``: what is wrong with a sentence that cannot be read.

    Raises
    ------
    InputError
        If there is no such model, it cannot read the sentence, or what is moved is not known of it.
    ValueError
        If `quantity` is none of them.

    Examples
    --------
    >>> shown = bench("The cat sleeps.", ["bahdanau-en-fr"])
    >>> shown.sentence = "The dog sleeps."
    >>> shown.traces[0].output_text
    'Le chien dort.'
    """
    keys = [f"{each.key}-{pair}" for each in usual() if each.has_attention] if models is None else models
    if quantity not in get_args(Quantity):
        message = f"quantity is 'weights', 'moved' or 'zeroed'; got {quantity!r}"
        raise ValueError(message)
    if not keys:
        message = "bench takes at least one model"
        raise TypeError(message)
    loaded = [load(each) if isinstance(each, str) else each for each in ([keys] if isinstance(keys, str) else keys)]
    return BenchWidget(sentence, loaded, quantity=quantity, colour=colour, options={"unit": unit})


def _zeroed(model: Model, trace: AttentionTrace) -> AttentionTrace:
    """Return the trace in value zeroing of its alignment's layer; as it is where that is of no Transformer."""
    site = trace.provenance.alignment.site.place
    if site not in trace or not has_value_zeroing(model, site):
        return trace
    return trace.with_zeroed({site: value_zeroing(model, trace, site)}).zeroed()


def _panel(trace: AttentionTrace, options: Mapping[str, Any]) -> AlignmentView:
    mechanism = mechanisms().get(trace.provenance.mechanism)
    key = trace.provenance.checkpoint
    if trace.quantity == "zeroed":
        options = {**options, "head": "mean"}  # all heads together
    view = choose_view(trace, **options) if trace.sites else None
    if mechanism is None or is_pretrained(key):
        return AlignmentView(trace, view, "")
    source, target = pair_of(key).split("-")
    return AlignmentView(trace, view, mechanism.formula, (source, target))
