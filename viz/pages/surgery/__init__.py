"""Surgery: edit the attention of a model, and see what it then writes."""
