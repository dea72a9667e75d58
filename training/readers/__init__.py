"""Readers of one text, trained here: a small GPT (the next word) and a small BERT (masked words, next sentence)."""
