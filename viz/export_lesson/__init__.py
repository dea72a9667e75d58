"""A lesson in one file: `python -m viz.export_lesson NAME` writes it with its pictures, to be opened anywhere."""
