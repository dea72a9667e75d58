"""Why attention: a sentence through one fixed vector, and through attention, as it grows."""
