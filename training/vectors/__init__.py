"""Trains static word vectors: skip-gram with negative sampling (Mikolov et al. 2013, arXiv:1310.4546)."""
