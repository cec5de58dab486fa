"""The search for a balanced position: r = 0 in the independent coordinates (reduction.py), and what is left of it.

Read balancing.py (the order of the attempts), newton.py (along the forces, plain, polished), neutral.py (motions that a
balance leaves free) and residual.py (whether what remains is rounding).
"""
