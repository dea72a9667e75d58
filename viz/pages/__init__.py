"""Pages: each reads its settings, runs models and shows figures. No equations, no figure code."""
