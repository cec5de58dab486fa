"""Equilibrium, trim, and the reduction to independent coordinates that vibration shares (P4).

Read reduced_rows.py and reduction.py first, with independent.py (which coordinates) and floating_parts.py (what carries
what); derivatives.py and differences.py differentiate; balancing.py, steadiness.py, equilibrium.py, trim.py use them.
"""
