"""What Python sends is what the scripts are checked against: each payload is an instance of its declared type."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from models.experiments.arithmetic import decoder_run, parameters_at
from tests.support.canvas_samples import SAMPLES
from tests.support.figure_samples import translation
from tests.support.node_tools import ROOT, installed, run
from tests.support.small_models import translator
from viz.canvas.aligner import encode_aligner
from viz.canvas.alignment import AlignmentView, encode_alignment
from viz.canvas.comparison import encode_comparison
from viz.canvas.edited import encode_edited
from viz.canvas.overview import Tiles, encode_overview
from viz.canvas.walk import encode_walk
from viz.export_lesson.running import unpacked
from viz.pages.surgery.offer import offers
from viz.views.heads import HeadPlace, pick_views, places_at, views_at
from viz.views.view import choose_view
from viz.walk.mechanisms import WALKS
from viz.walk.order import all_steps, keep_step
from viz.walk.picture import SentenceLabel, picture_of, sentence_of
from viz.walk.scene import Scene
from viz.walk.steps import look_at, take_steps
from viz.widgets.prediction import canvas_data

SITES = "encoder.*.self"
WALKED = ("bahdanau", "seq2seq", "luong-local-m", "luong-local-p", "hard")


def overview() -> bytes:
    places = places_at(SAMPLES["small"](), SITES)
    labels = dict.fromkeys(places, "0.5")
    tiles = Tiles(picked=places[:1], remarks=labels, labels=labels)
    return encode_overview(views_at(SAMPLES["small"](), SITES, "word"), tiles)


def comparison() -> bytes:
    trace, picked = SAMPLES["small"](), (HeadPlace(0, 1),)
    return encode_comparison(pick_views(trace, SITES, "word", picked), picked, among=places_at(trace, SITES))


def edited() -> bytes:
    view = choose_view(translator("bahdanau").attend("The cat drank"))
    return encode_edited(view, view, offers=offers())


def alignment() -> bytes:
    shown = [translator(key).attend("The cat drank", sites=("*",)) for key in WALKED]
    views = [AlignmentView(trace, choose_view(trace) if trace.sites else None, "a") for trace in shown]
    return encode_alignment(views)


def scene_of(key: str) -> Scene:
    trace = translator(key).attend("The flumberdoodle drank unbelievably", "le chat a bu du lait", sites=("*",))
    place = next((each for each in trace.sites if each.kind == "cross"), None)
    walk = WALKS[key].at(place)
    run = decoder_run(translator(key), trace) if walk.needs_states else None
    parameters = parameters_at(translator(key), place, walk.parameters)
    states, vector = (run.states, run.vector) if run else ((), None)
    return look_at(walk, trace, row=2, place=place, parameters=parameters, states=states, vector=vector)


def walk() -> bytes:
    scenes = {key: scene_of(key) for key in WALKED}
    steps = {key: take_steps(WALKS[key], at) for key, at in scenes.items()}
    pictures = [picture_of(WALKS[key], at, steps[key], "word") for key, at in scenes.items()]
    titles = all_steps(list(steps.values()))
    text = sentence_of(scenes["bahdanau"].trace.target, 2, "word", SentenceLabel("", "fr"))
    return encode_walk(keep_step(pictures, titles), titles=titles, step="scores", at=(2, None), text=text)


def aligner() -> bytes:
    return encode_aligner(("The", "cat"), ("Le", "chat"), "0-0 1?1", of="pair", languages=("en", "fr"))


def prediction() -> dict[str, Any]:
    trace = translation("The old cat sleeps . </s>".split(), "Le vieux chat dort . </s>".split())
    return canvas_data(choose_view(trace), "en", [0.5], [0.25], 1)


SENT: Mapping[str, Sequence[Callable[[], Any]]] = {
    "OverviewHeader": (overview,),
    "ComparisonHeader": (comparison, edited),
    "AlignmentHeader": (alignment,),
    "AlignerHeader": (aligner,),
    "WalkHeader": (walk,),
    "Prediction": (prediction,),
}


def test_every_payload_is_of_its_declared_type(tmp_path: Path) -> None:
    sent = [(kind, header_of(make())) for kind, makers in SENT.items() for make in makers]
    assert complaints(sent, tmp_path) == ""


def test_another_payload_is_not(tmp_path: Path) -> None:
    header = header_of(aligner())
    fewer = {name: value for name, value in header.items() if name != "of"}
    said = complaints([("AlignerHeader", fewer), ("AlignerHeader", header | {"more": 1})], tmp_path)
    assert "Property 'of' is missing" in said
    assert "'\"more\"' does not exist" in said


def header_of(sent: Any) -> dict[str, Any]:
    return unpacked(sent)[0] if isinstance(sent, bytes) else sent


def complaints(sent: Sequence[tuple[str, dict[str, Any]]], folder: Path) -> str:
    """Return what TypeScript says of headers that are said to be of a kind each."""
    declared = ROOT / "viz" / "canvas" / "payloads"
    lines = [f'import type * as sent from "{declared}";']
    lines += [f"export const made{at}: sent.{kind} = {json.dumps(header)};" for at, (kind, header) in enumerate(sent)]
    (folder / "sent.ts").write_text("\n".join(lines), encoding="utf8")
    options = ("--noEmit", "--strict", "--module", "esnext", "--moduleResolution", "bundler", "--target", "es2023")
    return run(str(installed() / "tsc"), *options, "sent.ts", cwd=folder).stdout
