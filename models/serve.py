"""Says the new name of commands that were here: `scale.serve`."""

from models.renamed import say_new_name

say_new_name("models.serve", "scale.serve")
