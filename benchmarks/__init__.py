"""Benchmarks of linkwork against its peers; run from the repository root."""
