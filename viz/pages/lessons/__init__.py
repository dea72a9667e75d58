"""The Lessons page: all lessons, the reader's progress, and a lesson of their own."""
