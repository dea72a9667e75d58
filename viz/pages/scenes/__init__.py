"""The Scenes page: show, attend and tell."""
