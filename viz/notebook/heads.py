"""Heads of a trace as widgets: all of them as small maps, and those that are picked in full."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import traitlets

from models.trace import AttentionTrace
from viz.canvas.comparison import encode_comparison
from viz.canvas.overview import Tiles, encode_overview, printed_heads, small_maps
from viz.canvas.payload import MOST_PICKED, Look
from viz.captions.heads import overview_note, overview_sentence
from viz.captions.maps import map_title
from viz.figures import head_comparison
from viz.figures.drawing.colour_bar import check_colour
from viz.figures.drawing.long_maps import MOST_LABELLED
from viz.figures.drawing.theme import Colour
from viz.measures.head_profile import clearest, profiles_of
from viz.notebook.bertviz import HtmlAction, trace_of_call
from viz.notebook.widget import USUAL_ROOM, CanvasWidget, Pointed, text_at
from viz.views.heads import KINDS, HeadPlace, kinds_of, pick_views, views_at
from viz.views.view import Unit


class HeadsWidget(CanvasWidget):
    """Every head of one kind of attention as a small map; those that are picked are framed, and shown in full."""

    picked = traitlets.Tuple().tag(
        sync=True,
        to_json=lambda value, _widget: [list(each) for each in value],
        from_json=lambda value, _widget: tuple(map(tuple, value)),
    )

    def __init__(
        self,
        trace: AttentionTrace,
        options: Mapping[str, Any],
        *,
        colour: Colour,
        in_full: bool,
        heads: Iterable[int] | None,
    ) -> None:
        check_colour(colour)
        self.trace = trace
        self._options = options
        self._colour = colour
        self._views = views_at(trace, **self._options)
        self._small = small_maps(self._views)
        self._heads = None if heads is None else _among(self._small.places, heads)
        self._note, self._says = overview_note(self._views), overview_sentence(self._views)
        canvases = ("overview", "comparison") if in_full else ("overview",)
        super().__init__(map_title(self._views[0].shown.site), canvases)
        self._draw()

    def clearest(self) -> tuple[HeadPlace, ...]:
        """Return the head of each label that shows it best, of those that are shown; of a long text the first head."""
        is_long = max(self._views[0].weights.shape) > MOST_LABELLED
        best = () if is_long else clearest(profiles_of(self._views), MOST_PICKED)
        return tuple(each for each in best if each in self.places) or tuple(self.places[:1])

    @property
    def places(self) -> Sequence[HeadPlace]:
        """The heads that are shown, by layer."""
        return self._small.places if self._heads is None else self._heads

    @traitlets.validate("picked")
    def _check_picked(self, proposal: traitlets.Bunch) -> tuple[HeadPlace, ...]:
        places = tuple(dict.fromkeys(map(_place_of, proposal["value"])))
        if len(places) > MOST_PICKED:
            message = f"at most {MOST_PICKED} heads are picked at once; got {len(places)}"
            raise traitlets.TraitError(message)
        for place in places:
            if place not in self._small.places:
                counts = {layer: head + 1 for layer, head in self._small.places}
                there = ", ".join(f"{layer}: 0 to {count - 1}" for layer, count in counts.items())
                message = f"no head {place.head} in layer {place.layer}; heads by layer are {there}"
                raise traitlets.TraitError(message)
        return places

    @traitlets.observe("picked", "_room")
    def _draw(self, _change: traitlets.Bunch | None = None) -> None:
        """Encode what is shown."""
        look = Look(self._colour, says=self._says, file="heads.png")
        shown = [encode_overview(self._views, self._tiles, look, small=self._small, note=self._note)]
        if len(self._canvases) > 1:
            shown.append(self._in_full())
        self._payloads = shown

    @property
    def _tiles(self) -> Tiles:
        return Tiles(self._heads, picked=self.picked)

    def _in_full(self) -> bytes:
        """Encode the picked heads; nothing where none is."""
        picked = sorted(self.picked)
        if not picked:
            return b""
        views = pick_views(self.trace, **self._options, heads=picked)
        look = Look(self._colour, self._room or USUAL_ROOM, file="picked-heads.png")
        return encode_comparison(views, picked, among=self._small.places, look=look)

    def _point(self, at: Mapping[str, Any]) -> Pointed:
        shown, row, column = self._views[0].shown, at.get("row"), at.get("key")
        texts = text_at(shown.query_tokens.texts, row), text_at(shown.key_tokens.texts, column)
        return Pointed(0, _place_of(at["head"]), row, column, *texts)

    def _printed(self) -> Any:
        if len(self._canvases) > 1 and self.picked:
            return head_comparison(self.trace, heads=sorted(self.picked), colour=self._colour, **self._options)
        return printed_heads(self._views[0], self._small, self._tiles, colour=self._colour, note=self._note)


def _among(places: Sequence[HeadPlace], heads: Iterable[int]) -> list[HeadPlace]:
    """Return the places of some heads in every layer; ValueError if one is in none."""
    wanted = set(heads)
    if missing := sorted(wanted - {place.head for place in places}):
        message = f"include_heads names {missing}; the heads are 0 to {max(place.head for place in places)}"
        raise ValueError(message)
    return [place for place in places if place.head in wanted]


def _place_of(value: Any) -> HeadPlace:
    """Return a head that is given as its layer and its number there."""
    if not isinstance(value, tuple | list) or len(value) != 2 or not all(type(each) is int for each in value):
        message = f"a head is a pair of layer and head, such as (1, 5); got {value!r}"
        raise traitlets.TraitError(message)
    return HeadPlace(*value)


def head_view(
    attention: Any = None,
    tokens: Sequence[str] | None = None,
    sentence_b_start: int | None = None,
    prettify_tokens: bool = True,
    layer: int | None = None,
    heads: Sequence[int] | None = None,
    encoder_attention: Any = None,
    decoder_attention: Any = None,
    cross_attention: Any = None,
    encoder_tokens: Sequence[str] | None = None,
    decoder_tokens: Sequence[str] | None = None,
    include_layers: Sequence[int] | None = None,
    html_action: HtmlAction = "view",
    *,
    include_heads: Sequence[int] | None = None,
    sites: str | None = None,
    unit: Unit | None = None,
    colour: Colour = "linear",
    picked: Iterable[tuple[int, int]] | None = None,
) -> HeadsWidget:
    """Show every head as a small map and the picked ones in full; a click on a small map picks it.

    Parameters
    ----------
    attention : AttentionTrace or sequence of array
        A trace; or as BertViz takes it, one tensor a layer, [batch, head, query, key] with a batch of one.
    tokens : sequence of str, optional
        Of BertViz's call, as all up to `include_heads`: the tokens of `attention`.
    sentence_b_start : int, optional
        Where the second of two texts begins. The picture has both; the trace knows which token is of which.
    prettify_tokens : bool, optional
        Whether the marks of their tokenizer are taken off the tokens.
    layer, heads : int and sequence of int, optional
        What is shown first: at most four of `heads` in `layer`.
    encoder_attention, decoder_attention, cross_attention : sequence of array, optional
        In place of `attention`, what a model of two stacks returns; of the kinds that are given, `sites` names one.
    encoder_tokens, decoder_tokens : sequence of str, optional
        What the encoder read, and the decoder read in.
    include_layers, include_heads : sequence of int, optional
        Layers that are kept, and heads that are shown; all if left out.
    html_action : {"view", "return"}, optional
        Either way the widget is returned; its ``data`` is the HTML that BertViz returns under ``"return"``.
    sites : str, optional
        Whose heads: ``encoder.*.self``, ``decoder.*.self`` or ``decoder.*.cross``; the first that there is.
    unit : {"word", "piece"}, optional
        Words (subwords summed over a key word, averaged over a query word), or the tokens that the model reads. If left
        out, words of a trace, and the tokens of BertViz's call.
    colour : {"linear", "root"}, optional
        Whether a colour stands for the weight or for its square root.
    picked : iterable of (int, int), optional
        Layer and head of at most four heads; those that show a label best if left out.

    Returns
    -------
    HeadsWidget
        ``picked``: the heads that are picked, which can be set too. ``pointed``: what was last pointed at. Both can be
        observed. ``data``: HTML that shows it without Python and without a network.

    Raises
    ------
    TypeError
        If `attention` is neither a trace nor weights with their tokens.
    TraceError
        If weights and tokens do not fit.
    KeyError
        If nothing was captured at `sites`.
    ValueError
        If a layer, a head or a place of BertViz's call is not there.
    traitlets.TraitError
        If a head that is to be picked is not there.

    Examples
    --------
    >>> from models import load
    >>> head_view(load("transformer-en-fr").attend("The cat sleeps."), picked=[(1, 5)]).picked
    (HeadPlace(layer=1, head=5),)
    """
    shown = _shown(locals(), in_full=True)
    if picked is None:
        picked = shown.clearest() if layer is None and heads is None else _as_bertviz(shown, layer, heads)
    shown.picked = tuple(picked)
    return shown


def model_view(
    attention: Any = None,
    tokens: Sequence[str] | None = None,
    sentence_b_start: int | None = None,
    prettify_tokens: bool = True,
    display_mode: str = "dark",
    encoder_attention: Any = None,
    decoder_attention: Any = None,
    cross_attention: Any = None,
    encoder_tokens: Sequence[str] | None = None,
    decoder_tokens: Sequence[str] | None = None,
    include_layers: Sequence[int] | None = None,
    include_heads: Sequence[int] | None = None,
    html_action: HtmlAction = "view",
    *,
    sites: str | None = None,
    unit: Unit | None = None,
    colour: Colour = "root",
    picked: Iterable[tuple[int, int]] = (),
) -> HeadsWidget:
    """Show every head of every layer as a small map; a click frames one.

    Parameters
    ----------
    attention, tokens, sentence_b_start, prettify_tokens, encoder_attention, decoder_attention, cross_attention
        As `head_view` takes them, and all that is not named here as well.
    display_mode : str, optional
        Of BertViz's call. It changes nothing: the widget is as light or dark as the notebook.

    Returns
    -------
    HeadsWidget

    Raises
    ------
    TypeError, TraceError, KeyError, ValueError, traitlets.TraitError
        As `head_view`.

    Examples
    --------
    >>> from models import load
    >>> model_view(load("transformer-en-fr").attend("The cat sleeps.")).picked
    ()
    """
    shown = _shown(locals(), in_full=False)
    shown.picked = tuple(picked)
    return shown


def _shown(call: Mapping[str, Any], *, in_full: bool) -> HeadsWidget:
    """Return the widget of a call, whose arguments are given by their names."""
    trace = trace_of_call(call)
    unit = call["unit"] or ("word" if trace is call["attention"] else "piece")
    options = {"sites": call["sites"] or _first(trace), "unit": unit}
    return HeadsWidget(trace, options, colour=call["colour"], in_full=in_full, heads=call["include_heads"])


def _first(trace: AttentionTrace) -> str:
    """Return the first kind of map that a trace has."""
    kinds = kinds_of(trace.sites)
    if not kinds:
        message = f"no attention was captured of “{trace.source_text}”"
        raise KeyError(message)
    return KINDS[kinds[0]][0]


def _as_bertviz(shown: HeadsWidget, layer: int | None, heads: Sequence[int] | None) -> list[tuple[int, int]]:
    """Return what BertViz shows first: heads of one layer, all of them unless some are named."""
    there = shown.places[0].layer if layer is None else layer
    every = [place.head for place in shown.places if place.layer == there] or [0]
    return [(there, head) for head in (every if heads is None else heads)][:MOST_PICKED]
