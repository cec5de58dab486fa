"""Partitioning of mechanisms too large for dense matrices, in time and memory that grow with the number of loops.

Read places.py first (where everything stands), then solution.py (the algebra), and the bases: pivot_columns.py for LU,
kept_rows.py for QR and projection.
"""
