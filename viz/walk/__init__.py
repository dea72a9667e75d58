"""The steps of each mechanism: from a trace's numbers to a row of weights and what becomes of it."""
