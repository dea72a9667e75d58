"""Says the new name of the command that was here: `scale.corpus`."""

from models.renamed import say_new_name

say_new_name("models.corpus", "scale.corpus")
