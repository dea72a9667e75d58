"""The mean of several points of training: of weights, and what its card says."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from models.translation.checkpoints import read_card, write_checkpoint
from training.mean import MEASURED, publish_mean
from training.recipes import RecipeError

BASE = {
    "key": "luong-dot-en-fr",
    "mechanism": "luong-dot",
    "pair": "en-fr",
    "network": {"d_model": 2},
    "tokenizer_sha256": "a",
    "weights": "exponential average",
}


def point(folder: Path, value: float, seen: int, **card: object) -> Path:
    table = torch.tensor([[value, 2 * value], [0.0, 1.0]])
    measured = {"bleu": {"tatoeba.test": {"bleu": value}}, "aer": {"everyday": value}}
    written = {**BASE, "target_tokens_seen": seen, **measured, **card}
    write_checkpoint(folder, {"table": table, "bias": torch.tensor([value])}, written)
    (folder / "log.jsonl").write_text(f'{{"tokens": {seen}, "held_out_loss": 2.5}}\n', encoding="utf8")
    return folder


def test_each_number_is_the_mean_and_the_card_names_its_parts(tmp_path: Path) -> None:
    folders = [point(tmp_path / f"{value:g}", value, int(value)) for value in (1.0, 2.0, 6.0)]
    card = publish_mean(folders, tmp_path / "shipped")
    shipped = tmp_path / "shipped" / "luong-dot-en-fr"
    found = load_file(shipped / "model.safetensors")
    assert found["table"].tolist() == [[3.0, 6.0], [0.0, 1.0]]
    assert found["bias"].tolist() == [3.0]
    assert found["bias"].dtype == torch.float16
    assert read_card(shipped) == card
    parts = [read_card(folder)["sha256"] for folder in folders]
    assert [each["sha256"] for each in card["mean_of"]] == parts
    assert [each["target_tokens_seen"] for each in card["mean_of"]] == [1, 2, 6]
    assert card["target_tokens_seen"] == 6
    assert card["sha256"] not in parts
    assert not set(MEASURED) & set(card), "figures are of the parts"
    assert card["weights"].startswith("mean of points of training by their share, each an exponential average")
    assert '"tokens": 6' in (shipped / "log.jsonl").read_text(encoding="utf8")


@pytest.mark.parametrize("other", [{"key": "luong-concat-en-fr"}, {"network": {}}, {"tokenizer_sha256": "b"}])
def test_points_of_two_models_are_refused(tmp_path: Path, other: dict[str, object]) -> None:
    folders = [point(tmp_path / "one", 1.0, 1), point(tmp_path / "two", 2.0, 2, **other)]
    with pytest.raises(RecipeError, match=f"two differs from .*one in {next(iter(other))}"):
        publish_mean(folders, tmp_path / "shipped")
    assert not (tmp_path / "shipped").exists()


def test_a_mean_of_a_mean_counts_its_points_by_their_share(tmp_path: Path) -> None:
    folders = [point(tmp_path / f"{value:g}", value, int(value)) for value in (1.0, 2.0, 6.0)]
    publish_mean(folders[:2], tmp_path / "first")
    card = publish_mean([tmp_path / "first" / "luong-dot-en-fr", folders[2]], tmp_path / "second", [3, 1])
    table = load_file(tmp_path / "second" / "luong-dot-en-fr" / "model.safetensors")["table"]
    assert table.tolist() == [[0.75 * 1.5 + 0.25 * 6, 2 * (0.75 * 1.5 + 0.25 * 6)], [0.0, 1.0]]
    assert [each["share"] for each in card["mean_of"]] == [0.375, 0.375, 0.25]
    assert [each["target_tokens_seen"] for each in card["mean_of"]] == [1, 2, 6]
    assert card["weights"].count("each an") == 1


@pytest.mark.parametrize("shares", [[1.0], [1.0, 0.0], [2.0, -1.0]])
def test_each_point_needs_a_share(tmp_path: Path, shares: list[float]) -> None:
    folders = [point(tmp_path / "one", 1.0, 1), point(tmp_path / "two", 2.0, 2)]
    with pytest.raises(RecipeError, match="each with its share"):
        publish_mean(folders, tmp_path / "shipped", shares)


def test_one_point_has_no_mean(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="1 checkpoint given"):
        publish_mean([point(tmp_path / "one", 1.0, 1)], tmp_path / "shipped")
