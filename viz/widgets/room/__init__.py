"""Rooms on a page: members, questions and answers."""
