"""The Heads page: every attention head of a model on one text, and a few of them compared."""
