"""What every loaded model says of itself, ours and pretrained, against what its runs show."""

from __future__ import annotations

from typing import get_args

import pytest

from models import InputError
from models.keys import MINILM, identity_of, is_of_hub, is_pretrained, pretrained_key
from models.model import Kind, Model, Predicts
from tests.support.huggingface_samples import CAUSAL, ENCODERS, FAMILIES, OWN, TRANSLATORS, tiny_model
from tests.support.small_models import KEYS, translator

TEXT = "The cat drank the milk."
EVERY = (*KEYS, *FAMILIES)


def made(name: str) -> Model:
    return translator(name) if name in KEYS else tiny_model(name)


@pytest.mark.parametrize("name", EVERY)
def test_heads_and_stacks_are_those_of_a_trace(name: str) -> None:
    model = made(name)
    trace = model.attend(TEXT)
    assert dict(model.heads) == {each.site: len(each.head_names) for each in trace}
    assert tuple(model.heads) == trace.sites
    assert set(model.stacks) == {site.stack for site in trace.sites}
    assert trace.is_translation is model.is_translation


@pytest.mark.parametrize("name", EVERY)
def test_a_model_names_itself_as_its_traces_do(name: str) -> None:
    model = made(name)
    provenance = model.attend(TEXT).provenance
    assert (model.key, model.title, model.sha256) == (provenance.checkpoint, provenance.title, provenance.sha256)
    assert model.kind in get_args(Kind)
    assert model.predicts in get_args(Predicts)
    assert is_pretrained(model.key) is (model.pair is None) is (model.kind != "translator")


@pytest.mark.parametrize("name", EVERY)
def test_only_what_takes_a_second_text_takes_one(name: str) -> None:
    model = made(name)
    if model.takes_pair:
        trace = model.attend(TEXT, pair=TEXT)
        assert trace.source_text == f"{TEXT}\n{TEXT}"
        assert model.replay(trace, pair=TEXT).trace is trace
        return
    trace = model.attend(TEXT)
    with pytest.raises(InputError, match="takes one text"):
        model.attend(TEXT, pair=TEXT)
    with pytest.raises(InputError, match="takes one text"):
        model.replay(trace, pair=TEXT)


@pytest.mark.parametrize(
    ("names", "kind", "edits", "pairs"),
    [
        (ENCODERS, "encoder", True, True),
        (CAUSAL, "decoder", True, False),
        (TRANSLATORS, "encoder-decoder", True, False),
        (OWN, None, False, None),
    ],
)
def test_the_kinds_of_pretrained_models(
    names: tuple[str, ...], kind: str | None, *, edits: bool, pairs: bool | None
) -> None:
    for name in names:
        model = tiny_model(name)
        assert model.kind == (kind or model.kind), name
        assert model.editable is edits, name
        assert model.takes_pair is (model.kind == "encoder" if pairs is None else pairs), name
        assert model.mask_token == "<mask>", name


def test_a_model_without_attention_has_nothing_to_edit() -> None:
    assert {name: made(name).editable for name in KEYS} == {name: bool(made(name).stacks) for name in KEYS}
    assert not made("seq2seq").editable


def test_a_key_and_its_identity_are_one_thing() -> None:
    for identity in ("owner/name", "minilm"):
        key = pretrained_key(identity)
        assert is_pretrained(key)
        assert identity_of(key) == identity
        assert is_of_hub(key) is ("/" in identity)
    assert pretrained_key("minilm") == MINILM
    assert not is_pretrained("bahdanau-en-fr")
    assert not is_of_hub("owner/name")
