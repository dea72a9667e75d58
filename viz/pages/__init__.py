"""Pages: each chooses, runs and shows. No equations, and no figure is built here."""
