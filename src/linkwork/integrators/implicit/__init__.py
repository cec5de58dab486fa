"""Generalized-alpha.

generalized_alpha.py is the method, scheme.py its numbers, newton.py one trial step, balance.py the residual of that,
tangent.py Newton's matrix.
"""
