"""Write the README's tables of figures from the cards, one a language pair: ``python -m models.training.report``."""

from __future__ import annotations

from pathlib import Path

from models.registry import catalog, describe
from models.translation.entry import Entry

README = Path(__file__).parents[2] / "README.md"
BEGIN, END = "<!-- results:begin -->", "<!-- results:end -->"
COLUMNS = {
    "en-fr": (
        ("BLEU tatoeba.test, all references (first alone)", "bleu", "tatoeba.test"),
        ("BLEU europarl.test", "bleu", "europarl.test"),
        ("AER hansards odd", "aer", "hansards_en-fr.odd"),
        ("AER golden-europarl", "aer", "golden-europarl_en-fr.100"),
        ("AER alibi", "aer", "alibi_en-fr"),
    ),
    "zh-en": (
        ("BLEU tatoeba.test, all references (first alone)", "bleu", "tatoeba.test"),
        ("BLEU 3am.test (captions of images)", "bleu", "3am.test"),
        ("AER tsinghua odd (news)", "aer", "tsinghua_zh-en.odd"),
    ),
}
NO_MAP = "\u2013"


def _cell(entry: Entry, kind: str, name: str) -> str:
    if kind == "aer" and not entry.mechanism.has_attention:
        return NO_MAP
    figure = entry.card.get(kind, {}).get(name)
    if figure is None:
        return "not measured"
    if kind == "aer":
        return f"{figure:.3f}"
    several = figure["references"] > figure["sources"]
    return f"{figure['bleu']:.1f}" + (f" ({figure['bleu_first_reference']:.1f})" if several else "")


def _alignment(entry: Entry) -> str:
    if not entry.mechanism.has_attention:
        return NO_MAP
    chosen = entry.card.get("alignment")
    if not chosen:
        return "not chosen"
    head = "mean of heads" if chosen["head"] == "mean" else f"head {chosen['head']}"
    return f"{chosen['site']}, {head}, {chosen['reading']}"


def tables() -> str:
    """Return the tables, in Markdown: a table for each pair, in it a row for each shipped checkpoint."""
    entries = [describe(key) for key in catalog()]
    return "\n\n".join(
        _table(pair, [entry for entry in entries if entry.pair == pair])
        for pair in dict.fromkeys(entry.pair for entry in entries)
    )


def _table(pair: str, entries: list[Entry]) -> str:
    if pair not in COLUMNS:
        message = f"models/training/report.py: COLUMNS names no test sets for {pair}"
        raise ValueError(message)
    columns = COLUMNS[pair]
    names = ["model", "parameters", "target tokens seen", *(column for column, _, _ in columns), "read off"]
    rows = [names, ["---"] * len(names)]
    for entry in entries:
        card = entry.card
        size = [f"{card['parameters'] / 1e6:.1f} M", f"{card['target_tokens_seen'] / 1e6:.0f} M"]
        figures = [_cell(entry, kind, name) for _, kind, name in columns]
        rows.append([f"`{entry.key}`", *size, *figures, _alignment(entry)])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def with_tables(readme: str) -> str:
    """Return the text of the README with the tables between its two markers; ValueError if they are not there."""
    before, found, rest = readme.partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not (found and closed):
        message = f"README.md: no {BEGIN} ... {END}"
        raise ValueError(message)
    return f"{before}{BEGIN}\n{tables()}\n{END}{after}"


def main() -> None:
    """Write the tables."""
    README.write_text(with_tables(README.read_text(encoding="utf8")), encoding="utf8")


if __name__ == "__main__":
    main()
