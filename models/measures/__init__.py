"""Numbers about heads, from their weights: of one text, as pages show them, and of many at once. numpy only."""
