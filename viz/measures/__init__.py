"""Numbers about attention."""
