"""Which part of a trace is shown."""
