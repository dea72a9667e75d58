"""Rooms in which a teacher leads and a class answers together: kept in one file, no names, no accounts."""
