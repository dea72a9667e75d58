"""Texts about pictures: captions, notes, names of measures."""
