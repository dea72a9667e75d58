"""What is said of the hypotheses of a beam search: a sentence, a table, and the same as CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from models.translation.hypothesis import Hypothesis
from viz.text.cells import csv_of_rows
from viz.text.language import _
from viz.views.beam_tree import GREEDY, Branch


def sentence_of_beam(rows: Sequence[Branch]) -> str:
    """Say what the tree is made of, and whether the beam found what is likelier than greedy decoding."""
    best = next(row for row in rows if row.code == "1")
    greedy = next(row for row in rows if row.is_greedy)
    if best is greedy:
        found = _("Greedy decoding found the best hypothesis of the beam too.")
    else:
        found = _(
            "The best hypothesis scores {best} per subword, greedy decoding {greedy}.",
            best=f"{best.hypothesis.score:.3f}",
            greedy=f"{greedy.hypothesis.score:.3f}",
        )
    return " ".join(
        (
            found,
            _(
                "Beam search keeps the hypotheses with the highest sum of log-probabilities at each step. At the end, "
                "they are ranked by the mean log-probability per subword, </s> included (length normalisation)."
            ),
            _("Hypotheses dropped on the way are not drawn. Click a subword to see the map of its hypothesis."),
        )
    )


def table_of_beam(
    hypotheses: Mapping[str, Hypothesis], greedy: Hypothesis
) -> list[dict[str, str | int | float | bool]]:
    """Return a row a hypothesis, numbers rounded for the eye."""
    return [
        {
            _("rank"): _("greedy") if code == GREEDY else code,
            _("translation"): each.text,
            _("subwords"): len(each.ids),
            _("sum of log-probabilities"): round(each.log_probability, 4),
            _("mean per subword"): round(each.score, 4),
            _("greedy decoding"): each.ids == greedy.ids,
        }
        for code, each in hypotheses.items()
    ]


def csv_of_beam(hypotheses: Mapping[str, Hypothesis], greedy: Hypothesis) -> str:
    """Return the same as CSV with a line a subword, numbers exact."""
    names = ("log_probability", "mean_log_probability", "translation", "position", "subword", "subword_log_probability")
    rows: list[tuple[object, ...]] = [("rank", "greedy", "subwords", *names)]
    for code, each in hypotheses.items():
        known = (code, int(each.ids == greedy.ids), len(each.ids), each.log_probability, each.score, each.text)
        for place, (text, worth) in enumerate(zip(each.texts, each.log_probabilities, strict=True), start=1):
            rows.append((*known, place, text, worth))
    return csv_of_rows(rows)
