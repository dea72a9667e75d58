"""The special tokens that every tokenizer and every network of ours agree on."""

PAD, BEGIN, END = 0, 1, 2
"""Vocabulary indices of ``<pad>``, ``<s>`` and ``</s>``, the same in every tokenizer."""
