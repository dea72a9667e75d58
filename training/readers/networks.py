"""The networks, a GPT and a BERT as transformers has them, and what each is trained to give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import BertConfig, BertForPreTraining, GPT2Config, GPT2LMHeadModel

from models.huggingface.files import WEIGHTS_FILE
from models.networks.memory_models import LanguageModel
from models.networks.self_attentive import SelfAttentiveNetwork
from models.readers.language import network_of
from training.loss import output_loss
from training.readers.batches import TextRow, mask, read_batch
from training.readers.language import language_loss, language_sizes
from training.readers.recipe import ReaderRecipe
from training.readers.sentences import build_hops, hops_loss

NOTHING = -100


def build(recipe: ReaderRecipe) -> Any:
    """Return the network of a recipe with weights as its paper begins with; a GPT and a BERT without dropout."""
    torch.manual_seed(recipe.seed)
    if recipe.kind == "hops":
        return build_hops(recipe)
    if recipe.kind == "memory":
        return network_of(recipe.memory, language_sizes(recipe))
    if recipe.kind == "gpt":
        config = GPT2Config(
            vocab_size=recipe.vocabulary,
            n_positions=recipe.context,
            n_embd=recipe.width,
            n_layer=recipe.layers,
            n_head=recipe.heads,
            activation_function="gelu_pytorch_tanh",
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
            bos_token_id=0,
            eos_token_id=0,
        )
        return GPT2LMHeadModel(config)
    return BertForPreTraining(
        BertConfig(
            vocab_size=recipe.vocabulary,
            max_position_embeddings=recipe.context,
            hidden_size=recipe.width,
            num_hidden_layers=recipe.layers,
            num_attention_heads=recipe.heads,
            intermediate_size=4 * recipe.width,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
    )


def open_network(recipe: ReaderRecipe, folder: Path) -> Any:
    """Return the network that `training.readers.publish` wrote, in float32, ready to be measured."""
    if recipe.kind in ("hops", "memory"):
        own = build(recipe)
        own.load_state_dict({name: values.float() for name, values in load_file(folder / WEIGHTS_FILE).items()})
        return own.eval()
    kind = GPT2LMHeadModel if recipe.kind == "gpt" else BertForPreTraining
    network: Any = kind.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
    return network.eval()


def gpt_loss(network: Any, rows: list[TextRow]) -> tuple[Tensor, int]:
    """Return the loss in nats per token of a GPT or a memory language model, and the number of tokens."""
    if isinstance(network, LanguageModel):
        return language_loss(network, rows)
    ids, _, _ = read_batch(rows)
    states = network.transformer(ids[:, :-1], use_cache=False).last_hidden_state
    labels = ids[:, 1:]
    weight = network.lm_head.weight
    loss = output_loss(states, weight, torch.zeros(weight.shape[0]), labels, ignore=NOTHING)
    return loss, labels.numel()


def bert_losses(network: Any, rows: list[TextRow], seed: int) -> tuple[Tensor, int, Tensor | None, Tensor]:
    """Return the loss per masked token and their number, then that of the next sentence and which were right."""
    ids, segments, follows = read_batch(rows)
    read, chosen = mask(ids, network.config.vocab_size, seed)
    out = network.bert(read, token_type_ids=segments)
    head = network.cls.predictions
    states = head.transform(out.last_hidden_state[chosen])
    count = int(chosen.sum())
    bias = head.decoder.bias
    words = output_loss(states[None], head.decoder.weight, bias, ids[chosen][None], ignore=NOTHING)
    pairs = follows >= 0
    if not pairs.any():
        return words, count, None, torch.zeros(0)
    said = network.cls.seq_relationship(out.pooler_output[pairs])
    wanted = 1 - follows[pairs]  # class 0 says that it follows, as in the published checkpoints
    return words, count, nn.functional.cross_entropy(said, wanted), (said.argmax(dim=1) == wanted).float()


def training_loss(network: Any, rows: list[TextRow], seed: int, penalty: float = 0.0) -> Tensor:
    """Return what an update makes smaller."""
    if isinstance(network, SelfAttentiveNetwork):
        return hops_loss(network, rows, penalty)
    if isinstance(network, GPT2LMHeadModel | LanguageModel):
        return gpt_loss(network, rows)[0]
    words, count, sentences, _ = bert_losses(network, rows, seed)
    parts = [words] * (count > 0) + [sentences] * (sentences is not None)
    return torch.stack([each for each in parts if each is not None]).sum()
