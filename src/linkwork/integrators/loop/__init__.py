"""The compiled time loop.

chunks.py steps and samples, rows.py has the rows that it writes, locate.py finds events; advance.py takes steps and
nothing else, follow.py traces driven positions.
"""
