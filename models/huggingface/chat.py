"""A text in the chat template of a tokenizer, which transformers runs in a sandbox of its own."""

from __future__ import annotations

from typing import Any

from models.errors import InputError, cut
from models.messages import Message

LONGEST = 20_000
"""Characters that a template may make of a text, beside the text itself."""


def in_chat(tokenizer: Any, text: str) -> str:
    """Return `text` as the words of the user in the chat template, ready for the assistant's answer."""
    messages = [{"role": "user", "content": text}]
    try:
        whole = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    except Exception as error:  # whatever the template of a stranger does
        reason = cut(" ".join(str(error).split()) or type(error).__name__)
        message = Message("The chat template of this tokenizer failed ({reason}). Turn chat off.", reason=reason)
        raise InputError(message) from error
    if not isinstance(whole, str) or not whole.strip() or len(whole) > LONGEST + len(text):
        message = Message("The chat template of this tokenizer gives no text that can be read. Turn chat off.")
        raise InputError(message)
    return whole
