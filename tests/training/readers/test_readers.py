"""A small GPT and a small BERT: rows, masks, runs that stop and go on; published, they are their papers' equations."""

from __future__ import annotations

import json
import lzma
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from transformers import BertForPreTraining, GPT2LMHeadModel

from models.hooks import capture
from models.huggingface import embedded
from models.huggingface.embedded import Local, local_models
from models.huggingface.loading import load_folder
from models.huggingface.model import PretrainedModel
from models.huggingface.reader_entries import READER_ENTRIES
from models.readers.language import load_language
from tests.support.reference_readers import bert, gpt
from training.readers import evaluate
from training.readers.batches import (
    BatchCorpus,
    TextRow,
    bert_rows,
    encode,
    epoch_batches,
    gpt_rows,
    mask,
    read_batch,
    sentence_rows,
)
from training.readers.language import measure_reach
from training.readers.networks import build
from training.readers.publish import publish
from training.readers.recipe import ReaderRecipe, TextFile, read_reader_recipe
from training.readers.sentences import pair_overlap
from training.readers.texts import BOUNDARY, learn_tokenizer, sentences_of, training_lines
from training.readers.trainer import ReaderTrainer
from training.recipes import RecipeError

ROOT = Path(__file__).parents[3]
RECIPES = sorted((ROOT / "training" / "readers" / "recipes").glob("*.toml"))
TINY: dict[str, Any] = {"vocabulary": 300, "layers": 2, "width": 32, "heads": 4, "context": 32, "tokens_per_batch": 120}
TEXT = "The cat drank the milk because it was hungry."


def lines(count: int, seed: int = 0) -> list[str]:
    chance = random.Random(seed)
    who, did, what = ("The cat", "A dog", "My sister"), ("drank", "saw", "likes"), ("the milk", "a house", "it")
    said = [f"{chance.choice(who)} {chance.choice(did)} {chance.choice(what)} {number}." for number in range(count)]
    return [f"{one} {said[0]}" if number % 2 else one for number, one in enumerate(said)]


def tiny_recipe(kind: str) -> ReaderRecipe:
    files = {name: (TextFile(f"{name}.tsv.xz"),) for name in ("files", "held_out", "test")}
    if kind == "hops":
        files = {
            name: (TextFile(f"{name}.tsv.xz", label="theirs"), TextFile(f"{name}.tsv.xz", column=1, label="other"))
            for name in files
        }
        own: dict[str, Any] = {
            "labels": ("other", "theirs"),
            "hops": 3,
            "penalty": 0.5,
            "d_attention": 8,
            "d_hidden": 8,
        }
        return ReaderRecipe(key="hops-tiny", kind=kind, target_tokens=1500, warmup_steps=3, **files, **TINY, **own)
    if kind == "memory":  # in the pieces of the small GPT
        own = {"memory": "key-value-predict", "hidden": 24, "window": 3, "vocabulary": 6000, "packed_share": 0.0}
        return ReaderRecipe(key="memory-tiny", kind=kind, target_tokens=1500, warmup_steps=3, **files, **TINY | own)
    return ReaderRecipe(key=f"{kind}-tiny", kind=kind, target_tokens=1500, warmup_steps=3, **files, **TINY)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("data")
    for seed, (name, count) in enumerate((("files", 90), ("held_out", 6), ("test", 6))):
        with lzma.open(place / f"{name}.tsv.xz", "wt", encoding="utf8") as file:
            file.writelines(f"{line}\t{seed} other line {number}\n" for number, line in enumerate(lines(count, seed)))
    return place


@pytest.fixture(scope="module")
def shipped(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Train a tiny reader of each kind, and publish it."""
    place, found = tmp_path_factory.mktemp("runs"), {}
    for kind in ("gpt", "bert", "hops", "memory"):
        trainer = ReaderTrainer(tiny_recipe(kind), data, place)
        trainer.run()
        publish(tiny_recipe(kind), place, place / "weights")
        found[kind] = place / "weights" / f"{kind}-tiny"
    return found


def known(shipped: dict[str, Path], kind: str) -> Local:
    embedded._trained_here.cache_clear()
    return {each.key: each for each in embedded._trained_here(shipped[kind].parent)}[f"hf:{kind}-tiny"]


def candidates() -> Iterator[Any]:
    """Give the tiny readers, and those that are shipped."""
    yield from (pytest.param(kind, None, id=f"tiny {kind}") for kind in ("gpt", "bert"))
    for key, local in local_models().items():
        if local.folder.parent == embedded.READERS and local.kind == "transformers":
            yield pytest.param("gpt" if "gpt" in key else "bert", local, id=key)


def opened(shipped: dict[str, Path], kind: str, local: Local | None) -> tuple[PretrainedModel, Path, dict[str, Any]]:
    found = local or known(shipped, kind)
    parameters = {k: v.double().numpy() for k, v in load_file(found.folder / "model.safetensors").items()}
    return load_folder(found.folder, found), found.folder, parameters


@pytest.mark.parametrize(("kind", "local"), [each for each in candidates() if each.values[0] == "gpt"])
def test_a_gpt_is_its_papers_equations_and_the_class_of_transformers(
    kind: str, local: Local | None, shipped: dict[str, Path]
) -> None:
    model, folder, parameters = opened(shipped, kind, local)
    trace = model.attend(TEXT)
    ids = list(trace.source.ids)
    heads, layers = model.network.config.n_head, model.network.config.n_layer
    expected, maps = gpt(parameters, ids, heads=heads, layers=layers)
    with torch.inference_mode():
        peer = GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
        logits = peer(torch.tensor([ids])).logits[0].numpy()
        np.testing.assert_allclose(model.network(torch.tensor([ids])).logits[0].numpy(), logits, atol=1e-5)
    np.testing.assert_allclose(logits, expected, atol=2e-5 if local else 1e-5)  # float32 against float64
    assert {str(each.site) for each in trace} == set(maps)
    for each in trace:
        np.testing.assert_allclose(each.weights, maps[str(each.site)], atol=1e-5)
    assert trace.source.texts[0] == BOUNDARY
    assert trace.source.specials == (0,)
    assert len(trace.predictions) == len(ids)  # the next token after every one, the boundary among them
    shares = np.exp(expected[-1] - expected[-1].max())
    assert trace.predictions[-1].alternatives[0][1] == pytest.approx(shares.max() / shares.sum(), abs=1e-5)


@pytest.mark.parametrize(("kind", "local"), [each for each in candidates() if each.values[0] == "bert"])
def test_a_bert_is_its_papers_equations_and_the_class_of_transformers(
    kind: str, local: Local | None, shipped: dict[str, Path]
) -> None:
    model, folder, parameters = opened(shipped, kind, local)
    trace = model.attend("The cat drank the [MASK].", pair="It was hungry.")
    ids, (place,) = list(trace.source.ids), [each.position for each in trace.predictions]
    end = trace.source.texts.index("[SEP]")
    segments = [int(position > end) for position in range(len(ids))]
    config = model.network.config
    words, follows, maps = bert(
        parameters, ids, segments, heads=config.num_attention_heads, layers=config.num_hidden_layers
    )
    inputs = {"input_ids": torch.tensor([ids]), "token_type_ids": torch.tensor([segments])}
    with torch.inference_mode():
        peer = BertForPreTraining.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
        output = peer(**inputs)
        logits = output.prediction_logits[0].numpy()
        np.testing.assert_allclose(model.network(**inputs).logits[0].numpy(), logits, atol=1e-5)
    np.testing.assert_allclose(logits, words, atol=1e-4 if local else 1e-5)
    np.testing.assert_allclose(output.seq_relationship_logits[0].numpy(), follows, atol=1e-4 if local else 1e-5)
    assert {str(each.site) for each in trace} == set(maps)
    for each in trace:
        np.testing.assert_allclose(each.weights, maps[str(each.site)], atol=1e-5)
    assert trace.source.texts[place] == "[MASK]"
    shares = np.exp(words[place] - words[place].max())
    assert trace.predictions[0].alternatives[0][1] == pytest.approx(shares.max() / shares.sum(), abs=1e-5)


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_a_recipe_is_whole_and_no_line_that_it_is_measured_by_is_trained_on(path: Path, data: Path) -> None:
    recipe = read_reader_recipe(path)
    assert recipe.key == path.stem
    assert {each.path for each in recipe.files} > {"en-fr/tatoeba.train.tsv.xz"}
    seen = {line for _, own in training_lines(tiny_recipe(recipe.kind), data) for line in own}
    assert seen
    assert not seen & {*lines(6, 1), *lines(6, 2)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('kind = "gru"', "kind 'gru' not known"),
        ('kind = "gpt"\nhue = 1', "hue not known"),
        ('kind = "gpt"', "files"),
        ('kind = "gpt"\noptimizer = "sgd"', "optimizer 'sgd' not known"),
    ],
)
def test_a_recipe_that_is_not_whole_says_what_is_wrong(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(text, encoding="utf8")
    with pytest.raises(RecipeError, match=said):
        read_reader_recipe(tmp_path / "x.toml")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("I can't. It's too big.", ["I can't.", "It's too big."]),
        ("Mr. Leblanc left the bench.", ["Mr. Leblanc left the bench."]),
        ('He asked: "Why not?" She was gone. No.', ['He asked: "Why not?"', "She was gone. No."]),
        ("Capital! Adieu, Chevalier.", ["Capital! Adieu, Chevalier."]),
        ("at 3.30 in no. 7", ["at 3.30 in no. 7"]),
        ("", [""]),
    ],
)
def test_a_line_is_cut_into_its_sentences(line: str, expected: list[str]) -> None:
    assert sentences_of(line) == expected


def corpus_of(kind: str) -> tuple[BatchCorpus, Tokenizer]:
    tokenizer = learn_tokenizer(kind, lines(90), TINY["vocabulary"])
    return encode(tokenizer, [(1.0, lines(90))], 29), tokenizer


def test_a_gpt_reads_lines_between_boundaries_alone_or_up_to_the_context() -> None:
    corpus, tokenizer = corpus_of("gpt")
    shown = np.arange(90)
    alone = gpt_rows(corpus, shown, replace(tiny_recipe("gpt"), packed_share=0.0), 1)
    assert [tokenizer.decode(row.ids.tolist()).strip() for row in alone] == lines(90)
    assert all(row.ids[0] == row.ids[-1] == 0 for row in alone)
    packed = gpt_rows(corpus, shown, replace(tiny_recipe("gpt"), packed_share=1.0), 1)
    assert {len(row.ids) for row in packed} == {33}
    assert all(row.ids[0] == 0 and (row.ids[1:-1] == 0).any() for row in packed)


def test_a_bert_reads_a_line_or_two_sentences_of_which_half_belong_together() -> None:
    corpus, tokenizer = corpus_of("bert")
    rows = bert_rows(corpus, np.tile(np.arange(90), 20), replace(tiny_recipe("bert"), pair_share=1.0), 1)
    pairs = [row for row in rows if row.follows >= 0]
    assert len(pairs) == 45 * 20
    assert 0.45 < np.mean([row.follows for row in pairs]) < 0.55
    after = {line[: line.index(".") + 1]: line[line.index(".") + 2 :] for line in lines(90)[1::2]}
    for row in pairs[:50]:
        first, second = (
            tokenizer.decode(part.tolist()) for part in (row.ids[1 : row.second - 1], row.ids[row.second : -1])
        )
        known_second = {
            tokenizer.decode(tokenizer.encode(k, add_special_tokens=False).ids): v for k, v in after.items()
        }
        assert second == tokenizer.decode(tokenizer.encode(known_second[first], add_special_tokens=False).ids)
    _, segments, follows = read_batch([pairs[0]])
    assert segments[0].tolist() == [int(place >= pairs[0].second) for place in range(len(pairs[0].ids))]
    assert follows.tolist() == [pairs[0].follows]


def test_fifteen_in_a_hundred_are_asked_for_and_eight_of_ten_of_them_read_mask() -> None:
    ids = torch.full((400, 100), 50)
    ids[:, 0], ids[:, -1] = 2, 3
    read, chosen = mask(ids, 300, 1)
    assert float(chosen[:, 1:-1].float().mean()) == pytest.approx(0.15, abs=0.01)
    assert not chosen[:, [0, -1]].any()
    there = read[chosen]
    assert float((there == 4).float().mean()) == pytest.approx(0.8, abs=0.02)
    assert float((there == 50).float().mean()) == pytest.approx(0.1, abs=0.02)
    assert torch.equal(read[~chosen], ids[~chosen])
    assert not torch.equal(mask(ids, 300, 2)[1], chosen)


def test_batches_have_one_length_and_hold_every_row_once() -> None:
    corpus, _ = corpus_of("gpt")
    recipe = replace(tiny_recipe("gpt"), packed_share=0.0)
    batches = epoch_batches(corpus, recipe, 0)
    assert all(len({len(row.ids) for row in rows}) == 1 for rows in batches)
    assert sorted(map(tuple, (row.ids for rows in batches for row in rows))) == sorted(
        tuple([0, *corpus.texts[line], 0]) for line in range(90)
    )


@pytest.mark.parametrize("kind", ["gpt", "bert", "hops", "memory"])
def test_a_run_that_stops_and_goes_on_is_the_same_run(kind: str, data: Path, tmp_path: Path) -> None:
    recipe = replace(tiny_recipe(kind), target_tokens=800)
    whole = ReaderTrainer(recipe, data, tmp_path / "whole")
    whole.run()
    learned = Path(recipe.key, "tokenizer.json")  # where two pieces are as frequent, either may be learned first
    (tmp_path / "cut" / recipe.key).mkdir(parents=True)
    (tmp_path / "cut" / learned).write_bytes((tmp_path / "whole" / learned).read_bytes())
    cut = ReaderTrainer(recipe, data, tmp_path / "cut")
    cut.run(0.0)
    again = ReaderTrainer(recipe, data, tmp_path / "cut")
    again.resume()
    assert again.progress.step == 1
    again.run()
    assert again.progress.step == whole.progress.step > 3
    for name, value in whole.network.state_dict().items():
        torch.testing.assert_close(again.network.state_dict()[name], value)
    entries = [json.loads(line) for line in (tmp_path / "whole" / recipe.key / "log.jsonl").read_text().splitlines()]
    assert entries[-1]["held_out_loss"] > 0


@pytest.mark.parametrize("kind", ["gpt", "bert", "hops", "memory"])
def test_a_card_says_what_was_done_and_the_figures_are_counted_again(
    kind: str, shipped: dict[str, Path], data: Path
) -> None:
    card = json.loads((shipped[kind] / "card.json").read_text(encoding="utf8"))
    assert card["tokens_seen"] >= 1500
    assert card["title"] in {each.title for each in READER_ENTRIES.values()}
    assert set(card["sha256"]) == {each.name for each in shipped[kind].iterdir()} - {"card.json", "log.jsonl"}
    if kind == "hops":
        figures = evaluate.evaluate(tiny_recipe(kind), data, shipped[kind])
        assert set(figures) == {"theirs", "other", "mean"}
        assert figures["theirs"]["sentences"] == 9  # every other one of six lines holds two
        assert 0 <= figures["mean"]["overlap"] <= 1 < 2 * figures["mean"]["chance"] + 0.1
        return
    figures = evaluate.evaluate(tiny_recipe(kind), data, shipped[kind])
    found = figures["test"]
    if kind == "memory":  # its one test file is all that there is
        assert figures["all"] == found | {"reach": figures["all"]["reach"]}
        assert figures["all"]["reach"]["rows"] == 0  # no line has 15 tokens before one
    if kind in ("gpt", "memory"):
        assert found["words"] == sum(len(line.split()) for line in lines(6, 2))
        assert 1 < found["perplexity_per_token"] < found["perplexity_per_word"]
    else:
        assert 0 <= found["only_masked_right"] <= 1 < found["masked_perplexity"]


def test_rows_hold_what_they_say() -> None:
    ids, segments, follows = read_batch([TextRow(np.array([2, 7, 3, 9, 3], np.uint16), 3, 1)])
    assert ids.tolist() == [[2, 7, 3, 9, 3]]
    assert segments.tolist() == [[0, 0, 0, 1, 1]]
    assert follows.tolist() == [1]


def test_every_sentence_of_a_line_is_a_row_with_the_kind_of_its_text() -> None:
    recipe = tiny_recipe("hops")
    tokenizer = learn_tokenizer("hops", lines(90), TINY["vocabulary"])
    corpus = encode(tokenizer, [(1.0, lines(4)), (1.0, lines(2, 7))], 29)
    rows = sentence_rows(corpus, np.arange(6), recipe, 1)
    assert [row.label for row in rows] == [1] * 6 + [0] * 3  # every other line holds two sentences
    said = [sentence for line in (*lines(4), *lines(2, 7)) for sentence in sentences_of(line)]
    assert [tokenizer.decode(row.ids.tolist()) for row in rows] == [
        tokenizer.decode(tokenizer.encode(each).ids) for each in said
    ]


def test_the_overlap_of_hops_is_one_where_all_read_alike_and_none_where_they_part() -> None:
    alike, apart = torch.full((2, 3, 4), 0.25), torch.eye(4)[None, :3]
    assert pair_overlap(alike).tolist() == [1, 1]
    assert pair_overlap(apart).tolist() == [0]
    half = torch.tensor([[[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]])
    assert pair_overlap(half).tolist() == [0.5]


def test_the_reach_is_the_mean_weight_by_distance_of_tokens_with_enough_before_them() -> None:
    network = build(tiny_recipe("memory")).eval()
    ids = np.random.default_rng(0).integers(1, 300, (3, 21)).astype(np.uint16)
    rows = [TextRow(each, 21, -1) for each in ids]
    found = measure_reach(network, [rows[:2], rows[2:], [TextRow(ids[0, :9], 9, -1)]])
    with torch.no_grad(), capture(("*.weights",)) as session:
        network(torch.from_numpy(ids[:, :-1].astype(np.int64)))
    weights = session["decoder.0.self.weights"][:, 0].double().numpy()
    expected = [np.mean([each[t, t - back] for each in weights for t in range(15, 20)]) for back in (1, 2, 3)]
    assert found["rows"] == 15
    assert found["by_distance"] == pytest.approx([*expected, *[0] * 12], abs=1e-5)
    assert found["further"] == 0
    assert found["last_five"] == pytest.approx(1, abs=1e-4)
    assert found["mean_distance"] == pytest.approx(np.dot(expected, (1, 2, 3)), abs=1e-3)


def test_a_tokenizer_that_another_reader_ships_is_not_shipped_again(shipped: dict[str, Path], tmp_path: Path) -> None:
    first, weights = shipped["memory"], tmp_path / "weights"
    recipe = replace(tiny_recipe("memory"), key="memory-again")
    copytree(first.parents[1] / first.name, tmp_path / recipe.key)
    copytree(first, weights / first.name)
    card = publish(recipe, tmp_path, weights)
    assert card["tokenizer"] == first.name
    assert not (weights / recipe.key / "tokenizer.json").exists()
    embedded._trained_here.cache_clear()
    (again,) = (each for each in embedded._trained_here(weights) if each.key == "hf:memory-again")
    own = known(shipped, "memory")
    assert load_language(again).attend("the cat").source == load_language(own).attend("the cat").source
