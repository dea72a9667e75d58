"""What a page shows is read from Streamlit's elements as they are today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from viz.shell.headless import (
    PageError,
    bytes_of,
    chart_of,
    component_of,
    data_of,
    elements_of,
    is_across,
    is_block,
    key_of,
    markup_of,
    parts_of,
    run_script,
    slid_to,
)

ROOT = Path(__file__).parents[3]
SCRIPT = """
import plotly.graph_objects as go
import streamlit as st

component = st.components.v2.component("attention_bench.tried", html="<div></div>")
with st.container(key="row", horizontal=True):
    component(key="a", data=b"bytes")
    component(key="b", data={"word": "x"})
with st.container(key="stack"):
    st.plotly_chart(go.Figure(go.Scatter(y=[1, 2])), alt="a line", config={"displayModeBar": False})
    st.html("<p>text</p>")
    st.select_slider("Choice", ["one", "two"], value="two", format_func=str.upper)
    st.caption(st.query_params["said"])
"""


def test_a_command_shows_no_warning_of_streamlit_once_its_settings_are_read() -> None:
    script = (
        "import logging\nfrom viz.shell.headless import run_script, say_errors_alone\nsay_errors_alone()\n"
        "run_script('import streamlit as st\\nst.text(1)', {}, seconds=30)\nimport streamlit as st\nst.caption('bare')"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not done.stderr


def test_blocks_and_elements_say_what_they_hold() -> None:
    row, stack = parts_of(run_script(SCRIPT, {"said": "a b"}, seconds=30))
    assert [(key_of(each), is_across(each), is_block(each)) for each in (row, stack)] == [
        ("row", True, True),
        ("stack", False, True),
    ]
    first, second = elements_of(row)
    assert component_of(first) == "attention_bench.tried"
    assert (bytes_of(first), data_of(second)) == (b"bytes", {"word": "x"})
    chart, markup, slider, caption = elements_of(stack)
    assert component_of(chart) == ""
    figure, config, alt = chart_of(chart)
    assert (figure["data"][0]["type"], config["displayModeBar"], alt) == ("scatter", False, "a line")
    assert (markup_of(markup), slid_to(slider), caption.value) == ("<p>text</p>", "TWO", "a b")


def test_what_is_installed_is_read_once_for_all_pages() -> None:
    """`AppTest` asks for it by this name; in a process of its own, for the tests read it once by themselves."""
    script = (
        "from importlib import metadata\nlisted = metadata.distributions\nread = []\n"
        "metadata.distributions = lambda *of: read.append(of) or listed(*of)\n"
        "from viz.shell.headless import run_script, say_errors_alone\nsay_errors_alone()\nread.clear()\n"
        "for _ in range(3): run_script('', {}, seconds=30)\nprint(len(read))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_a_page_that_fails_says_why() -> None:
    with pytest.raises(PageError):
        run_script("raise ValueError('no page')", {}, seconds=30)
