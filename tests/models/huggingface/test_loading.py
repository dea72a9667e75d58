"""Folders of transformers models, and the embedded MiniLM: opened whole, or refused with the reason."""

from __future__ import annotations

import contextlib
import json
import logging
import resource
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from time import process_time
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from sentencepiece import SentencePieceProcessor

import models
from models.errors import InputError
from models.huggingface.embedded import Local, local_models
from models.huggingface.files import INDEX_FILE, WEIGHTS_FILE
from models.huggingface.hub_settings import HubSettings
from models.huggingface.loading import hash_weights, load_folder
from models.huggingface.model import PretrainedModel
from tests.support.huggingface_samples import TEXT, tiny_network, tiny_pieces, tiny_tokenizer

PAIR = ("The cat drank the milk because it was hungry.", "It was sweet.")


@cache
def minilm() -> PretrainedModel:
    return models.load_pretrained("hf:minilm")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a tiny BERT with a head, as a checkpoint of the hub comes."""
    return write(tmp_path / "tiny", "bert")


def write(folder: Path, family: str, **settings: Any) -> Path:
    tiny_network(family, **settings).save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    return folder


@cache
def written_once() -> Path:
    """Return a folder that tests copy."""
    return write(Path(mkdtemp()) / "tiny", "bert")


def test_weights_for_the_next_sentence_are_left_aside_without_a_word_and_others_are_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tiny_network("bert").config
    whole = transformers.BertForPreTraining(config).eval()
    whole.save_pretrained(tmp_path / "tiny")
    tiny_tokenizer().save_pretrained(tmp_path / "tiny")
    monkeypatch.setattr(logging.getLogger("transformers"), "propagate", True)
    model = load_folder(tmp_path / "tiny")
    assert model.predicts == "masked"
    assert caplog.records == []
    ids = torch.tensor([[2, 5, 7, 3]])
    with torch.no_grad():
        torch.testing.assert_close(model.network(ids).logits, whole(ids).prediction_logits)
    weights = load_file(tmp_path / "tiny" / WEIGHTS_FILE)
    save_file(weights | {"cls.another.weight": torch.ones(2)}, tmp_path / "tiny" / WEIGHTS_FILE, {"format": "pt"})
    load_folder(tmp_path / "tiny")
    assert "cls.another.weight" in caplog.text
    assert "seq_relationship" not in caplog.text


def walk(value: Any) -> Iterator[Any]:
    """Give every object and list in what a JSON file holds."""
    if isinstance(value, dict | list):
        yield value
        for each in value.values() if isinstance(value, dict) else value:
            yield from walk(each)


def change(path: Path, **values: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


class TestMiniLM:
    def test_it_is_listed_where_its_package_is_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert models.pretrained()[0] == "hf:minilm"
        assert "hf:minilm" not in models.catalog()
        monkeypatch.setattr("models.huggingface.embedded._minilm_folder", lambda: None)
        monkeypatch.setattr("models.huggingface.embedded.READERS", Path("nowhere"))
        monkeypatch.setattr("models.huggingface.embedded.OFFERS", ())
        assert models.pretrained() == ()
        with pytest.raises(KeyError, match="no pretrained model 'hf:minilm'; available are none"):
            models.load("hf:minilm")

    def test_six_layers_of_twelve_heads_equal_eager_attention(self) -> None:
        trace = minilm().attend(PAIR[0], pair=PAIR[1])
        own = transformers.AutoModel.from_pretrained(local_models()["hf:minilm"].folder, attn_implementation="eager")
        end = trace.source.texts.index("[SEP]")
        types = torch.tensor([[int(place > end) for place in range(len(trace.source))]])
        with torch.inference_mode():
            output = own(input_ids=torch.tensor([trace.source.ids]), token_type_ids=types, output_attentions=True)
        assert len(trace.maps) == len(output.attentions) == 6
        for each, weights in zip(trace, output.attentions, strict=True):
            assert each.weights.shape[0] == 12
            np.testing.assert_allclose(each.weights, weights[0].numpy(), atol=1e-5)
        np.testing.assert_allclose(trace.vectors, output.last_hidden_state[0].numpy(), atol=1e-4)  # type: ignore[arg-type]

    def test_it_says_what_it_is(self) -> None:
        model = minilm()
        assert (model.key, model.predicts, model.kind, model.longest) == ("hf:minilm", "none", "encoder", 512)
        provenance = model.attend("The cat sleeps.").provenance
        assert provenance.sha256 == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
        assert (provenance.title, provenance.year) == ("all-MiniLM-L6-v2", 2020)
        assert provenance.equation == "a = softmax(q k' / sqrt(d))"

    def test_it_predicts_nothing_for_it_has_no_head(self) -> None:
        assert minilm().attend("The [MASK] drank the milk.").predictions == ()

    @pytest.mark.parametrize("pair", [{}, {"pair": "the cat"}])
    def test_a_text_of_which_it_reads_nothing_is_refused(self, pair: dict[str, str]) -> None:
        with pytest.raises(InputError, match=r"leaves out the whole text \(U\+200B\)"):
            minilm().attend("\u200b", **pair)

    def test_characters_that_it_drops_are_named_in_the_record(self) -> None:
        assert minilm().attend("a \u200bcat").provenance.notes == ("left out by its tokenizer: U+200B",)

    def test_other_weights_under_its_name_are_refused(self, folder: Path) -> None:
        known = local_models()["hf:minilm"]
        with pytest.raises(InputError, match=r"all-MiniLM-L6-v2: its weights have SHA-256 .*; expected 53aa5117"):
            load_folder(folder, known)

    @pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "vocab.txt"])
    @pytest.mark.parametrize("change", ["another", "absent"])
    def test_another_configuration_or_tokenizer_beside_its_weights_is_refused(
        self, name: str, change: str, tmp_path: Path
    ) -> None:
        known = local_models()["hf:minilm"]
        for path in known.folder.iterdir():
            if path.name != name and path.is_file():
                (tmp_path / path.name).symlink_to(path)
        if change == "another":
            (tmp_path / name).write_text((known.folder / name).read_text(encoding="utf8") + " ", encoding="utf8")
        with pytest.raises(InputError, match=f"all-MiniLM-L6-v2: its {name} is not the one expected"):
            load_folder(tmp_path, known)


class TestTokenizers:
    """Files that make a tokenizer where there is no tokenizer.json, and those that make none that can be trusted."""

    SENTENCES = ("The cat drank the milk because it was hungry.", "A small dog ran after the cat.")
    PROBES = ("The  cat ﬁre café 猫🐈 x²!", "a\u00a0dog, 1,2", "hungry", "</ cat>")

    def alone(self, folder: Path, files: dict[str, bytes], family: str, **settings: Any) -> Path:
        """Write a checkpoint of `family` that has `files` for a tokenizer."""
        tiny_network(family, **settings).save_pretrained(folder)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        return folder

    @pytest.mark.parametrize("family", ["t5", "mt5"])
    def test_a_sentencepiece_model_of_t5_alone(self, tmp_path: Path, family: str) -> None:
        file = tiny_pieces(self.SENTENCES, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
        splitter = SentencePieceProcessor(model_proto=file)
        folder = self.alone(tmp_path / "tiny", {"spiece.model": file}, "t5", vocab_size=300)
        change(folder / "config.json", model_type=family)
        model: Any = load_folder(folder)
        assert splitter.encode(self.PROBES[0]).count(2) > 1
        for text in self.PROBES:
            trace = model.attend(text, text)
            assert list(trace.source.ids) == list(trace.target.ids) == [*splitter.encode(text), 1]
        assert model.attend("The cat, a dog").source.word_texts == ("The", "cat", ",", "a", "dog", "</s>")

    @pytest.mark.parametrize("family", ["bert", "mpnet"])
    def test_a_list_of_word_pieces_alone(self, tmp_path: Path, family: str) -> None:
        marks = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<s>", "<pad>", "</s>", "<mask>", "<unk>")
        names = (*marks, "the", "cat", "##s", "caf", "##e", ",", "a", "dog")
        model: Any = load_folder(self.alone(tmp_path / "tiny", {"vocab.txt": "\n".join(names).encode()}, family))
        begin, end = ("[CLS]", "[SEP]") if family == "bert" else ("<s>", "</s>")
        assert model.attend("The CATS, a dog: café").source.texts[1:5] == ("the", "cat", "##s", ",")
        assert model.attend("café").source.texts == (begin, "caf", "##e", end)

    def test_byte_level_pieces_alone(self, tmp_path: Path) -> None:
        backend = tiny_tokenizer(ends=False).backend_tokenizer
        vocabulary = backend.get_vocab() | {"Ġc": 261, "at": 262, "Ġcat": 263}
        merges = "#version: 0.2\nĠ c\na t\nĠc at\n"
        files = {"vocab.json": json.dumps(vocabulary).encode(), "merges.txt": merges.encode()}
        model: Any = load_folder(self.alone(tmp_path / "tiny", files, "gpt2", vocab_size=300))
        assert model.attend("a cat 猫").source.texts == ("a", " cat", " ", r"\xe7", r"\x8c", r"\xab")

    @pytest.mark.parametrize(
        ("family", "files"),
        [
            ("bert", ()),
            ("gpt2", ()),
            ("gpt2", ("vocab.json",)),
            ("t5", ()),
            ("llama", ("tokenizer.model",)),
            ("mbart", ("sentencepiece.bpe.model",)),
            ("albert", ("spiece.model",)),
            ("marian", ("source.spm", "vocab.json")),
        ],
    )
    def test_a_vocabulary_is_never_made_up(self, tmp_path: Path, family: str, files: tuple[str, ...]) -> None:
        whole = dict.fromkeys(files, tiny_pieces(self.SENTENCES)) | (
            {"vocab.json": json.dumps(tiny_tokenizer().get_vocab()).encode()} if "vocab.json" in files else {}
        )
        with pytest.raises(InputError, match="tiny cannot be opened: it has no tokenizer that is supported here"):
            load_folder(self.alone(tmp_path / "tiny", whole, family))


class TestFolders:
    @pytest.mark.parametrize(
        ("family", "head"), [("bert", "masked"), ("llama", "causal"), ("t5", "translation"), ("deberta-v2", "masked")]
    )
    def test_a_saved_model_comes_back(self, tmp_path: Path, family: str, head: str) -> None:
        model = models.load(write(tmp_path / "tiny", family))
        assert isinstance(model, PretrainedModel)
        assert (model.key, model.title, model.predicts) == ("hf:tiny", "tiny", head)
        own = PretrainedModel(tiny_network(family), tiny_tokenizer(), key="hf:x", title="x", head=model.predicts)
        for each, other in zip(model.attend(TEXT), own.attend(TEXT), strict=True):
            np.testing.assert_allclose(each.weights, other.weights, atol=1e-6)

    @pytest.mark.parametrize(
        ("family", "changes", "head"),
        [
            ("xlnet", {}, "none"),
            ("xlm", {}, "masked"),
            ("xlm", {"causal": True}, "causal"),
            ("openai-gpt", {}, "causal"),
        ],
    )
    def test_what_a_family_of_an_unusual_class_predicts(
        self, tmp_path: Path, family: str, changes: Any, head: str
    ) -> None:
        kind = "causal" if family != "xlm" or changes else "masked"
        tiny_network(family, head=kind, attention="eager", **changes).save_pretrained(tmp_path)
        tiny_tokenizer(ends=False).save_pretrained(tmp_path)
        change(tmp_path / "tokenizer_config.json", tokenizer_class="PreTrainedTokenizerFast")
        model = load_folder(tmp_path)
        assert model.predicts == head
        assert len(model.attend("The cat.").predictions) == (8 if head == "causal" else 0)

    def test_half_precision_is_opened_in_float32(self, folder: Path) -> None:
        save_file(
            {name: each.half() for name, each in load_file(folder / WEIGHTS_FILE).items()},
            folder / WEIGHTS_FILE,
            metadata={"format": "pt"},
        )
        change(folder / "config.json", dtype="float16")
        model = load_folder(folder)
        assert {each.dtype for each in model.network.parameters()} == {torch.float32}

    def test_a_head_without_weights_is_left_away_not_made_up(self, folder: Path) -> None:
        weights = load_file(folder / WEIGHTS_FILE)
        kept = {name: each for name, each in weights.items() if not name.startswith("cls.")}
        assert len(kept) < len(weights)
        save_file(kept, folder / WEIGHTS_FILE, metadata={"format": "pt"})
        model = load_folder(folder)
        assert model.predicts == "none"
        assert model.attend("The <mask> drank.").predictions == ()

    def test_a_layer_without_weights_is_refused(self, folder: Path) -> None:
        weights = load_file(folder / WEIGHTS_FILE)
        kept = {name: each for name, each in weights.items() if "layer.1.attention" not in name}
        save_file(kept, folder / WEIGHTS_FILE, metadata={"format": "pt"})
        with pytest.raises(InputError, match=r"tiny: its file lacks some weights \(.*\)\. They would be random"):
            load_folder(folder)

    @pytest.mark.parametrize(
        ("damage", "match"),
        [
            (lambda folder: (folder / WEIGHTS_FILE).unlink(), "no weights in safetensors"),
            (lambda folder: (folder / WEIGHTS_FILE).write_bytes(b"{}"), "tiny cannot be opened"),
            (lambda folder: (folder / "config.json").unlink(), "tiny cannot be opened"),
            (lambda folder: (folder / "config.json").write_text("{"), "tiny cannot be opened"),
            (lambda folder: change(folder / "config.json", model_type="nothing-known"), "tiny cannot be opened"),
            (lambda folder: change(folder / "config.json", num_attention_heads=5), "tiny cannot be opened"),
            (lambda folder: change(folder / "config.json", quantization_config={"quant_method": "x"}), "quantised"),
        ],
        ids=["no weights", "broken weights", "no config", "broken config", "unknown", "other shape", "quantised"],
    )
    def test_what_is_wrong_with_a_folder_is_said(self, folder: Path, damage: Any, match: str) -> None:
        damage(folder)
        with pytest.raises(InputError, match=match) as caught:
            load_folder(folder)
        assert str(folder) not in str(caught.value)

    @pytest.mark.parametrize("name", ["../other/model.safetensors", "/etc/model.safetensors", "other.safetensors", 5])
    def test_a_list_of_weights_names_no_file_but_its_own(self, folder: Path, tmp_path: Path, name: Any) -> None:
        """The other model has the shapes of this one, so that nothing else would stop it."""
        other = write(tmp_path / "other", "bert")
        index = {"metadata": {}, "weight_map": dict.fromkeys(load_file(other / WEIGHTS_FILE), name)}
        (folder / INDEX_FILE).write_text(json.dumps(index))
        (folder / WEIGHTS_FILE).unlink()
        with pytest.raises(InputError, match=r"contains .* which is not one of its weight files|incomplete"):
            load_folder(folder)

    @pytest.mark.parametrize(
        ("changes", "match"),
        [
            ({"num_hidden_layers": 60, "hidden_size": 2048, "intermediate_size": 8192}, "describes 1[0-9],[0-9]{3} MB"),
            ({"num_hidden_layers": 100_000}, "describes 100,000 layers, but its files contain 58 tensors"),
            ({"vocab_size": 10**9}, "describes 12[0-9],[0-9]{3} MB of weights, but its files contain 0 MB"),
            ({"max_position_embeddings": 10**9}, "describes 1[0-9]{2},[0-9]{3} MB"),
        ],
    )
    def test_a_configuration_that_describes_more_than_there_is_takes_no_memory(
        self, folder: Path, changes: dict[str, int], match: str
    ) -> None:
        change(folder / "config.json", **changes)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        begun = process_time()
        with pytest.raises(InputError, match=match):
            load_folder(folder)
        assert process_time() - begun < 10
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kB; it took 11.9 GB

    WRONG = st.sampled_from([None, -1, 0, 1, 3, 2**40, 1.5, "x", [], [1], {}, {"a": 1}, True, "../x"])

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(["config.json", "tokenizer.json", "tokenizer_config.json"]), st.integers(0, 500), WRONG)
    def test_any_wrong_value_is_said_and_nothing_else_comes_out(self, file: str, place: int, value: Any) -> None:
        with TemporaryDirectory() as name:
            folder = Path(shutil.copytree(written_once(), Path(name) / "tiny"))
            held = json.loads((folder / file).read_text())
            holders = [each for each in walk(held) if each]
            holder = holders[place % len(holders)]
            keys = list(holder) if isinstance(holder, dict) else range(len(holder))
            holder[keys[place % len(holder)]] = value
            (folder / file).write_text(json.dumps(held))
            with contextlib.suppress(InputError):
                load_folder(folder).attend("The cat.")

    def test_code_of_a_checkpoint_is_never_run(self, folder: Path) -> None:
        (folder / "modeling_own.py").write_text("raise SystemExit('run')")
        change(
            folder / "config.json",
            model_type="own",
            auto_map={"AutoConfig": "modeling_own.Own", "AutoModel": "modeling_own.Own"},
        )
        with pytest.raises(InputError, match="cannot be opened"):
            load_folder(folder)

    def test_a_pickle_beside_is_never_read(self, folder: Path) -> None:
        (folder / WEIGHTS_FILE).rename(folder / "pytorch_model.bin")
        with pytest.raises(InputError, match="no weights in safetensors"):
            load_folder(folder)

    def test_several_weight_files_have_one_hash(self, folder: Path) -> None:
        weights = load_file(folder / WEIGHTS_FILE)
        alone = hash_weights(folder, "tiny")
        parts = {"model-00001-of-00002.safetensors": {}, "model-00002-of-00002.safetensors": {}}
        names = {}
        for number, (name, each) in enumerate(weights.items()):
            names[name] = list(parts)[number % 2]
            parts[names[name]][name] = each
        for file, each in parts.items():
            save_file(each, folder / file, metadata={"format": "pt"})
        (folder / WEIGHTS_FILE).unlink()
        (folder / INDEX_FILE).write_text(json.dumps({"metadata": {}, "weight_map": names}))
        model = load_folder(folder)
        assert model.sha256 == hash_weights(folder, "tiny") != alone
        assert len(model.attend(TEXT).maps) == 3

    def test_attention_that_is_looked_up_in_a_list_is_refused_with_the_reason(self, tmp_path: Path) -> None:
        size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
        config = transformers.GitConfig(
            vocab_size=261, vision_config=size | {"image_size": 16, "patch_size": 8}, **size
        )
        transformers.GitForCausalLM(config).save_pretrained(tmp_path / "tiny")
        tiny_tokenizer().save_pretrained(tmp_path / "tiny")
        reason = "tiny cannot be opened: its attention does not use the attention interface of transformers"
        with pytest.raises(InputError, match=reason):
            load_folder(tmp_path / "tiny")

    def test_a_server_names_its_folders(self, folder: Path) -> None:
        folders = folder, folder / "absent"
        assert "hf:tiny" in local_models(folders)
        assert "hf:absent" not in local_models(folders)
        assert models.load_pretrained("hf:tiny", settings=HubSettings(folders=folders)).key == "hf:tiny"

    @pytest.mark.parametrize("key", ["hf:tiny", "hf:", "hf:..", "hf:/etc", "hf:./tiny", "hf:a/../../b", "hf:tiny/"])
    def test_no_text_opens_a_folder(self, key: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(folder.parent)
        with pytest.raises((KeyError, InputError)):
            models.load(key)

    def test_a_folder_that_bears_the_name_of_a_hub_model_is_not_opened(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (folder.parent / "owner").mkdir()
        folder.rename(folder.parent / "owner" / "name")
        monkeypatch.chdir(folder.parent)
        with pytest.raises(InputError, match="Hub models are off on this server"):
            models.load_pretrained("hf:owner/name", settings=HubSettings(enabled=False))

    def test_what_is_known_of_a_model_is_cited(self, folder: Path) -> None:
        model = load_folder(folder, Local("hf:own", "Own", folder, paper="Somebody 2001", year=2001))
        provenance = model.attend(TEXT).provenance
        assert (provenance.checkpoint, provenance.title, provenance.paper) == ("hf:own", "Own", "Somebody 2001")
