"""Edits on a page: making them, keeping them, showing their effect."""
