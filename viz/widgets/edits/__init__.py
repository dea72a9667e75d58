"""Making edits of attention on a page, keeping them, and saying what they did."""
