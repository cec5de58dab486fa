"""Generalized-alpha: balance.py is the residual, tangent.py Newton's matrix, generalized_alpha.py the method."""
