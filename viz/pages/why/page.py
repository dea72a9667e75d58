"""Why attention: a sentence through one fixed vector, and through attention, as it grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.translation.entry import Entry
from models.translation.length_table import LengthRow, length_table
from models.translation.words import normalise
from viz.figures.lengths import bleu_by_length
from viz.pages.why.beginnings import FIRST_LENGTH, beginnings
from viz.server.loading import usable
from viz.server.runtime import Host, shared_host
from viz.text.language import _, _n, mark, say
from viz.text.markup import plain
from viz.widgets.chart import show_figure
from viz.widgets.frame import Frame, Page
from viz.widgets.language_pair import latest_pair, mechanism_of, pair_of
from viz.widgets.readable_text import fit_text
from viz.widgets.sentence import SENTENCE
from viz.widgets.settings import Several, Text, choose_several, text_box
from viz.widgets.style import style_sheet
from viz.widgets.viewport import page_width

PAIR = "en-fr"
DEFAULT = (
    "The committee which met in the old town hall last week decided after a long debate that the new bridge over the "
    "river should be built before the end of next year, although many people in the village are still against it."
)
TRAINING_LENGTH = 30
"""Words that all but 68 of the 849,202 sentences of the training text have at most; the longest has 47."""
USUAL = ("rnn-encoder-decoder", "bahdanau", "seq2seq", "luong-general")
"""Without attention, then with it: two pairs, each trained on the same text and equally many target tokens."""


MODELS = Several("models", title=mark("Models"), least=1)
LONG = Text("long")
SETTINGS = (SENTENCE, MODELS, LONG)
_SHEET = Path(__file__).parent / "why.css"


def is_measured() -> bool:
    """Return whether there is a table of BLEU by length to show."""
    return bool(length_table(PAIR))


def _fill(frame: Frame) -> None:
    """Show the measured table as a figure, and a text as it grows through the models."""
    frame.messages = st.container()
    entries = {key: models.describe(key) for key in models.catalog() if pair_of(key) == PAIR}
    titles = {key: f"{_(each.mechanism.title)}, {each.mechanism.year}" for key, each in entries.items()}
    names = {mechanism_of(key): title for key, title in titles.items()}
    usual = tuple(name for name in USUAL if name in names) or tuple(names)[:2]
    shown = choose_several(MODELS, names, default=usual)
    chosen = {key: title for key, title in titles.items() if mechanism_of(key) in shown}
    if latest_pair() != PAIR:
        st.caption(_("English to French: BLEU by length is measured for no other pair."))
    _measured(titles, {key: entries[key] for key in chosen})
    st.subheader(_("Let a sentence grow"), anchor=False)
    st.markdown(
        _(
            "Without attention the whole sentence goes through one vector, however long it is. Watch where the end of "
            "the sentence gets lost."
        )
    )
    frame.sentence = text_box(LONG, _("A long sentence in English; go on typing at its end"), default=DEFAULT)
    host = shared_host()
    keys = usable(host, list(chosen), frame.messages)
    if keys:
        _grow(host, keys, frame.sentence, titles, frame.messages)


def _measured(titles: dict[str, str], chosen: Mapping[str, Entry]) -> None:
    """Show what was measured of the `chosen` of all models that `titles` names."""
    rows = [row for row in length_table(PAIR) if row.key in chosen]
    missing = [titles[key] for key in chosen if key not in {row.key for row in rows}]
    if missing:
        said = _("BLEU by length is not measured yet of: {names}", names="; ".join(missing))
        st.info(f"{plain(said)} (`python -m models.training.lengths --data DIR`)")
    if not rows:
        return
    seen = {row.key: row.target_tokens for row in rows}
    named = {
        key: _("{title} ({count} M tokens)", title=title, count=round(seen[key] / 1e6)) if key in seen else title
        for key, title in titles.items()
    }
    available = page_width()
    without = [key for key, entry in chosen.items() if not entry.mechanism.has_attention]
    show_figure(
        bleu_by_length(rows, named, without_attention=without, training_length=TRAINING_LENGTH, width=available),
        key="lengths",
        says=_says(rows, titles),
        name="BLEU by length",
        available=available,
    )
    st.caption(
        _(
            "{file} without the sentences that the training text holds, greedy; bars: 95% of a bootstrap over "
            "sentences; lengths of fewer than 30 sentences are left out. Dashed: without attention. In brackets: "
            "target tokens seen in training; all were trained on the same text, of sentences of up to {longest} words "
            "(fewer than one in 10,000 has more).",
            file=rows[0].file,
            longest=TRAINING_LENGTH,
        )
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


def _inherited(titles: Mapping[str, str], entries: Sequence[Entry]) -> str:
    """Say how many of its target tokens a model saw as another one, whose weights its training began with."""
    starts = {entry.key: entry.card["start"] for entry in entries if entry.card.get("start")}
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
        "Some began with what fits of another's weights, and of their tokens saw: {parts}.", parts="; ".join(parts)
    )
    return f" {plain(said)}"


def _grow(host: Host, keys: Sequence[str], text: str, titles: dict[str, str], messages: DeltaGenerator) -> None:
    """Show a table: a row a length, a column a model."""
    starts = beginnings(fit_text(host.model(keys[0]), normalise(text), messages))
    if not starts:
        said = _n(
            "Type a sentence in English of at least {count} word.",
            "Type a sentence in English of at least {count} words.",
            FIRST_LENGTH,
        )
        messages.error(said, icon=":material/edit:")
        return
    head = "".join(f"<th>{escape(titles[key])}</th>" for key in keys)
    rows = []
    for count, start in starts:
        cells = "".join(f'<td lang="fr" dir="auto">{escape(_written(host, key, start))}</td>' for key in keys)
        beyond = ' class="grow-beyond"' if count > TRAINING_LENGTH else ""
        rows.append(f'<tr{beyond}><td class="grow-source"><b>{count}</b> {escape(start)}</td>{cells}</tr>')
    words = escape(_("words read"))
    st.html(
        f'{style_sheet(_SHEET)}<div class="grow"><table><tr><th>{words}</th>{head}</tr>{"".join(rows)}</table></div>'
    )
    if starts[-1][0] > TRAINING_LENGTH:
        st.caption(
            _n(
                "Shaded: longer than the sentences of training, up to {count} word.",
                "Shaded: longer than the sentences of training, up to {count} words.",
                TRAINING_LENGTH,
            )
        )


def _written(host: Host, key: str, start: str) -> str:
    try:
        return host.attend(key, start).output_text
    except models.InputError as error:
        return say(error)


PAGE = Page(
    title=mark("Why attention"),
    address="why",
    fill=_fill,
    settings=SETTINGS,
    footnote=mark(
        "BLEU counts the words and runs of words that a translation shares with a reference; it does not see whether "
        "the meaning is kept."
    ),
    is_there=is_measured,
)
