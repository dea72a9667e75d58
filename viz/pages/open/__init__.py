"""A saved trace, opened."""
