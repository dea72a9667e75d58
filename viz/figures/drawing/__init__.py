"""Drawing code that figures share: theme, panels, heatmaps, headings, colour bar."""
