"""Scenes of nine cells: what is in them, how they are drawn, and the caption with the cells that each word names."""
