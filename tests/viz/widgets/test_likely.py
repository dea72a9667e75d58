"""What a causal model predicts, where not every position, or no head, is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from models.huggingface import one_stack
from tests.support.huggingface_samples import tiny_network, tiny_tokenizer
from viz.widgets import likely

TEXT = "The cat drank the milk because it was hungry."


def script() -> None:
    from viz.pages.heads.page import PAGE

    PAGE.show()


def opened(folder: Path, monkeypatch: pytest.MonkeyPatch, *, headless: bool = False) -> AppTest:
    """Open the Heads with a tiny model of GPT-2's kind from `folder`, with or without its head."""
    network = tiny_network("gpt2")
    (network.base_model if headless else network).save_pretrained(folder)
    tiny_tokenizer(ends=False).save_pretrained(folder)
    monkeypatch.setenv("ATTENTION_BENCH_MODELS", str(folder))
    app = AppTest.from_function(script, default_timeout=200)
    app.session_state["after-every-token"] = True
    app.query_params["model"] = f"hf:{folder.name}"
    app.query_params["sentence"] = TEXT
    app.run()
    assert not app.exception
    return app


def rows_and_captions(app: AppTest) -> tuple[list[int], str]:
    return list(app.dataframe[0].value["position"]), " ".join(each.value for each in app.caption)


@pytest.mark.parametrize("short", ["memory", "table", None])
def test_a_table_of_the_last_tokens_alone_says_so(
    short: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / f"last-{short}"
    if short == "memory":
        monkeypatch.setattr(one_stack, "LOGITS", 5 * tiny_network("gpt2").config.vocab_size)
    elif short == "table":
        monkeypatch.setattr(likely, "MOST_ROWS", 5)
    positions, said = rows_and_captions(opened(folder, monkeypatch))
    last = positions[-1]
    if short:
        assert positions == list(range(last - 4, last + 1))  # counted from 1
        assert f"Only the last 5 of {last} tokens are shown." in said
    else:
        assert positions == list(range(1, last + 1))
        assert "Only the last" not in said


def test_a_checkpoint_without_its_head_says_why_no_token_is_predicted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(tmp_path / "headless", monkeypatch, headless=True)
    said = " ".join(each.value for each in app.caption).replace("\\", "")
    assert "headless cannot predict the next token: its checkpoint has no trained output layer" in said
