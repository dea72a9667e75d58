"""Data, recipes, training and evaluation, as commands: ``python -m models.training.train`` and its siblings."""
