"""Constraint rows, and what is made of them beside joints.

Read rows.py first (the primitive equations), then terms.py (rows that are sums), links.py (distances, point on a line,
couplers: declarations), rolling.py (a family with rows of its own), drivers.py.
"""
