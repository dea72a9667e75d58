"""Says the new name of commands that were here: `training`."""

from models.renamed import say_new_name

say_new_name("models.training", "training")
