"""What `for_inference` makes of a network: the same numbers, from weights that are fetched as float16."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import Tensor, nn

from models.networks.base import HalfStoredLinear, TranslationNetwork
from models.softmax import full_precision
from tests.support.small_models import KEYS, network

pytestmark = pytest.mark.skipif(
    "fbgemm" not in torch.backends.quantized.supported_engines,
    reason="torch packs weights as float16 on x86 processors only",
)


def _half(made: TranslationNetwork) -> TranslationNetwork:
    with torch.no_grad():
        for each in made.parameters():
            each.copy_((each / 5).half().float())
    return made


def _packed(made: nn.Module) -> list[HalfStoredLinear]:
    return [each for each in made.modules() if isinstance(each, HalfStoredLinear)]


def _logits(made: TranslationNetwork) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    source, inputs = (torch.randint(3, 4000, (1, length), generator=generator) for length in (9, 11))
    with torch.inference_mode():
        return made.decode(made.encode(source), inputs)


@pytest.mark.parametrize("key", KEYS)
def test_shipped_weights_give_the_logits_of_the_plain_network(key: str) -> None:
    """Weights that are float16 numbers lose nothing by being kept so: the sums are float32, in another order."""
    plain = _half(network(key))
    ready = copy.deepcopy(plain).for_inference()
    assert _packed(ready)
    torch.testing.assert_close(_logits(ready), _logits(plain), atol=1e-5, rtol=1e-5)
    kept, given = ready.state_dict(), plain.state_dict()
    assert kept.keys() == given.keys()
    assert all(torch.equal(full_precision(kept[name]), given[name]) for name in given)
    assert kept["embedding.weight"].dtype == torch.float16


@pytest.mark.parametrize("key", KEYS)
def test_weights_that_float16_would_round_stay_as_they_are(key: str) -> None:
    """A network fresh from training, or from a random start, keeps every bit."""
    plain = network(key)
    ready = copy.deepcopy(plain).for_inference()
    assert not _packed(ready)
    assert torch.equal(_logits(ready), _logits(plain))


def test_a_bias_that_float16_would_round_keeps_its_map_whole() -> None:
    """Weights and bias are judged together, because torch would round both."""
    made = _half(network("bahdanau"))
    with torch.no_grad():
        made.get_parameter("readout.bias")[0] = 0.1  # no float16 number
    ready = made.for_inference()
    assert not isinstance(ready.get_submodule("readout"), HalfStoredLinear)
    assert isinstance(ready.get_submodule("query_weight"), HalfStoredLinear)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("packs", [True, False])
def test_a_network_that_is_ready_takes_no_other_weights(key: str, *, packs: bool) -> None:
    """They would not reach what is packed: the network says so, and stays as it was to the last bit."""
    made, other = network(key), network(key)
    ready = (_half(made) if packs else made).for_inference()
    with torch.no_grad():
        for each in other.parameters():
            each.add_(1)
    before = {name: each.clone() for name, each in ready.state_dict().items()}
    with pytest.raises(RuntimeError, match=r"ready to run, for good.*new network"):
        ready.load_state_dict(other.state_dict())
    for name, part in ready.named_children():
        with pytest.raises(RuntimeError, match="ready to run, for good"):
            part.load_state_dict(other.get_submodule(name).state_dict())
    assert all(torch.equal(before[name], each) for name, each in ready.state_dict().items())
