"""Wall of a class's sentences as HTML: what each model wrote, how much they disagree, what the class voted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path

from viz.rooms.sentences import NONE, Sentence
from viz.rooms.tally import Tally
from viz.text.files import file_text
from viz.text.language import _, _n, current_language
from viz.text.policy import hash_of, policy_of_file

_STYLE = Path(__file__).with_suffix(".css")


def rows_of_models(sentence: Sentence, title_of: Callable[[str], str], tally: Tally | None = None) -> str:
    """Return what each model wrote of a sentence, and how much they disagree; every text is escaped."""
    found = sentence.found
    if found is None or not found.models:
        missing = _("The models could not run this sentence.")
        return f"<p>{escape(missing)}</p>"
    language = escape(sentence.pair.split("-")[1], quote=True)
    votes = tally.shares if tally and tally.count else None
    rows = "".join(
        f"<tr><th>{escape(title_of(name))}</th>"
        f'<td lang="{language}"><bdi dir="auto">{escape(text) or "∅"}</bdi></td>'
        + (f"<td>{votes[place]:.0%}</td>" if votes else "")
        + "</tr>"
        for place, (name, text) in enumerate(zip(found.models, found.translations, strict=True))
    )
    said = _("Disagreement: words {words}, maps {maps}", words=f"{found.words:.2f}", maps=f"{found.maps:.2f}")
    if votes and tally:
        counted = _n("{count} vote", "{count} votes", tally.count)
        said += f" · {counted} · {title_of(NONE)} {votes[-1]:.0%}"
    return f'<table class="sentence-models">{rows}</table><p class="sentence-said">{escape(said)}</p>'


def ranking() -> str:
    """Say by what sentences are ranked."""
    return _(
        "Sorted by disagreement, largest first: the mean of both numbers. Words: share of content words that "
        "differ between two translations. Maps: Jensen-Shannon divergence of the attention maps on one "
        "translation, in bits. Each is the mean over all pairs of models; 0 is the same, 1 is nothing in common."
    )


def html_of_sentences(
    sentences: Sequence[Sentence], tallies: Mapping[int, Tally], title_of: Callable[[str], str]
) -> str:
    """Return the wall as one file with everything inside, the most disagreement first."""
    title, style = _("Sentences of the class"), file_text(_STYLE)
    about = ranking() + " " + _("The percentages are votes on which model translates worst.")
    parts = "".join(
        f'<li><h2><bdi dir="auto">{escape(each.text)}</bdi></h2>'
        f"{rows_of_models(each, title_of, tallies.get(each.number))}</li>"
        for each in sentences
    )
    return (
        f'<!doctype html><html lang="{escape(current_language(), quote=True)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy_of_file(style=hash_of(style))}">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body><h1>{escape(title)}</h1>"
        f"<p>{escape(about)}</p><ol>{parts}</ol></body></html>"
    )
