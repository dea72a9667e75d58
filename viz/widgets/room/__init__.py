"""A room as it is shown: who is there, who follows, what the class is asked, and what it answered."""
