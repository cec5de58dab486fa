"""Equilibrium, trim, and the reduction to independent coordinates that vibration shares (P4).

Read equilibrium.py and trim.py first; below them reduction.py (reduced_rows.py, independent.py, floating_parts.py), its
derivatives.py, the search for a balance (search/), steadiness.py, ports.py (inputs and outputs by name).
"""
