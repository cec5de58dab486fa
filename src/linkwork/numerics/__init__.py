"""Compiled building blocks.

status.py holds the codes that kernels and Python exchange; vectors.py, rotations.py, scalars.py the small arithmetic;
dense.py, envelope.py, tree_matrix.py and rank_revealing.py the factorizations;
singular_values.py and quadratic_eigen.py the singular values and eigenvalues.
"""
