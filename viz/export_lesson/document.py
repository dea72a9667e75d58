"""HTML document of an exported lesson: texts, questions, pictures and scripts."""

from __future__ import annotations

import json
import re
import zlib
from functools import partial
from html import escape
from pathlib import Path

from plotly.offline import get_plotlyjs
from tqdm import tqdm

from models.mechanisms import mechanisms
from viz.canvas.bundle import bundled
from viz.canvas.standalone import STYLE, Picture, picture_html, scripts_html
from viz.export_lesson.elements import PageElement
from viz.export_lesson.pictures import Pictures, held
from viz.export_lesson.running import run_page, spoken
from viz.lessons.lesson import Lesson, LessonStep, Question
from viz.text.language import _, current_language, languages, use_language
from viz.text.markdown import html_of
from viz.text.policy import policy_of_file
from viz.widgets.lesson.question import marked_row, pair_in
from viz.widgets.prediction import AGREEMENT, canvas_data
from viz.widgets.sentence import SENTENCE

_HERE = Path(__file__).parent
_CHOSEN = ("steps", "surgery", "training")
"""Pages whose picture does not say all that is chosen."""

_SCRIPT = re.compile(r"<script(?: type=\"module\")?>(.*?)</script>", re.DOTALL)


def lesson_html(lesson: Lesson) -> str:
    """Return a lesson as a page of HTML with everything inside: it opens by double click, and loads nothing.

    The page of each step is run as its link says, by the code of the app. The words around the lesson are in its
    language where there is a catalogue of it, and in English elsewhere.
    """
    before = current_language()
    use_language(spoken(lesson.language, languages()))
    try:
        return _page(lesson)
    finally:
        use_language(before)


def _page(lesson: Lesson) -> str:
    pictures, styles = Pictures(), dict[str, None]()
    steps = []
    for number, step in enumerate(tqdm(lesson.steps, desc=lesson.name, unit="step", disable=None), 1):
        page = run_page(step.page, step.link)
        named = step.page != "steps" or SENTENCE.name in step.link
        shown = PageElement(page, partial(pictures.mount, step), sentence=named, choices=step.page in _CHOSEN)
        styles |= dict.fromkeys(shown.styles)
        steps.append(_step(lesson, number, step, shown.html, pictures))
    lesson_script = bundled(_HERE / "lesson.js")
    scripts = scripts_html(pictures.canvases) + f'<script type="module">{lesson_script}</script>'
    charts = _charts() if pictures.has_charts else ""
    without = _("The pictures need JavaScript. Turn it on in this browser.")
    body = "".join(
        (
            f"<header><h1>{escape(lesson.title)}</h1><p>{html_of(lesson.about, inline=True)}</p></header>",
            f"<noscript>{escape(without)}</noscript>",
            f"<main>{''.join(steps)}</main>",
            f'<footer class="stands">{_stands(pictures)}</footer>',
            _bar(lesson),
            pictures.stores,
            charts,
            f'<script type="application/json" id="words">{_as_json(_words())}</script>',
            scripts,
        )
    )
    sheets = "\n".join((STYLE, *styles, _text("lesson.css"))).replace("</", "<\\/")
    return "\n".join(
        (
            f'<!DOCTYPE html><html lang="{escape(lesson.language, quote=True)}"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(scripts, charts)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(lesson.title)}</title><style>{sheets}</style></head><body>",
            body,
            "</body></html>",
        )
    )


def _step(lesson: Lesson, number: int, step: LessonStep, page: str, pictures: Pictures) -> str:
    """Return a step: the picture, and below it what is said and asked."""
    question = step.question
    waits = question is not None and question.mark is not None
    told = f"<h2>{html_of(step.title, inline=True)}</h2>" if step.title else ""
    asked = _question(step, question, f"step-{number}", pictures) if question else ""
    asked += "".join(
        f'<details class="{kind}"><summary>{escape(label)}</summary>{html_of(text)}</details>'
        for kind, label, text in (("hint", _("Hint"), step.hint), ("answer", _("Answer"), step.answer))
        if text
    )
    why = _("The maps are hidden until the row is revealed.")
    hidden = f'<p class="waits">{escape(why)}</p>' if waits else ""
    of = _("step {number} of {count}", number=number, count=len(lesson.steps))
    return (
        f'<section class="step{" hides" if waits else ""}" id="step-{number}"{_pointed(step)} hidden>'
        f'{hidden}<div class="page">{page}</div>'
        f'<div class="lesson" lang="{escape(lesson.language, quote=True)}"><p class="number">{escape(of)}</p>'
        f'<div class="told">{told}{html_of(step.text)}</div>'
        f"{f'<div class=asked>{asked}</div>' if asked else ''}</div></section>"
    )


def _pointed(step: LessonStep) -> str:
    """Return what a step points at, as an attribute."""
    if step.point is None:
        return ""
    title = _(mechanisms()[step.point.mechanism].title) if step.point.mechanism else ""
    return f' data-point="{escape(json.dumps({"title": title, "word": step.point.word}), quote=True)}"'


def _question(step: LessonStep, question: Question, name: str, pictures: Pictures) -> str:
    ask = f'<div class="ask">{html_of(question.ask)}</div>'
    if question.mark is not None:
        pictures.canvases["prediction"] = None
        view, row = marked_row(step.link, question.mark)
        data = canvas_data(view, pair_in(step.link).split("-")[0])
        data["row"] = [round(float(each), 4) for each in view.weights[row]]
        drawn = picture_html(Picture("prediction", json.dumps(data).encode()), waits=True)
        reveal, again = escape(_("Reveal")), escape(_("Predict again"))
        buttons = (
            f'<button type="button" class="reveal" disabled>{reveal}</button>'
            f'<button type="button" class="again" hidden>{again}</button>'
        )
        return f'{ask}<div class="expected">{drawn}{buttons}<div class="agreement" role="status"></div></div>'
    choices = "".join(
        f'<label><input type="radio" name="{name}" value="{number}"> '
        f"<span>{html_of(choice, inline=True)}</span></label>"
        for number, choice in enumerate(question.choices, 1)
    )
    verdict = '<p class="verdict" role="status"></p>'
    return f'{ask}<div class="choices" data-right="{question.right}">{choices}{verdict}</div>'


def _bar(lesson: Lesson) -> str:
    """Return what turns the steps, and says where the reader is."""
    numbers = "".join(f'<li><a href="#{each}">{each}</a></li>' for each in range(1, len(lesson.steps) + 1))
    back, on, paper = (escape(each) for each in (_("Previous"), _("Next"), _("Print")))
    return (
        f'<nav class="bar"><button type="button" id="previous" title="PageUp">{back}</button>'
        f'<button type="button" id="next" title="PageDown">{on}</button><ol>{numbers}</ol>'
        f'<progress max="{len(lesson.steps)}" value="1"></progress>'
        f'<button type="button" id="print">{paper}</button></nav>'
    )


def _stands(pictures: Pictures) -> str:
    """Say what a file cannot do."""
    said = [
        _(
            "This file needs no server and no network, and its pictures are interactive. Sentences, settings and "
            "numbers are fixed. To change them, use Attention Bench."
        )
    ]
    if pictures.is_cut:
        said.append(_("Some words and columns are not in this file. Choosing them changes nothing."))
    return escape(" ".join(said))


def _words() -> dict[str, str]:
    return {
        "right": _("Right."),
        "wrong": _("Not yet: look at the picture again."),
        "missing": _("This is not in the file."),
        **{name: _(message) for name, message in AGREEMENT.items()},
    }


def _charts() -> str:
    """Return the library that draws charts, compressed: a script that the page puts in when a chart is shown."""
    return held(zlib.compress(get_plotlyjs().encode(), 9), charts="")


def _policy(scripts: str, charts: str) -> str:
    """Return what the page may load: what stands in it, and of scripts those alone that were written here."""
    return policy_of_file([*_SCRIPT.findall(scripts), *([get_plotlyjs()] if charts else [])])


def _as_json(value: object) -> str:
    return json.dumps(value).replace("<", "\\u003c")


def _text(file: str) -> str:
    return (_HERE / file).read_text(encoding="utf8")
