"""Which class of transformers opens a checkpoint, and what its head predicts."""

from __future__ import annotations

from typing import Any

from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    AutoModelForMaskedLM,
    AutoModelForMultimodalLM,
    AutoModelForSeq2SeqLM,
    BertForMaskedLM,
)

from models.model import Predicts

_CLASSES: dict[Predicts, tuple[Any, ...]] = {
    "causal": (AutoModelForCausalLM, AutoModelForImageTextToText, AutoModelForMultimodalLM),
    "masked": (AutoModelForMaskedLM,),
    "translation": (AutoModelForSeq2SeqLM,),
    "none": (AutoModel,),
}
_ENDINGS: tuple[tuple[str, Predicts], ...] = (
    ("LMHeadModel", "causal"),
    ("ForCausalLM", "causal"),
    ("ForConditionalGeneration", "causal"),
    ("ForMaskedLM", "masked"),
    ("ForPreTraining", "masked"),
)


class _BertWithoutSentences(BertForMaskedLM):  # type: ignore[no-untyped-call]
    """Masked words of a BERT that was trained on next sentences as well: names the weights of that task, left aside."""

    _keys_to_ignore_on_load_unexpected = [r"^bert\.pooler\.", r"^cls\.seq_relationship\."]  # noqa: RUF012


def openers(config: Any) -> list[tuple[Any, Predicts]]:
    """Return the classes that can open a checkpoint, each with what its head predicts, the one to try first before."""
    head = _head_of(config)
    heads: tuple[Predicts, ...] = (head,) if head in ("translation", "none") else (head, "none")
    found = [(_class_of(config, each), each) for each in heads]
    return [(opener, each) for opener, each in found if opener is not None]


def _class_of(config: Any, head: Predicts) -> Any:
    """Return the class for a head: the very one that the checkpoint was saved from, if there is one; None if none."""
    trained_as = _trained_as(config)
    if head == "masked" and config.model_type == "bert" and trained_as == "BertForPreTraining":
        return _BertWithoutSentences
    fitting = [each for each in _CLASSES[head] if type(config) in each._model_mapping]
    same = (each for each in fitting if _names(each, config) == trained_as)
    return next(same, fitting[0] if fitting else None)


def _head_of(config: Any) -> Predicts:
    """Return what a checkpoint predicts, told by the class that it was saved from."""
    if config.is_encoder_decoder:
        return "translation"
    if config.model_type == "xlnet":  # on a text alone it reads both ways, so that no next word is left to predict
        return "none"
    if config.model_type == "xlm" and not config.causal:
        return "masked"
    name = _trained_as(config)
    for head in ("causal", "masked"):
        if any(_names(each, config) == name for each in _CLASSES[head]):
            return head
    return next((head for ending, head in _ENDINGS if name.endswith(ending)), "none")


def _trained_as(config: Any) -> str:
    names = getattr(config, "architectures", None) or ("",)
    return str(names[0])


def _names(opener: Any, config: Any) -> str:
    """Return the class that `opener` would make of a configuration; nothing if it makes none."""
    mapping = opener._model_mapping
    kind = mapping.get(type(config), "")
    return str(getattr(kind[0] if isinstance(kind, tuple) else kind, "__name__", ""))
