"""The Surgery page: edit attention, and see what the model then generates."""
