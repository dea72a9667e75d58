"""Walks: the steps of each mechanism from a trace's numbers to the generated word."""
