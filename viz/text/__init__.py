"""Words: the language of the interface, and what a token looks like."""
