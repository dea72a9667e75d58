"""A causal model goes on with its text on the Heads page: by a click, by writing, from an earlier word, in a chat."""

from __future__ import annotations

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from models import load
from models.writing import MOST, Writing, read_writing
from tests.support.heads_page import fine, opened, overview, parameter, trace_of, words
from tests.support.huggingface_samples import tiny_network, tiny_tokenizer
from viz.server.runtime import shared_host

GPT, LSTMN = "hf:gpt-en", "hf:lstmn-en"
BEGUN = "The old man walked to the"


def labels(app: AppTest, prefix: str) -> list[str]:
    """Return what the buttons whose key begins with `prefix` say, without escapes."""
    return [re.sub(r"\\(.)", r"\1", each.label) for each in app.button if (each.key or "").startswith(prefix)]


def write(app: AppTest, **chosen: Any) -> AppTest:
    """Choose settings behind the button, and let the model write."""
    controls = {"tokens": "slider", "temperature": "select_slider", "k": "number_input", "seed": "number_input"}
    for name, value in chosen.items():
        getattr(app, controls[name])(key=f"write-{name}").set_value(value)
        fine(app.run())
    app.button(key="write-now").click()
    return fine(app.run())


def rows(app: AppTest) -> list[str]:
    return list(overview(app)[0]["queries"])


@pytest.mark.parametrize("key", [GPT, LSTMN])
def test_a_likely_word_is_clicked_and_stands_behind_the_text(key: str) -> None:
    app = opened(model=key, sentence=BEGUN)
    before, likely = rows(app), labels(app, "go-on")
    assert labels(app, "rewind") == []
    app.button(key="go-on-1").click()
    fine(app.run())
    word = likely[1].rsplit(" ", 1)[0].replace("␣", "")
    assert rows(app) == [*before, f"▸{word}"]
    found = read_writing(parameter(app, "write") or "")
    assert (found.tokens, len(found.begin)) == (0, 1)
    assert labels(app, "go-on") != likely


def test_the_link_of_a_drawn_text_gives_it_again_to_the_letter() -> None:
    app = write(opened(model=GPT, sentence=BEGUN), tokens=7, temperature=1.2, k=40, seed=9)
    link = parameter(app, "write")
    assert link == "7 temperature=1.2 top_k=40 seed=9"
    again = opened(model=GPT, sentence=BEGUN, write=link)
    assert rows(again) == rows(app)
    trace = load(GPT).attend(BEGUN, write=Writing(7, temperature=1.2, top_k=40, seed=9))
    assert [each.lstrip("▸") for each in rows(again)] == list(trace.source.word_texts)
    assert "sampled by the model (temperature 1.2, top-k 40, seed 9)" in overview(again)[0]["alt"]


def test_it_is_rewound_to_a_word_and_another_is_chosen() -> None:
    app = write(opened(model=GPT, sentence=BEGUN), tokens=4)
    written = labels(app, "rewind")
    app.button(key="rewind-2").click()
    fine(app.run())
    assert labels(app, "rewind") == written[:2]
    app.button(key="go-on-3").click()
    fine(app.run())
    assert labels(app, "rewind")[:2] == written[:2]
    assert labels(app, "rewind")[2:] != written[2:3]
    app.button(key="rewind-0").click()
    fine(app.run())
    assert parameter(app, "write") is None


def test_another_text_or_another_model_begins_anew() -> None:
    app = write(opened(model=GPT, sentence=BEGUN), tokens=3)
    app.text_input(key="sentence").set_value(f"{BEGUN} big")
    fine(app.run())
    assert parameter(app, "write") is None
    assert not any(each.startswith("▸") for each in rows(app))


@pytest.mark.parametrize("link", [str(MOST + 1), "x", "3 a=b", "3 chat=on", "3 top_p=0"])
def test_a_link_that_cannot_be_is_named(link: str) -> None:
    app = opened(model=GPT, sentence=BEGUN, write=link)
    assert parameter(app, "write") is None
    assert f"a setting we don't know: write={link}" in words(app)
    assert not labels(app, "rewind")


def test_a_model_that_reads_both_ways_takes_no_such_link() -> None:
    app = opened(model="hf:minilm", write="3")
    assert parameter(app, "write") is None
    assert "a setting we don't know: write=3" in words(app)
    assert not labels(app, "go-on")


@pytest.mark.parametrize("link", ["3 begin=99999", "40 begin=" + ".".join(["5"] * 100)])
def test_what_the_model_cannot_write_is_said_and_the_text_stays(link: str) -> None:
    app = opened(model=GPT, sentence=BEGUN, write=link)
    assert len(app.error) == 1
    assert rows(app)[-1] == "the"
    assert parameter(app, "write") is None


def test_one_click_too_many_keeps_what_was_written() -> None:
    app = write(opened(model=GPT, sentence="a " * 100), tokens=20)
    link = parameter(app, "write")
    app = write(app, tokens=40)
    assert len(app.error) == 1
    assert parameter(app, "write") == link


def test_the_list_it_keeps_is_there_token_by_token_in_bytes() -> None:
    app = write(opened(model=GPT, sentence=BEGUN), tokens=5)
    app.session_state["kept-list"] = True
    fine(app.run())
    table = app.dataframe[-1].value
    tokens, layers, heads, size = len(table), 4, 8, 32
    assert list(table["this model (bytes)"]) == [2 * layers * heads * size * 4 * (place + 1) for place in range(tokens)]
    last = table.iloc[-1]
    assert last["multi-head (bytes)"] == last["this model (bytes)"] == 8 * last["multi-query (bytes)"]
    assert last["grouped-query, 2 heads share one (bytes)"] * 2 == last["multi-head (bytes)"]
    assert f"= {last['this model (bytes)']:,}" in words(app).replace("\\", "")


def test_roles_of_a_chat_stand_on_the_axes(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from models.huggingface.model import PretrainedModel

    tokenizer = tiny_tokenizer(ends=False)
    tokenizer.chat_template = "{% for m in messages %}<s>{{ m.role }}: {{ m.content }}</s>{% endfor %}<s>assistant: "
    model = PretrainedModel(tiny_network("llama"), tokenizer, key=GPT, title="Tiny", sha256="0" * 64, head="causal")
    host = shared_host()
    monkeypatch.setattr(host, "model", lambda _key: model)
    app = opened(model=GPT, sentence="Hello you", unit="word")
    app.toggle(key="as-chat").set_value(True)
    fine(app.run())
    assert parameter(app, "write") == "0 chat=on"
    assert any(each.startswith("user:Hello") for each in rows(app))
    app.button(key="go-on-0").click()
    fine(app.run())
    assert any(each.startswith("assistant:▸") for each in rows(app))
    app.toggle(key="as-chat").set_value(False)
    fine(app.run())
    assert parameter(app, "write") is None


def test_without_a_chat_template_there_is_no_switch() -> None:
    app = opened(model=GPT, sentence=BEGUN)
    assert "as-chat" not in {each.key for each in app.toggle}
    assert trace_of(GPT, BEGUN).predictions[-1].ids
