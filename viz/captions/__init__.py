"""Every sentence about a picture."""
