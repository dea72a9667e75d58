"""Folders of models that strangers made: opened whole or refused with a reason, never code run, never without end."""

from __future__ import annotations

import json
import resource
import shutil
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from time import monotonic
from typing import Any

from hypothesis import strategies as st

from benchmarks.fuzz.running import Fuzz
from models.errors import InputError
from models.huggingface.loading import load_folder
from tests.support.huggingface_samples import TEXT, tiny_network, tiny_tokenizer

SECONDS = 60.0
MOST_BYTES = 2**30
"""Memory that refusing or opening a tiny folder may take beyond what was taken before."""

FAMILIES = ("bert", "gpt2", "marian", "llama", "t5")
_FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "generation_config.json")
_ABOVE = "../" * 3 + "etc/passwd"
_HOSTILE = (
    *(None, True, -1, 0, 1, 7, 10**5, 10**9, 2**63, -(2**40), 1e308, 0.5, "", "x", "../../etc", [], {}, [1, "a"]),
    *([[]] * 3, {"a": {"b": None}}, "gelu_new", "__import__('os')"),
)
_NAMES = (
    "model_type architectures hidden_size num_hidden_layers num_attention_heads vocab_size d_model n_layer "
    "n_head n_embd max_position_embeddings intermediate_size hidden_act pad_token_id quantization_config "
    "is_encoder_decoder dtype tie_word_embeddings torch_dtype num_key_value_heads rope_parameters layer_types "
    "_attn_implementation version model encoder_layers decoder_start_token_id normalizer pre_tokenizer "
    "post_processor decoder added_tokens tokenizer_class "
).split()
_VALUES = st.sampled_from(_HOSTILE) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
_CHANGES = st.one_of(
    st.tuples(st.just("cut"), st.sampled_from(_FILES), st.floats(0, 1)),
    st.tuples(
        st.just("bytes"), st.sampled_from(_FILES), st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=12))
    ),
    st.tuples(st.just("json"), st.sampled_from(_FILES), st.tuples(st.sampled_from(_NAMES), _VALUES)),
    st.tuples(st.just("gone"), st.sampled_from(_FILES), st.none()),
    st.tuples(st.sampled_from(("code", "pickle", "index")), st.just("config.json"), st.none()),
)
FUZZ = Fuzz(st.tuples(st.sampled_from(FAMILIES), st.lists(_CHANGES, min_size=1, max_size=3)), 20)


@cache
def _whole(family: str) -> Path:
    folder = Path(mkdtemp(prefix="whole-")) / family
    tiny_network(family).save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    return folder


def _change(folder: Path, kind: str, name: str, how: Any) -> None:
    """Do one thing to a folder that a stranger might have done."""
    path = folder / name
    if kind == "code":
        ran = f"from pathlib import Path\nPath({str(folder / 'ran')!r}).touch()\n"
        for module in ("modeling_own", "configuration_own", "tokenization_own"):
            (folder / f"{module}.py").write_text(ran, encoding="utf8")
        own = {each: f"modeling_own.{each}" for each in ("AutoModel", "AutoModelForCausalLM", "AutoTokenizer")}
        _put(path, "auto_map", own | {"AutoConfig": "configuration_own.Config"})
    elif kind == "pickle":
        (folder / "model.safetensors").unlink(missing_ok=True)
        touch = f"cos\nsystem\n(S'touch {folder / 'ran'}'\ntR."
        (folder / "pytorch_model.bin").write_bytes(touch.encode())
    elif kind == "index":
        (folder / "model.safetensors").rename(folder / "gone") if (folder / "model.safetensors").exists() else None
        said = {"metadata": {}, "weight_map": {"a": _ABOVE, "b": "model.safetensors"}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(said), encoding="utf8")
    elif path.is_file():
        _damage(path, kind, how)


def _damage(path: Path, kind: str, how: Any) -> None:
    held = path.read_bytes()
    if kind == "cut":
        path.write_bytes(held[: int(how * len(held))])
    elif kind == "bytes":
        place = int(how[0] * len(held))
        path.write_bytes(held[:place] + how[1] + held[place + len(how[1]) :])
    elif kind == "gone":
        path.unlink()
    elif path.suffix == ".json":
        _put(path, *how)


def _put(path: Path, name: str, value: Any) -> None:
    with suppress(ValueError, OSError):
        said = json.loads(path.read_text(encoding="utf8"))
        if isinstance(said, dict):
            path.write_text(json.dumps(said | {name: value}), encoding="utf8")


def check(example: tuple[str, list[tuple[str, str, Any]]]) -> None:
    """Raise AssertionError if a folder raises what is no InputError, runs code, or takes too much time or memory."""
    family, changes = example
    with TemporaryDirectory() as place:
        folder = Path(shutil.copytree(_whole(family), Path(place) / family))
        for each in changes:
            _change(folder, *each)
        began, held = monotonic(), _most_memory()
        with suppress(InputError):
            load_folder(folder).attend(TEXT)
        assert not (folder / "ran").exists(), "a stranger's code was run"
        assert monotonic() - began < SECONDS
        assert _most_memory() - held < MOST_BYTES


def _most_memory() -> int:
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
