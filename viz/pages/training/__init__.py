"""Training: how attention comes to be, from noise to alignment, in models as they were at points of their training."""
