"""The Why page: a growing sentence through one fixed vector, and through attention."""
