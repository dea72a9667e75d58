"""The language models with a memory: the equations of their papers, in the window and out of it, whoever looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from models.edits import mask_cell, scale_scores, uniform_row, zero_head
from models.hooks import capture
from models.networks.lstmn import LSTMN
from models.networks.memory_models import MEMORY, LanguageModel, may_read
from models.readers.language import network_of
from tests.support.drawing import redrawn
from tests.support.reference_readers import attentive_language_model, lstmn, n_gram_language_model

SMALL = {"vocabulary": 40, "d_embedding": 6}
WINDOW = 4
KINDS: dict[str, tuple[dict[str, int], Callable[..., Any]]] = {
    "attention": (
        SMALL | {"d_hidden": 5, "parts": 1, "window": WINDOW},
        lambda p, ids: attentive_language_model(p, ids, parts=1, window=WINDOW),
    ),
    "key-value": (
        SMALL | {"d_hidden": 8, "parts": 2, "window": WINDOW},
        lambda p, ids: attentive_language_model(p, ids, parts=2, window=WINDOW),
    ),
    "key-value-predict": (
        SMALL | {"d_hidden": 9, "parts": 3, "window": WINDOW},
        lambda p, ids: attentive_language_model(p, ids, parts=3, window=WINDOW),
    ),
    "n-gram": (SMALL | {"d_hidden": 9, "order": 4}, lambda p, ids: (n_gram_language_model(p, ids, order=4), {})),
    "lstmn": (SMALL | {"d_hidden": 7}, lstmn),
}
ATTENTIVE = tuple(name for name in KINDS if name != "n-gram")


def random_network(kind: str) -> LanguageModel:
    return redrawn(network_of(kind, KINDS[kind][0]).eval(), seed=5, std=0.7)


def texts(rows: int = 2, tokens: int = 11) -> torch.Tensor:
    return torch.randint(40, (rows, tokens), generator=torch.Generator().manual_seed(2))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("dtype", "within"), [(torch.float64, 1e-10), (torch.float32, 1e-5)])
@pytest.mark.parametrize("tokens", [1, 2, 11])
def test_a_random_network_is_the_papers_equations(kind: str, dtype: torch.dtype, within: float, tokens: int) -> None:
    network, ids = random_network(kind).to(dtype), texts(tokens=tokens)
    parameters = {name: values.double().numpy() for name, values in network.state_dict().items()}
    patterns = ("*.weights",) if network.heads else ()
    with torch.inference_mode(), capture(patterns) as session:
        logits = network(ids)
    for row, text in enumerate(ids.tolist()):
        expected, maps = KINDS[kind][1](parameters, text)
        np.testing.assert_allclose(logits[row].numpy(), expected, atol=within)
        for site, weights in maps.items():
            np.testing.assert_allclose(session[f"{site}.weights"][row].numpy(), weights, atol=within)


@pytest.mark.parametrize("kind", KINDS)
def test_training_and_an_open_session_give_the_same_scores(kind: str) -> None:
    network, ids = random_network(kind).double(), texts()
    plain = network(ids)
    network.train()
    torch.testing.assert_close(network(ids), plain, atol=1e-12, rtol=0)
    network(ids).sum().backward()
    assert all(each.grad is not None and each.grad.abs().sum() > 0 for each in network.parameters())
    network.eval()
    with torch.inference_mode(), capture(("*",) if network.heads else ()):
        torch.testing.assert_close(network(ids), plain, atol=1e-12, rtol=0)


def test_a_token_reads_the_window_before_it_and_the_first_itself() -> None:
    allowed = may_read(7, 3)
    assert allowed[0].nonzero().flatten().tolist() == [0]
    assert allowed[1].nonzero().flatten().tolist() == [0]
    assert allowed[6].nonzero().flatten().tolist() == [3, 4, 5]
    with torch.inference_mode(), capture(("*.weights",)) as session:
        random_network("key-value-predict")(texts())
    weights = session[MEMORY.at("weights")]
    assert weights.shape == (2, 1, 11, 11)
    assert torch.equal((weights > 0)[0, 0], may_read(11, WINDOW))


@pytest.mark.parametrize("kind", ATTENTIVE)
def test_what_hooks_show_is_what_was_computed(kind: str) -> None:
    network = random_network(kind).double().requires_grad_(False)
    with torch.inference_mode(), capture(("*",)) as session:
        network(texts())
    shown = {site.quantity: session[site] for site in session.sites}
    vector = network.get_parameter("score_vector")
    torch.testing.assert_close((shown["features"] @ vector)[:, None], shown["scores"], atol=1e-12, rtol=0)
    first = int(isinstance(network, LSTMN))  # its first token reads an empty slot, which is no token's
    made = (shown["weights"] @ shown["value"])[:, :, first:]
    torch.testing.assert_close(made, shown["context"][:, :, first:], atol=1e-12, rtol=0)
    allowed = shown["scores"].masked_fill(~shown["mask"], -torch.inf).softmax(dim=-1)
    torch.testing.assert_close(allowed, shown["weights"], atol=1e-12, rtol=0)


@pytest.mark.parametrize("kind", ATTENTIVE)
def test_edits_act_on_each_step_and_what_is_predicted_follows(kind: str) -> None:
    network, place = random_network(kind), str(MEMORY)
    plain = network(texts())
    for edit in (zero_head(place, 0), uniform_row(place, 0, 3), scale_scores(place, 0.0), mask_cell(place, 5, 4)):
        with torch.inference_mode(), capture(("*.weights",), (edit,)) as session:
            changed = network(texts())
        assert not torch.allclose(changed, plain)
        weights = session[MEMORY.at("weights")][:, 0]
        if edit.name == "zero_head":
            assert not weights.any()
        if edit.name == "uniform_row":
            assert torch.equal(weights[0, 3], torch.tensor([1, 1, 1] + [0] * 8) / 3)
            assert torch.equal(changed[:, :3], plain[:, :3])
        if edit.name == "mask_cell":
            assert not weights[:, 5, 4].any()
    with torch.inference_mode(), capture(("*.weights",)):
        torch.testing.assert_close(network(texts()), plain, atol=1e-6, rtol=0)


def test_no_token_knows_what_comes_after_it() -> None:
    for kind in KINDS:
        network, ids = random_network(kind), texts()
        other = ids.clone()
        other[:, 7] = (other[:, 7] + 1) % 40
        torch.testing.assert_close(network(ids)[:, :7], network(other)[:, :7], atol=0, rtol=0)
        assert not torch.allclose(network(ids)[:, 7], network(other)[:, 7])
