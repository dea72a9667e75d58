"""Surgery: edit the attention of a model, and see what it then writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.edits import Edit
from models.huggingface.embedded import PREFIX, local_models
from models.sites import Site
from models.trace import AttentionTrace
from viz.chart import Picture, choose_picture, show_figure
from viz.consequence import WordChange, changed_words, word_changes
from viz.controls import segmented, select, show_unknown
from viz.differences import choose_difference, sentence_of_difference
from viz.edit_list import edits_in_force
from viz.figures import alignment_heatmap, difference_heatmap
from viz.language import ENGLISH, _, use_language
from viz.loading import usable
from viz.pairs import choose_pair, pair_of
from viz.returning import keep_settings, restore_settings
from viz.runtime import Host, shared_host
from viz.sentence import KEY as SENTENCE
from viz.sentence import sentence_box
from viz.style import apply_style, noted, plain
from viz.surgery_checks import CHECK, CHECKS, Drawing, Look, show_check
from viz.theme import Colour
from viz.tokens import visible
from viz.vector_consequence import show_vector_consequence
from viz.viewport import page_width
from viz.views import Head, Unit, View, choose_view, sentence_of

DEEPEST = 3.0
"""Change of a log-probability, in nats, that has the deepest tint."""

_STYLE = """
<style>
.surgery-text { font-size: 1.2rem; line-height: 1.6; margin: 0; overflow-wrap: anywhere; }
.surgery-text span { border-radius: 0.2em; padding-block: 0.08em; }
.surgery-text ins { text-decoration: underline; text-decoration-thickness: 0.14em; font-weight: 600; }
.surgery-text del { opacity: 0.75; }
</style>
"""


@dataclass(frozen=True, slots=True)
class _Choices:
    """What the reader chose to see."""

    key: str
    unit: Unit
    colour: Colour
    picture: Picture


def page() -> None:
    """Show the page."""
    use_language(ENGLISH)
    apply_style()
    st.html(_STYLE)
    _surgery()
    st.caption(
        _(
            "An edit changes what the model computes from there on. That the output follows an edit shows that the "
            "model uses what was edited; it does not show why it wrote what it wrote."
        )
    )


@st.fragment
def _surgery() -> None:
    """Read the choices, run the model before and after, show both: reruns alone."""
    use_language(ENGLISH)
    turned = restore_settings(bound=(SENTENCE,))
    pair = choose_pair(turned=turned)
    sentence = sentence_box(pair=pair)
    messages = st.container()
    host = shared_host()
    names = _names(pair)
    if names:
        choices = _choose(names, pair)
        if usable(host, (choices.key,), messages):
            _operate(host, sentence, choices, messages)
    else:
        messages.warning(_("No model is installed."))
    show_unknown(messages, sentence=sentence)
    keep_settings(bound=(SENTENCE,))


def _names(pair: str) -> dict[str, str]:
    """Give what can be operated on: translation models with attention, and pretrained models of this machine."""
    entries = [models.describe(key) for key in models.catalog() if pair_of(key) == pair]
    own = {each.mechanism.key: _(each.mechanism.title) for each in entries if each.mechanism.has_attention}
    return own | {key: each.title for key, each in local_models().items()}


def _key(name: str, pair: str) -> str:
    """Give what `models.load` takes for a name of the address bar."""
    return name if name.startswith(PREFIX) else f"{name}-{pair}"


def _choose(names: Mapping[str, str], pair: str) -> _Choices:
    """Show the choices in one line; what few need is behind a button."""
    with st.container(horizontal=True, vertical_alignment="center", key="controls"):
        with st.container(width=280):
            mechanism = select("model", names, title=_("Model"))
        unit = segmented("unit", {"word": _("words"), "piece": _("pieces")}, title=_("Unit"))
        with st.popover(_("More"), icon=":material/tune:"):
            colours = {"linear": _("linear colour"), "root": _("square-root colour: shows faint weights")}
            colour = segmented("colour", colours, title=_("How weight becomes colour"))
            picture = segmented("picture", choose_picture(), title=_("Format of a saved picture"))
    return _Choices(_key(mechanism, pair), cast("Unit", unit), cast("Colour", colour), cast("Picture", picture))


def _operate(host: Host, sentence: str, choices: _Choices, messages: DeltaGenerator) -> None:
    before = _unedited(host, sentence, choices.key, messages)
    if before is None:
        return
    if before.target and not before.output_text.strip():
        messages.warning(_("The model wrote nothing for this sentence: there is nothing to edit."))
        return
    from models.hooks import CaptureError

    if not getattr(host.model(choices.key), "editable", True):
        messages.info(_("The attention of this model cannot be edited: it does not pass through the hooks."))
    edits = edits_in_force(before, messages)
    forced, afresh = before, before
    if edits:
        try:
            forced, afresh = _edited(host, choices.key, before, edits)
        except (models.InputError, CaptureError, ValueError) as error:
            messages.error(plain(_says(error)), icon=":material/edit:")
            forced, afresh, edits = before, before, ()
    if before.target:
        _consequence(before, forced, afresh, choices.key)
    else:
        show_vector_consequence(before, forced)
    available = page_width()
    site, head = _place(before)
    views = [choose_view(trace, unit=choices.unit, site=site, head=head) for trace in (before, forced)]
    _maps(views, choices, available, edited=bool(edits))
    chosen = segmented(CHECK, {key: _(name) for key, name in CHECKS.items()}, title=_("Look further"))
    drawing = Drawing(choices.picture, choices.colour, available)
    show_check(chosen, Look(host, choices.key, before, choices.unit, site, head, drawing))


def _edited(
    host: Host, key: str, before: AttentionTrace, edits: tuple[Edit, ...]
) -> tuple[AttentionTrace, AttentionTrace]:
    """Run the edited model: on the original translation, forced, and afresh; a model of one stack runs once."""
    if not before.target:
        after = host.attend(key, before.source_text, edits=edits)
        return after, after
    forced = host.attend(key, before.source_text, before.output_text, edits=edits)
    return forced, host.attend(key, before.source_text, edits=edits)


def _says(error: Exception) -> str:
    if isinstance(error, models.InputError):
        return _(str(error))
    return _("An edit does not fit this model or sentence, so that none is applied. {reason}", reason=error)


def _unedited(host: Host, sentence: str, key: str, messages: DeltaGenerator) -> AttentionTrace | None:
    """Run `sentence` as it is; on bad input say so and give what the last good sentence gave."""
    model = host.model(key)
    try:
        fitting, left_out = model.fit(sentence)
        trace = host.attend(key, fitting)
    except models.InputError as error:
        messages.error(plain(_(str(error))), icon=":material/edit:")
        last = st.session_state.get("last_good")
        if last is None:
            return None
        messages.caption(plain(_("Below: the last sentence that could be read, “{sentence}”", sentence=last)))
        trace, left_out = host.attend(key, model.fit(last)[0]), 0
    if left_out:
        said = _("This text is longer than the model takes. The last {count} words are left out.", count=left_out)
        messages.info(said, icon=":material/content_cut:")
    st.session_state["last_good"] = trace.source_text
    target = model.fit(trace.output_text)[0]
    if not target.strip():
        return trace
    forced = host.attend(key, trace.source_text, target)
    return trace if forced.target == trace.target else forced


def _consequence(before: AttentionTrace, forced: AttentionTrace, afresh: AttentionTrace, key: str) -> None:
    """Show what the edits did: to the words of the original translation, and to what the model writes now."""
    changes = word_changes(before, forced)
    language = "" if key.startswith(PREFIX) else escape(models.describe(key).pair.rpartition("-")[2])
    left, right = st.columns(2)
    with left, st.container(border=True, height="stretch"):
        st.markdown(f"**{_('The same translation, forced')}**")
        st.html(f'<p class="surgery-text" lang="{language}" dir="auto">{_tinted(changes)}</p>')
        total = sum(each.change for each in changes)
        said = _("Log-probability of the whole: {change} (nats).", change=f"{total:+.2f}".replace("-", "\u2212"))
        st.caption(said + " " + _("Orange: less likely than before, purple: more."))
    with right, st.container(border=True, height="stretch"):
        st.markdown(f"**{_('Translated afresh')}**")
        st.html(f'<p class="surgery-text" lang="{language}" dir="auto">{_marked(before, afresh)}</p>')
        st.caption(
            _("The same words as before.")
            if afresh.target.ids == before.target.ids
            else _("Underlined: new; struck through: no longer written.")
        )
    with st.expander(_("Each word in numbers, and what the model would rather write")):
        st.dataframe(_table(changes), hide_index=True)


def _tinted(changes: tuple[WordChange, ...]) -> str:
    """Give the words as HTML, tinted by the change of their log-probability."""
    shown: list[str] = []
    for each in changes:
        depth = 0.55 * min(abs(each.change) / DEEPEST, 1)
        colour = f"rgba(224, 122, 0, {depth:.2f})" if each.change < 0 else f"rgba(120, 90, 200, {depth:.2f})"
        says = _(
            "“{word}”: log-probability {before} before, {after} now",
            word=visible(each.text),
            before=f"{each.before:.3f}",
            after=f"{each.after:.3f}",
        )
        space = " " if shown and each.space else ""
        shown.append(space + noted(each.text, says, f"background: {colour}"))
    return "".join(shown)


def _marked(before: AttentionTrace, afresh: AttentionTrace) -> str:
    """Give the words now and before as HTML, what changed marked."""
    tags = {"same": "span", "new": "ins", "gone": "del"}
    words = changed_words(before, afresh)
    marked = []
    for number, each in enumerate(words):
        turned = number and words[number - 1].kind != each.kind
        space = " " if number and (each.space or turned) else ""
        marked.append(f"{space}<{tags[each.kind]}>{escape(each.text)}</{tags[each.kind]}>")
    return "".join(marked) or f"<em>{escape(_('nothing written'))}</em>"


def _table(changes: tuple[WordChange, ...]) -> list[dict[str, str | float]]:
    return [
        {
            _("word"): visible(each.text),
            _("log-probability before"): round(each.before, 4),
            _("now"): round(each.after, 4),
            _("change"): round(each.change, 4),
            _("likeliest now"): ", ".join(f"{visible(text)} {share:.3f}" for text, share in each.alternatives[:4]),
        }
        for each in changes
    ]


def _maps(views: Sequence[View], choices: _Choices, available: float, *, edited: bool) -> None:
    """Show one map before and after, and the signed difference."""
    text = views[0].trace.source_text[:40]
    show_figure(
        alignment_heatmap(views if edited else views[:1], colour=choices.colour, width=available),
        key="maps",
        says=" · ".join(sentence_of(view, count=1) for view in views[: 1 + edited]),
        name=f"{text} {choices.key} {'edited' if edited else ''}",
        picture=choices.picture,
        available=available,
    )
    if edited:
        after, original = views[1], views[0]
        show_figure(
            difference_heatmap(after, original, colour=choices.colour, width=available),
            key="difference",
            says=sentence_of_difference(choose_difference(after, original)),
            name=f"{text} {choices.key} edited difference",
            picture=choices.picture,
            available=available,
        )


def _place(trace: AttentionTrace) -> tuple[Site | None, Head | None]:
    """Let the reader choose which map is shown, if there is a choice; for our own models a card names the usual one."""
    places: dict[str, tuple[Site | None, Head | None]] = {}
    labels: dict[str, str] = {}
    if not trace.provenance.checkpoint.startswith(PREFIX):
        places["card"] = (None, None)
        labels["card"] = _("shown: the map closest to word alignment")
    for each in sorted(trace, key=lambda shown: (shown.site.kind != "cross", shown.site)):
        heads: tuple[Head, ...] = ("mean", *range(len(each.head_names))) if len(each.head_names) > 1 else (0,)
        for head in heads:
            code = f"{each.site}.{head}"
            places[code] = (each.site, head)
            labels[code] = _(
                "shown: {stack} {kind}, layer {layer}, {head}",
                stack=_(each.site.stack),
                kind=_(each.site.kind),
                layer=each.site.layer,
                head=_("mean of heads") if head == "mean" else _("head {head}", head=head),
            )
    if len(labels) - ("card" in labels) <= 1:
        return None, None
    with st.container(width=420):
        return places[select("shown", labels, title=_("Which map is shown"))]
