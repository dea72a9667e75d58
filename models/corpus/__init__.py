"""What heads do over a corpus: ``python -m models.corpus MODEL TEXT --out FOLDER``."""
