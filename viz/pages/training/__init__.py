"""The Training page: attention from noise to alignment, at points of a model's training."""
