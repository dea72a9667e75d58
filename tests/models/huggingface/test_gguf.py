"""GGUF files: those of tiny networks open as what they were made from; those that lie are refused by name."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from gguf import GGMLQuantizationType
from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint

import models
from models.errors import InputError
from models.huggingface import apart
from models.huggingface.apart import can_limit
from models.huggingface.embedded import local, local_models
from models.huggingface.gguf_header import LARGEST_HEADER, MOST_ITEMS, read_header
from models.huggingface.offers import MARK, OFFERS, unpacked_folder
from models.huggingface.unpacked import opened
from models.loading import find_pretrained
from tests.support.forking import Forks, forks_of
from tests.support.gguf_files import ARCHITECTURE, kept_as, made, rounded, setting, tensor, text, write_tiny
from tests.support.huggingface_samples import TEXT, tiny_network

ROOT = Path(__file__).parents[3]
MOST_MEMORY = 500_000_000
FAMILIES = ("llama", "qwen2", "qwen3")
QUANTISATIONS = ("F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q8_0")


def array(kind: int, count: int, data: bytes = b"") -> bytes:
    return struct.pack("<IQ", kind, count) + data


WHOLE = made(tensors=[tensor(dims=(32, 8))])
REFUSED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is not a GGUF file"),
    "another kind of file": (b"PK\x03\x04" + bytes(100), "is not a GGUF file"),
    "a name alone": (b"GGUF", "header is cut off"),
    "version 1": (made(version=1), "its GGUF version, 1,"),
    "the other byte order": (b"GGUF" + struct.pack(">IQQ", 3, 1, 1) + bytes(64), "is not supported here"),
    "a billion tensors": (made(counts=(10**9, 1)), "1,000,000,000 tensors"),
    "tensors without number": (made(counts=(2**64 - 1, 1)), "settings, more than it can contain"),
    "a billion settings": (made(counts=(1, 10**9)), "1,000,000,000 settings"),
    "more tensors than there are": (made(tensors=[tensor()], counts=(40, 1)), r"dimensions|cut off|impossible size"),
    "cut off in the settings": (WHOLE[:40], "header is cut off"),
    "cut off in the table": (WHOLE[:90], "header is cut off"),
    "cut off in the numbers": (WHOLE[:-3500], "the file is cut off: tensor"),
    "a name longer than the file": (
        made([text("a", 10**9) + struct.pack("<I", 8)], [tensor()]),
        "larger than the file",
    ),
    "a text longer than memory": (made([setting("a", 8, text("", 2**63))], [tensor()]), "larger than the file"),
    "a text that is none": (made([setting("a", 8, text(b"\xff\xfe"))], [tensor()]), "not UTF-8"),
    "a setting of an unknown type": (made([setting("a", 99, bytes(8))], [tensor()]), "unknown type, 99"),
    "a list of an unknown type": (made([setting("a", 9, array(99, 1))], [tensor()]), "unknown type, 99"),
    "a list without end": (
        made([setting("a", 9, array(4, 2**61))], [tensor()]),
        "it contains a list that is too long or nested",
    ),
    "a list longer than the file": (made([setting("a", 9, array(4, 10**6))], [tensor()]), "larger than the file"),
    "a list of empty texts": (
        made([setting("a", 9, array(8, MOST_ITEMS + 1, bytes(100)))], [tensor()]),
        "it contains a list that is too long or nested",
    ),
    "lists in lists": (
        made([setting("a", 9, array(9, 1, array(9, 1)))], [tensor()]),
        "it contains a list that is too long or nested",
    ),
    "a setting twice": (made([ARCHITECTURE, ARCHITECTURE], [tensor()]), "appears twice"),
    "no architecture": (made([setting("a", 8, text("b"))], [tensor()]), "it does not name its architecture"),
    "an architecture that is a number": (
        made([setting("general.architecture", 4, bytes(4))], [tensor()]),
        "it does not name its architecture",
    ),
    "an architecture of nobody": (
        made([setting("general.architecture", 8, text("nobody"))], [tensor()]),
        "architecture 'nobody'",
    ),
    "an alignment of nothing": (
        made([ARCHITECTURE, setting("general.alignment", 4, bytes(4))], [tensor()]),
        "not a power of two",
    ),
    "an alignment of words": (
        made([ARCHITECTURE, setting("general.alignment", 8, text("x"))], [tensor()]),
        "not a power of two",
    ),
    "no tensors": (made(), "has no tensors"),
    "no dimensions": (made(tensors=[tensor(dims=())]), "0 dimensions"),
    "a billion dimensions": (made(tensors=[tensor(count=10**9)]), "1,000,000,000 dimensions"),
    "a dimension of nothing": (made(tensors=[tensor(dims=(32, 0))]), "has an impossible size"),
    "a size that overflows": (made(tensors=[tensor(dims=(2**33, 2**33))]), "has an impossible size"),
    "a size that wraps to a small one": (made(tensors=[tensor(dims=(2**32, 2**32, 32))]), "has an impossible size"),
    "a row of a part of a block": (made(tensors=[tensor(dims=(33, 8), kind=2)]), "has an impossible size"),
    "a type of nobody": (made(tensors=[tensor(kind=250)]), "has an unsupported type, 250"),
    "a type of no weights": (made(tensors=[tensor(kind=24)]), "has an unsupported type, I8"),
    "a tensor beyond the file": (made(tensors=[tensor(start=2**40)]), "cut off"),
    "a tensor that ends beyond the file": (made(tensors=[tensor(dims=(32, 10**6))]), "cut off"),
    "a tensor between two places": (made(tensors=[tensor(start=7)]), "cut off"),
    "a tensor twice": (made(tensors=[tensor(), tensor(start=1024)]), "'token_embd.weight' appears twice"),
    "two tensors in one place": (made(tensors=[tensor(), tensor("a")]), "overlap"),
}


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    with forks_of("models.huggingface.gguf_unpacking") as forks:
        yield forks


@pytest.fixture
def quick(forks: Forks, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unpack in a fork, under the same limits; other tests start the process as the app does."""

    def run(
        command: list[str], *, seconds: float, given: bytes = b"", shown: bool = False
    ) -> subprocess.CompletedProcess[bytes]:
        return forks.run(command, given)

    monkeypatch.setattr(apart, "run_apart", run)


@pytest.mark.parametrize("kind", REFUSED)
def test_a_file_that_lies_is_refused_by_name(kind: str, tmp_path: Path) -> None:
    data, reason = REFUSED[kind]
    path = tmp_path / "bad.gguf"
    path.write_bytes(data)
    if kind == "an architecture of nobody":
        assert read_header(path, "bad")  # whole, and refused by what would unpack it
        return
    with pytest.raises(InputError, match=rf"^bad cannot be opened: .*{reason}"):
        read_header(path, "bad")


def test_a_header_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "long.gguf"
    path.write_bytes(made([setting("a", 8, text("", 2 * LARGEST_HEADER))], [tensor()]))
    with path.open("r+b") as file:
        file.truncate(3 * LARGEST_HEADER)
    with pytest.raises(InputError, match="long cannot be opened"):
        read_header(path, "long")


def test_a_million_tensors_that_are_all_there_take_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "many.gguf"
    path.write_bytes(made(tensors=[tensor(str(each), (1,), start=32 * each) for each in range(100_001)]))
    with pytest.raises(InputError, match="settings, more than it can contain"):
        read_header(path, "many")


@pytest.mark.parametrize("kind", ["a billion tensors", "an architecture of nobody", "two tensors in one place"])
def test_a_server_and_its_process_take_little_for_a_file_that_lies(kind: str, tmp_path: Path) -> None:
    """The process that refuses, and the one that asked: the larger of the two."""
    path = tmp_path / "bad.gguf"
    path.write_bytes(REFUSED[kind][0])
    script = (
        "import resource, sys; from pathlib import Path; import models\n"
        "try: models.load(Path(sys.argv[1]))\n"
        "except models.InputError as error: sys.stdout.write(str(error))\n"
        "own = int(Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0])\n"
        "most = max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
        "sys.stdout.write(f'\\n{most * 1024}')"
    )
    command = [sys.executable, "-c", script, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    said, most = done.stdout.splitlines()
    assert said.startswith("bad cannot be opened: ")
    assert int(most) < MOST_MEMORY


def _write(path: Path, family: str, kind: str, **more: Any) -> Any:
    network: Any = tiny_network(family)
    write_tiny(path, network, GGMLQuantizationType[kind], more)
    return network


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("kind", QUANTISATIONS)
def test_each_quantisation_is_read_as_the_numbers_that_it_stands_for(kind: str, cache: Path, tmp_path: Path) -> None:
    network = _write(tmp_path / "tiny.gguf", "llama", kind)
    model: Any = models.load(tmp_path / "tiny.gguf")
    assert model.title == f"tiny ({kind})"
    load: Any = load_gguf_checkpoint
    theirs = load(tmp_path / "tiny.gguf", return_tensors=True, model_to_load=network)["tensors"]
    for name, values in model.network.state_dict().items():
        assert torch.equal(values.float(), rounded(network.state_dict()[name], GGMLQuantizationType[kind])), name
        if name in theirs:
            exact = kept_as(values.shape, GGMLQuantizationType[kind]).name in ("F32", "BF16")
            assert torch.equal(values.float(), theirs[name] if exact else theirs[name].half().float()), name


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("family", FAMILIES)
def test_a_file_of_each_family_gives_the_attention_of_the_network_that_it_was_made_from(
    family: str, cache: Path, tmp_path: Path
) -> None:
    network = _write(tmp_path / "tiny.gguf", family, "F32")
    trace = models.load(tmp_path / "tiny.gguf").attend(TEXT)
    network.set_attn_implementation("eager")
    with torch.no_grad():
        theirs = network.eval()(torch.tensor([trace.source.ids]), output_attentions=True).attentions
    for ours, their in zip(trace.maps, theirs, strict=True):
        torch.testing.assert_close(torch.tensor(ours.weights), their[0], atol=1e-5, rtol=0)


def test_a_file_and_a_folder_with_one_are_offered_like_any_folder(cache: Path, tmp_path: Path) -> None:
    folder = tmp_path / "school"
    folder.mkdir()
    _write(folder / "tiny.gguf", "llama", "Q8_0")
    known = local_models((folder, folder / "tiny.gguf", tmp_path / "absent.gguf"))
    assert {"hf:school", "hf:tiny"} <= known.keys()
    assert "hf:absent" not in known
    assert known["hf:school"].folder == known["hf:tiny"].folder == folder / "tiny.gguf"
    assert local(folder).kind == "gguf"
    assert models.load(folder).title == "school (Q8_0)"


@pytest.mark.usefixtures("quick")
def test_it_is_unpacked_once_and_again_when_the_file_is_another(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    _write(path, "llama", "Q8_0")
    first = models.load(path)
    (folder,) = unpacked_folder("").iterdir()
    written = folder.stat().st_mtime_ns
    assert models.load(path).sha256 == first.sha256
    assert folder.stat().st_mtime_ns == written
    _write(path, "llama", "Q4_0")
    assert models.load(path).sha256 != first.sha256
    assert len(list(unpacked_folder("").iterdir())) == 2


@pytest.mark.usefixtures("quick")
def test_what_was_unpacked_is_bounded_and_what_is_open_stays(cache: Path, tmp_path: Path) -> None:
    """The least recently used goes; never one that this process or another has open, nor one that a command brought."""
    folder = unpacked_folder("")
    (OFFERS[0].folder).mkdir(parents=True)
    (OFFERS[0].folder / MARK).write_text('{"sha256": "", "quantisation": "Q4_1"}')
    for name, used in (("old-1", 1), ("new-2", 2), ("other-3", 3)):
        (folder / name).mkdir()
        (folder / name / MARK).write_text('{"sha256": "", "quantisation": "F32"}')
        (folder / name / "weights").write_bytes(bytes(1000))
        os.utime(folder / name / MARK, (used, used))
    _write(tmp_path / "tiny.gguf", "llama", "Q8_0")
    held = "import fcntl, sys; file = open(sys.argv[1]); fcntl.flock(file, fcntl.LOCK_SH); print(flush=True); input()"
    command = [sys.executable, "-c", held, str(folder / "other-3" / MARK)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        mine = opened(local(tmp_path / "tiny.gguf"), most=10**9).folder
        kept = sum(each.stat().st_size for each in mine.iterdir()) + 2300
        assert opened(local(tmp_path / "tiny.gguf"), most=kept).folder == mine
        assert {each.name for each in folder.iterdir()} == {"smollm2-135m", "new-2", "other-3", mine.name}
        opened(local(tmp_path / "tiny.gguf"), most=0)
        assert {each.name for each in folder.iterdir()} == {"smollm2-135m", "other-3", mine.name}
        process.communicate("\n")
    opened(local(tmp_path / "tiny.gguf"), most=0)
    assert {each.name for each in folder.iterdir()} == {"smollm2-135m", mine.name}


def _without(key: str) -> Callable[[bytes], bytes]:
    return lambda data: data.replace(key.encode(), b"x" * len(key))


def _with(key: str, old: int, new: int) -> Callable[[bytes], bytes]:
    before, after = (f"llama.{key}".encode() + struct.pack("<II", 4, value) for value in (old, new))
    return lambda data: data.replace(before, after)


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "a tensor of another name": (
        _without("blk.0.attn_q.weight"),
        "cannot be opened: its architecture has no tensor called",
    ),
    "layers without end": (_with("block_count", 3, 10**9), "describes 1,000,000,000 layers"),
    "a width of a billion": (_with("embedding_length", 32, 2**30), "cannot be opened|describes"),
    "no heads": (_with("attention.head_count", 4, 0), "cannot be opened"),
    "a tokenizer of nobody": (
        lambda data: data.replace(text("smollm"), text("nobody")),
        "its tokenization method, 'nobody', is not supported",
    ),
    "no vocabulary": (_without("tokenizer.ggml.tokens"), "cannot be opened"),
    "no kind of tokenizer": (_without("tokenizer.ggml.model"), "cannot be opened"),
}


@pytest.mark.usefixtures("quick")
@pytest.mark.skipif(not can_limit(), reason="no limits of memory on this system")
@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_wrong_behind_the_header_is_refused_by_name(damage: str, cache: Path, tmp_path: Path) -> None:
    change, reason = DAMAGES[damage]
    path = tmp_path / "bad.gguf"
    _write(path, "llama", "F32")
    whole = path.read_bytes()
    path.write_bytes(change(whole))
    assert path.read_bytes() != whole
    with pytest.raises(InputError, match=rf"^bad.*({reason})"):
        find_pretrained("hf:bad", settings=models_of(path))
    assert not list(unpacked_folder("").iterdir())


def models_of(path: Path) -> Any:
    from models.huggingface.hub_settings import HubSettings

    return HubSettings(folders=(path,))


@pytest.mark.usefixtures("quick")
def test_rotary_positions_that_are_scaled_are_refused(cache: Path, tmp_path: Path) -> None:
    _write(tmp_path / "far.gguf", "llama", "F32", **{"llama.rope.scaling.type": "yarn"})
    with pytest.raises(InputError, match=r"^far cannot be opened: its scaling of rotary positions, 'yarn',"):
        models.load(tmp_path / "far.gguf")


@pytest.mark.usefixtures("quick")
def test_the_tokenizer_of_a_file_cuts_digits_apart(cache: Path, tmp_path: Path) -> None:
    _write(tmp_path / "tiny.gguf", "llama", "F32")
    model: Any = models.load(tmp_path / "tiny.gguf")
    said = json.loads(model.tokenizer.tokenizer.backend_tokenizer.to_str())["pre_tokenizer"]["pretokenizers"]
    assert [each["type"] for each in said] == ["Digits", "ByteLevel"]
    assert said[0]["individual_digits"]
