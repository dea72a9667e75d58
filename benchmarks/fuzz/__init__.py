"""Fuzzers: what strangers may send, made up at random and bounded in the tests, longer by hand.

``python -m benchmarks.fuzz NAME --minutes N`` runs one: identities, edits, threads, folders, links, payloads.
"""
