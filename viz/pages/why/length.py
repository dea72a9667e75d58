"""What length costs, on the Why page: one encoder layer as the text grows to 64 times its length."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from models.errors import InputError
from models.experiments.length_costs import GROWTH, cost_of
from models.experiments.path_lengths import ATTENTION, LayerForm, Paths
from models.translation.checkpoints import CheckpointError
from models.translation.length_times import LengthTimes, length_times
from viz.figures.length_costs import CostLine, length_costs
from viz.pages.why.limited import SIZE, show_limited
from viz.text.language import _, _n, mark, say
from viz.text.markup import plain
from viz.widgets.readable_text import fit_text
from viz.widgets.settings import Switch, switch, value_of
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit, Wanted

LENGTH = Switch("length", title=mark("Show the cost of 1 to 64 times this text"))


def show_length(
    visit: Visit[Wanted], paths: Mapping[str, Paths], text: str, titles: Mapping[str, str], pair: str
) -> None:
    """Show, if the reader wants it, what layers cost as the text grows, and the encoder with limited attention."""
    st.header(_("What length costs"), anchor=False)
    if not switch(LENGTH, default=False):
        return
    forms = {key: each.form for key, each in paths.items()}
    if not forms:
        st.caption(_("Choose a model with attention. The others pass on no state for each word."))
        return
    attending = next((key for key, form in forms.items() if form.kind == ATTENTION), None)
    try:
        first = attending or next(iter(forms))
        fitting = fit_text(visit.host.model(first), text, st.empty())
        count = len(visit.host.attend(first, fitting).source)
    except InputError as error:
        st.info(plain(say(error)), icon=":material/edit:")
        return
    _show_costs(visit, forms, count, titles, pair)
    if attending is None:
        st.caption(_("Choose a Transformer to limit its encoder's attention."))
    else:
        show_limited(visit, attending, fitting, titles[attending], pair)


def _show_costs(
    visit: Visit[Wanted], forms: Mapping[str, LayerForm], count: int, titles: Mapping[str, str], pair: str
) -> None:
    """Show the costs of a layer of each model, and of self-attention in the window that is chosen below."""
    try:
        times = length_times(pair)
    except CheckpointError as error:
        st.warning(plain(_("The measured results cannot be shown. {reason}", reason=say(error))))
        times = None
    lines = [CostLine(titles[key], form, milliseconds=_measured(times, key)) for key, form in forms.items()]
    attending = next((form for form in forms.values() if form.kind == ATTENTION), None)
    if attending is not None:
        reach = int(value_of(SIZE))
        name = _n("self-attention, {count} key on each side", "self-attention, {count} keys on each side", reach)
        lines.append(CostLine(name, attending, reach))
    says = f"{_says(forms, count)} {_explained(times)}".strip()
    show(Shown(length_costs(lines, count, width=visit.width), key="costs", says=says, name="What length costs"), visit)


def _measured(times: LengthTimes | None, key: str) -> dict[int, float] | None:
    if times is None or key not in times.milliseconds:
        return None
    return dict(zip(times.tokens, times.milliseconds[key], strict=True))


def _says(forms: Mapping[str, LayerForm], count: int) -> str:
    """Say how a layer of self-attention grows, and from where on pairs of tokens are most of its operations."""
    attending = next((form for form in forms.values() if form.kind == ATTENTION), None)
    if attending is None:
        return ""
    short, long = (cost_of(attending, count * times) for times in (1, GROWTH[-1]))
    return _(
        "Self-attention: from {count} to {longer} tokens the operations grow {times}-fold. Comparing pairs of "
        "tokens is {share} of them at first, {rest} at last, and more than half from {half} tokens on. Weights and "
        "states need {memory} MB at last.",
        count=f"{count:,}",
        longer=f"{count * GROWTH[-1]:,}",
        times=f"{long.operations / short.operations:,.0f}",
        share=f"{short.of_pairs / short.operations:.1%}",
        rest=f"{long.of_pairs / long.operations:.0%}",
        half=f"{attending.per_token // (2 * attending.d_state) + 1:,}",
        memory=f"{long.memory / 1e6:,.0f}",
    )


def _explained(times: LengthTimes | None) -> str:
    said = _(
        "All scales are logarithmic. Operations: multiplications with an addition, computed from the sizes of the "
        "models' own layers. They grow with n²·d for self-attention, with n·r·d in a window of r, and with n·d² for "
        "recurrent and convolutional layers (n tokens, states of size d; Vaswani et al. 2017, table 1). Memory: "
        "attention weights and output states. Path: layers (recurrent: steps) from the first token to the last, if "
        "there were as many as needed. Lines of equal value cover each other."
    )
    if times is not None:
        said += " " + _(
            "Measured once, not on this server: the layer alone, time of one thread, fastest of {runs} runs "
            "({machine}). The window is not in it: here it is a mask, so all pairs are still compared and no time is "
            "saved.",
            runs=times.runs,
            machine=times.machine,
        )
    return said
