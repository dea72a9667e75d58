"""A lesson as it is shown: which step the reader is at, the bar below the page, its questions."""
