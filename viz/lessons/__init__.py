"""Lessons that teachers write: one YAML file each, read, checked and found; `viz.widgets.lesson` shows them."""
