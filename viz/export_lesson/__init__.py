"""Export of a lesson to one HTML file: `python -m viz.export_lesson NAME`."""
