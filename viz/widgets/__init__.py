"""What pages are made of: controls, settings, the sentence box."""
