"""The compiled time loop: chunks.py steps and samples, locate.py finds events, follow.py traces driven positions."""
