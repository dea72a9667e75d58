"""What heads do over a corpus: ``python -m scale.corpus MODEL TEXT --out FOLDER``."""
