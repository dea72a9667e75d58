"""Widgets: what pages are made of."""
