"""Views: which part of a trace is shown."""
