"""Trains the captioners of scenes: ``python -m training.captions.train RECIPE --out DIR``."""
