"""Lessons: YAML files, their checks and their library. `viz.widgets.lesson` shows them."""
