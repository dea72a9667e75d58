"""Settings of the Heads page."""

from __future__ import annotations

from viz.pages.heads.pinned import PINNED
from viz.text.language import mark
from viz.widgets.asked_heads import ASK, ASKED_KEY, QUERY
from viz.widgets.masking import MASKED
from viz.widgets.opened.settings import SHOW, WHICH
from viz.widgets.sentence import SENTENCE
from viz.widgets.settings import Choice, Data, Found, Heads, Several, Switch, TextSetting
from viz.widgets.shared_settings import PICTURE, UNIT, ZEROABLE
from viz.widgets.unmasked import UNMASKED
from viz.widgets.writing import WRITE

OPENED, LAYERS, SHOWN_TEXT = "opened model", "layers and heads", "text as it is shown"
READ_TEXT = "text that is read and written"
FOLDED_TEXT = "text that is folded"
SPANNED_TEXT = "text whose rows and columns are chosen"
"""What settings belong to."""

TYPED = "hub"
"""What the link says while the name of a model of the hub is being typed."""


def read_span(text: str, count: int) -> Found:
    """Return the first and the last of `count` rows or columns that `text` names; None for all."""
    if not text:
        return Found(None)
    ends = text.split("-")
    if len(ends) != 2 or not all(end.isascii() and end.isdigit() and len(end) < 6 for end in ends):
        return Found(None, text)
    first, last = map(int, ends)
    if not first <= last or first >= count:
        return Found(None, text)
    return Found((first, min(last, count - 1)))


def write_span(span: tuple[int, int] | None) -> str:
    """Return what the link says of the rows or columns from the first to the last of `span`."""
    return "" if span is None else f"{span[0]}-{span[1]}"


MODEL = Choice("model", title=mark("Model"), shape="box")
PAIR = TextSetting("pair")
MAP = Choice("map", title=mark("Which attention"), anew_with=(OPENED,))
BETWEEN = Choice("between", title=mark("Attention between the two texts"), anew_with=(OPENED,))
OPEN = Several("open", title=mark("Open sentences"), anew_with=(OPENED, FOLDED_TEXT))
FIND = TextSetting("find")
ROWS = Data("rows", parse=read_span, show=write_span, anew_with=(OPENED, SPANNED_TEXT))
COLUMNS = Data("columns", parse=read_span, show=write_span, anew_with=(OPENED, SPANNED_TEXT))
COLOUR = Choice(
    "colour",
    title=mark("Colour scale"),
    choices={"linear": mark("linear colour"), "root": mark("square-root colour")},
)
LEAST = Choice("least", title=mark("Smallest weight drawn"), shape="box")
HIDE = Switch("hide", title=mark("hide special tokens"))

BOTH = Switch("both", title=mark("with and without the penalty"))

IN_PLACE, ALL = "place", "all"
"""What the link calls the order by layer and head, and heads of any label."""

ORDER = Choice("order", title=mark("Order of the heads"), shape="box", anew_with=(OPENED,))
ONLY = Choice("only", title=mark("Which heads are shown"), shape="box", anew_with=(OPENED,))
HEADS = Heads("heads", anew_with=(LAYERS,))

DIFFERENCE = "difference"
COMPARE = Choice(
    "compare",
    title=mark("How the picked heads are shown"),
    choices={
        "side": mark("side by side"),
        "lines": mark("lines"),
        "text": mark("on the text"),
        DIFFERENCE: mark("difference of two"),
        "sum": mark("sum"),
        "mean": mark("mean"),
    },
    anew_with=(OPENED,),
)
PLUS = Choice("plus", title=mark("The weights of"), shape="box", titled=True, anew_with=(OPENED, HEADS.name))
MINUS = Choice("minus", title=mark("minus"), shape="box", titled=True, anew_with=(OPENED, HEADS.name))
WAY = Choice(
    "way",
    title=mark("Which way"),
    choices={"reads": mark("what it attends to"), "read_by": mark("what attends to it")},
)
WORD = Choice("word", title=mark("Which word"), shape="box", anew_with=(OPENED, SHOWN_TEXT))

TABLE, SIMILARITY, ROLLOUT, ADDS, LENS = "table", "similarity", "rollout", "adds", "lens"
MEMORY, SEGMENTS, EMBEDDING, CLASSIFIER = "memory", "segments", "embedding", "classifier"
SCATTER = "scatter"
THIS_TEXT, CORPUS = "text", "corpus"
OVER = Choice("over", title=mark("Measured over"), choices={THIS_TEXT: mark("this text"), CORPUS: mark("a corpus")})
_AXIS = (OPENED, MAP.name, OVER.name)
ACROSS = Choice("across", title=mark("From left to right"), shape="box", titled=True, anew_with=_AXIS)
UPWARD = Choice("upward", title=mark("Upwards"), shape="box", titled=True, anew_with=_AXIS)
HUE = Choice("hue", title=mark("Colour of a point"), shape="box", titled=True, anew_with=_AXIS)
BELOW = Several("below", title=mark("Show below"))
AT = Choice("at", title=mark("Predicted word"), shape="box", titled=True, anew_with=(OPENED, READ_TEXT))
SUMMED = Choice("summed", title=mark("Token"), shape="box", titled=True, anew_with=(OPENED, READ_TEXT))
MIX = Choice("mix", title=mark("λ: share of the memory in the prediction"), shape="slider", anew_with=(OPENED,))
RECURRENCE = Choice(
    "recurrence",
    title=mark("How the second segment is read"),
    choices={
        "on": mark("memory, positions go on"),
        "anew": mark("memory, positions begin anew"),
        "off": mark("no memory"),
        "boundary": mark("no memory, boundary token first"),
    },
    anew_with=(OPENED,),
)
UPTO = Choice("upto", title=mark("Rollout through the layers"), shape="slider", anew_with=(OPENED, MAP.name))
ZEROED_LAYER = TextSetting("zeroed", boxed=False)  # of old links alone
LIKE = Choice("like", title=mark("Heads most similar to"), shape="box", titled=True, anew_with=(OPENED, MAP.name))

ALIGNED = Choice("aligned", title=mark("Languages of the hand-aligned sentences"), shape="box", anew_with=(OPENED,))

NOTHING, A_SENTENCE, A_MODEL, A_WORD = "none", "sentence", "model", "word"
AGAINST = Choice(
    "against",
    title=mark("Comparison"),
    choices={
        NOTHING: mark("off"),
        A_SENTENCE: mark("a second sentence"),
        A_MODEL: mark("a second model"),
        A_WORD: mark("the same word in two sentences"),
    },
)
OTHER = TextSetting("other")
SAME = Choice("same", title=mark("Word in both sentences"))
CHANGED = Choice(
    "changed",
    title=mark("Head, most changed first"),
    shape="box",
    titled=True,
    anew_with=(OPENED, MAP.name),
)
SECOND = Choice("second", title=mark("Second model"), shape="box", titled=True)
MINE = Choice("mine", shape="box", titled=True, anew_with=(OPENED, MAP.name))
ITS = Choice("its", shape="box", titled=True, anew_with=(OPENED, MAP.name, SECOND.name))

SETTINGS = (
    SENTENCE,
    MASKED,
    MODEL,
    PAIR,
    WRITE,
    PINNED,
    MAP,
    UNMASKED,
    ZEROABLE,
    BETWEEN,
    UNIT,
    OPEN,
    FIND,
    ROWS,
    COLUMNS,
    COLOUR,
    LEAST,
    HIDE,
    BOTH,
    PICTURE,
    ORDER,
    ONLY,
    HEADS,
    COMPARE,
    PLUS,
    MINUS,
    WAY,
    WORD,
    BELOW,
    AT,
    SUMMED,
    MIX,
    RECURRENCE,
    OVER,
    ACROSS,
    UPWARD,
    HUE,
    ASK,
    QUERY,
    ASKED_KEY,
    UPTO,
    ZEROED_LAYER,
    LIKE,
    ALIGNED,
    AGAINST,
    OTHER,
    SAME,
    CHANGED,
    SECOND,
    MINE,
    ITS,
    SHOW,
    WHICH,
)
