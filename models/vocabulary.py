"""What all agree on: the special tokens of every tokenizer and network of ours, and how positions are called."""

PAD, BEGIN, END = 0, 1, 2
"""Vocabulary indices of ``<pad>``, ``<s>`` and ``</s>``, the same in every tokenizer."""

FIRST_POSITION = 1
"""What a reader calls the first word, piece or position; to Python it is index 0. See `viz.text.counting`."""
