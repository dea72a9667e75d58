"""The Why page: a growing sentence through one fixed vector, and through attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path

import streamlit as st

import models
from models.experiments.path_lengths import Paths
from models.keys import mechanism_of, pair_of
from models.mechanisms import usual
from models.translation.checkpoints import CheckpointError
from models.translation.entry import Entry
from models.translation.length_table import LengthRow, length_table, trained_on
from models.translation.words import normalise
from viz.figures.lengths import bleu_by_length
from viz.pages.why.beginnings import FIRST_LENGTH, beginnings
from viz.pages.why.both_ways import show_both_ways
from viz.pages.why.length import LENGTH, show_length
from viz.pages.why.limited import LAYER, PATTERN, SIZE
from viz.pages.why.lost import lost_of, says_of_lost
from viz.pages.why.paths import show_paths
from viz.server.loading import described, usable
from viz.server.runtime import Host
from viz.text.language import SEMICOLON, _, _n, listed, mark, say
from viz.text.markup import plain
from viz.widgets.frame import Frame, Page
from viz.widgets.language_pair import latest_pair
from viz.widgets.readable_text import fit_text
from viz.widgets.sentence import SENTENCE, first_of
from viz.widgets.settings import Several, TextSetting, choose_several, put_text, text_box, typed_text
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.style import style_sheet
from viz.widgets.unsuited import UnreadableError
from viz.widgets.visit import Visit, Wanted

PAIR = "en-fr"
DEFAULT = (
    "When the children came home from school, they were so hungry that they ate all the bread, which their mother had "
    "bought in the morning, and then they went to bed without a word."
)
TRAINING_LENGTH = 30
"""Words that all but 68 of the 849,202 sentences of parliament and of Tatoeba have at most; the longest has 47."""
LONGEST_OF_NOVELS = 40
"""Words of the longest sentences of the novels, a quarter of whose longer file has more than `TRAINING_LENGTH`."""
USUAL = tuple({(each.has_attention, each.is_multi_head): each.key for each in reversed(usual())}.values())[::-1]
"""Without attention, with it, with several heads: the first of each."""


MODELS = Several("models", title=mark("Models"), least=1)
LONG = TextSetting("long")
SETTINGS = (SENTENCE, MODELS, LONG, LENGTH, PATTERN, SIZE, LAYER)
_SHEET = Path(__file__).parent / "why.css"


def is_there() -> bool:
    """Return whether there is a model to show."""
    return any(pair_of(key) == PAIR for key in models.catalog())


def _fill(frame: Frame) -> None:
    """Show a text as it grows through the models, and the measured table as a figure."""
    there = [key for key in models.catalog() if pair_of(key) == PAIR]
    entries = described(there, None)
    titles = {key: f"{_(each.mechanism.title)}, {each.mechanism.year}" for key, each in entries.items()}
    names = {mechanism_of(key): title for key, title in titles.items()}
    usual = tuple(name for name in USUAL if name in names) or tuple(names)[:2]
    with st.container(horizontal=True, vertical_alignment="bottom", key="why-text"):
        frame.sentence = text_box(
            LONG,
            _("Without attention, a whole sentence must fit in one vector. Watch what happens as it grows:"),
            default=DEFAULT,
        )
        st.button(_("Use my sentence"), on_click=_take, icon=":material/input:")
        with st.popover(_("Models"), icon=":material/tune:"):
            shown = choose_several(MODELS, names, default=usual)
    frame.messages = st.container()
    described([key for key in there if key not in entries], frame.messages)
    chosen = {key: title for key, title in titles.items() if mechanism_of(key) in shown}
    visit = frame.visit(Wanted())
    keys = usable(visit.host, list(chosen), frame.messages)
    paths: Mapping[str, Paths] = {}
    if keys:
        there_now = {key: entries[key] for key in keys}
        with suppress(UnreadableError):
            frame.suit(PAIR, switch=None)
            _grow(visit, there_now, frame.sentence, titles)
            paths = show_paths(visit, there_now, normalise(frame.sentence), titles)
    st.header(_("Measured: translation quality as sentences grow"), anchor=False)
    if latest_pair() != PAIR:
        st.caption(_("BLEU by length is measured only for English to French."))
    _measured(visit, titles, {key: entries[key] for key in chosen})
    show_length(visit, paths, normalise(frame.sentence), titles, PAIR)


def _take() -> None:
    """Let the sentence of the other pages grow."""
    put_text(LONG, typed_text(SENTENCE, first_of(PAIR)))


def _measured(visit: Visit[Wanted], titles: dict[str, str], chosen: Mapping[str, Entry]) -> None:
    """Show what was measured of the `chosen` of all models that `titles` names."""
    try:
        table = length_table(PAIR)
    except CheckpointError as error:
        st.warning(plain(_("The measured results cannot be shown. {reason}", reason=say(error))))
        return
    rows = [row for row in table if row.key in chosen]
    strange = [key for key in chosen if table and not trained_on(chosen[key].card, table[0].file)]
    if strange:
        said = _(
            "Not in this picture: {names}. The test sentences are from {file}. The training text contained nothing "
            "from that source, and such a model fails there at any length.",
            names=listed([titles[key] for key in strange], SEMICOLON),
            file=table[0].file,
        )
        st.caption(plain(said))
    missing = [titles[key] for key in chosen if key not in {*strange, *(row.key for row in rows)}]
    if missing:
        said = _("BLEU by length is not measured yet for: {names}", names=listed(missing, SEMICOLON))
        st.info(plain(said))
    if not rows:
        return
    seen = {row.key: row.target_tokens for row in rows}
    named = {
        key: _("{title} ({count} M tokens)", title=title, count=round(seen[key] / 1e6)) if key in seen else title
        for key, title in titles.items()
    }
    without = [key for key, entry in chosen.items() if not entry.mechanism.has_attention]
    figure = bleu_by_length(rows, named, without_attention=without, training_length=TRAINING_LENGTH, width=visit.width)
    show(Shown(figure, key="lengths", says=_says(rows, titles), name="BLEU by length"), visit)
    st.caption(
        _(
            "{file} without sentences of the training text, greedy decoding. Bars: 95% bootstrap interval over "
            "sentences. Lengths with fewer than 30 sentences are left out. Dashed: without attention. In brackets: "
            "target tokens seen in training. All models saw other lines of the same source in training. Parliament "
            "and everyday text had hardly a sentence of more than {longest} words (fewer than one in 10,000).",
            file=rows[0].file,
            longest=TRAINING_LENGTH,
        )
        + _novels(titles, [chosen[key] for key in seen])
        + _inherited(titles, [chosen[key] for key in seen])
    )


def _says(rows: Sequence[LengthRow], titles: Mapping[str, str]) -> str:
    """Say which models do best and worst on the longest sentences."""
    last = max(row.most for row in rows)
    longest = [row for row in rows if row.most == last]
    best, worst = max(longest, key=lambda row: row.bleu), min(longest, key=lambda row: row.bleu)
    says = _(
        "At {fewest} to {most} words {best} has {high} BLEU",
        fewest=best.fewest,
        most=best.most,
        best=titles[best.key],
        high=f"{best.bleu:.1f}",
    )
    if best.key != worst.key:
        says += _(" and {worst} {low}", worst=titles[worst.key], low=f"{worst.bleu:.1f}")
    return f"{says}."


def _novels(titles: Mapping[str, str], entries: Sequence[Entry]) -> str:
    """Say which models were trained on longer sentences as well."""
    keys = [each.key for each in entries if trained_on(each.card, "novels-longer.train")]
    if not keys:
        return ""
    said = _(
        "Also trained on sentences from novels, up to {count} words: {names}.",
        count=LONGEST_OF_NOVELS,
        names=listed([titles[key] for key in keys], SEMICOLON),
    )
    return f" {plain(said)}"


def _inherited(titles: Mapping[str, str], entries: Sequence[Entry]) -> str:
    """Say how many of its target tokens a model saw as another one, whose weights its training began with."""
    starts = {each.key: start for each in entries if (start := each.card.get("start")) and start["key"] != each.key}
    parts = [
        _(
            "{title}: {count} M as {other}",
            title=titles[key],
            count=f"{start['target_tokens'] / 1e6:.1f}",
            other=titles.get(start["key"], start["key"]),
        )
        for key, start in starts.items()
    ]
    if not parts:
        return ""
    said = _(
        "Some models were initialised from another model. Tokens seen there: {parts}.",
        parts=listed(parts, SEMICOLON),
    )
    return f" {plain(said)}"


def _grow(visit: Visit[Wanted], entries: Mapping[str, Entry], text: str, titles: dict[str, str]) -> None:
    """Show both ways in a drawing, and a table: a row a beginning, a column a model."""
    host, keys = visit.host, list(entries)
    starts = beginnings(fit_text(host.model(keys[0]), normalise(text), visit.messages))
    if not starts:
        said = _n(
            "Type a sentence in English of at least {count} word.",
            "Type a sentence in English of at least {count} words.",
            FIRST_LENGTH,
        )
        visit.messages.error(said, icon=":material/edit:")
        return
    show_both_ways(host, entries, [start for _count, start in starts], titles)
    head = "".join(f"<th>{escape(titles[key])}</th>" for key in keys)
    rows = []
    for count, start in starts:
        cells = "".join(f'<td data-model="{escape(titles[key])}">{_cell(host, key, start)}</td>' for key in keys)
        beyond = ' class="grow-beyond"' if count > TRAINING_LENGTH else ""
        rows.append(f'<tr{beyond}><td class="grow-source"><b>{count}</b> <bdi>{escape(start)}</bdi></td>{cells}</tr>')
    words = escape(_("words read"))
    st.html(
        f'{style_sheet(_SHEET)}<div class="grow"><table><tr><th>{words}</th>{head}</tr>{"".join(rows)}</table></div>'
    )
    st.caption(says_of_lost(titles))
    if starts[-1][0] > TRAINING_LENGTH:
        st.caption(
            _n(
                "Shaded: longer than the training sentences, up to {count} word.",
                "Shaded: longer than the training sentences, up to {count} words.",
                TRAINING_LENGTH,
            )
        )


def _cell(host: Host, key: str, start: str) -> str:
    """Return what a model writes of a beginning, and which words of it are lost, as HTML."""
    try:
        written = host.attend(key, start).output_text
    except models.InputError as error:
        return escape(say(error))
    lost = listed(lost_of(host, start, written))
    said = _("lost: {words}", words=lost) if lost else ""
    named = f'<div class="grow-lost">{escape(said)}</div>' if lost else ""
    return f'<span lang="fr" dir="auto">{escape(written)}</span>{named}'


PAGE = Page(
    title=mark("Why attention"),
    address="why",
    fill=_fill,
    figures=("both-ways",),
    settings=SETTINGS,
    footnote=mark(
        "BLEU counts the words and word sequences that a translation shares with a reference. It does not see "
        "whether the meaning is kept."
    ),
    is_there=is_there,
)
