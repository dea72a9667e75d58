"""What the figures share: theme, panels, heatmaps, mosaics."""
