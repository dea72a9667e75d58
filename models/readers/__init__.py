"""Readers of one text on networks of our own: the self-attentive sentence embedding."""
