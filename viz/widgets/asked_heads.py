"""Which heads of all models attend most along a pair of words, or along a pattern of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from models.corpus.patterns import PatternRate, rate_of
from models.measures.asking import PRONOUNS, AskedHead, Word, patterns_of, rank_pair, rank_pattern
from viz.canvas.thumbnail import thumbnail
from viz.captions.asking import (
    PATTERN_MEANINGS,
    PATTERN_NAMES,
    kind_name,
    number_sentence,
    place_name,
    rate_sentence,
)
from viz.server.asking import AskedModels, ask_all, askable
from viz.text.language import _, _n, mark
from viz.text.markup import plain
from viz.views.heads import kinds_of
from viz.widgets.fold import unfolded
from viz.widgets.sentence import SENTENCE
from viz.widgets.settings import Choice, Several, choose, link
from viz.widgets.shared_settings import QUANTITY
from viz.widgets.turn import ask_to_turn
from viz.widgets.visit import Visit, W

ASKED = "ask"
"""What the links of Heads and Bench call this part."""

PAIR, WORDS = "pair", "asked words"
ASK = Choice(
    "asked",
    title=mark("What is asked"),
    shape="box",
    choices={PAIR: mark("a pair of words"), **PATTERN_NAMES},
)
QUERY = Choice("query", title=mark("From (query)"), shape="box", anew_with=(WORDS,))
ASKED_KEY = Choice("key", title=mark("To (key)"), shape="box", anew_with=(WORDS,))

FIRST_SHOWN = 12
CARD = 172  # pixels
_STYLE = f"<style>{(Path(__file__).parent / 'asked_heads.css').read_text(encoding='utf8')}</style>"


@dataclass(frozen=True, slots=True)
class HeadQuestion:
    """The sentence about which all models are asked."""

    model: str  # the model of the page
    pair: str  # the languages of the translators that are asked
    source: str
    target: str | None  # the translation that all translators are made to write; None where the page has none
    words: tuple[Word, ...]  # of the source, then of the translation
    moved: bool = False  # whether what a key moves is asked for, in the place of its weight


def put_question(below: Several, query: str, key: str) -> None:
    """Let a pair of words, by their codes, be asked in the part `below` the maps; before the controls are shown."""
    shown = (link.text_of(below) or "").split()
    link.store(below.name, " ".join(dict.fromkeys((*shown, ASKED))))
    link.store(ASK.name, ASK.write(PAIR, PAIR))
    link.store(QUERY.name, query)
    link.store(ASKED_KEY.name, key)
    st.toast(_("Below the maps: all heads, ranked by this pair of words."))


def ask_heads(visit: Visit[W], question: HeadQuestion) -> None:
    """Let the reader ask for a pair of words or a pattern, and show all heads that do so, the most first."""
    st.header(_("Which heads do this most?"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="center", key="ask-line"):
        with st.container(width=320):
            asked = choose(ASK)
        pair = _choose_pair(question.words) if asked == PAIR else None
    across = pair is not None and pair[0].written
    keys = askable(visit.host, question.model, question.pair, across=across)
    with st.spinner(_("Asking all models …")):
        answer = ask_all(visit.host, keys, question.source, question.target, moved=question.moved)
    found = rank_pattern(answer.maps, asked) if pair is None else rank_pair(answer.maps, *pair)
    if found:
        _show_cards(visit, found[:FIRST_SHOWN], answer, asked)
        _show_all(found, answer, asked)
    else:
        st.info(_nothing(asked))
    _say_how(answer, asked, found)


def _choose_pair(words: Sequence[Word]) -> tuple[Word, Word]:
    by_code = {each.code: each for each in words}
    link.belong(WORDS, of=tuple(by_code), unless=tuple(by_code))
    pronouns = frozenset().union(*PRONOUNS.values())
    first = next((code for code, each in by_code.items() if each.text.casefold() in pronouns), next(iter(by_code)))
    with st.container(width=190):
        query = by_code[choose(QUERY, {code: _name(each) for code, each in by_code.items()}, default=first)]
    st.markdown("→", width="content")
    keys = {code: each for code, each in by_code.items() if query.written or not each.written}
    second = next((code for code in list(keys)[1:] if code != query.code), next(iter(keys)))
    if link.text_of(ASKED_KEY) in set(by_code) - set(keys):  # a word of the source attends to none of the translation
        link.drop(ASKED_KEY)
    with st.container(width=190):
        key = keys[choose(ASKED_KEY, {code: _name(each) for code, each in keys.items()}, default=second)]
    return query, key


def _name(word: Word) -> str:
    said = _("{word} ({number})", word=word.text, number=word.occurrence + 1) if word.occurrence else word.text
    return _("{word}, translation", word=said) if word.written else said


def _show_cards(visit: Visit[W], found: Sequence[AskedHead], answer: AskedModels, asked: str) -> None:
    """Show the first heads, each with its small map; a press opens it on Heads."""
    st.html(_STYLE)
    with st.container(horizontal=True, gap="small", key="asked-heads"):
        for number, each in enumerate(found):
            with st.container(width=CARD, key=f"asked-head-{number}", gap="xxsmall"):
                st.caption(f"**{plain(_(answer.titles[each.model]))}**")
                st.button(
                    plain(place_name(each)),
                    key=f"open-asked-{number}",
                    type="tertiary",
                    on_click=ask_to_turn,
                    args=("heads", entry_of(each)),
                )
                alt = _("Small map: {kind}, {numbers}", kind=kind_name(each), numbers=number_sentence(each))
                drawn = each.shown.weights[each.head]
                st.html(thumbnail(drawn, each.cells, alt=alt, colour=visit.wanted.colour))
                rate = _rate(each, answer, asked)
                said = (kind_name(each), number_sentence(each), rate_sentence(rate[1]) if rate else "")
                st.caption(plain(" · ".join(filter(None, said))))


def entry_of(found: AskedHead) -> dict[str, str]:
    """Return the link of Heads on which a head stands in full, with what else the link of this page says of it."""
    kept = (
        SENTENCE.name,
        QUANTITY.name,
        ASK.name,
        QUERY.name,
        ASKED_KEY.name,
        "lang",
        "present",
        "languages",
        "room",
        "lesson",
    )
    said = {name: text for name, text in link.all_said().items() if name in kept}
    kind = kinds_of([found.site])[0]
    return {
        **said,
        "model": found.model,
        "map": kind,
        f"heads{found.site.layer}": str(found.head),
        "below": ASKED,
    }


def _rate(found: AskedHead, answer: AskedModels, asked: str) -> tuple[str, PatternRate] | None:
    """Return how often a head follows what was asked over the corpus: of a pair, the first pattern that it is of."""
    if found.shown.quantity == "moved":  # weights alone were counted
        return None
    patterns: Sequence[str] = (asked,)
    if asked == PAIR:
        row, column = np.argwhere(found.cells)[0]
        patterns = patterns_of(found.shown, (int(row), int(column)))
    for pattern in patterns[:1]:
        rate = rate_of(answer.hashes[found.model], found.site, found.head, pattern)
        return (pattern, rate) if rate else None
    return None


def _show_all(found: Sequence[AskedHead], answer: AskedModels, asked: str) -> None:
    label = _n("All {count} head in a table", "All {count} heads in a table", len(found))
    fold = unfolded(label, "all-asked-heads")
    if fold is None:
        return
    rows: list[dict[str, Any]] = []
    for each in found:
        rate = _rate(each, answer, asked)
        rows.append(
            {
                _("model"): _(answer.titles[each.model]),
                _("attention"): kind_name(each),
                _("layer"): each.site.layer,
                _("head"): each.head,
                _("attention weight"): each.score,
                _("chance"): each.chance,
                _("corpus"): rate[1].share if rate else None,
                _("corpus, chance"): rate[1].chance if rate else None,
            }
        )
    column = st.column_config.ProgressColumn(min_value=0, max_value=1, format="%.2f")
    shares = dict.fromkeys((_("attention weight"), _("chance"), _("corpus"), _("corpus, chance")), column)
    fold.dataframe(rows, hide_index=True, height=420, column_config=shares)


def _ranked(asked: str, *, moved: bool) -> str:
    if moved:
        return (
            _("Ranked by norm-weighted attention (what a key moves).")
            if asked == PAIR
            else _("Ranked by norm-weighted attention (what a key moves), minus chance level.")
        )
    return _("Ranked by attention weight.") if asked == PAIR else _("Ranked by attention weight minus chance level.")


def _nothing(asked: str) -> str:
    if asked == PAIR:
        return _("No open model has a map with this pair. A causal model never attends to a later word.")
    return _("No words in this sentence fit “{pattern}”.", pattern=_(PATTERN_NAMES[asked]))


def _say_how(answer: AskedModels, asked: str, found: Sequence[AskedHead]) -> None:
    """Say what was ranked, what chance is, and which models are left out."""
    said = [
        _n(
            "{count} head of {models} models.", "{count} heads of {models} models.", len(found), models=len(answer.maps)
        ),
        _("Press a head to open it on Heads."),
        _ranked(asked, moved=any(each.shown.quantity == "moved" for each in found)),
        _("Chance level: the head's own weights, shuffled within each row."),
        _(
            "Corpus: our own 90 sentences. Share of the eligible words whose largest weight follows the pattern. "
            "Its chance level: every token alike."
        ),
    ]
    if asked != PAIR:
        said.insert(1, _(PATTERN_MEANINGS[asked]))
    elif rates := [rate for each in found if (rate := _rate(each, answer, asked))]:
        said.append(_("This pair's pattern: {pattern}.", pattern=_(PATTERN_NAMES[rates[0][0]])))
    if any(shown.site.stack == "decoder" and rows for maps in answer.maps.values() for shown, rows, _columns in maps):
        said.append(_("Forced decoding: all translators write the same translation."))
    said += [_("Left out: {model} ({reason})", model=_(name), reason=why) for name, why in answer.failures.items()]
    st.caption(plain(" ".join(said)))
