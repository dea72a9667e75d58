"""The Steps: how a weight came to be; the Lab; Positions."""
