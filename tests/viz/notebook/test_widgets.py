"""Widgets of a notebook, by what their front end would send: traits change, and nothing of one reaches another."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from base64 import b64decode
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from traitlets import TraitError

from models import load
from models.errors import InputError
from models.experiments.value_zeroing import value_zeroing
from models.trace import AttentionTrace, TraceError
from tests.support.canvas_samples import HOSTILE, SAMPLES
from tests.support.payloads import decode, decode_alignment
from viz.notebook import Pointed, alignment, bench, head_view, model_view
from viz.views.heads import HeadPlace
from viz.views.view import choose_view

SENTENCE = "The cat sleeps."


def softmax(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).softmax(-1)


def bertviz(layers: int = 2, tokens: int = 3, keys: int | None = None) -> tuple[torch.Tensor, ...]:
    return tuple(softmax(1, 2, tokens, keys or tokens, seed=layer) for layer in range(layers))


def tell(widget: Any, **state: Any) -> None:
    """Send what a browser would."""
    widget.set_state(json.loads(json.dumps(state)))


def test_a_click_on_a_head_comes_back_and_brings_its_exact_weights() -> None:
    shown, seen = head_view(SAMPLES["small"](), picked=[(0, 0)]), []
    shown.observe(lambda change: seen.append(change["new"]), "picked")
    tell(shown, picked=[[0, 0], [1, 2]])
    assert seen == [shown.picked] == [((0, 0), (1, 2))]
    assert shown.picked[1] == HeadPlace(1, 2)
    header, cells = decode(shown._payloads[1])
    assert header["heads"] == [[0, 0], [1, 2]]
    assert np.array_equal(cells[1], shown.trace["encoder.1.self"].to_words().weights[2])
    assert decode(shown._payloads[0])[0]["picked"] == [[0, 0], [1, 2]]
    tell(shown, picked=[])
    assert shown.picked == ()
    assert shown._payloads[1] == b""


def test_what_python_picks_is_what_the_browser_gets() -> None:
    shown = model_view(SAMPLES["small"]())
    shown.picked = [(1, 0), (1, 0), (0, 1)]
    assert shown.picked == (HeadPlace(1, 0), HeadPlace(0, 1))
    assert shown.get_state()["picked"] == [[1, 0], [0, 1]]
    assert len(shown._payloads) == 1


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ([(9, 0)], "no head 0 in layer 9; heads by layer are 0: 0 to 2"),
        ([(0, 99)], "no head 99 in layer 0"),
        ([(0, -1)], "no head -1"),
        ([3], r"pair of layer and head, such as \(1, 5\); got 3"),
        ([(0, "1")], "pair of layer and head"),
        ([(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)], "at most 4 heads are picked at once; got 5"),
    ],
)
def test_a_head_that_is_not_there_is_refused_and_nothing_changes(wrong: Any, says: str) -> None:
    shown = head_view(SAMPLES["hostile"](), picked=[(1, 1)])
    with pytest.raises(TraitError, match=says):
        shown.picked = wrong
    assert shown.picked == ((1, 1),)
    with pytest.raises(TraitError, match=says):
        head_view(SAMPLES["hostile"](), picked=wrong)


def test_what_is_pointed_at_comes_back_in_words_and_stays() -> None:
    shown, seen = head_view(SAMPLES["small"]()), []
    shown.observe(lambda change: seen.append(change["new"]), "pointed")
    assert shown.pointed is None
    tell(shown, _at={"head": [1, 2], "row": 1, "key": 0})
    tell(shown, _at={"head": [0, 0], "row": None, "key": None})
    tell(shown, _at={})
    assert seen == [Pointed(0, HeadPlace(1, 2), 1, 0, "old", "the"), Pointed(0, HeadPlace(0, 0), None, None, "", "")]
    assert shown.pointed == seen[-1]


@pytest.mark.parametrize(
    ("at", "query", "key"),
    [
        ({"key": 1}, "", "cat"),
        ({"panel": 1, "row": 0}, "Le", ""),
        ({"panel": 1, "row": 1, "key": 1}, "chat", "cat"),
        ({"panel": 0, "word": 1}, "chat", ""),
        ({"panel": 1, "row": 99, "key": 99}, "", ""),
    ],
)
def test_a_word_of_an_alignment_comes_back(at: dict[str, int], query: str, key: str) -> None:
    shown = bench(SENTENCE, ["seq2seq-en-fr", "transformer-en-fr"])
    tell(shown, _at=at)
    assert shown.pointed is not None
    assert (shown.pointed.panel, shown.pointed.query, shown.pointed.key) == (at.get("panel", 0), query, key)


def test_a_sentence_from_the_browser_is_read_by_every_model_and_a_bad_one_is_named() -> None:
    shown = bench(SENTENCE, ["bahdanau-en-fr", load("transformer-en-fr")])
    assert [decode_alignment(each)[0]["title"] for each in shown._payloads] == [SENTENCE]
    tell(shown, sentence="The dog sleeps.")
    assert [each.source_text for each in shown.traces] == ["The dog sleeps."] * 2
    before = shown._payloads
    tell(shown, sentence=" ")
    assert "type at least one word" in shown.message
    assert shown._payloads == before
    tell(shown, sentence=SENTENCE)
    assert shown.message == ""
    assert shown.traces[0].source_text == SENTENCE
    with pytest.raises(TypeError, match="at least one model"):
        bench(SENTENCE, [])
    with pytest.raises(InputError):
        bench("", ["bahdanau-en-fr"])
    with pytest.raises(InputError):
        bench(SENTENCE, ["no-such-model"])


def test_widgets_show_what_is_moved_also_of_a_sentence_typed_anew() -> None:
    trace = load("transformer-en-fr").attend(SENTENCE)
    shown = bench(SENTENCE, ["seq2seq-en-fr", "transformer-en-fr"], quantity="moved")
    for sentence in (SENTENCE, "The dog sleeps."):
        shown.sentence = sentence
        header, (weights,) = decode_alignment(shown._payloads[0])
        expected = choose_view(load("transformer-en-fr").attend(sentence).moved()).weights
        np.testing.assert_allclose(weights, expected, atol=1e-5)
        assert header["legend"].startswith("moved")
    assert head_view(trace.moved())._payloads != head_view(trace)._payloads
    with pytest.raises(ValueError, match="'weights', 'moved' or 'zeroed'"):
        bench(SENTENCE, ["bahdanau-en-fr"], quantity="norms")  # type: ignore[arg-type]


def test_a_bench_shows_value_zeroing_of_transformers_and_weights_beside_it() -> None:
    shown = bench(SENTENCE, ["seq2seq-en-fr", "bahdanau-en-fr", "transformer-en-fr"], quantity="zeroed")
    assert [each.quantity for each in shown.traces] == ["weights", "weights", "zeroed"]
    model, trace = load("transformer-en-fr"), shown.traces[2]
    (site,) = trace.sites
    known = value_zeroing(model, model.attend(SENTENCE), site)
    np.testing.assert_allclose(trace[site].weights[0], known, atol=1e-6)
    before = shown.traces
    shown.sentence = " ".join(["cat"] * 70)
    assert "64" in shown.message
    assert shown.traces == before
    shown.sentence = "The dog sleeps."
    assert shown.traces[2].quantity == "zeroed"


def test_widgets_of_one_notebook_know_nothing_of_each_other() -> None:
    one, other = head_view(SAMPLES["small"](), picked=[(0, 0)]), head_view(SAMPLES["small"](), picked=[(0, 0)])
    before = other._payloads
    tell(one, picked=[[1, 1]], _at={"head": [0, 0], "row": 0, "key": 0})
    assert (other.picked, other.pointed, other._payloads) == (((0, 0),), None, before)
    assert one.model_id != other.model_id


def test_an_alignment_takes_traces_of_one_sentence() -> None:
    traces = [load(key).attend(SENTENCE) for key in ("bahdanau-en-fr", "transformer-en-fr")]
    for shown in (alignment(*traces), alignment(traces)):
        titles = [each["title"] for each in decode_alignment(shown._payloads[0])[0]["panels"]]
        assert titles == [each.provenance.title for each in traces]
    with pytest.raises(ValueError, match="traces of one sentence"):
        alignment(traces[0], load("bahdanau-en-fr").attend("A dog barks."))
    with pytest.raises(TypeError, match="at least one"):
        alignment()
    with pytest.raises(TypeError, match="takes traces"):
        alignment([1])  # type: ignore[list-item]


@pytest.mark.parametrize("view", [head_view, model_view])
@pytest.mark.parametrize(
    "given",
    [
        bertviz(),
        list(bertviz()),
        tuple(each.to(torch.bfloat16).float() for each in bertviz()),
        tuple(each.requires_grad_() for each in bertviz()),
        tuple(each.detach().numpy() for each in bertviz()),
        tuple(each[0] for each in bertviz()),
        torch.stack(bertviz()),
    ],
    ids=["tuple", "list", "rounded", "grad", "numpy", "no batch", "one tensor"],
)
def test_the_call_of_bertviz_is_taken_as_it_is(view: Any, given: Any) -> None:
    if not torch.is_tensor(given):
        given = type(given)(each / each.sum(-1)[..., None] for each in given)
    shown = view(given, ["[CLS]", "cat", "##s"])
    assert shown.trace.source.texts == ("[CLS]", "cat", "s")
    assert len(shown.trace.sites) == 2
    last = given[-1].reshape(-1, 3, 3)
    assert np.allclose(shown.trace["encoder.1.self"].weights, last.detach() if torch.is_tensor(last) else last)


TOKENS = ["[CLS]", "a", "b"]
ONE = (bertviz(3), TOKENS)
TWO = {
    "encoder_attention": bertviz(),
    "decoder_attention": bertviz(2, 2),
    "cross_attention": bertviz(2, 2, 3),
    "encoder_tokens": TOKENS,
    "decoder_tokens": ["<pad>", "Le"],
}


@pytest.mark.parametrize(
    ("view", "order"),
    [
        (
            head_view,
            "attention tokens sentence_b_start prettify_tokens layer heads encoder_attention decoder_attention "
            "cross_attention encoder_tokens decoder_tokens include_layers html_action",
        ),
        (
            model_view,
            "attention tokens sentence_b_start prettify_tokens display_mode encoder_attention decoder_attention "
            "cross_attention encoder_tokens decoder_tokens include_layers include_heads html_action",
        ),
    ],
)
def test_the_arguments_have_the_order_of_bertviz(view: Any, order: str) -> None:
    """As bertviz 1.4.1 defines them."""
    told = signature(view).parameters.values()
    assert [each.name for each in told if each.kind is each.POSITIONAL_OR_KEYWORD] == order.split()


@pytest.mark.parametrize(
    ("view", "given", "named", "layers", "picked"),
    [
        (head_view, ONE, {}, [0, 1, 2], None),
        (head_view, (*ONE, 2), {}, [0, 1, 2], None),
        (head_view, (*ONE, None, False, 2, [0, 1]), {}, [0, 1, 2], [(2, 0), (2, 1)]),
        (head_view, ONE, {"layer": 2, "heads": [1]}, [0, 1, 2], [(2, 1)]),
        (head_view, ONE, {"layer": 1}, [0, 1, 2], [(1, 0), (1, 1)]),
        (head_view, ONE, {"heads": [0]}, [0, 1, 2], [(0, 0)]),
        (head_view, ONE, {"include_layers": [1, 2]}, [1, 2], None),
        (head_view, ONE, {"include_heads": [1], "layer": 2}, [0, 1, 2], [(2, 1)]),
        (head_view, ONE, {"html_action": "return"}, [0, 1, 2], None),
        (head_view, (), TWO, [0, 1], None),
        (head_view, (None, None, None, True, None, None, *TWO.values(), [1], "return"), {}, [1], None),
        (model_view, ONE, {}, [0, 1, 2], []),
        (model_view, (*ONE, 2), {}, [0, 1, 2], []),
        (model_view, ONE, {"display_mode": "light"}, [0, 1, 2], []),
        (model_view, (*ONE, None, True, "light"), {"include_layers": [2]}, [2], []),
        (model_view, ONE, {"include_heads": [1]}, [0, 1, 2], []),
        (model_view, (), TWO, [0, 1], []),
        (model_view, (None, None, None, True, "dark", *TWO.values(), [1], [1], "return"), {}, [1], []),
    ],
)
def test_every_documented_call_of_bertviz_shows_what_it_names(
    view: Any, given: tuple[Any, ...], named: dict[str, Any], layers: list[int], picked: list[tuple[int, int]] | None
) -> None:
    shown = view(*given, **named)
    trace, call = shown.trace, signature(view).bind(*given, **named).arguments
    assert sorted({site.layer for site in trace.sites}) == layers
    assert picked is None or list(shown.picked) == picked
    heads = call.get("include_heads") or (0, 1)
    header = decode(shown._payloads[0])[0]
    assert {tuple(each) for each in header["heads"]} == {(layer, head) for layer in layers for head in heads}
    assert trace.source.texts == tuple(TOKENS)
    assert trace.source.segments == ((-1, 0, 1) if call.get("sentence_b_start") == 2 else ())
    if "cross_attention" in call:
        assert trace["decoder.1.self"].query_tokens.texts == ("<pad>", "Le")
        assert trace["decoder.1.cross"].query_tokens.texts == ("Le", "…")
        assert trace["decoder.1.cross"].key_tokens.texts == tuple(TOKENS)
        assert len(trace.sites) == 3 * len(layers)
    assert "https://" not in shown.data
    assert shown.data.isascii()
    assert "<iframe srcdoc=" in shown.data


def test_a_call_of_bertviz_shows_tokens_and_a_trace_words() -> None:
    tokens = ["▁a", "▁sm", "all"]
    assert model_view(bertviz(), tokens)._views[0].shown.query_tokens.texts == (" a", " sm", "all")
    assert model_view(bertviz(), tokens, unit="word")._views[0].shown.query_tokens.texts == ("a", "small")
    assert model_view(bertviz(), tokens, prettify_tokens=False).trace.source.texts == tuple(tokens)
    trace = model_view(bertviz(), tokens).trace
    assert model_view(trace)._views[0].shown.query_tokens.texts == ("a", "small")


def test_one_kind_of_two_stacks_is_taken_alone() -> None:
    causal = tuple(each.tril() / each.tril().sum(-1, keepdim=True) for each in bertviz())
    assert str(head_view(causal, TOKENS).trace.sites[0]) == "decoder.0.self"
    own = {name: TWO[name] for name in ("encoder_tokens", "decoder_tokens")}
    assert len(model_view(cross_attention=TWO["cross_attention"], **own).trace.sites) == 2
    assert model_view(decoder_attention=bertviz(2, 2), decoder_tokens=["x", "y"]).trace.source.texts == ("x", "y")


def test_half_precision_is_taken_as_it_is() -> None:
    half = tuple(softmax(1, 2, 40, 40, seed=layer).to(torch.bfloat16) for layer in range(2))
    assert "bfloat16" in str(head_view(half, ["a"] * 40).trace.provenance.notes)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        ({}, TypeError, "give a trace, or attention"),
        ({"attention": bertviz()}, TypeError, "tokens are missing"),
        ({"attention": bertviz(), "tokens": ["a"]}, TraceError, r"\(2, 3, 3\)"),
        ({"attention": (None, None), "tokens": ["a"]}, TraceError, "attn_implementation='eager'"),
        ({"attention": (softmax(2, 1, 1, 1),), "tokens": ["a"]}, TraceError, "a batch of 2. Choose one text"),
        ({"attention": (softmax(2, 2),), "tokens": ["a"]}, TraceError, r"expected \[batch, head, query, key\]"),
        ({"attention": (bertviz(),), "tokens": ["a"]}, TraceError, "as `generate` returns"),
        ({"attention": "a text", "tokens": ["a"]}, TypeError, "or one tensor a layer .*; got str"),
        ({"attention": {"attentions": bertviz()}, "tokens": ["a"]}, TypeError, "got dict"),
        ({"attention": ["a text"], "tokens": ["a"]}, TraceError, "layer 0: no numbers in a grid"),
        ({"attention": (), "tokens": ["a"]}, KeyError, "no attention was captured"),
        ({"attention": bertviz(), "tokens": "abc", "colours": 1}, TypeError, "argument 'colours'"),
        ({"attention": bertviz(), "tokens": ["a", "b", "c"], "include_layers": [7]}, ValueError, "the layers 0 to 1"),
        ({"attention": bertviz(), "cross_attention": bertviz(), "tokens": ["a"]}, TypeError, "got attention, cross"),
        ({"attention": bertviz(), "tokens": TOKENS, "include_heads": [7]}, ValueError, "the heads are 0 to 1"),
        ({"attention": bertviz(), "tokens": TOKENS, "sentence_b_start": 9}, ValueError, "a token, 1 to 2; got 9"),
        (
            {"attention": bertviz(), "tokens": TOKENS, "html_action": "save"},
            ValueError,
            "'view' or 'return'; got 'save'",
        ),
        ({"cross_attention": bertviz(), "encoder_tokens": ["a"]}, TypeError, "decoder_tokens are missing"),
        ({"attention": SAMPLES["small"](), "tokens": ["a"]}, TypeError, "give it alone"),
        ({"attention": SAMPLES["small"](), "sites": "encoder.7.self"}, KeyError, "no map at"),
        ({"attention": SAMPLES["small"](), "colour": "square"}, ValueError, "square"),
        ({"attention": load("seq2seq-en-fr").attend(SENTENCE)}, KeyError, "no attention was captured"),
    ],
)
def test_a_wrong_call_says_what_to_do(call: dict[str, Any], error: type[Exception], says: str) -> None:
    for view in (head_view, model_view):
        with pytest.raises(error, match=says):
            view(**call)


@pytest.mark.parametrize("kind", ["heads", "model", "bench", "alignment"])
def test_a_saved_widget_is_whole_and_fetches_nothing(kind: str) -> None:
    trace = SAMPLES["hostile"]()
    made: dict[str, Any] = {
        "heads": lambda: head_view(trace),
        "model": lambda: model_view(trace),
        "bench": lambda: bench(SENTENCE, ["seq2seq-en-fr"]),
        "alignment": lambda: alignment(
            AttentionTrace.from_arrays({"encoder.0.self": np.eye(2)}, source=[HOSTILE, "b"])
        ),
    }
    saved = made[kind]()._saved()
    assert "https://" not in saved.replace("http://www.w3.org", "")
    assert "<iframe srcdoc=" in saved
    assert HOSTILE not in saved
    pictures = re.findall(r'<img [^>]*src="data:image/png;base64,([^"]+)"', saved)
    assert [b64decode(each)[:4] for each in pictures] == ([] if kind == "bench" else [b"\x89PNG"])
    assert len(saved) < 250_000


def test_importing_widgets_loads_neither_torch_nor_streamlit() -> None:
    script = "import viz.notebook, sys; sys.exit(str({'torch', 'streamlit', 'matplotlib.pyplot'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parents[3], capture_output=True, text=True)
    assert done.stderr.strip() == "set()"
