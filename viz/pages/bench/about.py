"""Sources of a mechanism and its weights: paper, departures, data, measured figures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import streamlit as st

from viz.pages.bench.built import built
from viz.text.language import _, listed, mark
from viz.text.markup import plain

if TYPE_CHECKING:
    from models.translation.entry import Entry

_FAR_SETS = {
    "tsinghua_zh-en.odd": mark(
        "tsinghua_zh-en.odd is news, far from the training text (everyday sentences, captions, encyclopedia)"
    ),
}


_POOR = 0.5  # alignment error rate from which more is wrong than right


def about(entry: Entry) -> str:
    """Return where a mechanism and its weights come from, as Markdown."""
    mechanism, card = entry.mechanism, entry.card
    data = map(itemgetter("name", "licence", "credit"), card.get("data", ()))
    trained = [f"{_(name)} ({_(licence)}): {credit}" for name, licence, credit in data]
    weights = _("Weights {key}, SHA-256 {hash}…", key=entry.key, hash=entry.sha256[:12])
    parts = (
        f"**{plain(_(mechanism.title))}**, {mechanism.year}",
        _("**Paper:** {paper}; {equation}", paper=plain(mechanism.paper), equation=plain(_(mechanism.equation)))
        + _address(mechanism.paper),
        _bullets(_("Differences from the paper"), [_(departure) for departure in mechanism.departures]),
        _bullets(_("Built and trained"), built(card)),
        _bullets(_("Trained on"), [*trained, *tokens_seen(card)]),
        _bullets(_("Example sentences and the training text"), examples_met(card)),
        _bullets(_("Measured on unseen sentences"), measured(card)),
        f":small[{plain(weights)}]",
    )
    return "\n\n".join(filter(None, parts))


def show_card(entry: Entry) -> None:
    """Show where a mechanism and its weights come from; in a fold, what printed texts get differently."""
    st.markdown(about(entry))
    if said := entry.mechanism.other_texts:
        with st.expander(_("Other texts say")):
            st.markdown("\n".join(f"- {plain(_(each))}" for each in said))


def _address(paper: str) -> str:
    """Return the link to a paper whose number arXiv gave."""
    number = re.search(r"arXiv:([\d.]+\d)", paper)
    return f" [arxiv.org/abs/{number[1]}](https://arxiv.org/abs/{number[1]})" if number else ""


def _bullets(heading: str, lines: Sequence[str]) -> str:
    return f"**{heading}**\n" + "".join(f"\n- {plain(line)}" for line in lines) if lines else ""


def tokens_seen(card: Mapping[str, Any]) -> list[str]:
    """Say how much a model was trained, and how much of that it inherited from another; nothing if that is unknown."""
    if "target_tokens_seen" not in card:
        return []
    count, start = f"{card['target_tokens_seen'] / 1e6:.1f}", card.get("start")
    if not start:
        return [_("{count} M target tokens", count=count)]
    inherited = f"{start['target_tokens'] / 1e6:.1f}"
    return [
        _(
            "{count} M target tokens, {inherited} M of them as {key} (training started from its matching weights)",
            count=count,
            inherited=inherited,
            key=start["key"],
        )
    ]


def examples_met(card: Mapping[str, Any]) -> list[str]:
    """Say which example sentences a model saw in training and which it did not; nothing if unknown."""
    met = card.get("examples_in_training", {})
    there, new = ([f"“{each}”" for each in met if met[each] is known] for known in (True, False))
    if not there:
        return [_("none is in the training text")] if met else []
    lines = [_("in the training text (ignoring case and final punctuation): {sentences}", sentences=" ".join(there))]
    return lines + ([_("not in the training text: {sentences}", sentences=" ".join(new))] if new else [])


def measured(card: Mapping[str, Any]) -> list[str]:
    """Say in words what a checkpoint's card reports of its quality."""
    bleu = [f"{figures['bleu']:.1f} ({name})" for name, figures in card.get("bleu", {}).items()]
    errors = _rates(card, "aer")
    lines = []
    if bleu:
        lines.append(_("BLEU, higher is better: {figures}", figures=listed(bleu)))
    if errors:
        said = _(
            "Alignment error rate of the weights at the layer and head shown first, lower is better: {figures}",
            figures=listed(errors),
        )
        lines.append(said)
    if card.get("aer_grown") and card.get("aer_moved"):
        rates = {name: listed(_rates(card, f"aer_{name}")) for name in ("grown", "moved")}
        lines.append(_("With grown links: of weights {grown}; of what is moved {moved}", **rates))
    for name, rate in card.get("aer", {}).items():
        if name in _FAR_SETS:
            lines.append(_(_FAR_SETS[name]) + (_("; the model aligns it poorly") if rate > _POOR else ""))
    return lines


def _rates(card: Mapping[str, Any], kind: str) -> list[str]:
    return [f"{rate:.2f} ({name})" for name, rate in card.get(kind, {}).items()]
