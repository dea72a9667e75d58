"""A model of strangers is opened in a process of its own, within its memory and its time, before a server takes it."""

from __future__ import annotations

import json
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from tokenizers import Tokenizer, normalizers

from models.errors import InputError
from models.huggingface import apart
from models.huggingface.apart import can_limit
from models.huggingface.embedded import Local
from models.huggingface.trial import try_out
from models.messages import CountMessage, Message
from tests.support.huggingface_samples import tiny_network, tiny_tokenizer

pytestmark = pytest.mark.skipif(not can_limit(), reason="no limits of memory on this system")


@pytest.fixture
def known(tmp_path: Path) -> Local:
    folder = tmp_path / "tiny"
    tiny_network("bert").save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    return Local("hf:owner/tiny", "owner/tiny", folder)


def test_a_model_that_opens_comes_through(known: Local) -> None:
    try_out(known)


def test_what_is_wrong_is_said_as_the_model_says_it(known: Local) -> None:
    config = known.folder / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"num_hidden_layers": 100_000}))
    with pytest.raises(InputError) as caught:
        try_out(known)
    assert caught.value.args[0].text == (
        "{title}: its configuration describes {layers:,} layers, but its files contain {count:,} tensors."
    )
    assert caught.value.args[0].values["layers"] == 100_000


def test_a_tokenizer_that_swells_is_stopped_and_takes_nothing_from_this_process(known: Local) -> None:
    """28 steps that double each letter: 2.8 GB and a minute for the three words of the first run."""
    path = known.folder / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Replace("s", "ss") for _ in range(28)])
    tokenizer.save(str(path))
    begun = monotonic()
    with pytest.raises(InputError, match=r"owner/tiny (was not opened: it exceeded the limit|cannot be opened)"):
        try_out(known, seconds=60, spare=2**28)
    assert monotonic() - begun < 65


def test_what_never_ends_is_ended(known: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter is up within that time, the libraries are not."""
    begun = monotonic()
    with pytest.raises(InputError, match=r"or 0 seconds"):
        try_out(known, seconds=0.2)
    assert monotonic() - begun < 5


@pytest.mark.parametrize(
    "said",
    [
        Message("no values"),
        Message("{a} and {b}", a=Message("inner {x}", x="\u732b"), b=3),
        CountMessage("{count} token of {other}", "{count} tokens of {other}", 2, other=Message("text")),
    ],
    ids=str,
)
def test_a_message_comes_across_as_it_was(said: Any) -> None:
    again = apart._read(json.loads(json.dumps(apart._written(said))))
    assert (type(again), again, again.text, dict(again.values)) == (type(said), said, said.text, dict(said.values))
