"""A page that holds one view of heads: what tests in a browser look at. Run by Streamlit."""

from __future__ import annotations

import json

import streamlit as st

from tests.support.canvas_samples import SAMPLES, SITES
from viz.canvas.overview import Tiles, encode_overview
from viz.canvas.payload import Look
from viz.canvas.standalone import Picture
from viz.captions.heads import overview_sentence
from viz.captions.measures import remark_of, tile_label
from viz.figures.drawing.shaded_text import STYLE, text_html
from viz.figures.lines import head_lines
from viz.figures.rollout import rollout_heatmap
from viz.figures.similarity import similarity_heatmap
from viz.measures.head_profile import ordered, profiles_of
from viz.views.heads import HeadPlace, views_at
from viz.views.hiding import Hiding
from viz.widgets.canvas import picked_on, show_canvas
from viz.widgets.isolation import isolate_on_hover
from viz.widgets.style import apply_style

st.set_page_config(layout="wide")
apply_style()
params = st.query_params
trace = SAMPLES[params.get("sample", "small")]()
sites = params.get("sites", SITES)
now = picked_on("overview")
if now is not None:
    st.session_state["kept"] = now
picked = st.session_state.setdefault("kept", (HeadPlace(0, 1),))
profiles = profiles_of(views_at(trace, sites, "word"))
hiding = Hiding(source=(len(trace.source) - 1,) if "hide" in params else (), threshold=float(params.get("least", "0")))
heads = None
if "order" in params:
    heads = [each.place for each in ordered(profiles, params["order"])][: int(params.get("count", "999"))]
view = params.get("view", "overview")
if view == "lines":
    places = [HeadPlace(0, 1), HeadPlace(1, 2), HeadPlace(2, 7), HeadPlace(2, 3)][: int(params.get("count", "2"))]
    figure = head_lines(trace, heads=places, sites=sites, hiding=hiding, width=float(params.get("width", "1300")))
    with st.container(key="lines"):
        st.plotly_chart(figure, theme=None, width="content")
    isolate_on_hover("lines")
    st.stop()
if view == "text":
    st.html(STYLE + text_html(views_at(trace, sites, "word", hiding)[0], position=int(params.get("position", "2"))))
    st.html(text_html(views_at(trace, sites, "word", hiding)[0], position=1, way="read_by", colour="linear"))
    st.stop()
if view == "similarity":
    width = float(params.get("width", "1300"))
    st.plotly_chart(similarity_heatmap(trace, picked=[HeadPlace(0, 1)], width=width), theme=None, width="content")
    st.stop()
if view == "rollout":
    st.plotly_chart(rollout_heatmap(trace, hiding=hiding), theme=None, width="content")
    st.stop()
payload = encode_overview(
    views_at(trace, sites, "word", hiding),
    Tiles(
        heads,
        picked,
        labels={each.place: tile_label(each.label) for each in profiles},
        remarks={each.place: remark_of(each.label) for each in profiles},
    ),
    Look(
        params.get("colour", "root"),  # type: ignore[arg-type]
        says=overview_sentence(views_at(trace, sites, "word", hiding)),
        file=params.get("file", "figure.png"),
    ),
)
show_canvas(Picture("overview", payload), key="overview")
st.code(json.dumps(picked))
