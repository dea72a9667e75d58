"""Data, recipes, training and evaluation, as commands: ``python -m training.train`` and its siblings."""
