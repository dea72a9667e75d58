"""Lessons on a page: current step, bar and questions."""
