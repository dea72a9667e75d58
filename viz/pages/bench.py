"""The Bench: one sentence, every mechanism side by side."""

from __future__ import annotations

from typing import get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.mechanisms import mechanisms
from models.trace import AttentionTrace
from viz.cards import mechanism_card
from viz.figures import alignment_heatmap
from viz.language import ENGLISH, _, mark, use_language
from viz.runtime import Host, ModelUnavailableError, shared_host
from viz.style import apply_style, plain
from viz.theme import on_page
from viz.viewport import STEP, page_width
from viz.views import Unit, choose_view, sentence_of

PAIR = "en-fr"
MECHANISMS = ("bahdanau", "luong-general", "transformer")
EXAMPLES = (
    (mark("A reversed word order"), "The agreement on the European Economic Area was signed in August 1992."),
    (mark("Who was hungry?"), "The cat drank the milk because it was hungry."),
    (mark("A verb far from its subject"), "The report that the members of the committee discussed was adopted."),
)
SKELETON_HEIGHT = 620


def page() -> None:
    """Show the page."""
    use_language(ENGLISH)
    apply_style()
    st.title(_("Attention Bench"), anchor=False)
    _bench()
    st.caption(
        _(
            "A heatmap shows where a model read, not why it wrote what it wrote. </s> is the end of the sentence, "
            "which models read and write like a word."
        )
    )


@st.fragment
def _bench() -> None:
    """Read the choices, run the models, show what they did: reruns alone while somebody types."""
    use_language(ENGLISH)
    sentence = st.text_input(
        _("Type a sentence in English: each model translates it to French, with its own attention."),
        EXAMPLES[0][1],
        key="sentence",
        bind="query-params",
        live="200ms",
        autocomplete="off",
    )
    messages = st.container()
    unit = _controls()
    host = shared_host()
    keys = _usable(host, messages)
    traces = _run(host, keys, sentence or "", messages)
    if traces:
        _show(traces, unit)


def _controls() -> Unit:
    with st.container(horizontal=True, vertical_alignment="center"):
        for number, (label, sentence) in enumerate(EXAMPLES):
            st.button(_(label), key=f"example-{number}", help=sentence, on_click=_type, args=(sentence,))
        st.space("stretch")
        labels: dict[Unit, str] = {"word": _("words"), "piece": _("pieces")}
        unit = st.segmented_control(
            _("Unit"),
            get_args(Unit),
            default="word",
            required=True,
            format_func=lambda each: labels[each],
            key="unit",
            bind="query-params",
            label_visibility="collapsed",
        )
    return unit or "word"


def _type(sentence: str) -> None:
    st.session_state["sentence"] = sentence


def _usable(host: Host, messages: DeltaGenerator) -> tuple[str, ...]:
    """Give the keys of the models that can run, waiting until all are loaded; those that cannot are named."""
    wanted = {f"{mechanism}-{PAIR}": mechanism for mechanism in MECHANISMS}
    installed = [key for key in wanted if key in models.catalog()]
    for key in wanted:
        if key not in installed:
            title = _(mechanisms()[wanted[key]].title)
            messages.warning(_("{title} is missing: the weights {key} are not installed.", title=title, key=key))
    if not all(map(host.is_settled, installed)):
        with st.skeleton(height=SKELETON_HEIGHT):
            return tuple(key for key in installed if _loads(host, key, messages))
    return tuple(key for key in installed if _loads(host, key, messages))


def _loads(host: Host, key: str, messages: DeltaGenerator) -> bool:
    try:
        host.model(key)
    except ModelUnavailableError as error:
        messages.warning(plain(_("A model could not be loaded. {reason}", reason=error)))
        return False
    return True


def _run(host: Host, keys: tuple[str, ...], sentence: str, messages: DeltaGenerator) -> dict[str, AttentionTrace]:
    """Run `sentence` through all models; on bad input say so and give what the last good sentence gave."""
    try:
        traces = {key: host.attend(key, sentence) for key in keys}
    except models.InputError as error:
        messages.error(plain(_(str(error))), icon=":material/edit:")
        last = st.session_state.get("last_good")
        if last is None:
            return {}
        messages.caption(plain(_("Below: the last sentence that could be read, “{sentence}”", sentence=last)))
        return {key: host.attend(key, last) for key in keys}
    st.session_state["last_good"] = sentence
    return traces


def _show(traces: dict[str, AttentionTrace], unit: Unit) -> None:
    for column, (key, trace) in zip(st.columns(len(traces)), traces.items(), strict=True):
        with column:
            mechanism_card(models.describe(key), trace)
    shown, available = tuple(traces.values()), page_width()
    figure = on_page(alignment_heatmap(shown, unit=unit, width=available))
    with st.container(key="figure"):
        st.plotly_chart(
            figure,
            width="stretch" if figure.layout.width < available + STEP else round(figure.layout.width),
            theme=None,
            config={"displaylogo": False, "scrollZoom": False, "modeBarButtons": [["toImage"]]},
            alt=" ".join(sentence_of(choose_view(trace, unit=unit)) for trace in shown),
        )
