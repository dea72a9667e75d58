"""Past one machine: the model service, its client, and runs over a corpus. Nothing in `models` or `viz` imports it."""
