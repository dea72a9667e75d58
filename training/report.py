"""Write the tables of docs/models.md from the cards, two a language pair: ``python -m training.report``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from models.command import run
from models.registry import catalog, describe
from models.sites import Site
from models.translation.entry import Entry
from training.data import KEPT
from training.eflomal import FIGURES

PAGE = Path(__file__).parents[1] / "docs" / "models.md"
BEGIN, END = "<!-- results:begin -->", "<!-- results:end -->"
SIZES = {"parameters": ".1f", "target_tokens_seen": ".0f"}
BLEU = {
    "en-fr": ("tatoeba.test", "everyday.test", "europarl.test"),
    "zh-en": ("tatoeba.test", "everyday.test", "3am.test"),
}
"""The test files of a pair, a column each."""
GOLD = {
    "en-fr": {
        "hansards odd": "hansards_en-fr.odd",
        "golden-europarl": "golden-europarl_en-fr.100",
        "alibi": "alibi_en-fr",
        "everyday": "everyday.gold",
    },
    "zh-en": {"tsinghua odd (news)": "tsinghua_zh-en.odd"},
}
"""The gold alignments of a pair, a column each."""
WAYS = {"aer": "strongest", "aer_grown": "grown", "aer_moved": "grown, moved", "aer_heads": "grown"}
"""The extractor of each kind of rate that a card holds."""
UNKNOWN = "not measured"


def _bleu(card: Mapping[str, Any], name: str) -> str:
    figure = card.get("bleu", {}).get(name)
    if figure is None:
        return UNKNOWN
    several = figure["references"] > figure["sources"]
    return f"{figure['bleu']:.1f}" + (f" ({figure['bleu_first_reference']:.1f})" if several else "")


def _read_off(chosen: Mapping[str, Any], way: str) -> str:
    if not chosen:
        return "not chosen"
    if way == "aer_heads":
        heads = (f"{Site.parse(each['site']).layer}.{each['head']} {each['reading']}" for each in chosen["heads"])
        return f"the mean of layer.head {', '.join(heads)}"
    head = "mean of heads" if chosen["head"] == "mean" else f"head {chosen['head']}"
    return f"{chosen['site']}, {head}, {chosen['reading']}"


def tables() -> str:
    """Return the tables, in Markdown: for each pair one of translations and one of alignments, a row a checkpoint.

    Halls come last, in tables of their own: they began otherwise and saw less, so that nothing ranks them.
    """
    every = [describe(key) for key in catalog()]
    return "\n\n".join(
        table
        for are_halls in (False, True)
        for table in _of_pairs([each for each in every if each.mechanism.is_small == are_halls])
    )


def _of_pairs(entries: Sequence[Entry]) -> list[str]:
    pairs = {pair: [entry for entry in entries if entry.pair == pair] for pair in (each.pair for each in entries)}
    if missing := sorted(set(pairs) - set(BLEU)):
        message = f"training/report.py: BLEU and GOLD name no test sets for {missing[0]}"
        raise ValueError(message)
    return [table(pair, own) for pair, own in pairs.items() for table in (_translations, _alignments)]


def _translations(pair: str, entries: Sequence[Entry]) -> str:
    names = BLEU[pair]
    rows = [["model", "parameters", "target tokens seen", "of its own", *(f"BLEU {name}" for name in names)]]
    for entry in entries:
        size = [f"{entry.card[name] / 1e6:{form}} M" for name, form in SIZES.items()]
        rows.append(
            [f"`{entry.key}`", *size, f"{own_tokens(entry) / 1e6:.1f} M", *(_bleu(entry.card, name) for name in names)]
        )
    return markdown_table(rows)


def own_tokens(entry: Entry) -> int:
    """Return the target tokens that a model saw itself: less those of another one with whose weights it began."""
    start = entry.card.get("start")
    inherited = start["target_tokens"] if start and start["key"] != entry.key else 0
    return int(entry.card["target_tokens_seen"]) - inherited


def _alignments(pair: str, entries: Sequence[Entry]) -> str:
    rows = [["model", "links", *(f"AER {title}" for title in GOLD[pair]), "read off"]]
    if (path := KEPT / pair / FIGURES).is_file() and not entries[0].mechanism.is_small:
        found = json.loads(path.read_text(encoding="utf8"))
        rows.append(["eflomal, an aligner", "grown", *_rates(pair, found["aer"], found["interval"]), "both directions"])
    for entry in entries:
        card, chosen = entry.card, entry.card.get("alignment", {})
        for way in (each for each in WAYS if entry.mechanism.has_attention and (each in card or each == "aer")):
            rates, ends = card.get(way, {}), card.get("aer_interval", {}).get(way, {})
            rows.append([f"`{entry.key}`", WAYS[way], *_rates(pair, rates, ends), _read_off(chosen, way)])
    return markdown_table(rows)


def _rates(pair: str, rates: Mapping[str, float], ends: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the rate on each gold set of a pair, with half the width of its interval where that was measured."""
    figures = {name: f"{rate:.3f}" for name, rate in rates.items()}
    figures |= {name: f"{figures[name]} ± {(high - low) / 2:.3f}" for name, (low, high) in ends.items()}
    return [figures.get(name, UNKNOWN) for name in GOLD[pair].values()]


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, the first row its titles."""
    ruled = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "\n".join("| " + " | ".join(row) + " |" for row in ruled)


def with_tables(page: str) -> str:
    """Return the text of the page with the tables between their two markers; ValueError if they are not there."""
    return with_block(page, BEGIN, END, tables())


def with_block(text: str, begin: str, end: str, block: str) -> str:
    """Return `text` with `block` between two markers of its own; ValueError if they are not there."""
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        message = f"{PAGE.name}: no {begin} ... {end}"
        raise ValueError(message)
    return f"{before}{begin}\n{block}\n{end}{after}"


def main() -> None:
    """Write the tables."""
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf8")), encoding="utf8")


if __name__ == "__main__":
    run(main)
