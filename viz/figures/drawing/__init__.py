"""What the figures share: theme, panels, the one way to draw maps, headings, the colour bar."""
