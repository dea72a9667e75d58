"""The server: models, caches, queues and limits that all visitors share."""
