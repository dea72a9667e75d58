"""Text: language of the interface, display of tokens, escaping."""
