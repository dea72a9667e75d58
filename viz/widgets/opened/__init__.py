"""The page of saved traces."""
