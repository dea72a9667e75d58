"""Tables of what heads do over a corpus, as `scale.corpus` writes them."""
