"""The Steps page: how a weight is computed; the Lab; Positions."""
