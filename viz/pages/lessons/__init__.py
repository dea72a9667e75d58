"""Lessons: which there are, where the reader is in each, and one of the reader's own."""
