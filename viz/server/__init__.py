"""What all visitors share: threads, caches, models."""
