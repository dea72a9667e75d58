"""A text in the chat template of a tokenizer: run in the sandbox of transformers, in a process that may take little.

``python -m models.huggingface.chat`` reads a template, its special tokens and a text as JSON, and answers with the text
in the template. The sandbox keeps a stranger's template from files and from Python; the process, from memory and time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import lru_cache
from typing import Any

from models.errors import InputError, cut
from models.huggingface.apart import REFUSED, can_limit, limit, run_apart
from models.messages import Message

LONGEST = 20_000
"""Characters that a template may make of a text, beside the text itself."""

SPARE_BYTES, SECONDS = 2**27, 5
"""Memory and time of the processor that a template may take."""

PATIENCE = 30
"""Seconds after which it is ended in any case."""


def in_chat(tokenizer: Any, text: str) -> str:
    """Return `text` as the words of the user in the chat template, ready for the assistant's answer."""
    try:
        template = tokenizer.get_chat_template()
    except ValueError as error:  # several, none of which is the usual one
        raise _failed(str(error)) from error
    marks = {name: str(value) for name, value in tokenizer.special_tokens_map.items() if isinstance(value, str)}
    whole = _rendered(template, json.dumps(marks, sort_keys=True), text)
    if not whole.strip() or len(whole) > LONGEST + len(text):
        message = Message("The chat template of this tokenizer produced no usable text. Turn chat off.")
        raise InputError(message)
    return whole


@lru_cache(maxsize=64)
def _rendered(template: str, marks: str, text: str) -> str:
    """Return what a template makes of a text, asked of a process of its own."""
    given = json.dumps([template, json.loads(marks), text]).encode()
    try:
        done = run_apart([sys.executable, "-m", "models.huggingface.chat"], seconds=PATIENCE, given=given)
    except subprocess.TimeoutExpired as error:
        raise _failed(Message("it takes too long")) from error
    if done.returncode not in (0, REFUSED):
        raise _failed(Message("it takes too much memory or time"))
    said = str(json.loads(done.stdout.splitlines()[-1]))
    if done.returncode:
        raise _failed(said)
    return said


def _failed(reason: str) -> InputError:
    reason = reason if isinstance(reason, Message) else cut(" ".join(reason.split()))
    return InputError(Message("The chat template of this tokenizer failed ({reason}). Turn chat off.", reason=reason))


def main() -> None:
    """Put the text that is read into the template that is read, under limits."""
    from transformers.utils.chat_template_utils import render_jinja_template

    template, marks, text = json.loads(sys.stdin.buffer.read())
    if can_limit():
        limit(SPARE_BYTES, SECONDS)
    render: Any = render_jinja_template
    messages, status = [{"role": "user", "content": text}], 0
    try:
        said = render([messages], chat_template=template, add_generation_prompt=True, **marks)[0][0]
        said = said if len(said) <= LONGEST + len(text) else ""
    except Exception as error:  # whatever the template of a stranger does
        said, status = str(error) or type(error).__name__, REFUSED
    sys.stdout.write("\n" + json.dumps(said[: LONGEST + len(text)]) + "\n")
    sys.stdout.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
