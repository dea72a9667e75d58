"""Models of the hub: what is typed, what is asked, what is refused and what is fetched; no network is used."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from errno import ENOSPC
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub
import pytest
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    HTTPError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
)
from huggingface_hub.utils import validate_repo_id
from hypothesis import example, given
from hypothesis import strategies as st

import models
from models.errors import InputError
from models.huggingface.hub import fetch, look_up
from models.huggingface.hub_settings import (
    HubError,
    HubSettings,
    check_identity,
)
from models.huggingface.hub_store import HubModel, make_room, store, stored, touch
from tests.support.huggingface_samples import TEXT, tiny_network, tiny_tokenizer

ANY = HubSettings()
FILES = {
    "config.json": 500,
    "model.safetensors": 1_000_000,
    "tokenizer.json": 2_000,
    "tokenizer_config.json": 300,
    "vocab.txt": 700,
    "README.md": 9_000,
    "pytorch_model.bin": 1_000_000,
    "modeling_own.py": 10_000,
    "onnx/model.onnx": 5_000_000,
    "onnx/model.safetensors": 5_000_000,
    "consolidated.safetensors": 5_000_000,
}


class FakeHub:
    """Stands for `HfApi`: answers from a record, or fails as it is told; keeps what it was asked."""

    def __init__(self, **changes: Any) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.error: Exception | None = None
        files = changes.pop("files", FILES)
        self.info = SimpleNamespace(
            sha="0" * 40,
            gated=False,
            private=False,
            disabled=False,
            tags=["transformers", "bert"],
            config={"model_type": "bert"},
            siblings=[SimpleNamespace(rfilename=name, size=size) for name, size in files.items()],
        )
        vars(self.info).update(changes)

    def __call__(self, **settings: Any) -> FakeHub:
        assert settings == {"token": False}  # the server's own token opens nothing for a visitor
        return self

    def model_info(self, identity: str, **settings: Any) -> Any:
        self.asked.append((identity, settings))
        if self.error is not None:
            raise self.error
        return self.info


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakeHub]:
    """Put a fake hub in the place of the real one."""

    def put(**changes: Any) -> FakeHub:
        fake = FakeHub(**changes)
        monkeypatch.setattr(huggingface_hub, "HfApi", fake)
        return fake

    return put


def failure(kind: type[HfHubHTTPError]) -> HfHubHTTPError:
    response: Any = SimpleNamespace(headers={}, request=None, status_code=500)
    return kind("https://huggingface.co/api/models/owner/name failed", response=response)


class TestIdentity:
    @pytest.mark.parametrize("text", ["google-bert/bert-base-uncased", " a/b ", "Qwen/Qwen2.5-0.5B", "x_1/y.z"])
    def test_owner_and_name_pass(self, text: str) -> None:
        assert check_identity(text, ANY) == text.strip()

    @pytest.mark.parametrize(
        "text",
        [
            *(
                "",
                "gpt2",
                "a/b/c",
                "../a",
                "a/..",
                "a/../b",
                "/etc/passwd",
                "./a",
                "a/.b",
                "a /b",
                "a/b\nc",
                "a\\b",
                "~/a",
            ),
            *("https://huggingface.co/a/b", "a/b?x", "a/b#x", "a@b/c", "å/b", "a/b;c", "a/b..c", "hf:a/b", "a/b/"),
            "a/" + "b" * 97,
            *("a/b.git", "a/b-", "a/b.", "a-/b", "a--b/c", "a/b--c", "-a/b", "a/-b", "a/.git"),
        ],
    )
    def test_nothing_else_does(self, text: str) -> None:
        with pytest.raises(HubError, match="A hub model is named owner/name, such as"):
            check_identity(text, ANY)

    @given(st.text(alphabet="aZ0-_./git", max_size=12), st.text(alphabet="aZ0-_.git", max_size=12))
    @example("a", "b.git")
    def test_whatever_passes_is_a_name_for_the_hub_too(self, owner: str, name: str) -> None:
        text = f"{owner}/{name}"
        with suppress(HubError):
            validate_repo_id(check_identity(text, ANY))

    def test_a_deployment_may_switch_it_off_or_give_a_list(self) -> None:
        with pytest.raises(HubError, match="Hub models are off on this server"):
            check_identity("a/b", HubSettings(enabled=False))
        listed = HubSettings(allowed=("a/b", "c/d"))
        assert check_identity("c/d", listed) == "c/d"
        with pytest.raises(HubError, match="opens only these models: a/b, c/d"):
            check_identity("e/f", listed)


class TestLookUp:
    def test_only_safetensors_and_the_tokenizer_are_wanted(self, hub: Callable[..., FakeHub]) -> None:
        fake = hub()
        found = look_up("owner/name", ANY)
        names = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt"]
        assert [name for name, _ in found.files] == names
        assert found.size == 1_003_500
        assert found.revision == "0" * 40
        assert fake.asked == [("owner/name", {"files_metadata": True, "timeout": 15.0})]

    def test_parts_of_weights_are_wanted_together(self, hub: Callable[..., FakeHub]) -> None:
        parts = {f"model-0000{part}-of-00002.safetensors": 10 for part in (1, 2)}
        own = {"config.json": 1, "tokenizer.json": 4, "model.safetensors.index.json": 2, "model-x.safetensors": 9}
        hub(files=own | parts)
        assert look_up("owner/name", ANY).size == 27

    @pytest.mark.parametrize(
        ("kind", "files"),
        [
            ("marian", ("source.spm", "target.spm", "vocab.json")),
            ("t5", ("spiece.model",)),
            ("bert", ("vocab.txt",)),
            ("gpt2", ("merges.txt", "vocab.json")),
        ],
    )
    def test_what_makes_a_tokenizer_is_wanted(
        self, kind: str, files: tuple[str, ...], hub: Callable[..., FakeHub]
    ) -> None:
        all_ = {"config.json": 1, "model.safetensors": 9, "tokenizer_config.json": 2, "x.spm": 5}
        hub(files=all_ | dict.fromkeys(files, 3), config={"model_type": kind})
        wanted = {name for name, _ in look_up("Helsinki-NLP/opus-mt-en-fr", ANY).files}
        assert wanted == {"config.json", "model.safetensors", "tokenizer_config.json", *files}

    @pytest.mark.parametrize(
        ("kind", "files"),
        [
            ("bert", ()),
            ("gpt2", ("vocab.json",)),
            ("marian", ("source.spm", "vocab.json")),
            ("llama", ("tokenizer.model",)),
            ("mbart", ("sentencepiece.bpe.model",)),
            ("albert", ("spiece.model",)),
            ("bert", ("source.spm", "target.spm", "vocab.json")),
        ],
    )
    def test_a_model_without_a_tokenizer_that_is_read_is_refused(
        self, kind: str, files: tuple[str, ...], hub: Callable[..., FakeHub], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hub(files={"config.json": 1, "model.safetensors": 9} | dict.fromkeys(files, 3), config={"model_type": kind})
        monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *_, **__: pytest.fail("fetched"))
        with pytest.raises(HubError, match=r"owner/name cannot be opened: it has no tokenizer .* tokenizer\.json; or"):
            models.load("hf:owner/name")

    def test_two_vocabularies_are_refused(self, hub: Callable[..., FakeHub]) -> None:
        files = ("config.json", "model.safetensors", "source.spm", "target.spm", "vocab.json", "target_vocab.json")
        hub(files=dict.fromkeys(files, 3), config={"model_type": "marian"})
        with pytest.raises(HubError, match=r"a separate output vocabulary, target_vocab\.json"):
            look_up("owner/name", ANY)

    @pytest.mark.parametrize(
        ("changes", "match"),
        [
            ({"gated": "manual"}, "owner/name is not public"),
            ({"private": True}, "owner/name is not public"),
            ({"disabled": True}, "owner/name is not public"),
            ({"files": {"config.json": 1, "pytorch_model.bin": 9}}, "no weights in safetensors"),
            ({"files": {"config.json": 1, "onnx/model.safetensors": 9}}, "no weights in safetensors"),
            ({"files": {"model.safetensors": 9}}, "no config.json"),
            ({"files": FILES | {"model.safetensors": None}}, "does not say how large model.safetensors is"),
            (
                {"files": FILES | {"model.safetensors": 1_500_000_000}},
                r"too large: 1,500 MB\. The limit here is 1,500 MB",
            ),
            (
                {"tags": ["custom_code"], "config": {"model_type": "own"}},
                "needs to run its own code. This server never runs such",
            ),
            ({"tags": ["custom_code"], "config": None}, "needs to run its own code. This server never runs such"),
        ],
    )
    def test_what_cannot_be_opened_is_refused_before_anything_is_fetched(
        self, changes: dict[str, Any], match: str, hub: Callable[..., FakeHub], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hub(**changes)
        monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *_, **__: pytest.fail("fetched"))
        with pytest.raises(HubError, match=match):
            models.load("hf:owner/name")

    def test_a_limit_counts_only_what_is_fetched(self, hub: Callable[..., FakeHub]) -> None:
        hub()
        assert look_up("owner/name", HubSettings(largest=1_003_500)).size == 1_003_500
        with pytest.raises(HubError, match=r"too large: 1 MB\. The limit here is 1 MB"):
            look_up("owner/name", HubSettings(largest=1_003_499))

    def test_code_beside_a_family_that_transformers_knows_is_left_alone(self, hub: Callable[..., FakeHub]) -> None:
        hub(tags=["custom_code"])
        assert "modeling_own.py" not in dict(look_up("owner/name", ANY).files)

    @pytest.mark.parametrize(
        ("error", "match"),
        [
            (failure(RepositoryNotFoundError), "The hub has no public model called owner/name"),
            (failure(GatedRepoError), "owner/name is not public"),
            (failure(HfHubHTTPError), "The hub gave an unexpected answer for"),
            (HTTPError("name or service not known"), "no connection to the hub"),
            (OfflineModeIsEnabled("offline"), "no connection to the hub"),
            (TimeoutError("timed out"), "no connection to the hub"),
            (HFValidationError("Repo_id cannot end by '.git'"), "A hub model is named owner/name, such as"),
        ],
        ids=["absent", "gated", "server", "network", "offline", "timeout", "name"],
    )
    def test_each_failure_is_explained(self, error: Exception, match: str, hub: Callable[..., FakeHub]) -> None:
        hub().error = error
        with pytest.raises(HubError, match=match) as caught:
            look_up("owner/name", ANY)
        assert isinstance(caught.value, InputError)

    def test_a_mistake_of_our_own_is_not_taken_for_the_networks(self, hub: Callable[..., FakeHub]) -> None:
        hub().error = TypeError("a mistake")
        with pytest.raises(TypeError):
            look_up("owner/name", ANY)

    def test_a_name_that_is_none_is_not_even_asked_for(self, hub: Callable[..., FakeHub]) -> None:
        fake = hub()
        with pytest.raises(HubError):
            look_up("../name", ANY)
        assert fake.asked == []


class TestFetch:
    FOUND = HubModel("owner/name", "0" * 40, (("config.json", 40), ("model.safetensors", 60)))

    def test_it_fetches_those_files_of_that_commit_and_reports(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(huggingface_hub.constants, "HF_HOME", str(tmp_path / "home"))
        asked: dict[str, Any] = {}

        def download(identity: str, *, tqdm_class: Any, **settings: Any) -> str:
            asked.update(settings, identity=identity)
            transfer = tqdm_class(desc="transfer", total=0, initial=0, unit="B", unit_scale=True)
            written = tqdm_class(desc="written", total=0, initial=0, unit="B", unit_scale=True)
            files = tqdm_class(desc="files", total=2)
            for part in (40, 50, 10):
                written.total = (written.total or 0) + part
                written.update(part)
                transfer.update(part // 2)
                files.update(1)
            for bar in (transfer, written, files):
                bar.set_description("done")
                bar.close()
            return str(tmp_path)

        monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
        told: list[tuple[int, int]] = []
        assert fetch(self.FOUND, lambda done, total: told.append((done, total))) == tmp_path
        assert told == [(40, 100), (90, 100), (100, 100)]
        assert asked == {
            "identity": "owner/name",
            "revision": "0" * 40,
            "allow_patterns": ["config.json", "model.safetensors"],
            "cache_dir": tmp_path / "home" / "attention-bench",
            "token": False,
        }

    def test_a_full_disk_is_called_that(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def download(*_: Any, **__: Any) -> str:
            raise OSError(ENOSPC, "No space left on device")

        monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
        with pytest.raises(HubError, match="the disk of this server is full"):
            fetch(self.FOUND)

    def test_a_broken_connection_is_explained(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def download(*_: Any, **__: Any) -> str:
            message = "no such file here"
            raise LocalEntryNotFoundError(message)

        monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
        with pytest.raises(HubError, match="no connection to the hub"):
            fetch(self.FOUND)

    def test_the_folder_that_was_fetched_is_what_is_opened(
        self, tmp_path: Path, hub: Callable[..., FakeHub], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hub()
        tiny_network("bert").save_pretrained(tmp_path)
        tiny_tokenizer().save_pretrained(tmp_path)
        monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *_, **__: str(tmp_path))
        model = models.load("hf:owner/name")
        assert (model.key, len(model.attend(TEXT).maps)) == ("hf:owner/name", 3)

    def test_without_a_network_what_was_fetched_earlier_is_opened(
        self, tmp_path: Path, hub: Callable[..., FakeHub], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hub().error = HTTPError("name or service not known")
        monkeypatch.setattr(huggingface_hub.constants, "HF_HOME", str(tmp_path))
        assert stored("owner/name") is None
        with pytest.raises(HubError, match="no connection to the hub"):
            models.load("hf:owner/name")
        folder = tmp_path / "attention-bench" / "models--owner--name" / "snapshots" / ("0" * 40)
        tiny_network("bert").save_pretrained(folder)
        tiny_tokenizer().save_pretrained(folder)
        assert stored("owner/name") == folder
        assert stored("owner/other") is None
        assert models.load("hf:owner/name").key == "hf:owner/name"
        with pytest.raises(HubError, match="Hub models are off on this server"):
            models.load_pretrained("hf:owner/name", settings=HubSettings(enabled=False))

    def test_what_the_owner_of_the_server_fetched_opens_for_no_visitor(
        self, tmp_path: Path, hub: Callable[..., FakeHub], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Their own cache may hold models that are closed to others, and no network is there to ask."""
        hub().error = HTTPError("name or service not known")
        monkeypatch.setattr(huggingface_hub.constants, "HF_HOME", str(tmp_path))
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
        folder = tmp_path / "hub" / "models--owner--closed" / "snapshots" / ("0" * 40)
        tiny_network("bert").save_pretrained(folder)
        tiny_tokenizer().save_pretrained(folder)
        assert huggingface_hub.scan_cache_dir(tmp_path / "hub").repos
        assert stored("owner/closed") is None
        with pytest.raises(HubError, match="no connection to the hub"):
            models.load("hf:owner/closed")

    def test_a_model_that_is_no_longer_open_is_not_taken_from_the_disk(
        self, hub: Callable[..., FakeHub], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hub(gated="auto")
        monkeypatch.setattr("models.huggingface.hub_store.stored", lambda identity: pytest.fail("taken from the disk"))
        with pytest.raises(HubError, match="Only public models can be shown here"):
            models.load("hf:owner/name")


class TestRoom:
    """So many bytes on disk, and those used least recently go."""

    @pytest.fixture
    def models_there(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
        """Put four models of 100 bytes on disk, used in the order of their names; say which are there."""
        monkeypatch.setattr(huggingface_hub.constants, "HF_HOME", str(tmp_path))
        for place, name in enumerate("abcd"):
            folder = store() / f"models--owner--{name}" / "snapshots" / ("0" * 40)
            folder.mkdir(parents=True)
            (folder.parents[1] / "blob").write_bytes(b"." * 100)
            touch(folder)
            os.utime(folder.parents[1] / "used", (place, place))
        return lambda: sorted(each.name[-1] for each in store().iterdir())

    @staticmethod
    def find(name: str, size: int) -> HubModel:
        return HubModel(f"owner/{name}", "1" * 40, (("model.safetensors", size),))

    def test_what_fits_leaves_all_as_it_is(self, models_there: Callable[[], list[str]]) -> None:
        make_room(self.find("e", 100), HubSettings(disk=500))
        assert models_there() == ["a", "b", "c", "d"]

    def test_those_used_least_recently_go_and_no_more_than_need_be(self, models_there: Callable[[], list[str]]) -> None:
        make_room(self.find("e", 150), HubSettings(disk=400))
        assert models_there() == ["c", "d"]

    def test_what_was_used_again_stays(self, models_there: Callable[[], list[str]]) -> None:
        touch(store() / "models--owner--a" / "snapshots" / ("0" * 40))
        make_room(self.find("e", 100), HubSettings(disk=400))
        assert models_there() == ["a", "c", "d"]

    def test_what_is_here_already_is_not_counted_twice_nor_deleted(self, models_there: Callable[[], list[str]]) -> None:
        make_room(self.find("a", 100), HubSettings(disk=400))
        assert models_there() == ["a", "b", "c", "d"]

    def test_what_never_fits_is_refused(self, models_there: Callable[[], list[str]]) -> None:
        with pytest.raises(HubError, match="the disk of this server does not have 1 MB free for it"):
            make_room(self.find("e", 600_000), HubSettings(disk=400))

    def test_a_disk_that_others_filled_is_told_before_anything_is_fetched(
        self, models_there: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("shutil.disk_usage", lambda _path: SimpleNamespace(free=99))
        with pytest.raises(HubError, match="the disk of this server does not have"):
            make_room(self.find("e", 100), HubSettings(disk=10**9))
        assert models_there() == ["a", "b", "c", "d"]
