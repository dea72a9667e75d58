"""Checkpoints: written and read whole, refused when they are not what the card names; what is shipped is complete."""

from __future__ import annotations

import ast
import json
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor

from models import catalog, describe, load, load_translator, registry
from models.captioning.entry import CAPTIONERS, captioners
from models.experiments.word_vectors import VECTORS
from models.hooks import capture
from models.huggingface.embedded import READERS
from models.mechanisms import mechanisms
from models.readers.datastore import DATASTORES
from models.sites import Site
from models.trace import Alignment
from models.translation.checkpoints import (
    CARD_FILE,
    MODEL_FILE,
    TOKENIZER_FILE,
    WEIGHTS,
    CheckpointError,
    alignment_of,
    file_hash,
    find_tokenizer,
    read_card,
    read_weights,
    shipped_folders,
    write_card,
    write_checkpoint,
)
from models.translation.entry import Entry
from models.translation.examples import EXAMPLES
from models.translation.tokenizer import PairTokenizer
from models.vocabulary import END
from tests.support.small_models import KEYS, SHIPPED_TOKENIZER, SIZES, network
from training.evaluate import GOLD, TESTS, TRIAL

ROOT = Path(__file__).parents[3]
VOCABULARY = 8000
SHIPPED = catalog()
TRAINED = ("bahdanau", "luong-general", "transformer")  # those that have weights from the first day on


def write(folder: Path, key: str = "bahdanau", /, **card: Any) -> Path:
    """Write a tiny checkpoint of a mechanism; return its folder."""
    given = {
        "key": f"{key}-en-fr",
        "mechanism": key,
        "pair": "en-fr",
        "network": {"vocabulary": VOCABULARY, **SIZES.get(key, {})},
        **card,
    }
    write_checkpoint(folder, network(key).state_dict(), given)
    return folder


def change_card(folder: Path, **changes: Any) -> None:
    write_card(folder, {**read_card(folder), **changes})


class TestWritingAndReading:
    def test_weights_come_back_as_float32_rounded_to_float16_once(self, tmp_path: Path) -> None:
        given = {"a": torch.randn(3, 4).mT, "b": torch.tensor(1.5, requires_grad=True), "c": torch.zeros(0, 2)}
        card = write_checkpoint(tmp_path / "new" / "folder", given, {"key": "x"})
        found = read_weights(tmp_path / "new" / "folder", card)
        assert set(found) == set(given)
        for name, values in found.items():
            assert values.dtype == torch.float32
            assert torch.equal(values, given[name].detach().half().float())

    def test_the_card_is_written_with_the_hash_of_the_file(self, tmp_path: Path) -> None:
        given = {"key": "k", "mechanism": "bahdanau", "pair": "zh-en", "network": {}, "credit": "句子 · Tatoéba"}
        card = write_checkpoint(tmp_path, {"a": torch.ones(2)}, given)
        assert card == given | {"sha256": sha256((tmp_path / MODEL_FILE).read_bytes()).hexdigest()}
        assert card["sha256"] == file_hash(tmp_path / MODEL_FILE)
        assert read_card(tmp_path) == card
        assert "句子 · Tatoéba" in (tmp_path / CARD_FILE).read_text(encoding="utf8")
        assert "sha256" not in given

    def test_writing_again_gives_the_same_bytes(self, tmp_path: Path) -> None:
        hashes = {read_card(write(tmp_path / name))["sha256"] for name in ("one", "two")}
        assert len(hashes) == 1

    @pytest.mark.parametrize("key", KEYS)
    def test_a_loaded_model_attends_as_the_rounded_network_does(self, key: str, tmp_path: Path) -> None:
        model = load(write(tmp_path, key))
        for name, values in network(key).state_dict().items():
            assert torch.equal(model.network.state_dict()[name], values.half().float())
        assert model.key == f"{key}-en-fr"
        assert model.mechanism.key == key
        assert model.card == read_card(tmp_path)
        trace = model.attend("the cat")
        assert trace.provenance.sha256 == file_hash(tmp_path / MODEL_FILE)

    def test_without_a_choice_in_the_card_the_first_cross_map_is_shown(self) -> None:
        assert alignment_of({}) == Alignment() == Alignment(Site("decoder", 0, "cross"), 0, "written")
        stored = {"site": "decoder.2.cross", "head": "mean", "reading": "input", "chosen_on": "trial"}
        assert alignment_of({"alignment": stored}) == Alignment(Site("decoder", 2, "cross"), "mean", "input")


class Harmful:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return Path.touch, (self.path,)


class TestWhatIsRefused:
    def test_weights_that_are_not_those_of_the_card(self, tmp_path: Path) -> None:
        folder = write(tmp_path / "model")
        raw = bytearray((folder / MODEL_FILE).read_bytes())
        raw[-1] ^= 1
        (folder / MODEL_FILE).write_bytes(raw)
        expected = rf"^model/model.safetensors: SHA-256 {sha256(raw).hexdigest()}; its card expects "
        with pytest.raises(CheckpointError, match=expected + rf"{read_card(folder)['sha256']}. Download it again"):
            load(folder)

    def test_a_file_cut_short(self, tmp_path: Path) -> None:
        folder = write(tmp_path / "model")
        raw = (folder / MODEL_FILE).read_bytes()
        (folder / MODEL_FILE).write_bytes(raw[: len(raw) // 2])
        with pytest.raises(CheckpointError, match="Download it again"):
            load(folder)

    @pytest.mark.parametrize(
        ("name", "problem"),
        [
            (MODEL_FILE, "^model: no model.safetensors$"),
            (CARD_FILE, "^model: no card.json; a checkpoint has model.safetensors and card.json$"),
        ],
    )
    def test_a_file_that_is_not_there(self, name: str, problem: str, tmp_path: Path) -> None:
        folder = write(tmp_path / "model")
        (folder / name).unlink()
        with pytest.raises(CheckpointError, match=problem):
            load(folder)

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(CheckpointError, match=r"^nowhere: no card\.json"):
            load(tmp_path / "nowhere")

    @pytest.mark.parametrize("missing", ["key", "mechanism", "pair", "network", "sha256"])
    def test_a_card_that_lacks_a_field(self, missing: str, tmp_path: Path) -> None:
        folder = write(tmp_path / "model")
        card = read_card(folder)
        del card[missing]
        write_card(folder, card)
        with pytest.raises(CheckpointError, match=rf"^model/card\.json: {missing} missing$"):
            load(folder)

    def test_all_fields_that_lack_are_named(self, tmp_path: Path) -> None:
        write_card(tmp_path, {"key": "x", "pair": "en-fr"})
        with pytest.raises(CheckpointError, match="mechanism, network, sha256 missing"):
            read_card(tmp_path)

    @pytest.mark.parametrize("text", ["", '{"key": "x"', "[1, 2]", "3", "\ufffd"])
    def test_a_card_that_is_no_card(self, text: str, tmp_path: Path) -> None:
        folder = write(tmp_path / "model")
        (folder / CARD_FILE).write_text(text, encoding="utf8")
        with pytest.raises(CheckpointError, match=r"^model/card\.json: (incomplete|key, mechanism, .* missing)"):
            load(folder)

    @pytest.mark.parametrize(
        ("changes", "problem"),
        [
            ({"pair": 5}, "pair missing"),
            ({"network": [1]}, "network missing"),
            ({"alignment": {"site": "decoder.0.cross"}}, "its alignment does not name an attention map"),
            (
                {"alignment": {"site": "nowhere", "head": 0, "reading": "written"}},
                "its alignment does not name an attention map",
            ),
            ({"network": {"d_decoder": "x"}}, "the weights do not fit the network named on its card"),
        ],
        ids=str,
    )
    def test_a_card_with_something_else_in_a_field(self, changes: dict[str, Any], problem: str, tmp_path: Path) -> None:
        folder = write(tmp_path / "model")
        change_card(folder, **changes)
        with pytest.raises(CheckpointError, match=problem):
            load(folder)

    @pytest.mark.parametrize("part", [0.0, 0.5, 0.99])
    def test_a_tokenizer_cut_short_is_named(self, part: float, tmp_path: Path) -> None:
        folder = write(tmp_path / "model")
        whole = (WEIGHTS / "en-fr" / TOKENIZER_FILE).read_bytes()
        (folder / TOKENIZER_FILE).write_bytes(whole[: int(part * len(whole))])
        with pytest.raises(CheckpointError, match=r"^model: tokenizer\.json is incomplete"):
            load(folder)

    def test_a_tokenizer_of_something_else_is_named(self, tmp_path: Path) -> None:
        folder = write(tmp_path / "model")
        for text in ("[]", "{}", '{"model": 3}', "null"):
            (folder / TOKENIZER_FILE).write_text(text)
            with pytest.raises(CheckpointError, match=r"^model: tokenizer\.json is incomplete"):
                load(folder)

    def test_a_mechanism_that_is_not_known(self, tmp_path: Path) -> None:
        folder = write(tmp_path / "model", mechanism="soft")
        with pytest.raises(CheckpointError, match=f"^model: unknown mechanism 'soft'; available are {', '.join(KEYS)}"):
            load(folder)

    @pytest.mark.parametrize("sizes", [{"d_decoder": 11}, {"typo": 3}], ids=str)
    def test_weights_of_another_network_than_the_card_names(self, sizes: dict[str, int], tmp_path: Path) -> None:
        folder = write(tmp_path / "model")
        change_card(folder, network=read_card(folder)["network"] | sizes)
        for at_rest in (False, True):
            with pytest.raises(CheckpointError, match="the weights do not fit the network named on its card"):
                load_translator(folder, at_rest=at_rest)

    def test_a_pair_without_a_tokenizer(self, tmp_path: Path) -> None:
        folder = write(tmp_path / "model", pair="en-xx")
        with pytest.raises(
            CheckpointError, match=r"no tokenizer\.json in it, and no tokenizer\.json is included for the pair 'en-xx'"
        ):
            load(folder)

    @pytest.mark.parametrize("kind", ["pickle", "torch", "empty"])
    def test_a_pickle_is_not_read_even_if_the_card_names_it(self, kind: str, tmp_path: Path) -> None:
        folder, trace_left = write(tmp_path / "model"), tmp_path / "unpickled"
        if kind == "torch":
            torch.save({"harm": Harmful(trace_left)}, folder / MODEL_FILE)
        else:
            (folder / MODEL_FILE).write_bytes(pickle.dumps(Harmful(trace_left)) if kind == "pickle" else b"")
        change_card(folder, sha256=file_hash(folder / MODEL_FILE))
        with pytest.raises(CheckpointError, match=r"^model/model\.safetensors: not a safetensors file"):
            load(folder)
        assert not trace_left.exists()

    def test_weights_under_another_name_are_not_looked_for(self, tmp_path: Path) -> None:
        folder = write(tmp_path / "model")
        (folder / MODEL_FILE).rename(folder / "pytorch_model.bin")
        with pytest.raises(CheckpointError, match=r"no model\.safetensors"):
            load(folder)

    def test_nothing_in_models_can_unpickle_a_file(self) -> None:
        for path in (ROOT / "models").rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    names = {alias.name for alias in node.names} | {getattr(node, "module", None)}
                    assert names.isdisjoint(("pickle", "shelve", "joblib", "dill")), path
                if isinstance(node, ast.Call):
                    assert ast.unparse(node.func) != "torch.load", path
                    assert all(
                        ast.unparse(each) == "allow_pickle=False"
                        for each in node.keywords
                        if each.arg == "allow_pickle"
                    ), path


class TestAddresses:
    def test_a_folder_is_opened_only_if_it_is_given_as_a_path(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = write(tmp_path / "mine")
        assert load(folder).key == "bahdanau-en-fr"
        monkeypatch.chdir(tmp_path)
        for text in (str(folder), "mine", "./mine", folder.as_uri(), str(shipped_folders()[SHIPPED[0]])):
            with pytest.raises(KeyError, match="no checkpoint"):
                load(text)

    @pytest.mark.parametrize(
        "key", ["", ".", "en-fr", f"../weights/{SHIPPED[0]}", f"{SHIPPED[0]}/", SHIPPED[0].upper()]
    )
    def test_a_key_is_one_of_the_catalogue_to_the_letter(self, key: str) -> None:
        for use in (load, describe):
            with pytest.raises(KeyError, match=f"no checkpoint '.*'; available are {', '.join(SHIPPED)}"):
                use(key)

    def test_the_catalogue_goes_by_pair_then_by_age(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        names = [f"{key}-{pair}" for pair in ("zh-en", "en-fr") for key in reversed(KEYS)]
        folders = {}
        for name in names:
            key, pair = name[:-6], name[-5:]
            folders[name] = write(tmp_path / name, key, key=name, pair=pair)
        monkeypatch.setattr(registry, "shipped_folders", lambda: folders)
        assert catalog() == tuple(f"{key}-{pair}" for pair in ("en-fr", "zh-en") for key in mechanisms())
        years = [describe(name).mechanism.year for name in catalog()]
        assert years[: len(KEYS)] == sorted(years[: len(KEYS)])

    def test_an_empty_catalogue_says_so(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(registry, "shipped_folders", dict)
        assert catalog() == ()
        with pytest.raises(KeyError, match="no checkpoint 'bahdanau-en-fr'; available are none"):
            describe("bahdanau-en-fr")

    def test_describing_reads_no_weights(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = write(tmp_path / "bahdanau-en-fr")
        (folder / MODEL_FILE).unlink()
        monkeypatch.setattr(registry, "shipped_folders", lambda: {"bahdanau-en-fr": folder})
        entry = describe("bahdanau-en-fr")
        assert (entry.source_language, entry.target_language) == ("English", "French")
        assert entry.sha256 == read_card(folder)["sha256"]

    def test_a_folder_may_bring_its_own_tokenizer(self, tmp_path: Path) -> None:
        folder = write(tmp_path / "model", pair="en-xx")
        PairTokenizer.train(["a b c"], 270).save(folder / TOKENIZER_FILE)
        assert len(load(folder).tokenizer) < VOCABULARY
        shutil.copy(SHIPPED_TOKENIZER, folder / TOKENIZER_FILE)
        assert load(folder).attend("the cat").source.texts == (" the", " cat", "</s>")


@pytest.mark.parametrize("key", [*SHIPPED, *captioners()])
def test_a_card_is_read_once(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = describe(key)
    monkeypatch.setattr(Path, "read_bytes", None)
    monkeypatch.setattr(Path, "read_text", None)
    assert describe(key) is entry


@pytest.mark.parametrize("key", SHIPPED)
class TestShipped:
    """What a clone holds is what its cards say; no text of the training data is needed to see it."""

    @pytest.fixture
    def entry(self, key: str) -> Entry:
        return describe(key)

    @pytest.fixture
    def weights(self, entry: Entry) -> dict[str, Tensor]:
        return read_weights(entry.folder, entry.card)

    def test_a_card_has_all_that_a_reader_asks(self, entry: Entry) -> None:
        card = entry.card
        assert card["key"] == entry.key == entry.folder.name == f"{card['mechanism']}-{card['pair']}"
        assert card["paper"] == entry.mechanism.paper
        assert card["equation"] == entry.mechanism.equation
        assert card["departures"] == list(entry.mechanism.departures)
        told = " ".join(card["departures"])
        in_the_paper = entry.mechanism.key.startswith("transformer")  # Vaswani et al. 2017, section 5.4
        assert ("abel smoothing" in told) is (card["recipe"].get("label_smoothing", 0) > 0 and not in_the_paper)
        began_elsewhere = card.get("start", {"key": entry.key})["key"] != entry.key
        assert bool(re.search(r"[Ii]nitialised from|start from a Transformer", told)) is began_elsewhere
        for source in card["data"]:
            assert all(source[part] for part in ("name", "licence", "credit"))
        assert len(card["data"]) == len({source["name"] for source in card["data"]}) >= 1
        assert card["recipe"]["files"]
        assert card["network"] == entry.mechanism.sizes(**card["network"])  # every size, whatever the code says later
        assert card["recipe"]["seed"] == card["seed"]
        assert isinstance(card["seed"], int)
        assert card["target_tokens_seen"] > 0
        assert card["updates"] > 0
        assert set(card["examples_in_training"]) == set(EXAMPLES[entry.pair].values())

    def test_the_hash_is_that_of_the_file(self, entry: Entry) -> None:
        assert entry.sha256 == file_hash(entry.folder / MODEL_FILE)
        assert len(entry.sha256) == 64

    def test_a_card_has_its_bleu_with_the_signature(self, entry: Entry) -> None:
        assert set(entry.card["bleu"]) == {f"{name}.test" for name in TESTS[entry.pair]}
        for figures in entry.card["bleu"].values():
            assert 0 < figures["bleu_first_reference"] <= figures["bleu"] <= 100
            assert figures["references"] >= figures["sources"] > 0
            assert "version:" in figures["signature"]

    def test_it_is_small(self, entry: Entry) -> None:
        deep = entry.mechanism.is_multi_head or entry.mechanism.is_multi_step
        assert (entry.folder / MODEL_FILE).stat().st_size <= (16_000_000 if deep else 10_000_000)
        assert entry.card["parameters"] <= (8_000_000 if deep else 5_000_000)

    def test_it_is_float16_and_has_the_parameters_that_the_card_counts(self, entry: Entry) -> None:
        built = entry.mechanism.build(**entry.card["network"])
        assert sum(parameter.numel() for parameter in built.parameters()) == entry.card["parameters"]
        with safe_open(entry.folder / MODEL_FILE, framework="pt") as file:
            assert set(file.keys()) == set(built.state_dict())
            assert {file.get_slice(name).get_dtype() for name in file.keys()} == {"F16"}  # noqa: SIM118

    def test_its_weights_are_finite_and_trained(self, weights: dict[str, Tensor]) -> None:
        for name, values in weights.items():
            assert values.isfinite().all(), name
            assert values.any(), name

    def test_its_tokenizer_is_stored_once_for_its_pair(self, entry: Entry) -> None:
        assert sorted(path.name for path in entry.folder.iterdir()) == [CARD_FILE, "log.jsonl", MODEL_FILE]
        path = find_tokenizer(entry.folder, entry.card)
        assert path.parent == WEIGHTS / entry.pair
        assert len(PairTokenizer.load(path)) == entry.card["network"]["vocabulary"]

    def test_its_cached_decoding_equals_one_forced_pass(self, key: str) -> None:
        model = load(key)
        own = model.attend("The old cat drinks the milk, and then it sleeps.")
        with torch.inference_mode(), capture([f"{site}.weights" for site in own.sites]) as session:
            memory = model.network.encode(torch.tensor([own.source.ids]))
            logits = model.network.decode(memory, torch.tensor([own.target_input.ids]))[0]
        written_ids = torch.tensor(own.target.ids)[:, None]
        chosen = logits[:, END:].log_softmax(-1).gather(1, written_ids - END)[:, 0]  # <pad> and <s> are never written
        written = [step.log_probability for step in own.steps]
        np.testing.assert_allclose(chosen.numpy(), written, rtol=0, atol=1e-5)
        for each in own:
            np.testing.assert_allclose(each.weights, session[each.site.at("weights")][0].numpy(), atol=1e-5)


@pytest.mark.parametrize(
    "key", [key for key in SHIPPED if describe(key).pair in TRIAL and describe(key).mechanism.has_attention]
)
def test_the_alignment_of_a_card_has_the_lowest_rate_on_the_trial_set_of_those_whose_rows_are_written(key: str) -> None:
    card = describe(key).card
    stored, chosen = card["alignment"], alignment_of(card)
    rates = stored["trial_aer"]
    assert stored["chosen_on"] == TRIAL[card["pair"]]
    rate = rates[f"{chosen.site}.{chosen.head}.{chosen.reading}"]
    assert rate == min(rate for place, rate in rates.items() if place.endswith(".written"))
    assert set(card["aer"]) == {TRIAL[card["pair"]], *GOLD[card["pair"]]}
    assert card["aer"][stored["chosen_on"]] == rate
    assert all(0 < rate < 1 for rate in card["aer"].values())
    cross = load(key).attend("The cat sleeps.", "Le chat dort.")[chosen.site]
    assert cross.site.kind == "cross"
    assert chosen.head == "mean" or chosen.head < len(cross.head_names)


@pytest.mark.parametrize("key", KEYS)
def test_a_model_at_rest_has_no_weights_until_it_runs_and_then_gives_the_same(key: str, tmp_path: Path) -> None:
    folder = write(tmp_path / "model", key)
    whole, resting = load(folder), load_translator(folder, at_rest=True)
    assert resting._network is None
    assert resting.heads == whole.heads
    assert resting.fit("The cat sleeps.") == whole.fit("The cat sleeps.")
    assert resting._network is None
    one, other = (each.attend("The cat sleeps.") for each in (whole, resting))
    assert one.steps == other.steps
    for mine, theirs in zip(one, other, strict=True):
        np.testing.assert_array_equal(mine.weights, theirs.weights)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="told by the kernel of Linux alone")
@pytest.mark.parametrize("key", ["bahdanau-en-fr", "convs2s-en-fr", "lstmn-deep-en-fr", "transformer-zh-en"])
def test_matrices_that_are_packed_lie_in_the_file_and_take_no_memory(key: str) -> None:
    model = load_translator(key)
    weights = read_weights(model.entry.folder, model.card)
    halves = {name: each for name, each in model.network.named_parameters() if each.dtype == torch.float16}
    if "fbgemm" not in torch.backends.quantized.supported_engines:
        assert not halves
        return
    assert "embedding.weight" in halves
    file = str(model.entry.folder / MODEL_FILE)
    maps = [line.split() for line in Path("/proc/self/maps").read_text(encoding="utf8").splitlines() if file in line]
    ranges = [[int(end, 16) for end in line[0].split("-")] for line in maps]
    for name, each in halves.items():
        assert any(start <= each.data_ptr() < end for start, end in ranges), name
        assert torch.equal(each.float(), weights[name]), name


def test_no_model_brings_torchs_compiler_into_the_process() -> None:
    """Two seconds of a start, 800 modules and 70 MB."""
    program = """
import sys
from models import catalog, load, load_translator
for key in catalog():
    load_translator(key, at_rest=True)
    assert "torch._dynamo" not in sys.modules, f"{key} at rest"
for key in catalog():
    load(key)
    assert "torch._dynamo" not in sys.modules, key
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_models_of_a_pair_share_their_tokenizer() -> None:
    one, other = (load_translator(key, at_rest=True) for key in ("bahdanau-en-fr", "luong-general-en-fr"))
    assert one.tokenizer is other.tokenizer


def test_all_weights_together_are_small_enough_to_clone() -> None:
    """The family, and the halls beside it with the readers and the static vectors: two bounds, by what a file is."""
    entries = [describe(key) for key in catalog()]
    sizes = {each.key: (each.folder / MODEL_FILE).stat().st_size for each in entries}
    halls = [sizes[each.key] for each in entries if each.mechanism.is_small]
    halls += [
        file.stat().st_size for folder in (READERS, VECTORS, CAPTIONERS) for file in folder.glob(f"*/{MODEL_FILE}")
    ]
    assert sum(sizes[each.key] for each in entries if not each.mechanism.is_small) <= 126 * 2**20
    assert sum(halls) <= 94 * 2**20
    assert max(halls) <= 16 * 2**20


def test_every_folder_of_weights_is_a_checkpoint_or_the_tokenizer_of_a_pair() -> None:
    pairs = {describe(key).pair for key in SHIPPED}
    others = {each.name for each in (READERS, VECTORS, DATASTORES, CAPTIONERS)} | {"training"}
    assert {path.name for path in WEIGHTS.iterdir()} == {*SHIPPED, *pairs, *others}
    tokenizers = [
        path for pair in pairs for path in (WEIGHTS / pair).glob("*.json") if "normalizer" in path.read_text("utf8")
    ]
    assert set(tokenizers) == {find_tokenizer(each.folder, each.card) for each in map(describe, SHIPPED)}
    assert len({file_hash(path) for path in tokenizers}) == len(tokenizers)


def test_what_is_shipped_for_english_to_french_is_of_known_mechanisms_and_has_the_first_three() -> None:
    shipped = {describe(key).mechanism.key for key in SHIPPED if describe(key).pair == "en-fr"}
    assert set(TRAINED) <= shipped <= set(KEYS)


def test_a_card_of_a_mechanism_without_a_map_has_no_alignment() -> None:
    for key in SHIPPED:
        entry = describe(key)
        assert entry.mechanism.has_attention or not {"alignment", "aer"} & set(entry.card)


def test_cards_are_json_that_any_reader_takes() -> None:
    for key in SHIPPED:
        text = (describe(key).folder / CARD_FILE).read_text(encoding="utf8")
        assert json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n" == text


def test_the_refused_are_told_from_the_broken(tmp_path: Path) -> None:
    """A whole safetensors file without any tensor is a network without weights, and says so."""
    folder = write(tmp_path / "model")
    (folder / MODEL_FILE).write_bytes(save({}))
    change_card(folder, sha256=file_hash(folder / MODEL_FILE))
    with pytest.raises(CheckpointError, match=r"Missing key\(s\) in state_dict"):
        load(folder)
