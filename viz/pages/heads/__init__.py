"""The Heads: one text, every attention head of a model, a few of them compared."""
