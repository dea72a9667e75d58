"""What the mechanisms of one paper share: its name, and how all of their networks depart from it."""
