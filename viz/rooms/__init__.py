"""Rooms in which a teacher leads and a class answers: one SQLite file, no names, no accounts."""
