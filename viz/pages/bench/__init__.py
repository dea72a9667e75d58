"""The Bench: one sentence, every mechanism side by side."""
